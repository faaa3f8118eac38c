"""Findings, exploration, sweeps, explanations."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import warpwise
from conftest import FOREVER, HEAD, RACE, kernel

#: Thread 1 passes a message to thread 0 by a flag that nothing orders: only some schedules show it.
MESSAGE = HEAD + kernel(
    "message",
    ".param .u64 out, .param .u64 flag, .param .u64 data",
    """
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [flag];
    ld.param.u64 %rd3, [data];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra reader;
    st.relaxed.gpu.global.u32 [%rd3], 42;
    st.relaxed.gpu.global.u32 [%rd2], 1;
    ret;
    reader:
    ld.relaxed.gpu.global.u32 %r2, [%rd2];
    st.global.u32 [%rd1], %r2;
    """,
)


def arrays():
    return [np.zeros(1, np.uint32) for _ in range(3)]


def test_nothing_found(scale):
    checked = scale.check(1, 32, np.ones(32, np.float32), 2.0, 32)
    assert checked.ok and len(checked) == 0 and not checked and checked.runs == 1
    assert repr(checked) == "<check of scale: no findings in 1 run>"
    checked.raise_if_wrong()


def test_a_race():
    x = np.zeros(1, np.uint32)
    checked = warpwise.Module(RACE, name="race.ptx")["race"].check(1, 64, x)
    assert not checked.ok and checked.fault is None
    finding = checked[0]
    assert finding.code.startswith("R") and finding.severity == "error" and finding.file == "race.ptx"
    assert RACE.splitlines()[finding.line - 1].strip().startswith("st.global.u32")
    assert repr(finding).startswith(f"<error {finding.code} at race.ptx:{finding.line}:")
    assert finding.code in str(checked) and finding.code in checked._repr_html_()
    assert "<script" not in checked._repr_html_() and "\x1b" not in checked._repr_html_()
    assert checked.sarif["runs"][0]["results"][0]["ruleId"] == finding.code
    with pytest.raises(warpwise.FindingsError, match=finding.code) as raised:
        checked.raise_if_wrong()
    assert raised.value.checked is checked and raised.value.line == finding.line
    assert pickle.loads(pickle.dumps(checked)) == checked


def test_the_lane_picture(examples):
    twins = examples.parent / "tests/check/twins/early_return.sm_90.ptx"
    out = np.zeros(32, np.int32)
    checked = warpwise.Module(twins)["wrong"].check(1, 32, np.arange(32, dtype=np.int32), out, 20)
    (finding,) = checked
    assert (finding.code, finding.line) == ("W010", 10) and finding.file.endswith("early_return.cu")
    assert "####!!!!!!!!!!!!####xxxxxxxxxxxx" in finding.text
    # Lanes 20 to 31 return early.
    assert finding.lanes is not None and finding.lanes["live"] == (1 << 20) - 1


def test_a_stopped_kernel_is_no_exception(scale):
    checked = scale.check(1, 32, np.ones(31, np.float32), 2.0, 32)
    assert checked.fault == "out of bounds" and not checked.ok and checked[0].code.startswith("M")


def test_exploration_is_the_same_on_every_executor():
    message = warpwise.Module(MESSAGE, name="message.ptx")["message"]
    alone = message.explore(1, 64, *arrays(), n=100)
    assert alone.schedules == 100
    assert any(it.code == "W008" for it in alone), alone
    found = [(it._key, it.schedule, it.message) for it in alone]
    with ThreadPoolExecutor(3) as pool:
        threads = message.explore(1, 64, *arrays(), n=100, executor=pool)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        processes = message.explore(1, 64, *arrays(), n=100, executor=pool)
    for other in (threads, processes):
        assert [(it._key, it.schedule, it.message) for it in other] == found
        assert (other.schedules, other.runs) == (alone.schedules, alone.runs)
        told, expected = (it.sarif["runs"][0]["results"] for it in (other, alone))
        assert [it["partialFingerprints"] for it in told] == [it["partialFingerprints"] for it in expected]


def test_a_schedule_replays():
    message = warpwise.Module(MESSAGE)["message"]
    finding = next(it for it in message.explore(1, 64, *arrays(), n=40) if it.code == "W008")
    first, again = arrays(), arrays()
    message.launch(1, 64, *first)
    message.launch(1, 64, *again, schedule=finding.schedule)
    assert first[0][0] != again[0][0]


def test_every_schedule():
    message = warpwise.Module(MESSAGE)["message"]
    checked = message.explore(1, 2, *arrays(), n=None)
    assert checked.covered and checked.schedules > 1
    with pytest.raises(ValueError, match="n=0"):
        message.explore(1, 2, *arrays(), n=0)


def test_sweeps(scale):
    forever = warpwise.Module(FOREVER)["forever"]
    race = warpwise.Module(RACE)["race"]
    x = np.ones(64, np.float32)
    launches = [
        *(warpwise.Launch(scale, 2, 32, (x, float(factor), 64), label=str(factor)) for factor in range(4)),
        warpwise.Launch(scale, 3, 32, (x, 1.0, 96)),
        warpwise.Launch(forever, 1, 1, (np.zeros(1, np.uint32),), {"max_steps": 100}),
    ]
    alone = warpwise.sweep(launches)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        spread = warpwise.sweep(launches, executor=pool)
    for swept in (alone, spread):
        assert [it.ok for it in swept] == [True] * 4 + [False] * 2
        assert [it.args[0][0] for it in swept[:4]] == [0, 1, 2, 3]
        assert isinstance(swept[4].error, warpwise.Fault) and isinstance(swept[5].error, warpwise.LimitReached)
        assert swept[1].launch.label == "1"
    assert x[0] == 1
    checked = warpwise.sweep([warpwise.Launch(race, 1, 64, (np.zeros(1, np.uint32),))], check=True)
    assert not checked[0].ok and checked[0].checked[0].code.startswith("R")


def test_explanations():
    shown = warpwise.explain("shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff")
    assert "j = lane - b" in str(shown) and shown._repr_svg_().startswith("<svg")
    assert "no lane's result is undefined" in repr(shown)
    ballot = warpwise.explain("__ballot_sync(mask, q)", lanes=range(8), mask=0xFF, q=[lane < 3 for lane in range(32)])
    assert "7" in str(ballot)
    with pytest.raises(warpwise.Unsupported, match="`add` is no instruction in which lanes work together"):
        warpwise.explain("add.u32 a, b, c")
    with pytest.raises(warpwise.BadInput):
        warpwise.explain("shfl.sync.left.b32 a, b, c")
    with pytest.raises(ValueError, match="has 2 values"):
        warpwise.explain("__ballot_sync(mask, q)", mask=[1, 2])
    with pytest.raises(ValueError, match="32 lanes"):
        warpwise.explain("activemask.b32 d", lanes=1 << 32)
