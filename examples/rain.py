"""Make the farm wet: how a program changes the conditions while the simulation runs."""

import rclpy
from acres_interfaces.srv import SetConditions

rclpy.init()
node = rclpy.create_node("rain")
client = node.create_client(SetConditions, "/acres/set_conditions")
client.wait_for_service()
future = client.call_async(SetConditions.Request(global_fraction=0.9))  # 0 dry, 1 saturated
rclpy.spin_until_future_complete(node, future)
print(future.result())
