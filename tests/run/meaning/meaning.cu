// Kernels whose arguments can be given wrongly. Compiled with
// nvcc --ptx -arch=sm_90 and -arch=sm_100, which declares floats in memory as bits.

// The mangled name tells the types.
__global__ void scale(const float *in, float *out, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * by;
}

// Only what the kernel does tells them.
extern "C" __global__ void scale_c(const float *in, float *out, unsigned long long n) {
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2.0f;
}

extern "C" __global__ void total_c(const double *in, double *out, int n) {
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += in[i];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) *out = sum;
}

// What is copied may be anything.
extern "C" __global__ void copy_c(const uint4 *in, uint4 *out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void copy(const void *in, unsigned char *out, long n) {
    for (long i = threadIdx.x; i < n; i += blockDim.x) out[i] = ((const unsigned char *)in)[i];
}

// Bits of floats are computed with as integers.
extern "C" __global__ void signs_c(const unsigned *in, unsigned *out) { out[threadIdx.x] = in[threadIdx.x] >> 31; }
