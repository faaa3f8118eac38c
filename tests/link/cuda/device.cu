// Device functions and memory that the kernels use.
#include "common.cuh"
__constant__ int weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int counter = 1000;
__device__ int *where = &weights[4];
static __device__ __noinline__ int local_step(int x) { return x * 7; }
static __device__ int mine = 11;
__device__ int twice(int x) { return local_step(x) + mine + scaled<3>(x); }
