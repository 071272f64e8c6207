"""The `acres` command: each verb is one module with `HELP`, `add_arguments(parser)` and `run(arguments) -> int`."""
