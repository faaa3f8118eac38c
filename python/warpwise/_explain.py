"""What one warp instruction does."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import index

from . import _given, _warpwise

_LANES = 32


@dataclass(frozen=True)
class Explanation:
    """What an instruction does in each lane. It shows itself in notebooks, and prints as text."""

    #: The instruction, or the call, as it was given.
    instruction: str
    #: The picture for terminals, at most 100 columns wide, with and without ANSI colours.
    text: str = field(repr=False)
    coloured: str = field(repr=False)
    #: The picture as an SVG file.
    svg: str = field(repr=False)

    def __str__(self) -> str:
        return self.text.rstrip()

    def __repr__(self) -> str:
        return self.coloured.rstrip() if sys.stdout.isatty() else str(self)

    def _repr_svg_(self) -> str:
        return self.svg


def explain(
    instruction: str,
    lanes: int | Iterable[int] = 0xFFFF_FFFF,
    **registers: int | bool | Iterable[int],
) -> Explanation:
    """Shows what an instruction of PTX does, or a call of CUDA C++: who reads whom, lane by lane.

    ``lanes`` are those that execute it: a mask, or numbers of lanes. ``registers`` say what registers of the
    instruction hold: one value for all lanes, or 32. A name that Python cannot write is given as ``**{"%r1": 7}``.

    >>> print(warpwise.explain("shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff"))
    >>> warpwise.explain("__ballot_sync(mask, q)", mask=0xff, q=[lane < 3 for lane in range(32)])
    """
    _given.text(instruction, "instruction")
    mask = lanes if isinstance(lanes, int) else sum(1 << index(lane) for lane in set(lanes))
    if not 0 <= mask < 1 << _LANES:
        raise ValueError(f"lanes={mask:#x}: a warp has {_LANES} lanes")
    settings = list(_settings(registers))
    return Explanation(instruction, *_warpwise.explain(instruction, mask, settings))


def _settings(registers: Mapping[str, object]) -> Iterable[tuple[str, list[int]]]:
    for name, value in registers.items():
        values = list(value) if isinstance(value, Iterable) else [value] * _LANES
        if len(values) != _LANES:
            raise ValueError(f"{name} has {len(values)} values; give one, or one for each of {_LANES} lanes")
        yield name, [index(it) & 0xFFFF_FFFF_FFFF_FFFF for it in values]  # type: ignore[arg-type]
