"""Make the farm wet: how a program changes the conditions while the simulation runs."""

import rclpy
from acres_interfaces.srv import SetConditions

rclpy.init()
node = rclpy.create_node("rain")
client = node.create_client(SetConditions, "/acres/set_conditions")
if not client.wait_for_service(0.5):
    print("waiting for the stand-in, 10 s at most", flush=True)
    if not client.wait_for_service(10.0):
        raise SystemExit("nobody offers /acres/set_conditions: is the stand-in up? See ./acres up")
future = client.call_async(SetConditions.Request(global_fraction=0.9))  # 0 dry, 1 saturated
rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
if not future.done():
    raise SystemExit("no answer within 10 s: has the stand-in ended?")
print(future.result())
