"""What counts as a use of the Python side of CUDA in sources."""

import ast

import pytest

from gates.python_sources import ALLOWED, CUDA, uses_of_cuda


@pytest.mark.parametrize(
    ("source", "names"),
    {
        "import torch.cuda": [CUDA],
        "import torch.cuda.amp as amp": [f"{CUDA}.amp"],
        "from torch import nn, cuda": [CUDA],
        "from torch.cuda import synchronize": [f"{CUDA}.synchronize"],
        "import torch\ntorch.cuda.init()": [f"{CUDA}.init"],
        "x = torch.cuda": [CUDA],
        "torch.cuda.is_initialized()": [ALLOWED],
        "torch.cuda.Stream(torch.cuda.current_device())": [f"{CUDA}.Stream", f"{CUDA}.current_device"],
        "getattr(torch, 'cuda')": [CUDA],
        "importlib.import_module('torch.cuda')": [CUDA],
        "program = 'import torch\\ntorch.cuda.init()'": [f"{CUDA}.init"],
        "torch.backends.cuda.is_built()": [],
        "torch.device('cuda')": [],
        "'''What `torch.cuda` has, and an import of it is forbidden.'''": [],
        "# torch.cuda.init()": [],
        "from .torch import cuda": [],
        "mytorch.cuda.init()": [],
    }.items(),
)
def test_uses_are_found_however_they_are_spelled(source, names):
    assert [name for _, name in uses_of_cuda(ast.parse(source))] == names


def test_lines_are_those_of_the_file():
    source = "x = 1\nprogram = '''\nimport torch\ntorch.cuda.init()\n'''\ntorch.cuda.init()\n"
    assert [line for line, _ in uses_of_cuda(ast.parse(source))] == [4, 6]
