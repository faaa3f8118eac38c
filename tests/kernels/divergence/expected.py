#!/usr/bin/env python3
"""Inputs and expected outputs of the divergence kernels."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import *  # noqa: E402, F403

save = saver(__file__)


def collatz_steps(x):
    steps = 0
    while x != 1:
        x = 3 * x + 1 if x & 1 else x // 2
        steps += 1
    return steps


def nested(data, i, rounds):
    """Follows the C source; Python's integers show that nothing overflows."""
    x = data[i]
    for k in range(rounds):
        if x & 1:
            if x & 2:
                x = x * 3 + data[(x & M32) % 96]
            else:
                x ^= data[(i + k) % 96] << 3
        elif x % 5 == 0:
            x = x // 2 - k
            if x < 0:
                break
        else:
            x += i - 7
        assert -(2**31) <= x < 2**31
    return x


def automaton(text, start):
    state = depth = 0
    for k in range(start, len(text)):
        c = text[k]
        if state == "escape":
            state = "string"
        elif state == "string":
            state = {"\\": "escape", '"': 0}.get(c, "string")
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth < 0:
                return k
        elif c == '"':
            state = "string"
    return -2 if depth == 0 and state == 0 else -1


def branches():
    x = save("collatz_in", noise(100, 1) % u32(3000) + u32(1))
    out = np.zeros(128, u32)
    out[:100] = [collatz_steps(int(v)) for v in x]
    save("expected_collatz", out)

    primes = [k for k in range(2, 200) if all(k % d for d in range(2, k))]
    below = [[p for p in primes if p < 5 * t] for t in range(32)]
    save("expected_primes_count", [len(b) for b in below], u32)
    save("expected_primes_last", [max(b, default=0) for b in below], u32)

    data = save("nested_in", ints(96, 2, -500, 500)).tolist()
    save("expected_nested", [nested(data, i, 12) for i in range(96)], i32)

    text = r'(a) b) "c)\")" d) e" f)" (g (h) i) (j)) k "(" l) ((m)' + "(n)" * 6 + ") o) \"" + "()" * 9
    save("text", np.frombuffer(text.encode(), u8))
    assert len(text) >= 64
    results = [automaton(text, i) for i in range(64)]
    assert -1 in results and -2 in results and len(set(results)) > 4
    save("expected_automaton", results, i32)

    a = noise(64, 3) % u32(5000)
    b = noise(64, 4) % u32(700) * u32(12)
    a[5], b[9], a[11], b[11] = 0, 0, 0, 0
    save("gcd_a", a)
    save("gcd_b", b)
    save("expected_gcd", [math.gcd(int(x), int(y)) for x, y in zip(a, b)], u32)


def barriers():
    trips = save("trips", noise(128, 5) % u32(20))
    x = []
    for i in range(128):
        value = i + 1
        for _ in range(trips[i]):
            value = (value * 1664525 + 1013904223) & M32
        x.append(value)
    cell = []
    for i in range(128):
        y = x[(i + 37) % 128]
        for k in range(int(trips[i]), 20, 1 + (i & 3)):
            y ^= (y << 1 & M32) | k
        cell.append(y)
    out = [(cell[127 - i] + x[i]) & M32 for i in range(128)]
    save("expected_after_divergent_loop", out, u32)

    cell = save("relax_in", ints(96, 6, 0, 1000)).tolist()
    for k in range(9):
        before = list(cell)
        for i in range(96):
            if (i + k) % 3 == 0 and i > 0:
                cell[i] = min(before[i], before[i - 1])
            elif i + 1 < 96 and before[i + 1] < before[i]:
                cell[i] = before[i + 1] + 1
    save("expected_relax", cell, i32)

    x = save("warps_in", noise(128, 7))
    warp = np.arange(128) // 32
    out = np.where(warp % 2 == 1, u32(1), np.roll(x, 64) + u32(2))
    save("expected_early_warps", out)

    votes = ints(4 * 80, 8, -80, 76).reshape(4, 80)
    votes[1, 70] = 77
    votes[2, 3] = -90
    votes[3, [5, 79]] = 77, -95
    save("votes_in", votes.reshape(-1))
    result = (votes > 0).sum(1) * 4 + (votes > -90).all(1) * 2 + (votes == 77).any(1)
    save("expected_votes", np.repeat(result, 80), i32)

    out = []
    for group in 0, 1:
        x = [(i * 2654435761) & M32 for i in range(64 * group, 64 * group + 64)]
        for k in range(5 + 6 * group):
            x = [(x[i] * 5 + x[(i + 1 + k) % 64]) & M32 for i in range(64)]
        out += x
    save("expected_named_barriers", out, u32)

    x = save("arrive_in", noise(64, 9))
    tripled = x * u32(3)
    save("expected_arrive", np.concatenate([np.arange(64), tripled[:32] + tripled[32:]]), u32)


def locks():
    save("expected_spin_lock", [sum(t + k for t in range(32) for k in range(5))], u32)
    save("expected_try_lock", [sum(t * t for t in range(64))], u32)
    total = 0
    for _ in range(64):
        total = (total * 3 + 1) & M32
    save("expected_ticket_lock", [total], u32)

    flag, out = [0] * 64, [0] * 32
    downs = [0] * 32
    for lane in range(31, -1, -1):
        downs[lane] = flag[lane + 1] if lane < 31 else 1
        flag[lane] = (downs[lane] + lane) & M32
    for lane in range(32):
        up = flag[32 + lane - 1] if lane > 0 else 1
        flag[32 + lane] = (up * 3 + lane) & M32
        out[lane] = downs[lane] ^ up
    assert all(flag)
    save("expected_token_ring", out, u32)

    letters = save("mailbox_in", noise(16 * 6, 10)).reshape(16, 6)
    hashes = []
    for pair in range(16):
        value = pair
        for letter in letters[pair]:
            value = (value * 33 + int(letter)) & M32
        hashes.append(value)
    save("expected_mailbox", hashes, u32)


def exits():
    out = []
    staying = [t for t in range(64) if t % 2 == 0 and t % 3]
    for t in range(64):
        if t % 2:
            out.append(100)
        elif t % 3 == 0:
            out.append(300)
        else:
            out.append(mask_of(s % 32 for s in staying if s // 32 == t // 32))
    save("expected_guarded_exit", out, u32)

    counts = [64 - 8 * (k + 1) for k in range(8)]
    save("expected_exit_between_barriers", [sum(counts[: t & 7]) for t in range(64)], u32)


def lockstep():
    out = []
    for t in range(32):
        sum = 0
        for i in range(4):
            if t >> i & 1:
                continue
            sum += i
            if sum & 2:
                continue
            sum += 1
        # In lockstep nobody misses a turn.
        out.append(sum * 1000 + 4 * 32)
    save("expected_turns", out, u32)


branches()
barriers()
locks()
exits()
lockstep()
