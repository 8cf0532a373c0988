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
from tests.unit.test_map import EXAMPLE, changed, write

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


# ---- it compiles


def test_example_compiles(tmp_path):
    compile_all(tmp_path, EXAMPLE)


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


def test_virtual_that_is_no_slot_by_another_name_is_refused(tmp_path):
    data = yaml.safe_load(EXAMPLE)
    data["virtuals"]["device_free"] = data["slots"]["Free"]
    data["virtuals"]["device_free"] = {
        "call": "int xmp_quick_release(void *ptr)",
        "args": ["ptr"],
        "source": {"kind": "sdk", "where": "here", "confirmed": True},
    }
    with pytest.raises(GenerationError, match=r"virtuals\.device_free: only get_memory_info"):
        emitted(tmp_path, yaml.safe_dump(data))


# ---- always the same


def test_second_run_changes_nothing(tmp_path):
    path = committed(tmp_path, EXAMPLE)
    out = tmp_path / "out"
    written = generate(path, out)
    assert len(written) == 6
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
    assert len(texts[0]) == 6


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
