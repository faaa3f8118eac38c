// The kernels of the driver's tests. Compiled by nvcc 13.5:
//   nvcc -arch=compute_75 -ptx kernels.cu -o kernels.ptx
//   nvcc -gencode arch=compute_75,code=compute_75 -fatbin -Xfatbin --compress-mode=… kernels.cu -o kernels-….fatbin
#include <cstdio>

extern "C" {
__device__ int counter = 5;

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void scale(int *values, int factor, int offset, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = values[i] * factor + offset;
}

__global__ void count(int by) { atomicAdd(&counter, by); }

__global__ void empty() {}

__global__ void say() { printf("thread %d\n", threadIdx.x); }

__global__ void stray(int *where) { *where = 1; }

__global__ void stop() { __trap(); }

// Waits until the host, or another kernel, has written something.
__global__ void await(volatile int *flag, int *seen) {
    while (*flag == 0) {
    }
    *seen = *flag;
}

__global__ void sample(cudaTextureObject_t texture, float *out, int width) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

struct Pair {
    int one;
    double other;
};

__global__ void take(char small, Pair pair, double *out) {
    out[0] = small;
    out[1] = pair.one;
    out[2] = pair.other;
}
}
