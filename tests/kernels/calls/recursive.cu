// A function that calls itself.
// nvcc: sm_90
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void numbers(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x); }
