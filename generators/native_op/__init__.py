"""Operators of a vendor's own library: the table that people review, and the kernels that are generated from it.

    python -m generators.native_op --vendor NAME

`docs/vendors/<vendor>/op-api-map.yaml` says of each operator what the library calls it, how its arguments are handed over and
what comes back (`table`). `csrc/aten/backends/<vendor>/kernels.cc` is generated from it, by a template for each category
(`sources`), over the library's calling convention, which is written by hand beside it.
"""

from __future__ import annotations


class NativeError(Exception):
    """A table or a library that cannot be used: what was expected, what was found, and what to do."""
