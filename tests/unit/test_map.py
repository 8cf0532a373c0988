"""The map: what may stand in it, and how each mistake is told."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.contract import read_contract
from generators.declaration import DeclarationError, parse_declaration
from generators.files import ROOT
from generators.map import FILE, MapError, load_map
from generators.map.forms import AFTER, BEFORE, CACHE, CAPABILITY_OF, DEVICES, EMULATIONS
from generators.reports import list_maps, render, render_map_page
from generators.vendor import CAPABILITIES, VendorError, load_vendor

REFERENCE = ROOT / "docs/reference/runtime-api-map.md"
POOL, EXAMPLE = (part.partition("```")[0] for part in REFERENCE.read_text().split("```yaml\n")[1:])
WITH_POOL = (
    EXAMPLE.replace(
        "{value: false, reason: xmp_alloc goes to the driver each time}",
        "{value: true, reason: xmp_pool_alloc keeps blocks}",
    )
    + POOL.partition("virtuals:\n")[2]
)


def write(tmp_path: Path, text: str, name: str = "example") -> Path:
    path = tmp_path / name / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def changed(old: str, new: str) -> str:
    assert EXAMPLE.count(old) >= 1, old
    return EXAMPLE.replace(old, new, 1)


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


@pytest.fixture
def example(tmp_path):
    return load_map(write(tmp_path, EXAMPLE))


# ---- what is right


def test_the_example_of_the_reference_is_a_map(example):
    assert list(example.slots) == [slot.name for slot in read_contract().slots]
    assert list(example.virtuals) == [virtual.name for virtual in read_contract().virtuals]
    assert example.open_questions == []


def test_the_tree_s_own_maps_are_valid_and_complete():
    maps = [load_map(path) for path in list_maps()]
    assert "cuda" in {found.vendor for found in maps}
    for found in maps:
        assert len(found.slots) == 28 and len(found.virtuals) == 10


def test_a_map_made_from_an_sdk_states_its_version_and_its_files():
    maps = [load_map(path) for path in list_maps()]
    made = [found for found in maps if all(slot.source.kind == "sdk" for slot in found.entries)]
    assert {"cuda", "opencl"} <= {found.vendor for found in made}
    for found in made:
        assert re.fullmatch(r"\d+\.[\w.]+", found.sdk.version), found.where
        assert {*found.sdk.headers} <= {name.partition("include/")[2] for name in found.sdk.hashes}, found.where


def test_arguments_keep_the_order_of_the_sdk(example):
    assert [str(a) for a in example.slots["MemcpyAsync"].call.arguments] == "dst count src count stream kind".split()
    assert [(a.form, a.value) for a in example.slots["StreamCreate"].call.arguments] == [
        ("state", "context"),
        ("array", ("XMP_QUEUE_ORDERED", 1, 0)),
        ("parameter", "stream"),
    ]
    assert example.setup.arguments[0].form == "null"
    assert example.slots["Malloc"].call.returns == "devPtr"
    assert example.slots["EventQuery"].call.otherwise == "ErrorNotReady"
    assert example.slots["EventElapsedTime"].calls["timestamp"].scale == 1e-6


def test_virtuals_are_slots_by_another_name(example):
    assert example.virtuals["event_create"].forward == "EventCreateWithFlags"
    assert example.virtuals["event_create"].forward_arguments == ("event", "EventDisableTiming")
    for virtual in read_contract().virtuals:
        forwarded = example.virtuals[virtual.name]
        if forwarded.forward:
            names = [p.name for p in virtual.parameters]
            assert [a for a in forwarded.forward_arguments if a in names] == names


def test_a_missing_slot_takes_its_capability_away(example):
    lost = {lost.capability: lost for lost in example.lost_capabilities}
    assert sorted(lost) == ["memory_info", "pinned_host_memory", "stream_priorities"]
    assert lost["memory_info"].where.endswith(f":{line_of(EXAMPLE, 'gap: unsupported')}")
    named = {emulation.loses for emulation in EMULATIONS.values()} | set(CAPABILITY_OF.values()) | {CACHE, DEVICES}
    assert named - {""} <= CAPABILITIES.keys()


def test_a_vendor_that_caches_takes_our_cache_away(tmp_path):
    found = load_map(write(tmp_path, WITH_POOL))
    lost = next(lost for lost in found.lost_capabilities if lost.capability == CACHE)
    assert (lost.kind, lost.reason) == ("unsupported", "xmp_pool_alloc keeps blocks")
    assert "empty_cache() frees nothing" in lost.consequence
    assert found.virtuals["device_malloc"].call.declaration.name == "xmp_pool_alloc"
    assert found.virtuals["event_query"].forward == "EventQuery"


@pytest.mark.parametrize("most, lost", [("", []), ("    at_most: 1\n", [DEVICES]), ("    at_most: 2\n", [])])
def test_a_map_of_one_device_takes_the_second_away(tmp_path, most, lost):
    counted = "    call: int xmp_count(void)\n    args: []\n    returns: count\n" + most
    found = load_map(write(tmp_path, EXAMPLE.replace(GET, counted)))
    gaps = [gap for gap in found.lost_capabilities if gap.capability == DEVICES]
    assert [gap.capability for gap in gaps] == lost
    assert all(
        gap.kind == "unsupported" and gap.where.endswith(":" + str(found.slots["GetDeviceCount"].line)) for gap in gaps
    )


def test_every_emulation_and_step_belongs_to_slots_of_the_contract():
    contract = read_contract()
    names = {function.name for function in (*contract.slots, *contract.virtuals)}
    for thing in (*EMULATIONS.values(), *BEFORE.values(), *AFTER.values()):
        assert thing.slots and set(thing.slots) <= names and thing.what
    for emulation in EMULATIONS.values():
        assert set(emulation.needs) <= names and emulation.means


def test_the_page_begins_with_the_two_findings(example):
    page = render_map_page(example)
    findings = page.partition("## Findings")[2].partition("\n## ")[0]
    assert "Missing slots: 11, `GetDevice`" in findings and "no (xmp_alloc goes to the driver each time)" in findings
    for slot in example.entries:
        assert f"| `{slot.name}` |" in page
    assert "28 of 29 entries are confirmed" in page
    assert re.search(r"^\| `device_malloc` \| → `Malloc` .* \| - \|$", page, re.MULTILINE)


def test_page_tells_what_users_get_and_what_is_not_known(tmp_path):
    text = EXAMPLE.replace(
        "sdk:\n", "users: {gets: [tensors], lacks: [streams]}\nquestions: [does Free wait]\nsdk:\n", 1
    )
    page = render_map_page(load_map(write(tmp_path, text)))
    users = page.partition("## For users of PyTorch")[2].partition("\n## ")[0]
    assert "- **yes**: tensors" in users and "- **no**: streams" in users
    assert "- does Free wait" in page.partition("## What the sources do not tell")[2].partition("\n## ")[0]


def test_page_has_slots_that_are_missing_for_one_reason_together(example):
    lacks = render_map_page(example).partition("## What the SDK lacks")[2].partition("\n## ")[0]
    assert "| `Memset`, `MemsetAsync` | emulation `staged_fill`" in lacks
    assert "| `GetDevice` | emulation `thread_device`" in lacks


def test_pages_are_among_the_generated_files():
    """So that `make check-generated` finds a stale one."""
    for path in list_maps():
        assert path.with_suffix(".md") in render()


def test_an_open_question_is_listed_and_keeps_the_map_valid(tmp_path):
    text = changed("{const: XMP_MEM_MAIN}]", '{choose: "int where"}]').replace(
        "xmp/runtime.h:30, confirmed: true", "x, confirmed: false"
    )
    found = load_map(write(tmp_path, text))
    assert found.open_questions == [
        f"{found.where}:{line_of(text, 'xmp_alloc(')}: slots.Malloc.args[2]: choose the argument for 'int where'"
    ]
    assert "## Open questions" in render_map_page(found)


def test_a_vendor_with_a_map_needs_no_descriptor(tmp_path):
    path = write(tmp_path, EXAMPLE)
    vendor = load_vendor("example", tmp_path)
    assert (vendor.sdk.library, vendor.sdk.environment) == ("libxmp.so", ("EXAMPLE_HOME",))
    gap = vendor.gap_for("any.gate", ("stream_priorities",))
    assert gap.where.startswith(str(path)) and gap.kind == "unsupported"
    path.with_name("vendor.yaml").write_text("vendor: example\ntitle: Example\nsimulated: true\n")
    assert load_vendor("example", tmp_path).simulated
    assert load_vendor("example", tmp_path).sdk == vendor.sdk


def test_the_sdk_is_said_once(tmp_path):
    descriptor = write(tmp_path, EXAMPLE).with_name("vendor.yaml")
    descriptor.write_text(
        "vendor: example\ntitle: Example\nsimulated: true\nsdk: {name: a, headers: [b], library: c}\n"
    )
    with pytest.raises(VendorError, match=rf"vendor.yaml:4: sdk: {FILE} beside it says this; delete it here"):
        load_vendor("example", tmp_path)


def test_a_broken_map_is_the_vendor_s_mistake(tmp_path):
    write(tmp_path, "vendor: example\n")
    with pytest.raises(VendorError, match="the key 'slots' is missing"):
        load_vendor("example", tmp_path)


# ---- what is wrong: (text, line's content, message)

GET = "    call: int xmp_device_count(unsigned int *count)\n    args: [count]\n"
MISTAKES = {
    "typo of a slot": (changed("  GetDeviceCount:", "  GetDeviceCont:"), "GetDeviceCont:", "slots: unknown slot 'GetDeviceCont'; did you mean 'GetDeviceCount'?"),
    "slot missing": (changed("  MemsetAsync: *fill\n", "").replace("Memset, MemsetAsync,", "Memset,"), None, "slots: MemsetAsync missing; each of the 28 needs an entry"),
    "duplicate slot": (changed("  MemsetAsync: *fill\n", "  MemsetAsync: *fill\n  MemsetAsync: *fill\n"), None, "slots.MemsetAsync: given twice (first on line"),
    "unknown field": (changed("vendor: example\n", "vendor: example\nvender: x\n"), "vender", "vender: unknown key; did you mean 'vendor'?"),
    "unknown field of a slot": (changed(GET, GET.replace("args", "arguments")), "arguments:", "slots.GetDeviceCount.arguments: unknown key; did you mean 'args'?"),
    "typo of a kind": (changed("HostToDevice: XMP", "HostToDevise: XMP"), "HostToDevise", "kinds: unknown kind 'HostToDevise'; did you mean 'HostToDevice'?"),
    "kind missing": (changed("HostToDevice: XMP_H2D, ", ""), "kinds:", "kinds: HostToDevice is missing: its constant, 'host_copy' or 'unsupported'"),
    "flag missing": (changed("EventDisableTiming: XMP_MARK_PLAIN, ", ""), "flags:", "flags: EventDisableTiming is missing: slots.EventCreateWithFlags passes its flags on"),
    "handle missing": (changed("  event: {type: xmp_mark, made_by: create}\n", ""), "handles:", "handles.event: the key 'type' is missing"),
    "unknown error": (changed("XMP_ERR_NOMEM: ErrorMemoryAllocation", "XMP_ERR_NOMEM: ErrorMemory"), "errors:", "errors.XMP_ERR_NOMEM: unknown error 'ErrorMemory'; did you mean 'ErrorMemoryAllocation'?"),
    "an error is no success": (changed("XMP_ERR_NOMEM: ErrorMemoryAllocation", "XMP_ERR_NOMEM: Success"), "errors:", "errors.XMP_ERR_NOMEM: unknown error 'Success'"),
    "success among the errors": (changed("errors: {", "errors: {XMP_OK: ErrorUnknown, "), "errors:", "errors.XMP_OK: is the code of success"),
    "no declaration": (changed("int xmp_device_count(unsigned int *count)", "xmp_device_count"), "call: xmp_device_count", "slots.GetDeviceCount.call: expected a C declaration such as"),
    "too few arguments": (changed("args: [dst, count, src, count, kind]", "args: [dst, src, count, kind]"), "args: [dst, src, count, kind]", "slots.Memcpy.args: xmp_copy takes 5 arguments, found 4"),
    "typo of a parameter": (changed("args: [dst, count, src, count, kind]", "args: [dts, count, src, count, kind]"), "dts", "slots.Memcpy.args[0]: 'dts' is no parameter here; did you mean 'dst'?"),
    "parameter lost": (changed("args: [dst, count, src, count, kind]", "args: [dst, count, dst, count, kind]"), "dst, count, dst", "slots.Memcpy.args: the parameter 'src' reaches no argument"),
    "flags lost": (changed("args: [flags, event]", "args: [0, event]"), "args: [0, event]", "the parameter 'flags' reaches no argument, or 'emulation: drop_flags'"),
    "unknown state": (changed("    args: [{state: context}, size", "    args: [{state: contxt}, size"), "contxt", "unknown state 'contxt'; did you mean 'context'?"),
    "unknown argument form": (changed("{const: XMP_MEM_MAIN}", "{constant: XMP_MEM_MAIN}"), "{constant", "unknown form of an argument 'constant'; did you mean 'const'?"),
    "value not named": (changed("    returns: devPtr\n", ""), "call: void *xmp_alloc", "slots.Malloc: xmp_alloc returns void *, which is neither int (status.type) nor void: name the parameter"),
    "value of a void function": (changed("    call: void xmp_queue_flush", "    call: void xmp_queue_flush").replace("        args: [stream]\n        source", "        args: [stream]\n        returns: stream\n        source"), "returns: stream", "xmp_queue_flush returns void, no value"),
    "results without argument": (changed("{result: enum xmp_state}", "{ignore: enum xmp_state}"), "xmp_queue_state", "slots.StreamQuery: 'results:' and one argument {result: TYPE} belong together"),
    "nothing is not ready": (changed("    otherwise: ErrorNotReady\n", ""), "call: int xmp_mark_poll", "slots.EventQuery: nothing means ErrorNotReady"),
    "two forms": (changed(GET, GET + "    gap: unsupported\n"), "call: int xmp_device_count", "slots.GetDeviceCount: expected one of call, forward, emulation, gap, found 'call' and 'gap'"),
    "no form": (changed(GET, ""), "xmp/runtime.h:14", "slots.GetDeviceCount: expected one of call, forward, emulation, gap, found none"),
    "field of another form": (changed("    gap: unsupported\n", "    gap: unsupported\n    args: [free]\n"), "args: [free]", "virtuals.get_memory_info.args: does not go with 'gap', which takes reason, consequence"),
    "gap without consequence": (changed("    consequence: mem_get_info() fails\n", ""), "gap: unsupported", "virtuals.get_memory_info: the key 'consequence' is missing: what does it mean for users of PyTorch?"),
    "unknown kind of gap": (changed("gap: unsupported", "gap: someday"), "gap: someday", "unknown kind of gap 'someday'; known are unsupported, expected_failure"),
    "unknown emulation": (changed("emulation: side_table", "emulation: side_tabel"), "side_tabel", "unknown emulation 'side_tabel'; did you mean 'side_table'?"),
    "emulation of another slot": (changed("emulation: side_table", "emulation: staged_fill"), "emulation: staged_fill", "slots.PointerGetAttributes.emulation: 'staged_fill' does not fit; for PointerGetAttributes there is: side_table"),
    "emulation without its call": (changed("      timestamp:", "      time:"), "time:", "slots.EventElapsedTime.calls.time: unknown call; did you mean 'timestamp'?"),
    "step without its call": (changed("      flush:", "      flash:"), "flash:", "slots.EventRecord.calls.flash: unknown call; did you mean 'flush'?"),
    "step of another slot": (changed("before: [drain_default_stream]", "before: [drain_device]"), "before: [drain_device]", None),
    "forward to nowhere": (changed("forward: EventCreateWithFlags", "forward: EventCreateWithFlag"), "forward: EventCreateWithFlag", "slots.EventCreate.forward: unknown slot 'EventCreateWithFlag'; did you mean 'EventCreateWithFlags'?"),
    "forward of a typo": (changed("args: [event, EventEnableTiming]", "args: [event, EventEnableTimin]"), None, "'EventEnableTimin' is no parameter or constant of the contract; did you mean 'EventEnableTiming'?"),
    "no source": (changed(GET + "    source: {kind: sdk, where: xmp/runtime.h:14, confirmed: true}\n", GET), "call: int xmp_device_count", "slots.GetDeviceCount: the key 'source' is missing: where was it read"),
    "source unfinished": (changed("where: xmp/runtime.h:14, confirmed: true", "where: xmp/runtime.h:14"), None, "slots.GetDeviceCount.source: the key 'confirmed' is missing"),
    "open and confirmed": (changed("{const: XMP_MEM_MAIN}", '{choose: "int where"}'), "{choose", "slots.Malloc.args[2]: an open question cannot be confirmed"),
    "finding without the slot": (changed("missing_slots: [GetDevice, ", "missing_slots: ["), "missing_slots:", "missing_slots: GetDevice is a gap or an emulation and must be listed"),
    "finding of a filled slot": (changed("missing_slots: [", "missing_slots: [Malloc, "), "missing_slots:", "missing_slots: Malloc is listed, but its entry calls the SDK"),
    "no finding": (changed("provides_caching: {value: false, reason: xmp_alloc goes to the driver each time}\n", ""), "vendor:", "the key 'provides_caching' is missing"),
    "caching without reason": (changed("{value: false, reason: xmp_alloc goes to the driver each time}", "{value: false}"), "provides_caching", "provides_caching: the key 'reason' is missing or empty"),
    "two-faced copies": (changed("    emulation: staged_fill\n", "    emulation: wait_then_block\n").replace("  Memset: &fill", "  Memset: {emulation: async_then_wait, consequence: c, source: {kind: sdk, where: x, confirmed: true}}\n  MemsetAsync: &fill").replace("  MemsetAsync: *fill\n", ""), "async_then_wait", "'async_then_wait' needs MemsetAsync, which is made of Memset"),
    "most of something else": (changed("    returns: devPtr\n", "    returns: devPtr\n    at_most: 1\n"), "at_most: 1", "slots.Malloc.at_most: only for GetDeviceCount, and at least 1"),
    "object without its address": (changed("handles:\n", "handles:\n  memory: {type: xmp_memory}\n"), "memory: {type", "handles.memory: the key 'address' is missing"),
    "cache of unknown objects": (changed("    emulation: staged_fill\n", "    emulation: cached_mapped\n"), "emulation: cached_mapped", "slots.MemsetAsync.emulation: 'cached_mapped' needs handles.memory"),
    "absolute second library": (changed("  library: libxmp.so\n", "  library: libxmp.so\n  more_libraries: [/usr/lib/libxmp.so]\n"), None, "sdk: '/usr/lib/libxmp.so' must be a name below"),
    "thread's device without the runtime's": (changed("status:\n", "thread_setup:\n  call: int xmp_use_device(unsigned int device)\n  args: [device]\n  source: {kind: sdk, where: xmp/runtime.h:15, confirmed: true}\nstatus:\n"), "  SetDevice:", "slots.SetDevice: with 'thread_setup' the thread's device is the runtime's: 'emulation: thread_device'"),
    "thread's device mistyped": (changed("status:\n", "thread_setup:\n  call: int xmp_use_device(unsigned int device)\n  args: [devise]\n  source: {kind: sdk, where: xmp/runtime.h:15, confirmed: true}\nstatus:\n"), "args: [devise]", "thread_setup.args[0]: 'devise' is no parameter here; did you mean 'device'?"),
    "absolute library": (changed("library: libxmp.so", "library: /usr/lib/libxmp.so"), None, "sdk: '/usr/lib/libxmp.so' must be a name below"),
    "other folder": (changed("vendor: example", "vendor: sample"), "vendor: sample", "vendor: 'sample' lies in a folder named 'example'"),
    "virtual with another call": (WITH_POOL.replace("  device_free:", "  event_query:"), "  event_query:", "virtuals.event_query: is EventQuery by another name; only device_malloc and device_free may be a call of their own"),
    "virtual that is a gap": (EXAMPLE + "  device_free: {gap: unsupported, reason: r, consequence: c, source: {kind: sdk, where: x, confirmed: true}}\n", "  device_free:", "virtuals.device_free: is Free by another name"),
    "half an allocator": (EXAMPLE + POOL.partition("virtuals:\n")[2].partition("  device_free")[0], "  device_malloc:", "virtuals: device_malloc and device_free have calls of their own together, or not at all"),
    "no text": ("", None, "expected keys such as 'vendor:', found nothing"),
    "no YAML": (EXAMPLE + "a: [\n", None, "not valid YAML"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_every_mistake_is_named_with_its_line(tmp_path, name):
    text, content, message = MISTAKES[name]
    path = write(tmp_path, text)
    if message is None:
        message = "slots.Memcpy.before: 'drain_device' goes with Free, FreeHost, StreamDestroy, device_free only"
        text = text.replace("before: [drain_device]", "", 1)  # the first one is Free's own, and right
        content = None
    with pytest.raises(MapError) as caught:
        load_map(path)
    told = [line for line in str(caught.value).splitlines() if message in line]
    assert told, str(caught.value)
    assert all(re.match(rf"{re.escape(str(path))}:\d+: ", line) for line in str(caught.value).splitlines())
    if content is not None:
        assert told[0].startswith(f"{path}:{line_of(text, content.strip())}: "), told[0]


def test_an_absent_map_says_how_to_propose_one(tmp_path):
    with pytest.raises(
        MapError, match="no such file; propose one: pytest gates/runtime --vendor example --sdk-path DIR --recon"
    ):
        load_map(tmp_path / "example" / FILE)


LINES = EXAMPLE.splitlines(keepends=True)


@given(
    st.integers(0, len(LINES) - 1), st.integers(0, len(LINES) - 1), st.sampled_from(["drop", "double", "swap", "cut"])
)
def test_any_near_map_is_one_or_a_clear_error(tmp_path_factory, first, second, edit):
    lines = list(LINES)
    if edit == "drop":
        del lines[first]
    elif edit == "double":
        lines.insert(first, lines[first])
    elif edit == "swap":
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines[first] = lines[first][: len(lines[first]) // 2] + "\n"
    path = write(tmp_path_factory.mktemp("near"), "".join(lines))
    try:
        load_map(path)
    except MapError as error:
        assert all(re.match(rf"{re.escape(str(path))}:\d+: ", line) for line in str(error).splitlines())


# ---- declarations


@pytest.mark.parametrize(
    "text, name, returns, parameters",
    [
        ("int f(void)", "f", "int", []),
        ("void * f()", "f", "void *", []),
        ("e_t f(void **p, size_t n);", "f", "e_t", [("void **", "p", ""), ("size_t", "n", "")]),
        ("const char *f(unsigned int, const struct s *)", "f", "const char *", [("unsigned int", "", ""), ("const struct s *", "", "")]),
        ("int f(K kind = MAIN, uint64_t n=0)", "f", "int", [("K", "kind", "MAIN"), ("uint64_t", "n", "0")]),
        ("int f(void (*done)(int, void *), int a[])", "f", "int", [("void (*)(int, void *)", "done", ""), ("int *", "a", "")]),
        ("template <typename T, int N = 0> int f(const T* x)", "f", "int", [("const T *", "x", "")]),
        ("int f(const std::vector<std::pair<int, T*>>& v, bool b)", "f", "int", [("const std::vector<std::pair<int, T *>> &", "v", ""), ("bool", "b", "")]),
    ],
)  # fmt: skip
def test_declarations_are_read_and_written(text, name, returns, parameters):
    found = parse_declaration(text)
    assert (found.name, found.returns) == (name, returns)
    assert [(p.type, p.name, p.default) for p in found.parameters] == parameters
    assert parse_declaration(str(found)) == found


def test_the_same_function_however_its_parameters_are_called():
    one = parse_declaration("int f(struct s *a, void** b)")
    assert one.types == parse_declaration("int f(s * x, void * * y)").types
    assert one.types != parse_declaration("int f(s *x, void *y)").types
    assert parse_declaration("int f(unsigned)").types == parse_declaration("int f(unsigned int)").types
    assert parse_declaration("int f(unsigned long)").types[1] == "unsigned long"


@pytest.mark.parametrize(
    "text", ["", "f", "f()", "int f(", "int f(int,)", "int f(int))", "int f(a+b)", "int (*f)(int)"]
)
def test_what_is_no_declaration(text):
    with pytest.raises(DeclarationError):
        parse_declaration(text)
