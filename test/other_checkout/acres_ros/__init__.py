"""Another package of this name, in a folder in which programs of ours are started: none of them may be this one."""

raise SystemExit("the package of the current folder was imported")
