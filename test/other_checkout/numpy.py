"""A module of a name that ours import: see the package beside it."""

raise SystemExit("a module of the current folder was imported")
