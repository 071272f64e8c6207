"""What the vehicles of a simulation are called."""

AGENT_NAME = "[A-Za-z_][A-Za-z0-9_]{0,63}"
"""What a further vehicle can be called: a token of a ROS name that leaves room for the rest of the name."""
FIRST_VEHICLE = "polaris"
"""The first vehicle among the entities, where it has no name of its own."""
