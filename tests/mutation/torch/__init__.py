"""Mutants of the torch side: one patch each, of one source file; `patches.py` says how to add one."""
