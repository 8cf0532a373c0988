"""Simulated libraries of operators: how each is set up, and calls that it takes and that it leaves to the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from generators.native_op.table import OperatorTable, read_table, table_path
from generators.vendor import FoundSdk, find_operator_library
from tests.sdks.build import sdk


@dataclass(frozen=True)
class Simulated:
    vendor: str
    library: str  # the simulated SDKs, and where in the first the library lies
    folder: str
    runtime: str
    taken: tuple[str, ...]
    of_nothing: frozenset[str]  # what has a result, or none, of inputs without elements: the layer asks the CPU
    left: dict[str, str]  # what the layer cannot hand over -> the operator that the CPU computes

    @cached_property
    def table(self) -> OperatorTable:
        return read_table(table_path(self.vendor))

    @property
    def runtime_sdk(self) -> Path:
        return sdk(self.runtime)

    def find(self) -> FoundSdk:
        return find_operator_library(self.table, sdk(self.library) / self.folder / self.table.library.library)


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


XDNN = Simulated(
    "kunlun",
    "xdnn_sim",
    "lib",
    "xre_sim",
    lines("""
        x.abs()
        x.neg()
        x.exp()
        x.exp_()
        torch.sqrt(x, out=torch.empty_like(x))
        x.round()
        x.sigmoid()
        F.silu(x)
        F.gelu(x)
        F.leaky_relu(x, 0.3)
        F.softplus(x, 2, 3)
        x.clamp(-0.5, 0.7)
        x.pow(2)
        x + y
        y - x
        x.add(y, alpha=3)
        x.sub(y, alpha=0.3)
        x * y
        x / y
        x + 2.5
        x - 3
        x / 3
        torch.maximum(x, y)
        x.add_(y)
        x.mul_(x)
        x.clamp_min(0.1)
        x == y
        x < 0.5
        torch.logical_or(x > 0, y > 1)
        (x > 0).logical_not()
        torch.addcmul(x, y, y, value=0.5)
        x.sum(-1)
        x.mean(0, keepdim=True)
        x.amax(-1)
        x.norm(dim=0)
        (x > 0).any(-1)
        x.softmax(-1)
        x.softmax(0)
        x.log_softmax(-1)
        x @ x.mT
        x.mT @ x
        x[0] @ y
        torch.addmm(y[:1], x, x.mT, beta=0.5, alpha=2)
        x.mul(y).tanh().sum()
        torch.cat([x, x.exp()], -1)
        F.layer_norm(x, x.shape[-1:])
        F.layer_norm(x, x.shape[-1:], y, y)
        F.batch_norm(x, y, y, y, y)
        torch._foreach_exp([x, y])[0]
    """),
    frozenset(
        lines("""
        x.sum(-1)
        x.mean(0, keepdim=True)
        x.norm(dim=0)
        x @ x.mT
        x.mT @ x
        (x > 0).any(-1)
        torch.cat([x, x.exp()], -1)
        x.mul(y).tanh().sum()
        """)
    ),
    {
        "x.double().abs()": "aten::abs",
        "F.gelu(x, approximate='tanh')": "aten::gelu",
        "F.selu(x)": "aten::elu",
        "3 - x": "aten::sub.Tensor",
        "x.pow(0.5)": "aten::pow.Tensor_Scalar",
        "x.clamp(min=y)": "aten::clamp.Tensor_out",
        "x.norm(3, dim=0)": "aten::linalg_vector_norm",
        "(x > 0).sum(-1)": "aten::sum.dim_IntList",
        "F.relu(x.long())": "aten::relu",
    },
)
ACLNN = Simulated(
    "ascend",
    "aclnn_sim",
    "lib64",
    "acl_sim",
    lines("""
        x.abs()
        x.neg_()
        x.exp()
        torch.sqrt(x, out=torch.empty_like(x))
        x.sigmoid()
        F.silu(x)
        F.gelu(x)
        F.leaky_relu(x, 0.3)
        x.clamp(-0.5, 0.7)
        x.clamp_min(0.1)
        x.pow(2)
        x + y
        y - x
        x.add(y, alpha=3)
        x * y
        x / y
        x + 2.5
        x - 3
        x * 3
        x / 3
        torch.maximum(x, y)
        x.add_(y)
        x.mul_(x)
        x == y
        x == 0.5
        x > y
        x > 0.5
        torch.logical_and(x > 0, y > 1)
        x.sum(-1)
        x.mean(0, keepdim=True)
        x.amax(-1)
        x.softmax(-1)
        x.softmax(0)
        x.log_softmax(-1)
        x @ x.mT
        x.mT @ x
        torch.addmm(y[:1], x, x.mT, beta=0.5, alpha=2)
        torch.cat([x, x.exp()], -1)
        F.layer_norm(x, x.shape[-1:])
        F.layer_norm(x, x.shape[-1:], y, y)
        x.mul(y).tanh().sum()
    """),
    frozenset(
        lines("""
        x.sum(-1)
        x.mean(0, keepdim=True)
        x @ x.mT
        x.mT @ x
        torch.cat([x, x.exp()], -1)
        x.mul(y).tanh().sum()
        """)
    ),
    {
        "x.double().abs()": "aten::abs",
        "F.gelu(x, approximate='tanh')": "aten::gelu",
        "3 - x": "aten::sub.Tensor",
        "x.pow(0.5)": "aten::pow.Tensor_Scalar",
        "(x > 0).sum(-1)": "aten::sum.dim_IntList",
        "F.relu(x.long())": "aten::relu",
    },
)
