"""Modules, launches, faults, and the end of launches that do not end."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpwise
from conftest import FOREVER, HEAD, SCALE, kernel


def test_sources_of_every_kind(tmp_path, examples):
    path = tmp_path / "scale.ptx"
    path.write_text(SCALE)
    for source in (SCALE, SCALE.encode(), SCALE.encode() + b"\0", path, str(path), path.read_bytes()):
        assert warpwise.Module(source).kernels == ["scale"]
    fatbin = examples.parent / "tests" / "fatbin"
    packed = next(iter(sorted(fatbin.rglob("*.fatbin"))))
    assert warpwise.Module(packed).kernels == warpwise.Module(packed.read_bytes()).kernels != []

    class Compiled:
        asm = {"ptx": SCALE}

    assert warpwise.Module(Compiled()).kernels == ["scale"]


def test_what_is_no_module(tmp_path):
    with pytest.raises(warpwise.BadInput, match="cannot read .*nowhere.ptx"):
        warpwise.Module(tmp_path / "nowhere.ptx")
    with pytest.raises(TypeError, match="and no int"):
        warpwise.Module(7)
    with pytest.raises(warpwise.BadInput) as raised:
        warpwise.Module(SCALE.replace("mul.f32", "mul.f31"), name="scale.ptx")
    assert (raised.value.file, raised.value.line) == ("scale.ptx", 1 + SCALE[: SCALE.index("mul.f32")].count("\n"))
    assert isinstance(raised.value, ValueError)
    with pytest.raises(warpwise.Error, match="sm_1"):
        warpwise.Module(SCALE, target="sm_1")


def test_looking_for_kernels(scale):
    module = scale.module
    assert "scale" in module and "other" not in module
    assert list(module) == ["scale"] and len(module) == 1
    assert module.scale is module["scale"] is module.kernel("scale")
    with pytest.raises(warpwise.BadInput, match="did you mean `scale`"):
        module["scal3"]
    with pytest.raises(AttributeError, match="it has scale"):
        module.scala
    assert "scale" in repr(module) and "scale" in dir(module)
    assert [it.name for it in scale.parameters] == ["x", "factor", "n"]
    assert scale.attributes["max_threads_per_block"] == 1024
    assert repr(scale) == "<warpwise.Kernel scale(.u64 x, .f32 factor, .u32 n)>"


def test_linked_modules():
    table = HEAD + ".visible .const .u32 answer = 42;"
    ask = HEAD + ".extern .const .u32 answer;\n" + kernel(
        "ask", ".param .u64 out", "ld.param.u64 %rd1, [out]; ld.const.u32 %r1, [answer]; st.global.u32 [%rd1], %r1;"
    )
    out = np.zeros(1, np.uint32)
    warpwise.Module([table, ask])["ask"][1, 1](out)
    assert out[0] == 42


def test_many_modules():
    # Each has a device, and a terabyte of addresses; small arrays lie where C's allocator puts them.
    scale, modules = warpwise.Module(SCALE), []
    x = np.ones(1, np.float32)
    for _ in range(100):
        modules.append(pickle.loads(pickle.dumps(scale)))
        modules[-1]["scale"][1, 1](x, -1.0, 1)
    assert x[0] == 1


def test_variables():
    module = warpwise.Module(
        HEAD
        + ".visible .global .u32 counter;\n.visible .global .align 4 .f32 table[4];\n"
        + kernel("count", "", "atom.global.add.u32 %r1, [counter], 1;")
    )
    module["count"][2, 32]()
    module["count"][1, 1]()
    assert module.read("counter", np.uint32)[0] == 65
    module.write("counter", np.uint32(7))
    assert module.read("counter") == b"\7\0\0\0"
    module.write("table", np.arange(4, dtype=np.float32))
    np.testing.assert_array_equal(module.read("table", np.float32), np.arange(4))
    assert module.variables == {"counter": ".u32", "table": ".f32[4]"}
    with pytest.raises(warpwise.BadInput, match="the module has no variable `countr`"):
        module.read("countr")
    with pytest.raises(warpwise.BadInput, match="does not fit"):
        module.write("table", np.arange(4))
    # A copy has its own, with the same values.
    copy = pickle.loads(pickle.dumps(module))
    copy["count"][1, 1]()
    assert (copy.read("counter", np.uint32)[0], module.read("counter", np.uint32)[0]) == (8, 7)


@pytest.mark.parametrize("shape", [(0, 1), (1, 0), ((1, 2, 3, 4), 1), ("x", 1), (-1, 1), ((), 1), (1.5, 1)])
def test_extents_that_make_no_sense(scale, shape):
    with pytest.raises(warpwise.ArgumentError, match="(grid|block) is .*give an extent"):
        scale.launch(*shape, None, 1.0, 0)


def test_shapes_of_every_kind(scale):
    x = np.ones(64, np.float32)
    for grid, block in [((2,), (32, 1)), ([2, 1], (32, 1, 1)), (np.int64(2), np.array([32, 1]))]:
        assert scale.launch(grid, block, x, 1.0, 64).threads == 64
    assert scale[2, 32, 1024](x, 1.0, 64) is None
    with pytest.raises(TypeError, match=r"kernel\[grid, block\]"):
        scale[1]
    with pytest.raises(TypeError, match=r"scale\[grid, block\]"):
        scale(x, 1.0, 64)
    with pytest.raises(warpwise.Error, match="1025 threads|1024"):
        scale[1, 1025](x, 1.0, 64)


def test_options_that_make_no_sense(scale):
    with pytest.raises(TypeError, match="there is no option 'shared'"):
        scale.launch(1, 1, None, 1.0, 0, shared=4)
    for options in ({"schedule": "sideways"}, {"engine": "warp9"}, {"smem": -1}, {"max_steps": "x"}):
        with pytest.raises(warpwise.ArgumentError, match=next(iter(options))):
            scale.launch(1, 1, None, 1.0, 0, **options)


def test_a_fault_has_its_place(scale):
    with pytest.raises(warpwise.Fault) as raised:
        scale[1, 32](np.ones(31, np.float32), 2.0, 32)
    fault = raised.value
    assert (fault.kind, fault.file, fault.stage) == ("out of bounds", "scale.ptx", "run")
    assert SCALE.splitlines()[fault.line - 1].strip().startswith("ld.global.f32")
    assert "thread (31,0,0)" in str(fault) and isinstance(fault, RuntimeError)
    again = pickle.loads(pickle.dumps(fault))
    assert (again.kind, again.place, str(again)) == (fault.kind, fault.place, str(fault))


def test_unsupported_and_limits(scale):
    forever = warpwise.Module(FOREVER)["forever"]
    with pytest.raises(warpwise.LimitReached):
        forever.launch(1, 1, np.zeros(1, np.uint32), max_steps=1000)


def test_what_kernels_print(capsys):
    text = HEAD + ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    text += '.global .align 1 .b8 words[7] = {104, 101, 108, 108, 111, 10, 0};\n' + kernel(
        "greet",
        "",
        """
        mov.u64 %rd1, words;
        cvta.global.u64 %rd1, %rd1;
        { .param .b64 f; .param .b64 a; .param .b32 r;
          st.param.b64 [f], %rd1; st.param.b64 [a], 0;
          call (r), vprintf, (f, a); }
        """,
    )
    traps = warpwise.Module(text.replace("ret;", "trap; ret;"))["greet"]
    with pytest.raises(warpwise.Fault, match="trap") as raised:
        traps[1, 1]()
    assert capsys.readouterr().out == raised.value.printed == "hello\n"
    greet = warpwise.Module(text)["greet"]
    assert greet.launch(1, 2).printed == "hello\nhello\n"
    assert capsys.readouterr().out == "hello\nhello\n"
    assert greet.check(1, 1).report.printed == "hello\n"


def test_threads_run_at_once(scale):
    arrays = [np.ones(64, np.float32) for _ in range(8)]
    modules = [pickle.loads(pickle.dumps(scale)) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda it: modules[it % 4][2, 32](arrays[it], 2.0, 64), range(8)))
        # One module, and one array, too.
        list(pool.map(lambda _: scale[2, 32](arrays[0], 2.0, 64), range(8)))
    assert arrays[0][0] == 2.0**9 and arrays[7][0] == 2.0


def test_the_interpreter_is_free_meanwhile():
    forever = warpwise.Module(FOREVER)["forever"]
    x = np.zeros(1, np.uint32)

    def launch():
        with pytest.raises(warpwise.LimitReached):
            forever.launch(1, 1, x, max_steps=30_000_000)

    thread = threading.Thread(target=launch)
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 5


@pytest.mark.parametrize("warm", [False, True])
def test_ctrl_c(warm):
    # A shell that starts tests in the background has them ignore the signal.
    program = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, warpwise
forever = warpwise.Module({FOREVER!r})["forever"]
x = np.zeros(1, np.uint32)
for _ in range({3 if warm else 0}):
    try: forever.launch(1, 1, x, max_steps=10)
    except warpwise.LimitReached: pass
print("begins", flush=True)
try:
    forever[4, 64](x)
except KeyboardInterrupt:
    print("interrupted", x[0] > 0)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "begins\n"
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=60)
        finally:
            child.kill()
    assert (out, child.returncode) == ("interrupted True\n", 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes(scale):
    x = np.ones(4096, np.float32)
    scale[128, 32](x, 2.0, 4096)

    def child(pipe):
        scale[128, 32](x, 2.0, 4096)
        pipe.send(float(x.sum()))

    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=child, args=(theirs,))
    process.start()
    assert ours.poll(30) and ours.recv() == 4 * 4096
    process.join(10)
    assert process.exitcode == 0 and x[0] == 2


def test_help_teaches():
    text = warpwise.__doc__
    assert all(word in text for word in ("Module", "check", "explore", "activate", "pytest"))
    for name in warpwise.__all__:
        assert getattr(warpwise, name).__doc__, name
    assert "sm_90" in warpwise.targets()
