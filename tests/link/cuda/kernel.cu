// The kernels; what they call stands in the other modules.
#include "common.cuh"
static __device__ __noinline__ int local_step(int x) { return x + 100; }
static __device__ int mine = 5;
extern "C" __global__ void apply(int *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    int value = twice(i) + weights[i % 8];
    value += local_step(i);
    value = operations[i % 3](value, i + 1);
    out[i] = value + scaled<3>(i) + mine;
    atomicAdd(&counter, 1);
}
extern "C" __global__ void through(int *out) {
    *out = *where + counter;
    mine += 1;
}
