#!/usr/bin/env python3
"""What the kernels of cuda/ compute, after their text: writes apply.npy."""
import numpy as np

weights = [3, 1, 4, 1, 5, 9, 2, 6]


def scaled(x):
    return 3 * x + 1


def twice(x):
    # `local_step` and `mine` of device.cu, not those of kernel.cu.
    return x * 7 + 11 + scaled(x)


operations = [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: twice(a) - b]


def apply(i):
    value = twice(i) + weights[i % 8] + (i + 100)
    return operations[i % 3](value, i + 1) + scaled(i) + 5


np.save("apply.npy", np.array([apply(i) for i in range(32)], np.int32))
# `through` reads weights[4] by a pointer, and the counter that 32 threads have counted up from 1000.
print(weights[4] + 1000 + 32)
