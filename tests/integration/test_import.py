"""Importing in any order, choosing a vendor, processes that fork, and what happens when something is missing."""

import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

import torch_fl
from tests.integration.lines import PINNED
from torch_fl import library_dir
from torch_fl._built import built_for
from torch_fl.torch_lines import line_of

SEED = """
t = torch.empty(4, 4, device="flagos")
h = torch.arange(16.0).reshape(4, 4)
assert torch.equal(h, h.to("flagos").cpu())
torch_fl.synchronize()
assert torch_fl.device_count() == 2 and torch_fl.memory_allocated() > 0
assert torch.flagos is torch_fl.flagos and torch.flagos.__all__
"""
ORDERS = {
    "torch first": "import torch, torch_fl",
    "torch_fl first": "import torch_fl, torch\ntorch_fl.device_count()",
    "attribute first": "import torch_fl\ntorch_fl.synchronize()\nimport torch",
    "submodule first": "import torch_fl.flagos\nimport torch",
    "from import first": "from torch_fl import flagos\nimport torch, torch_fl",
    "backend module first": "import torch_fl._backend\nimport torch\ntorch_fl.init()",
}


@pytest.mark.parametrize(("order", "autoload"), list(itertools.product(ORDERS, "01")))
def test_import_orders(run_python, order, autoload):
    done = run_python(f"{ORDERS[order]}\n{SEED}", TORCH_DEVICE_BACKEND_AUTOLOAD=autoload)
    assert done.stderr == ""


def test_torch_alone(run_python):
    run_python("""
        import sys, torch
        assert "torch_fl" in sys.modules
        assert torch.ones(2, device="flagos").device.type == "flagos"
    """)


def test_nothing_without_autoload(run_python):
    run_python(
        """
        import sys, torch
        assert "torch_fl" not in sys.modules and not hasattr(torch, "flagos")
        """,
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    )


def test_import_brings_no_torch(run_python):
    run_python("""
        import sys, torch_fl
        assert torch_fl.__version__ == "0.1.0"
        assert (torch_fl.library_dir() / "libtorch_fl.so").exists()
        assert not hasattr(torch_fl, "__wrapped__")
        for missing in ("no_such_module", "_private"):
            try:
                __import__(f"torch_fl.{missing}")
            except ImportError:
                pass
        assert "torch" not in sys.modules
    """)


def test_unknown_attribute():
    with pytest.raises(AttributeError, match="no_such_thing"):
        torch_fl.no_such_thing  # noqa: B018


def test_import_loads_no_vendor(run_python):
    """Children that are forked after the import must be able to use the device."""
    run_python("""
        def loaded():
            return "libflagos_" in open("/proc/self/maps").read()
        import torch, torch_fl
        torch.manual_seed(1)
        torch.ones(2).add(1)
        assert not torch_fl.runtime_info()["loaded"] and not torch_fl.is_initialized()
        assert not torch.ones(1).is_pinned() and torch_fl.memory_stats() == {}
        torch_fl.empty_cache()
        assert not loaded()
        torch.ones(2, device="flagos")
        assert loaded() and torch_fl.is_initialized()
    """)


def test_importing_changes_nothing_else_in_torch(run_python):
    """Of all names of torch's modules and classes, public and private, none is replaced but the device's own name and the
    texts of two enumerations that hold it; and what is added has the device's name in it."""
    done = run_python(
        """
        import sys, warnings
        import torch, torch.func, torch.multiprocessing, torch.utils.benchmark, torch.utils.checkpoint, torch.utils.data
        from torch.overrides import _get_current_function_mode_stack
        from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
        warnings.simplefilter("ignore")  # of deprecated names, which are looked at as well

        def names():
            spaces = {n: m for n, m in sys.modules.items() if n.split(".")[0] == "torch" and hasattr(m, "__dict__")}
            classes = {id(c): c for m in spaces.values() for c in vars(m).copy().values() if isinstance(c, type)}
            for c in classes.values():
                if c.__module__.split(".")[0] == "torch":
                    spaces[f"{c.__module__}.{c.__qualname__}"] = c
            return {f"{space}.{name}": value for space in spaces for name, value in vars(spaces[space]).copy().items()}

        before = names()
        assert len(before) > 50_000
        import torch_fl
        torch_fl.init()
        torch.ones(1, device="flagos").add_(1).cpu()
        after = names()
        assert not [n for n in after.keys() - before.keys() if "flagos" not in n.lower()]
        assert not _get_current_function_mode_stack() and not _get_current_dispatch_mode_stack()
        print(*sorted(n for n, value in before.items() if after.get(n) is not value), sep="\\n")
        """,
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    )
    enumerations = ("torch._C._autograd.DeviceType", "torch._C._profiler.ProfilerActivity")
    renamed = {f"{e}.{name}" for e in enumerations for name in ("name", "__str__", "__repr__")}
    changed, device_name = set(done.stdout.split()), {"torch.utils.backend_registration._privateuse1_backend_name"}
    assert changed == renamed | device_name if PINNED else device_name <= changed <= renamed | device_name
    assert not [text for text in done.stderr.splitlines() if "No CUDA runtime is found" not in text]  # of a CUDA build


# ---- a package that is not built, or not alone ----


def test_unbuilt_package_does_not_kill_torch(run_python):
    done = run_python(
        """
        import sys
        sys.modules["torch_fl._C"] = None  # as if there were no such file, also where the package is installed
        import torch
        assert torch.ones(2).sum() == 2
        import torch_fl
        try:
            torch_fl.synchronize()
        except ImportError as error:
            print(error)
        """
    )
    assert "RuntimeWarning: the flagos device is not available" in done.stderr
    assert "make build" in done.stdout and "make build" in done.stderr


def test_package_that_lacks_a_file_does_not_kill_torch(run_python):
    done = run_python(
        """
        import pathlib, torch_fl.torch_lines as lines
        lines.TABLE = pathlib.Path("/gone/torch_lines.json")
        import torch
        assert torch.ones(2).sum() == 2
        """
    )
    assert (
        "RuntimeWarning: the flagos device is not available: " in done.stderr
        and "/gone/torch_lines.json" in done.stderr
    )


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ("torch.__version__ = '2.1.0+cpu'", "it is built for torch {built}, and this is torch 2.1.0+cpu"),
        ("torch.compiled_with_cxx11_abi = lambda: False", "with _GLIBCXX_USE_CXX11_ABI=1, and torch {version} with 0"),
    ],
)
def test_other_torch_than_it_was_built_for_is_told_before_anything_is_loaded(run_python, changed, told):
    """And not as an undefined symbol."""
    done = run_python(
        f"import sys, torch\n{changed}\nimport torch_fl\nassert 'torch_fl._C' not in sys.modules\ntorch_fl.init()",
        status=1,
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    )
    last = done.stderr.splitlines()[-1]
    built = built_for().torch
    assert last.startswith("ImportError: ") and told.format(built=built, version=torch.__version__) in last
    assert str(Path(torch.__file__).parent) in last and "undefined symbol" not in done.stderr
    assert f"pip install 'torch=={line_of(built)}.*'" in last and "make build" in last


def test_torch_that_was_not_ported_to_is_warned_of_once(run_python):
    done = run_python(
        """
        import torch_fl.torch_lines as lines
        lines.torch_lines = lambda: lines.TorchLines(("1.0", "1.1"), {})
        import torch, torch_fl
        torch_fl.init()
        torch_fl.init()
        """,
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    )
    (warning,) = (line for line in done.stderr.splitlines() if "Warning" in line)
    assert f"torch {torch.__version__} is none of the lines that torch_fl was ported to, 1.0 to 1.1" in warning
    assert "pytest -m version_port" in warning


def test_another_backend_came_first(run_python):
    done = run_python(
        """
        import torch
        torch.utils.rename_privateuse1_backend("other")
        import torch_fl
        try:
            torch_fl.synchronize()
        except ImportError as error:
            print(error)
        """,
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    )
    assert "'other' is already registered" in done.stdout


# ---- choosing a vendor ----

SHOW = """
import torch_fl
try:
    torch_fl.init()
except RuntimeError as error:
    print(error)
    import torch
    assert not torch_fl.is_available()
    for use in (torch_fl.device_count, lambda: torch.empty(1, device="flagos")):
        try:
            use()
        except RuntimeError as again:
            assert str(error).splitlines()[0] in str(again)
        else:
            raise AssertionError("no error")
else:
    print(torch_fl.runtime_info())
"""


def test_default_vendor(run_forked):
    assert "'vendor': 'host'" in run_forked(SHOW).stdout


def test_what_is_built_and_which_vendor_was_chosen_why_is_told(run_forked):
    """With the first use of the package: nothing else need be called before."""
    show = "import json, torch_fl; print(json.dumps(torch_fl.build_info()))"
    info = json.loads(run_forked(show, FLAGOS_ACCELERATOR="host").stdout)
    library = str(library_dir() / "libflagos_host.so")
    assert info == {
        "version": torch_fl.__version__,
        "torch": torch.__version__.partition("+")[0],
        "cxx11_abi": torch.compiled_with_cxx11_abi(),
        "vendor": "host",
        "chosen": "FLAGOS_ACCELERATOR names it",
        "library": library,
    }
    named = json.loads(run_forked(show, FLAGOS_RUNTIME_LIBRARY=library, FLAGOS_ACCELERATOR="ignored").stdout)
    assert named["chosen"] == "FLAGOS_RUNTIME_LIBRARY names its library" and named["vendor"] == "host"


def test_vendor_xpu_is_refused(run_forked):
    assert "PyTorch means Intel" in run_forked(SHOW, FLAGOS_ACCELERATOR="xpu").stdout


def test_vendor_that_does_not_exist(run_forked):
    text = run_forked(SHOW, FLAGOS_ACCELERATOR="nosuch").stdout
    assert "libflagos_nosuch.so" in text and "does not exist" in text
    assert "the built vendors are: " in text and "host" in text.split("the built vendors are: ")[1].split(". ")[0]
    known = text.partition(
        "There are no sources of a vendor 'nosuch' beside this package to build it from; there are those of: "
    )[2]
    assert {"host", "cuda", "opencl"} <= set(known.strip().split(", ")) and "common" not in known
    assert "Build it" not in text and "pytest" not in text


def test_vendor_that_is_not_built(run_python, tmp_path):
    """In a checkout of its own, with sources of that vendor: libtorch_fl.so looks beside itself."""
    libraries = tmp_path / "torch_fl/lib"
    libraries.mkdir(parents=True)
    (libraries / "libtorch_fl.so").symlink_to(library_dir() / "libtorch_fl.so")
    (tmp_path / "csrc/runtime/accelerator/nosuch").mkdir(parents=True)
    (tmp_path / "csrc/runtime/accelerator/nosuch/memory.cc").touch()
    path = f"{libraries}{os.pathsep}{os.environ.get('LD_LIBRARY_PATH', '')}"
    text = run_python(SHOW, LD_LIBRARY_PATH=path, FLAGOS_ACCELERATOR="nosuch").stdout
    assert f"{libraries}/libflagos_nosuch.so" in text and "does not exist; the built vendors are: none" in text
    assert "python -m generators.build --vendor nosuch" in text and "pytest gates/runtime --vendor nosuch" in text


def test_vendor_name_is_not_a_path(run_forked):
    text = run_forked(SHOW, FLAGOS_ACCELERATOR="../lib/x").stdout
    assert "is not the name of a vendor" in text and "host" in text


@pytest.mark.parametrize("name", ["my.so", "nosuch/"])
def test_library_whose_name_is_not_that_of_a_vendor(run_forked, tmp_path, name):
    text = run_forked(SHOW, FLAGOS_RUNTIME_LIBRARY=f"{tmp_path}/{name}").stdout
    assert "libflagos_<vendor>.so" in text and "FLAGOS_RUNTIME_LIBRARY" in text and "generators.build" not in text


def test_library_by_path(run_forked):
    path = library_dir() / "libflagos_host.so"
    assert str(path) in run_forked(SHOW, FLAGOS_RUNTIME_LIBRARY=str(path), FLAGOS_ACCELERATOR="ignored").stdout


def test_no_device(run_forked):
    text = run_forked(
        """
        import torch, torch_fl
        torch_fl.init()
        assert not torch_fl.is_available() and torch_fl.device_count() == 0
        try:
            torch.empty(1, device="flagos")
        except RuntimeError as error:
            print(error)
    """,
        FLAGOS_HOST_DEVICES="0",
    ).stdout
    assert "vendor 'host'" in text and "finds no device" in text and "FLAGOS_ACCELERATOR" in text


def compile_library(path, source, *flags):
    subprocess.run(
        ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-x", "none", "-o", str(path), *flags],
        input=source,
        text=True,
        check=True,
    )


needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ to build a runtime library")


@needs_compiler
def test_incomplete_library_names_everything_that_is_missing(run_forked, tmp_path):
    path = tmp_path / "libflagos_partial.so"
    compile_library(path, 'extern "C" int Malloc() { return 1; }')
    text = run_forked(SHOW, FLAGOS_RUNTIME_LIBRARY=str(path)).stdout
    assert str(path) in text and "30 of the functions" in text
    for name in ("GetDeviceCount", "Free", "EventElapsedTime", "GetDefaultStream", "GetLastErrorText"):
        assert name in text
    assert "Malloc," not in text and "GetDeviceMemoryInterface" in text
    assert "no sources of a vendor 'partial'" in text


@needs_compiler
def test_unresolved_sdk_library(run_forked, tmp_path):
    compile_library(tmp_path / "libsdk.so", "int sdk() { return 0; }")
    path = tmp_path / "libflagos_needy.so"
    compile_library(path, "int sdk(); int use() { return sdk(); }", str(tmp_path / "libsdk.so"))
    (tmp_path / "libsdk.so").unlink()
    text = run_forked(SHOW, FLAGOS_RUNTIME_LIBRARY=str(path)).stdout
    assert "libsdk.so" in text and "ldd" in text


def test_file_that_is_no_library(run_forked, tmp_path):
    path = tmp_path / "libflagos_text.so"
    path.write_text("not a library")
    text = run_forked(SHOW, FLAGOS_RUNTIME_LIBRARY=str(path)).stdout
    assert str(path) in text and "architecture" in text


@pytest.fixture
def detection(run_python, tmp_path):
    """Run SHOW with a folder of vendors of its own: libtorch_fl.so looks beside itself."""
    for library in ("libtorch_fl.so", "libflagos_host.so"):
        (tmp_path / library).symlink_to(library_dir() / library)

    def run(**devices):
        for vendor, count in devices.items():
            compile_library(
                tmp_path / f"libflagos_{vendor}.so",
                f'extern "C" int GetDeviceCount(int* count) {{ *count = {count}; return {count} < 0; }}',
            )
        path = f"{tmp_path}{os.pathsep}{os.environ.get('LD_LIBRARY_PATH', '')}"
        return run_python(SHOW, LD_LIBRARY_PATH=path, FLAGOS_ACCELERATOR="").stdout

    return run


@needs_compiler
def test_detection_falls_back_to_host_and_says_why(detection):
    text = detection(aaa=0, bbb=-1)
    assert "'vendor': 'host'" in text and "'chosen': 'no other built vendor has a device'" in text
    assert "aaa: no device" in text and "bbb: GetDeviceCount returned 1" in text


@needs_compiler
def test_detection_chooses_the_vendor_with_a_device(detection):
    text = detection(aaa=0, bbb=3)
    assert "vendor 'bbb'" in text and "not a complete runtime" in text


@needs_compiler
def test_detection_refuses_to_guess(detection):
    text = detection(bbb=1, aaa=2, ccc=0)
    assert "aaa, bbb" in text and "FLAGOS_ACCELERATOR" in text


# ---- fork ----

FORK = """
import os, sys, torch, torch_fl

def in_child(function):
    pid = os.fork()
    if pid == 0:
        try:
            function()
        except BaseException as error:
            print(type(error).__name__, error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def test_fork_before_the_first_use(run_forked):
    run_forked(
        FORK
        + """
def use():
    assert not torch_fl.flagos._is_in_bad_fork()
    assert torch.ones(3, device="flagos").add(1).sum().item() == 6
    torch_fl.synchronize()
assert in_child(use) == 0
assert in_child(use) == 0
use()
"""
    )


def test_fork_after_use(run_forked):
    run_forked(
        FORK
        + """
kept = [torch.ones(1 << 20, device="flagos") for _ in range(4)]
kept[0].record_stream(torch.Stream(device="flagos"))
pinned = torch.ones(4).pin_memory()

def refuses():
    global kept, pinned
    assert torch_fl.flagos._is_in_bad_fork()
    assert not torch_fl.is_available()
    for use in (lambda: torch.ones(1, device="flagos"), torch_fl.synchronize, lambda: kept[1].cpu(), torch_fl.init):
        try:
            use()
        except RuntimeError as error:
            assert "fork" in str(error), error
        else:
            raise AssertionError("a forked child used the device")
    torch.manual_seed(3)
    del kept, pinned  # memory of the parent
    assert torch.ones(3).sum().item() == 3
assert in_child(refuses) == 0
assert not torch_fl.flagos._is_in_bad_fork()
assert kept[0].sum().item() == 1 << 20
"""
    )


def test_data_loader_workers_after_use(run_python):
    run_python("""
        import torch, torch_fl
        model = torch.nn.Linear(2, 1).to("flagos")
        data = torch.utils.data.TensorDataset(torch.arange(8.0).reshape(4, 2))
        loader = torch.utils.data.DataLoader(data, num_workers=2, pin_memory=True, multiprocessing_context="fork")
        for (batch,) in loader:
            assert batch.is_pinned()
            model(batch.to("flagos", non_blocking=True)).sum().backward()
        assert model.bias.grad.item() == 4
    """)
