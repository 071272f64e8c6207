"""The figures of speed, memory and start: what they are, how they are read, and the rows that need no ROS."""

from acres_ros.tools.bench.figures import Bar, Figure, table
from acres_ros.tools.bench.lidar import lidar_figures
from acres_ros.tools.bench.odometry import odometry_figures
from acres_ros.tools.bench.physics import physics_figures
from acres_ros.tools.bench.physics_threads import physics_thread_figures
from acres_ros.tools.bench.processes import ProcessGroup
from acres_ros.tools.bench.statistics import grid_lateness, percentile

__all__ = [
    "Bar",
    "Figure",
    "ProcessGroup",
    "grid_lateness",
    "lidar_figures",
    "odometry_figures",
    "percentile",
    "physics_figures",
    "physics_thread_figures",
    "table",
]
