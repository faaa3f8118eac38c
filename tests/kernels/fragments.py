"""How the fragments of `mma` lie in registers (PTX ISA 9.1, "Matrix Fragments"): what `matrix` and `products` share."""

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
