# What `box` copies: PTX ISA 9.1, 5.5.3 "Tiled Mode" (elements outside of the tensor are zeros, and are not written) and 5.5.7 "Swizzling
# modes" (64 bytes: the four pieces of 16 bytes of a row change places by the number of the row of 128 bytes).
import numpy as np

WIDTH, HEIGHT, PITCH = 37, 11, 40
tensor = np.arange(PITCH * HEIGHT, dtype=np.uint32).reshape(HEIGHT, PITCH)

for name, x, y in [("inside", 16, 3), ("corner", -5, -2), ("end", 30, 8)]:
    box = np.zeros((8, 16), np.uint32)
    copied = np.full((HEIGHT, PITCH), 7, np.uint32)
    for j in range(8):
        for i in range(16):
            if 0 <= x + i < WIDTH and 0 <= y + j < HEIGHT:
                box[j, i] = copied[y + j, x + i] = tensor[y + j, x + i]
    held = np.empty((8, 4, 4), np.uint32)
    for j in range(8):
        for piece in range(4):
            held[j, piece ^ (j // 2 % 4)] = box[j, 4 * piece : 4 * piece + 4]
    np.save(f"held_{name}.npy", held.ravel())
    np.save(f"copied_{name}.npy", copied.ravel())

# `rows`: four rows, as the coordinates name them (5.5.3.2 ".tile::gather4 and .tile::scatter4 modes").
for name, x, ys in [("rows", 20, (3, 10, 0, 11)), ("rows_left", -4, (7, 7, -1, 2))]:
    held = np.zeros((4, 16), np.uint32)
    copied = np.full((HEIGHT, PITCH), 7, np.uint32)
    for j, y in enumerate(ys):
        for i in range(16):
            if 0 <= x + i < WIDTH and 0 <= y < HEIGHT:
                held[j, i] = copied[y, x + i] = tensor[y, x + i]
    np.save(f"held_{name}.npy", held.ravel())
    np.save(f"copied_{name}.npy", copied.ravel())

# `steps`: one of three rows of the box (CUDA driver API, cuTensorMapEncodeTiled: `boxDim` 8 and `elementStrides` 3 are ceil(8 / 3) rows).
for name, x, y in [("steps", 16, 2), ("steps_corner", -5, -1), ("steps_end", 30, 6)]:
    held = np.zeros((3, 16), np.uint32)
    copied = np.full((HEIGHT, PITCH), 7, np.uint32)
    for j in range(3):
        for i in range(16):
            if 0 <= x + i < WIDTH and 0 <= y + 3 * j < HEIGHT:
                held[j, i] = copied[y + 3 * j, x + i] = tensor[y + 3 * j, x + i]
    np.save(f"held_{name}.npy", held.ravel())
    np.save(f"copied_{name}.npy", copied.ravel())

# `halves`: a box of elements of 16 bits, one that ends behind the rows, one that begins before them, and some that lie beside the tensor.
for name, x, y in [("end", 30, 8), ("start", -3, -1), ("behind", 40, 2), ("before", -16, 2)]:
    box = np.zeros((8, 16), np.uint16)
    for j in range(8):
        for i in range(16):
            if 0 <= x + i < WIDTH and 0 <= y + j < HEIGHT:
                box[j, i] = tensor[y + j, x + i]
    np.save(f"halves_{name}.npy", box.ravel())

# `nibbles`: elements of 4 bits, of which a byte has two (5.5.1.1 ".b4x16").
bytes_of = (np.arange(48 * HEIGHT) * 37 % 256).astype(np.uint8).reshape(HEIGHT, 48)
np.save("nibbles_from.npy", bytes_of.ravel())
for name, x, y in [("inside", 8, 1), ("end", 56, 8), ("start", -6, -1)]:
    box = np.zeros((8, 16), np.uint8)
    for j in range(8):
        for i in range(16):
            if 0 <= x // 2 + i < 35 and 0 <= y + j < HEIGHT:
                box[j, i] = bytes_of[y + j, x // 2 + i]
    np.save(f"nibbles_{name}.npy", box.ravel())
