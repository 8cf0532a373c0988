"""Proof that the gates of `gates/runtime` cannot be fooled: they must fail for every runtime that lies."""
