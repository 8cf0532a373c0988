"""SDKs drafted from maps: what the map says and no more, and no doubt about what that proves."""

from dataclasses import replace

import pytest

from generators.documents import shorten
from generators.map import load_map, map_path
from generators.recon.headers import read_headers
from generators.reports import list_maps
from generators.vendor import SIMULATED_SDK, find_sdk, load_vendor
from tests.sdks.declarations import SAYS, draft_sdk, main
from tests.unit.sdks import has_compiler
from tests.unit.test_map import EXAMPLE

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")


def declared(runtime_map, root):
    include = draft_sdk(runtime_map, root) / "include"
    return read_headers(runtime_map.sdk.headers, [include], include)


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "example/runtime-api-map.yaml"
    path.parent.mkdir()
    path.write_text(EXAMPLE)
    return load_map(path)


@pytest.mark.parametrize("path", list_maps("*.yaml"), ids=shorten)
def test_headers_declare_each_function_of_the_map_as_it_says(path, tmp_path):
    runtime_map = load_map(path)
    found = {function.name: function.declaration for function in declared(runtime_map, tmp_path).functions}
    for where, call in runtime_map.calls:
        assert found[call.declaration.name].types == call.declaration.types, where
    texts = {runtime_map.status[key] for key in ("text", "name", "clear") if key in runtime_map.status}
    texts |= {runtime_map.status.get("no_driver", {}).get("version", "")} - {""}
    assert len(found) == len({call.declaration.name for _, call in runtime_map.calls} | texts)


def test_constants_of_a_type_differ_and_an_argument_has_its_type(example, tmp_path):
    headers = declared(example, tmp_path)
    values = {name: constant.value for name, constant in headers.constants.items()}
    assert values["XMP_OK"] == 0
    assert len({values[name] for name in ("XMP_OK", "XMP_ERR_NODEV", "XMP_ERR_BADDEV", "XMP_ERR_NOMEM")}) == 4
    assert {headers.constants[name].enum for name in ("XMP_H2D", "XMP_D2H", "XMP_D2D")} == {"enum xmp_dir"}
    assert {headers.constants[name].enum for name in ("XMP_IDLE", "XMP_BUSY")} == {"enum xmp_state"}
    assert values["XMP_MARK_PLAIN"] != values["XMP_MARK_TIMED"]
    assert "XMP_H2H" not in values and "host_copy" not in values


def test_its_library_is_found_and_says_that_it_proves_only_the_templates(tmp_path):
    vendor = load_vendor("cuda")
    root = draft_sdk(load_map(map_path("cuda")), tmp_path)
    found = find_sdk(vendor, root)
    assert found.simulated == f"{SIMULATED_SDK}; {SAYS}"
    assert found.library.resolve().name == vendor.sdk.soname


def test_two_declarations_of_one_function_are_refused(example, tmp_path):
    text = EXAMPLE.replace("int xmp_mark_wait(xmp_mark mark)", "int xmp_queue_wait(xmp_mark mark)")
    path = example.path
    path.write_text(text)
    message = "two declarations of one function: 'int xmp_queue_wait.xmp_queue queue.' and 'int xmp_queue_wait.xmp_mark"
    with pytest.raises(ValueError, match=message):
        draft_sdk(load_map(path), tmp_path)


def test_attributes_have_the_map_s_fields_and_codes(tmp_path):
    cuda = load_map(map_path("cuda"))
    slot = cuda.slots["PointerGetAttributes"]
    nested = slot.attributes | {
        "type": "location.type",
        "device": "location.id",
        "unmanaged": ["cudaErrorInvalidValue"],
    }
    slots = cuda.slots | {"PointerGetAttributes": replace(slot, attributes=nested)}
    headers = declared(replace(cuda, slots=slots), tmp_path)
    assert [name for name, _ in headers.structs["cudaPointerAttributes"]] == ["devicePointer", "location"]
    assert headers.constants["cudaErrorInvalidValue"].enum == "enum cudaError_t"


def test_vendor_written_by_hand_has_no_map_to_draft_from(capsys):
    with pytest.raises(SystemExit):
        main(["--vendor", "host"])
    told = capsys.readouterr().err
    assert "vendor 'host' is written by hand: it has no map to draft an SDK from" in told and "--recon" not in told
