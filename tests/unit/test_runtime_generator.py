"""generators.runtime: what a map becomes, what is refused, and that it always becomes the same."""

import os
import re
import subprocess
import sys

import clang.cindex as clang
import pytest
import yaml

from generators.files import ROOT
from generators.map import MapError, load_map
from generators.map.forms import EMULATIONS, STREAMLESS
from generators.reports import list_maps
from generators.runtime import GenerationError, generate, render_runtime
from generators.runtime.__main__ import main
from tests.sdks.declarations import DraftedSdk
from tests.unit.children import run_on_full_disk
from tests.unit.test_map import EXAMPLE, WITH_POOL, changed, write
from torch_fl.conf import ROUTES, conf_path, load_conf

COMMON = ROOT / "csrc/runtime/accelerator/common"
INCLUDE = [COMMON, ROOT / "csrc/include", ROOT / "csrc/runtime/allocator"]


def committed(tmp_path, text, name="example"):
    """A map in a repository of its own, committed."""
    path = write(tmp_path, text, name)
    git(path.parent, "init", "-q")
    git(path.parent, "add", path.name)
    git(path.parent, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "reviewed")
    return path


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def emitted(tmp_path, text):
    """File name -> what the map's text becomes."""
    return {path.name: content for path, content in render_runtime(load_map(write(tmp_path, text))).items()}


def function(source, name):
    """The definition of one function of an emitted file, on one line."""
    found = re.search(rf"^Error_t {name}\((?:[^\n]*}}$|.*?^}})", source, re.MULTILINE | re.DOTALL)
    return " ".join(found[0].split())


def edited(**slots):
    """The example with other entries for some slots; `missing_slots` follows."""
    data = yaml.safe_load(EXAMPLE)
    for name, entry in slots.items():
        section = "virtuals" if name == "get_memory_info" else "slots"
        data[section][name] = {"source": {"kind": "sdk", "where": "here", "confirmed": True}} | entry
    entries = data["slots"] | data["virtuals"]
    data["missing_slots"] = [n for n, entry in entries.items() if "emulation" in entry or "gap" in entry]
    return yaml.safe_dump(data, sort_keys=False)


def emulated(name, slots=()):
    told = {"emulation": name, "reason": "the SDK lacks it", "consequence": "told"}
    return {slot: dict(told) for slot in slots or EMULATIONS[name].slots}


def compile_all(tmp_path, text, *defines):
    """Compile what a map becomes, against the declarations that it implies."""
    runtime_map = load_map(write(tmp_path, text))
    out = tmp_path / "tree"
    headers = {f"include/{name}": content for name, content in DraftedSdk(runtime_map).headers().items()}
    for name, content in (render_runtime(runtime_map) | headers).items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(content)
    sources = out / "csrc/runtime/accelerator/example"
    together = "".join(f'#include "{file}"\n' for file in ("device.cc", "memory.cc", "stream.cc"))
    folders = [*INCLUDE, sources, out / "include", out / "csrc/runtime/allocator"]
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *defines, "-x", "c++", "-"]
    child = subprocess.run(
        [*command, *(f"-I{folder}" for folder in folders)], input=together, capture_output=True, text=True
    )
    assert child.returncode == 0, child.stderr


# ---- what a map becomes


def test_every_file_says_which_map_it_came_from(tmp_path):
    files = emitted(tmp_path, EXAMPLE)
    assert set(files) == {"device.cc", "memory.cc", "stream.cc", "sdk.h", "example_memory.h", "vendor.cmake"}
    for text in files.values():
        assert re.match(
            r"(//|#) @generated from example/runtime-api-map.yaml by generators.runtime; do not edit\.", text
        )


def test_arguments_follow_the_sdk_and_outputs_are_written_after_success(tmp_path):
    files = emitted(tmp_path, EXAMPLE)
    assert "xmp_copy_async(dst, count, src, count, native(stream), native(kind))" in files["memory.cc"]
    create = function(files["stream.cc"], "StreamCreate")
    assert "const int list[] = {XMP_QUEUE_ORDERED, 1, 0};" in create
    assert create.index('"xmp_queue_open")') < create.index("*stream = to<Stream_t>(found);")


def test_headers_without_extern_c_are_given_it(tmp_path):
    plain = emitted(tmp_path, EXAMPLE)["sdk.h"]
    wrapped = emitted(tmp_path, changed("language: c++", "language: c\n  extern_c: true"))["sdk.h"]
    assert 'extern "C"' not in plain
    assert re.search(r'extern "C" \{[^\n]*\n#include <xmp/runtime\.h>\n\}\n', wrapped)


def test_results_come_back_as_the_map_says(tmp_path):
    files = emitted(tmp_path, EXAMPLE)
    assert "return code_of" not in files["device.cc"] and "static_cast<int>(-status)" in files["sdk.h"]
    malloc = function(files["memory.cc"], "Malloc")
    assert 'if (is_null(made)) return fail("xmp_alloc", "returned null", ErrorMemoryAllocation);' in malloc
    assert "if (result == XMP_BUSY) return ErrorNotReady;" in function(files["stream.cc"], "StreamQuery")
    assert "{}, ErrorNotReady)" in function(files["stream.cc"], "EventQuery")
    assert "found * 1e-06" in function(files["stream.cc"], "EventElapsedTime")


def test_steps_stand_around_the_call(tmp_path):
    files = emitted(tmp_path, EXAMPLE)
    free = function(files["memory.cc"], "Free")
    assert free.index("synchronize_device(block.device())") < free.index("xmp_release(") < free.index("block.freed()")
    record = function(files["stream.cc"], "EventRecord")
    assert record.index("xmp_mark_put(") < record.index("xmp_queue_flush(")


def test_gap_is_an_error_that_names_it(tmp_path):
    header = emitted(tmp_path, EXAMPLE)["example_memory.h"]
    assert 'return gap("get_memory_info", "the SDK tells neither free nor installed memory");' in header
    gap = {"gap": "unsupported", "reason": 'a "quoted" reason', "consequence": "told"}
    text = function(emitted(tmp_path, edited(DeviceSynchronize=gap))["device.cc"], "DeviceSynchronize")
    assert 'return gap("DeviceSynchronize", "a \\"quoted\\" reason");' in text
    assert "Success" not in text


def test_clear_and_setup_are_called_where_the_map_has_them(tmp_path):
    files = emitted(tmp_path, EXAMPLE)
    assert "set_up()" in function(files["stream.cc"], "StreamDestroy")
    assert "if (code_of(status) == XMP_ERR_AGAIN) return Success;" in files["sdk.h"]
    data = yaml.safe_load(EXAMPLE)
    del data["setup"]
    data["status"]["clear"] = "int xmp_last_error(void)"
    files = emitted(tmp_path, yaml.safe_dump(data))
    assert "set_up" not in "".join(files.values()) and "static_cast<void>(xmp_last_error());" in files["sdk.h"]


def test_what_is_freed_waits_for_each_device_that_gave_memory_or_got_work(tmp_path):
    free = {"call": "void xmp_release(void *ptr)", "args": ["devPtr"], "before": ["drain_devices_in_use"]}
    memory = emitted(tmp_path, edited(Free=free))["memory.cc"]
    assert "devices_in_use.drain()" in function(memory, "Free")
    assert "devices_in_use.note_current();" in function(memory, "Malloc")


def test_stream_is_waited_for_before_its_end_where_the_sdk_would_drop_its_work(tmp_path):
    destroy = {"call": "int xmp_queue_close(xmp_queue queue)", "args": ["stream"], "before": ["drain_stream"]}
    text = function(emitted(tmp_path, edited(StreamDestroy=destroy))["stream.cc"], "StreamDestroy")
    assert text.index("StreamSynchronize(stream)") < text.index("xmp_queue_close(")


READ = {
    "call": "int xmp_where(struct xmp_place *place, const void *at)",
    "args": ["attributes", "ptr"],
    "attributes": {
        "struct": "struct xmp_place",
        "type": "kind",
        "device": "device",
        "types": {"Device": ["XMP_MAIN"], "Host": ["XMP_HOST"]},
        "variants": [{"when": "XMP_VERSION >= 6", "type": "type", "types": {"Device": ["XMP_NEW"]}}],
    },
}


def test_attributes_are_read_as_each_release_of_the_sdk_has_them(tmp_path):
    text = edited(PointerGetAttributes=READ)
    body = emitted(tmp_path, text)["memory.cc"]
    new, old = re.search(r"#if XMP_VERSION >= 6\n(.*?)#else\n(.*?)#endif", body, re.DOTALL).groups()
    assert "found.type == XMP_NEW" in new and "XMP_HOST" not in new
    assert "found.kind == XMP_MAIN" in old and "found.kind == XMP_HOST" in old
    compile_all(tmp_path, text)
    with pytest.raises(AssertionError, match=r"has no member named .type."):  # the old release, read as the new one
        compile_all(tmp_path, text, "-DXMP_VERSION=6", "-DXMP_NEW=1")


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ({"type": "type"}, r"slots\.PointerGetAttributes\.attributes\.variants: the key 'when' is missing"),
        ({"when": "1", "types": {"Host": ["XMP_HOST"]}}, r"attributes\.variants\.types: nothing means Device"),
    ],
)
def test_another_release_s_attributes_are_complete(tmp_path, variant, message):
    attributes = READ["attributes"] | {"variants": [variant]}
    with pytest.raises(MapError, match=message):
        emitted(tmp_path, edited(PointerGetAttributes=READ | {"attributes": attributes}))


def mapped(**memory) -> str:
    """The example over memory that the SDK knows by an object and that the host reaches through a cache."""
    source = {"kind": "sdk", "where": "here", "confirmed": True}
    flush = {"call": "int xmp_flush(const struct xmp_memory *memory, int how)", "source": source}
    parts = {
        "invalidate": flush | {"args": ["memory", {"const": "XMP_DROP"}]},
        "clean": flush | {"args": ["memory", {"const": "XMP_WRITE_BACK"}]},
    }
    slots = {slot: entry | {"calls": parts} for slot, entry in emulated("cached_mapped").items()}
    slots |= emulated("async_then_wait")
    slots["Malloc"] = {"call": "int xmp_map(size_t bytes, struct xmp_memory *memory)", "args": ["size", "devPtr"]}
    slots["Free"] = {"call": "int xmp_unmap(struct xmp_memory *memory)", "args": ["devPtr"]}
    data = yaml.safe_load(edited(**slots))
    data["handles"]["memory"] = {"type": "struct xmp_memory", "address": "host"} | memory
    return yaml.safe_dump(data, sort_keys=False)


def test_object_of_a_block_is_kept_with_it_and_given_back(tmp_path):
    memory = emitted(tmp_path, mapped())["memory.cc"]
    malloc, free = function(memory, "Malloc"), function(memory, "Free")
    assert "xmp_map(size, &found)" in malloc and "*devPtr = found.host;" in malloc
    assert "blocks().add(found.host, size, MemoryTypeDevice, std::make_shared<struct xmp_memory>(found))" in malloc
    assert "xmp_unmap(block.object<struct xmp_memory>())" in free


def test_cache_is_kept_in_step_by_the_calls_of_the_map(tmp_path):
    copy = function(emitted(tmp_path, mapped())["memory.cc"], "MemcpyAsync")
    assert re.search(
        r"invalidate_of = .*?xmp_flush\(memory, XMP_DROP\).*clean_of = .*?\(memory, XMP_WRITE_BACK\)", copy
    )
    assert "MemcpyAsync(dst, src, count, kind, stream, invalidate_of, clean_of)" in copy


@pytest.mark.parametrize("returns, refused", [("int", True), ("unsigned int", False)])
def test_count_of_parts_is_a_device(tmp_path, returns, refused):
    count = {"call": f"{returns} xmp_cores(void)", "args": [], "returns": "count", "at_most": 1}
    text = function(emitted(tmp_path, edited(GetDeviceCount=count))["device.cc"], "GetDeviceCount")
    assert "*count = std::min<int>(made, 1);" in text
    assert ("if (made < 0) return fail(" in text) == refused


def test_pending_event_is_waited_for_where_it_must_not_be_recorded(tmp_path):
    record = {"call": "int xmp_mark_put(xmp_queue queue, xmp_mark mark)", "args": ["stream", "event"]}
    text = emitted(tmp_path, edited(EventRecord=record | {"before": ["wait_event"]}))["stream.cc"]
    record = function(text, "EventRecord")
    assert 0 < record.index("EventSynchronize(event)") < record.index("xmp_mark_put(")


def test_address_is_asked_about_on_the_device_of_its_block(tmp_path):
    ask = edited(PointerGetAttributes=READ | {"before": ["select_device"]})
    text = function(emitted(tmp_path, ask)["memory.cc"], "PointerGetAttributes")
    assert text.index("blocks().device_of(ptr, &owner)") < text.index("const CurrentDevice current(owner)")
    assert text.index("current.error()") < text.index("xmp_where(")
    compile_all(tmp_path, ask)


def with_thread_setup() -> dict:
    """The example, if a thread had no device until it chooses one."""
    data = yaml.safe_load(edited(**emulated("thread_device")))
    call = {"call": "int xmp_use_device(unsigned int device)", "args": ["device"]}
    return data | {"thread_setup": call | {"source": {"kind": "sdk", "where": "here", "confirmed": True}}}


def test_thread_chooses_its_device_right_before_a_call(tmp_path):
    """And after the steps before it, which may have made another device current."""
    data = with_thread_setup()
    data["slots"]["StreamQuery"]["before"] = ["select_device"]
    files = emitted(tmp_path, yaml.safe_dump(data))
    query = function(files["stream.cc"], "StreamQuery")
    assert (
        query.index("CurrentDevice current(owner)") < query.index("set_up_thread()") < query.index("xmp_queue_state(")
    )
    assert "set_up_thread" not in files["device.cc"].partition("Error_t SetDevice")[0]  # GetDeviceCount needs no device
    chosen = files["sdk.h"].partition("inline Error_t set_up_thread() {")[2]
    assert chosen.index("device == chosen") < chosen.index("set_up()") < chosen.index("xmp_use_device(device)")
    assert chosen.index("xmp_use_device(device)") < chosen.index("chosen = device;")  # a failure is tried again


def test_text_of_the_thread_s_last_error_may_be_absent(tmp_path):
    data = yaml.safe_load(EXAMPLE)
    data["status"]["text"] = "const char *xmp_last_text()"
    header = emitted(tmp_path, yaml.safe_dump(data))["sdk.h"]
    assert "const char* const text = xmp_last_text();" in header
    assert 'text == nullptr ? "no text" : text' in header


# ---- it compiles


def test_example_compiles(tmp_path):
    compile_all(tmp_path, EXAMPLE)


def test_chip_with_objects_for_blocks_compiles(tmp_path):
    compile_all(tmp_path, mapped())


def test_chip_without_streams_compiles(tmp_path):
    total = {
        "call": "int xmp_total(int device, unsigned long *bytes)",
        "args": [{"state": "device_index"}, "self"],
        "source": {"kind": "sdk", "where": "here", "confirmed": True},
    }
    memory_info = emulated("counted_memory")["get_memory_info"] | {"calls": {"total": total}}
    slots = emulated("streamless", STREAMLESS) | emulated("host_mapped") | emulated("host_timer")
    compile_all(tmp_path, edited(**slots, **emulated("thread_device"), get_memory_info=memory_info))


def test_emulations_of_parts_compile(tmp_path):
    source = {"kind": "sdk", "where": "here", "confirmed": True}
    names = ("synchronize_streams", "event_on_stream", "host_wait", "drop_flags", "host_timer", "side_table")
    slots = {k: v for name in names for k, v in emulated(name).items()}
    slots |= emulated("async_then_wait") | emulated("wait_then_block", ("MemcpyAsync",))
    slots["Memcpy"] = {
        "call": "int xmp_copy(void *dst, const void *src, size_t bytes, enum xmp_dir dir)",
        "args": ["dst", "src", "count", "kind"],
        "before": ["select_device", "drain_default_stream"],
        "after": ["wait_default_stream"],
    }
    slots["MemsetAsync"] = {
        "call": "int xmp_fill(xmp_queue queue, void *at, size_t bytes, unsigned char value)",
        "args": ["stream", "devPtr", "count", "value"],
        "before": ["select_device"],
        "after": ["wait_stream"],
    }
    slots["EventCreate"] = {"call": "int xmp_mark_new(xmp_mark *mark)", "args": ["event"]}
    for name, call in {
        "StreamDestroy": ("int xmp_queue_close(xmp_queue queue)", ["stream"]),
        "StreamSynchronize": ("int xmp_queue_wait(xmp_queue queue)", ["stream"]),
        "EventRecord": ("int xmp_mark_put(xmp_queue queue, xmp_mark mark)", ["stream", "event"]),
        "EventDestroy": ("int xmp_mark_close(xmp_mark mark)", ["event"]),
        "EventQuery": ("int xmp_mark_poll(xmp_mark mark)", ["event"]),
    }.items():
        slots[name] = {"call": call[0], "args": call[1], "before": ["select_device"], "source": source}
    slots["EventQuery"]["otherwise"] = "ErrorNotReady"
    compile_all(tmp_path, edited(**slots))


def test_thread_setup_and_steps_of_pairs_compile(tmp_path):
    data = with_thread_setup()
    reach = {
        "call": "int xmp_reach(int peer, unsigned flags)",
        "args": ["peer", 0],
        "source": data["slots"]["Free"]["source"],
    }
    for name in ("Memcpy", "MemcpyAsync"):
        data["slots"][name] |= {"before": ["connect_peers", "select_device"], "calls": {"connect_peers": reach}}
    data["slots"]["EventQuery"]["before"] = data["slots"]["StreamWaitEvent"]["before"] = ["skip_unrecorded"]
    data["slots"]["StreamDestroy"]["before"] = ["drain_stream", "select_device"]
    data["slots"]["EventElapsedTime"] = {
        "call": "int xmp_between(xmp_mark from, xmp_mark to, float *ms)",
        "args": ["start", "end", "ms"],
        "before": ["require_pair"],
        "source": data["slots"]["Free"]["source"],
    }
    data["missing_slots"].remove("EventElapsedTime")
    compile_all(tmp_path, yaml.safe_dump(data))


@pytest.mark.parametrize("name", EMULATIONS)
def test_every_emulation_of_the_schema_is_there_for_each_of_its_slots(name):
    for slot in EMULATIONS[name].slots:
        assert slot in EMULATED.get(name, ()), f"{name}: {slot}"


def _emulated() -> dict[str, set[str]]:
    arguments = ["-x", "c++", "-std=c++17", *(f"-I{folder}" for folder in INCLUDE), "-ferror-limit=0"]
    unit = clang.Index.create().parse(str(COMMON / "generated_runtime.h"), arguments)
    found: dict[str, set[str]] = {}
    for cursor in unit.cursor.walk_preorder():
        parent = cursor.semantic_parent
        if cursor.kind in (clang.CursorKind.FUNCTION_DECL, clang.CursorKind.FUNCTION_TEMPLATE) and parent is not None:
            found.setdefault(parent.spelling, set()).add(cursor.spelling)
    return found


EMULATED = _emulated()


def test_allocator_of_the_sdk_s_own_compiles(tmp_path):
    compile_all(tmp_path, WITH_POOL)
    header = emitted(tmp_path, WITH_POOL)["example_memory.h"]
    assert "bool provides_caching() const override { return true; }" in header
    text = " ".join(header.split())
    malloc = text.partition("device_malloc(")[2].partition("device_free(")[0]
    assert "xmp_pool_alloc(size, &found, native(default_stream))" in malloc
    assert (
        malloc.index("arguments::Malloc(devPtr, size)")
        < malloc.index("xmp_pool_alloc(")
        < malloc.index("blocks().add(")
    )
    free = text.partition("device_free(")[2].partition("get_memory_info(")[0]
    assert (
        free.index("synchronize_device(block.device())")
        < free.index("xmp_pool_release(devPtr")
        < free.index("block.freed()")
    )


# ---- what is refused


def test_map_that_git_does_not_track_is_refused(tmp_path):
    path = write(tmp_path, EXAMPLE)
    with pytest.raises(GenerationError, match="git does not track it; a person reviews"):
        generate(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_map_that_differs_from_the_commit_is_refused(tmp_path):
    path = committed(tmp_path, EXAMPLE)
    path.write_text(changed("XMP_MEM_MAIN", "XMP_MEM_OTHER"))
    with pytest.raises(GenerationError, match="it differs from the commit"):
        generate(path, tmp_path / "out")
    git(path.parent, "add", path.name)  # staged is not committed
    with pytest.raises(GenerationError, match="it differs from the commit"):
        generate(path, tmp_path / "out")


def test_open_question_is_refused_with_its_line(tmp_path, capsys):
    text = changed(
        "args: [{state: context}, size, {const: XMP_MEM_MAIN}]", "args: [{state: context}, size, {choose: int where}]"
    )
    text = text.replace("where: xmp/runtime.h:30, confirmed: true", "where: xmp/runtime.h:30, confirmed: false")
    path = committed(tmp_path, text)
    assert main(["--map", str(path), "--out", str(tmp_path / "out")]) == 1
    assert re.search(r"example/runtime-api-map.yaml:\d+: slots.Malloc.args\[2\]: choose", capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_invalid_map_is_refused(tmp_path, capsys):
    path = committed(tmp_path, changed("emulation: side_table", "emulation: side_tabel"))
    assert main(["--map", str(path), "--out", str(tmp_path / "out")]) == 1
    assert "did you mean 'side_table'?" in capsys.readouterr().err


# ---- always the same


def test_second_run_changes_nothing(tmp_path):
    path = committed(tmp_path, EXAMPLE)
    out = tmp_path / "out"
    written = generate(path, out)
    assert len(written) == 7
    times = [file.stat().st_mtime_ns for file in written]
    assert generate(path, out) == []
    assert [file.stat().st_mtime_ns for file in written] == times


def test_file_that_a_map_no_longer_becomes_is_removed(tmp_path, capsys):
    path = committed(tmp_path, EXAMPLE)
    out = tmp_path / "out"
    cmake = next(file for file in generate(path, out) if file.name == "vendor.cmake")
    cmake.write_text(
        "# @generated from docs/vendors/example/runtime-api-map.yaml by generators.runtime; do not edit.\n"
    )
    beside = cmake.with_name("notes.txt")
    beside.write_text("a person's")
    path.write_text(EXAMPLE.replace("  defines: [XMP_STATIC=0]\n", ""))
    git(path.parent, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qam", "no definitions")
    assert main(["--map", str(path), "--out", str(out), "--check"]) == 1
    assert "the map does not become this file any more" in capsys.readouterr().out
    assert generate(path, out) == [cmake]
    assert not cmake.exists() and beside.exists()


def test_conf_is_made_once_and_then_left_to_measurements(tmp_path, capsys):
    path = committed(tmp_path, EXAMPLE)
    out = tmp_path / "out"
    conf = conf_path("example", out / "torch_fl/configs")
    assert conf in generate(path, out)
    assert load_conf("example", configs=conf.parent).routes == {}, "nothing was measured"
    assert all(line.startswith("#") for line in conf.read_text().splitlines())
    assert all(route in conf.read_text() for route in ROUTES)

    check = ["--map", str(path), "--out", str(out), "--check"]
    measured = conf.read_text() + "add.Tensor = cuda\n"
    conf.write_text(measured)
    assert generate(path, out) == [] and conf.read_text() == measured
    assert main(check) == 0
    conf.write_text(measured + "mul.Tensor = cudda\n")
    assert main(check) == 1
    assert f"{conf}:{len(measured.splitlines()) + 1}: unknown route 'cudda'" in capsys.readouterr().err
    assert main(check[:-1]) == 1, "generation says so, too"
    assert "unknown route 'cudda'" in capsys.readouterr().err
    conf.unlink()
    assert main(check) == 1
    assert f"{conf}: no such file; make it: python -m generators.runtime --vendor example" in capsys.readouterr().err


def test_vendor_written_by_hand_gets_a_conf_and_nothing_else(tmp_path, capsys):
    assert main(["--vendor", "host", "--out", str(tmp_path)]) == 0
    conf = tmp_path / "torch_fl/configs/backends_host.conf"
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [conf]
    assert capsys.readouterr().out == f"host: changed {conf}\n"
    assert main(["--vendor", "host", "--out", str(tmp_path), "--check"]) == 0
    conf.unlink()
    assert main(["--vendor", "host", "--out", str(tmp_path), "--check"]) == 1


def test_vendor_without_a_map_is_told_how_to_begin(capsys):
    assert main(["--vendor", "newchip"]) == 1
    assert "pytest gates/runtime --vendor newchip --sdk-path DIR --recon" in capsys.readouterr().err


def test_hash_seed_locale_and_folder_do_not_matter(tmp_path):
    path = committed(tmp_path, EXAMPLE)
    texts = []
    for number, (seed, locale, folder) in enumerate([("1", "C", "/"), ("2", "C.UTF-8", str(tmp_path))]):
        out = tmp_path / f"out{number}"
        environment = os.environ | {"PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "generators.runtime", "--map", str(path), "--out", str(out)]
        subprocess.run(command, check=True, cwd=folder, env=environment, capture_output=True)
        texts.append({file.relative_to(out): file.read_bytes() for file in out.rglob("*") if file.is_file()})
    assert texts[0] == texts[1]
    assert len(texts[0]) == 7


def test_full_disk_leaves_whole_files_or_none(tmp_path):
    """A limit on a file's size stands for the end of the disk: the first file that is larger fails."""
    path = committed(tmp_path, EXAMPLE)
    whole = generate(path, tmp_path / "whole")
    limit = sorted(file.stat().st_size for file in whole)[2]
    command = [sys.executable, "-m", "generators.runtime", "--map", str(path), "--out", str(tmp_path / "out")]
    child = run_on_full_disk(command, limit)
    assert child.returncode == 1
    assert re.match(r"ERROR: \[Errno 27\] File too large", child.stderr), child.stderr
    written = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    names = {file.relative_to(tmp_path / "out"): file for file in written}
    assert names.keys() < {file.relative_to(tmp_path / "whole") for file in whole}
    assert all(file.read_bytes() == (tmp_path / "whole" / name).read_bytes() for name, file in names.items())


def test_the_tree_s_generated_files_are_fresh(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().out
    assert len(list_maps()) >= 3


def test_check_shows_what_is_stale(tmp_path, capsys):
    path = committed(tmp_path, EXAMPLE)
    out = tmp_path / "out"
    generate(path, out)
    file = out / "csrc/runtime/accelerator/example/device.cc"
    file.write_text(file.read_text().replace("xmp_use_device(", "xmp_used_device("))
    assert main(["--map", str(path), "--out", str(out), "--check"]) == 1
    assert "-  return check(xmp_used_device(" in capsys.readouterr().out
