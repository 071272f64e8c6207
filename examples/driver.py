"""Drive straight at 2 m/s: the shortest program that moves the vehicle."""

import rclpy
from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd, UlcCmd
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Empty

rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # Ctrl-C comes between two messages
node = rclpy.create_node("driver")
publish = {
    kind: node.create_publisher(kind, f"/vehicle/{name}", 1).publish
    for kind, name in ((Empty, "enable"), (GearCmd, "gear/cmd"), (SteeringCmd, "steering/cmd"), (UlcCmd, "ulc/cmd"))
}


def tick() -> None:
    """Send every command, 50 times a second: the drive-by-wire lets go 0.1 s after the last one."""
    publish[Empty](Empty())
    publish[GearCmd](GearCmd(cmd=Gear(value=Gear.LOW)))
    publish[SteeringCmd](SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=12.5, enable=True))  # 12.5 deg is straight
    publish[UlcCmd](UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=2.0, enable=True))


def look() -> None:
    """Say so as long as nobody takes the commands."""
    if node.count_subscribers("/vehicle/enable") == 0:
        print("nobody takes the commands yet: is the stand-in up? See ./acres up", flush=True)


node.create_timer(0.02, tick)
node.create_timer(1.0, look)
try:
    rclpy.spin(node)
except KeyboardInterrupt:
    pass
