"""Drive a bend in lockstep, one call for each control step: commands in, steps, state out."""

import math

import rclpy
from acres_interfaces.msg import Command
from acres_interfaces.srv import StepWithCommands
from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd, UlcCmd
from rclpy.serialization import serialize_message
from std_msgs.msg import Empty

rclpy.init()
node = rclpy.create_node("control_step")
client = node.create_client(StepWithCommands, "/acres/step_with_commands")
if not client.wait_for_service(0.5):
    print("waiting for the stand-in, 10 s at most", flush=True)
    if not client.wait_for_service(10.0):
        raise SystemExit("nobody offers /acres/step_with_commands: is the stand-in up? See ./acres up")


def step(**commands):
    """Run 0.1 s with some commands and return the answer."""
    carried = [Command(name=name, data=serialize_message(command)) for name, command in commands.items()]
    future = client.call_async(StepWithCommands.Request(steps=12, commands=carried))
    rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
    if not future.done():
        raise SystemExit("no answer within 10 s: has the stand-in ended?")
    if not future.result().success:
        raise SystemExit(future.result().message)
    return future.result()


step(enable=Empty(), gear=GearCmd(cmd=Gear(value=Gear.LOW)))
for number in range(100):
    angle = 12.5 + 150.0 * math.sin(number / 15.0)
    state = step(
        steering=SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=angle, enable=True),
        ulc=UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=2.0, enable=True),
    )
print(f"at step {state.step}: x = {state.pose.position.x:.3f} m, y = {state.pose.position.y:.3f} m")
