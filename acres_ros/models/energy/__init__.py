"""Energy ledger of a vehicle: what it stores, what a step does, and whether the two agree."""
