"""How the fragments of `mma` lie in registers (PTX ISA 9.1, "Matrix Fragments"): what `matrix`, `products` and `warpgroup` share."""

from matrices import *  # noqa: F403

LANES = np.arange(32)
GROUP, IN_GROUP = LANES >> 2, LANES % 4


def fragments(matrix, bits, encode, is_b):
    """The registers of `a` (m by k) or of the transpose of `b` (n by k), [lane][register]."""
    rows, k = matrix.shape
    per = 32 // bits
    blocks, halves = k // (4 * per), rows // 8
    registers = []
    for block in range(blocks):
        for half in range(halves):
            row = GROUP + 8 * half
            first = block * 4 * per + IN_GROUP * per
            columns = first[:, None] + np.arange(per)[None, :]
            registers.append(pack(bits, encode(matrix[row[:, None], columns])))
    assert not is_b or halves == 1
    return np.stack(registers, axis=1)


def result_fragment(matrix):
    """[lane][element] of c or d: two columns a row."""
    halves = matrix.shape[0] // 8
    found = [matrix[GROUP + 8 * half, 2 * IN_GROUP + column] for half in range(halves) for column in range(2)]
    return np.stack(found, axis=1)


def sparse(a, kind, selector, ordered, seed):
    """`a` with half of it zero, what is left of it, and the metadata: as a register of all lanes.

    `kind` is the bits of an element. Chunks are 2 elements of 32 bits with one left, 4 of 16 or 8 bits with two left, or 8
    of 4 bits with two pairs left."""
    rows, k = a.shape
    pair = 2 if kind == 4 else 1
    chunk = 2 if kind == 32 else 4 * pair
    chunks = k // chunk
    dice = noise64(rows * chunks, seed).reshape(rows, chunks)
    dense, left = np.zeros_like(a), np.zeros((rows, k // 2), a.dtype)
    nibbles = np.zeros((rows, chunks), u32)
    choices = [(i, j) for i in range(4) for j in range(4) if (i < j if ordered else i != j)]
    for row in range(rows):
        for nth in range(chunks):
            start = nth * chunk
            if kind == 32:
                (index,) = places = [int(dice[row, nth]) % 2]
                nibbles[row, nth] = 0b1110 if index else 0b0100
            else:
                places = choices[int(dice[row, nth]) % len(choices)]
                nibbles[row, nth] = places[0] | places[1] << 2
            for to, place in enumerate(places):
                for part in range(pair):
                    value = a[row, start + place * pair + part]
                    dense[row, start + place * pair + part] = value
                    left[row, nth * chunk // 2 + to * pair + part] = value
    # Other lanes hold anything.
    metadata = noise(32, seed + 1)
    # Of elements of at least 16 bits, a lane has four chunks of row g and of row g + 8; of others eight of one of them.
    both = kind >= 16
    length = 4 if both else 8
    blocks = chunks // length
    lines = pack(4, nibbles.reshape(rows, blocks, length))
    for lane in range(32):
        group, within = lane >> 2, lane % 4
        nth = (within if both else within // 2) - selector * blocks
        if not 0 <= nth < blocks:
            continue
        if both:
            metadata[lane] = lines[group, nth] | lines[group + 8, nth] << u32(16)
        else:
            metadata[lane] = lines[group + 8 * (within % 2), nth]
    return dense, left, metadata[:, None]
