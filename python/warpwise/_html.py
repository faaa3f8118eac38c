"""Reports with ANSI colours as HTML, for notebooks."""

from __future__ import annotations

import html
import re

_SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_STYLE = """<style>
.warpwise{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:12px;line-height:1.35}
.warpwise pre{margin:0 0 1em;padding:.6em .8em;border-left:3px solid #98a2b3;white-space:pre;overflow-x:auto;background:transparent;color:inherit}
.warpwise p{margin:0 0 .6em;font-weight:600}
.warpwise .b{font-weight:700}.warpwise .red{color:#c4281c}.warpwise .green{color:#2e7d4f}
.warpwise .yellow{color:#9a6700}.warpwise .blue{color:#2563c9}.warpwise .magenta{color:#9c36b5}
.warpwise .cyan{color:#0b7285}.warpwise .black,.warpwise .white{color:#667085}
</style>"""


def page(body: str) -> str:
    """A part of a page that needs nothing else."""
    return f'{_STYLE}<div class="warpwise">{body}</div>'


def block(coloured: str) -> str:
    """A report."""
    out: list[str] = []
    classes: set[str] = set()
    is_text = True
    for part in _SEQUENCE.split(coloured.rstrip()):
        if not is_text:
            _apply(part, classes)
        elif part:
            text = html.escape(part)
            names = " ".join(sorted(classes))
            out.append(f'<span class="{names}">{text}</span>' if names else text)
        is_text = not is_text
    return f"<pre>{''.join(out)}</pre>"


def _apply(sequence: str, classes: set[str]) -> None:
    """What an escape sequence makes of the style (ECMA-48, SGR)."""
    codes = [int(code or 0) for code in sequence.split(";")]
    # One of 256 colours: the first sixteen are the eight names, twice.
    if codes[:2] == [38, 5] and len(codes) > 2:
        codes[:3] = [30 + codes[2] % 8]
    for code in codes:
        if code == 0:
            classes.clear()
        elif code == 1:
            classes.add("b")
        elif 30 <= code <= 37 or 90 <= code <= 97:
            classes.difference_update(_NAMES)
            classes.add(_NAMES[code % 10])
