"""Proofs in one process, or in processes of their own, that the simulator repeats to the bit."""
