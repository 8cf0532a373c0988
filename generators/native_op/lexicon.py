"""What libraries of operators call things, of whatever vendor. A word that one library uses belongs here only if another could
use it in the same sense; what PyTorch calls things, its own schemas say."""

from __future__ import annotations

# Words of a function's name that say how it computes or how it is called, not what.
HOW = frozenset("broadcast reduce forward fwd infer inference elementwise desc init primitive create accurate".split())
STAGES = ("GetWorkspaceSize",)  # what the first stage of a call is called, behind the name of the call
BACKWARD = frozenset("grad bwd backward".split())
FROM_RESULT = "use dst for bwd".split()  # a gradient that is computed from the result
IN_PLACE = "inplace"
# Words that PyTorch's names have around what an operator computes.
AROUND = frozenset("native linalg data kernel overrideable".split())

# What a name says, its words joined -> PyTorch's names for it: which of them, a function's signature says.
SYNONYMS: dict[str, tuple[str, ...]] = {
    word: tuple(names.split())
    for names, words in {
        "abs": "absolute",
        "acos": "arccos",
        "acosh": "arccosh",
        "asin": "arcsin",
        "asinh": "arcsinh",
        "atan": "arctan",
        "atanh": "arctanh",
        "atan2": "arctan2",
        "neg": "negative negate",
        "reciprocal": "recip rcp",
        "sign": "signum",
        "silu": "swish",
        "sigmoid": "logistic",
        "softplus": "softrelu",
        "gelu": "geluerf gelutanh",
        "clamp hardtanh": "clip",
        "threshold": "thresholdedrelu",
        "add": "plus",
        "sub": "subtract minus",
        "mul prod": "mul multiply",
        "div": "divide realdiv",
        "pow": "power",
        "maximum amax clampmin": "max",
        "minimum amin clampmax": "min",
        "eq": "equal",
        "ne": "notequal",
        "lt": "less lessthan",
        "le": "lessequal lessthanequal",
        "gt": "greater greaterthan",
        "ge": "greaterequal greaterthanequal",
        "vectornorm": "l2 norml2 normlpsum",
        "mm bmm": "matmul",
        "mm": "gemm",
        "bmm": "batchmatmul batchedmatmul",
        "cat": "concat concatenate",
        "layernorm": "layernormalization",
        "batchnorm": "batchnormalization",
        "logsoftmax": "softmaxlog",
        "thresholdbackward": "relubackward",
    }.items()
    for word in words.split()
}

# What an operator's parameters are, by the words of their types and names.
TENSOR = frozenset("tensor memory".split())  # of a type
NUMBER = frozenset("scalar".split())
SEVERAL = frozenset("list".split())
INTEGERS = frozenset("array".split())
OUTPUT = frozenset("out dst".split())  # of a name, although what it points to is const
NAMED_BESIDE = frozenset("desc optional".split())  # in such a name
DISPENSABLE = frozenset("optional bias".split())
INTERNAL = frozenset("workspace scratchpad maxptr".split())  # the layer's business
GEOMETRY = frozenset("len length size shape xshape yshape zshape strides axis count num ndim stream".split())

# A function that takes one of an enumeration's algorithms: the first word of their names -> the categories that they are of.
FAMILIES: dict[str, tuple[str, ...]] = {
    "eltwise": ("unary", "activation", "activation backward"),
    "binary": ("binary", "binary scalar", "comparison", "comparison scalar", "logical"),
    "reduction": ("reduction",),
    "softmax": ("softmax", "softmax backward"),
}
