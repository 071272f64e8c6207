"""What the vehicles of a simulation are called."""

FIRST_VEHICLE = "polaris"
"""The first vehicle among the entities, where it has no name of its own."""
