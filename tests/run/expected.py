"""Arrays for the tests of `warpwise run`, and the values that they expect."""

import io
import struct
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def save(name, array, **options):
    with open(HERE / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, np.asanyarray(array), **options)


def splitmix64(seed, count):
    """Steele, Lea and Flood 2014, as in Vigna's public-domain splitmix64.c."""
    mask = (1 << 64) - 1
    words = []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        words.append(z ^ (z >> 31))
    return words


def raw(name, header, data=b"", version=(1, 0)):
    """A file with this header, whatever it says."""
    text = header.encode()
    size = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    (HERE / f"{name}.npy").write_bytes(b"\x93NUMPY" + bytes(version) + size + text + data)


cube = np.arange(24, dtype=np.int32).reshape(2, 3, 4) * 0x01020304
save("cube", cube)
save("cube_bytes", np.frombuffer(cube.tobytes(), dtype=np.uint8))
save("cube_column_major", np.asfortranarray(cube))
save("cube_big_endian", cube.astype(">i4"))
save("cube_version_2", cube, version=(2, 0))
save("scalar", np.float64(2.5))
save("flags", np.array([True, False, True]))
save("complex", np.array([1 - 2j, complex(0, np.inf)], dtype=np.complex64))
save("opaque", np.array([0x3F80, 0x4000], dtype=np.uint16).view("V2"))
save("empty", np.zeros((3, 0, 2), dtype=np.float16))

words = splitmix64(1234567, 5)
save("random_u64", np.array(words, dtype=np.uint64))
save("random_s8", np.array([word >> 56 for word in words], dtype=np.uint8).view(np.int8))
words = splitmix64(42, 5)
save("random_f64", np.array([(word >> 11) / 2**53 for word in words], dtype=np.float64))
save("random_f32", np.array([(word >> 40) / 2**24 for word in words], dtype=np.float32))
save("random_f16", np.array([(word >> 53) / 2**11 for word in words], dtype=np.float16))
singles = np.array([(word >> 56) / 2**8 for word in words], dtype=np.float32)
save("random_bf16", (singles.view(np.uint32) >> 16).astype(np.uint16))

whole = io.BytesIO()
np.save(whole, cube)
(HERE / "truncated.npy").write_bytes(whole.getvalue()[:-1])
raw("deep", "{'descr': '<f4', 'fortran_order': False, 'shape': " + "(" * 20000 + ")" * 20000 + "}\n")
raw("huge", "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 16)}\n")
raw("large", "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000,)}\n")
save("record", np.zeros(2, dtype=[("a", "<i4"), ("b", "<f4")]))
save("words", np.array(["a", "bc"]))

near = np.array([0, 1, 2, 3], dtype=np.float32)
near.view(np.uint32)[1::2] += np.array([1, 3], dtype=np.uint32)
assert np.allclose(np.arange(4), near, rtol=3e-7, atol=0) and not np.allclose(np.arange(4), near, rtol=7e-8, atol=0)
save("near_f32", near)
