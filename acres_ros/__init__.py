"""acres_ros: a ROS 2 node suite that stands in for the Polaris Ranger of the ACRE farm."""

__version__ = "0.1.0"
