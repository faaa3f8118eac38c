// nvcc: sm_75 sm_90 sm_100
//
// Atomic operations on global and shared memory.

// Every operation on a word of its own: old and new value are both known.
extern "C" __global__ void operations(unsigned *data, const unsigned *with, unsigned *old, int n)
{
    int i = threadIdx.x;
    unsigned v = with[i];
    int s = (int)v;
    old[i] = atomicAdd(&data[i], v);
    old[n + i] = atomicSub(&data[n + i], v);
    old[2 * n + i] = atomicExch(&data[2 * n + i], v);
    old[3 * n + i] = atomicMin(&data[3 * n + i], v);
    old[4 * n + i] = atomicMax(&data[4 * n + i], v);
    old[5 * n + i] = (unsigned)atomicMin((int *)&data[5 * n + i], s);
    old[6 * n + i] = (unsigned)atomicMax((int *)&data[6 * n + i], s);
    old[7 * n + i] = atomicAnd(&data[7 * n + i], v);
    old[8 * n + i] = atomicOr(&data[8 * n + i], v);
    old[9 * n + i] = atomicXor(&data[9 * n + i], v);
    old[10 * n + i] = atomicInc(&data[10 * n + i], v);
    old[11 * n + i] = atomicDec(&data[11 * n + i], v);
}

extern "C" __global__ void compare_and_swap(unsigned *data, const unsigned *expected,
                                            unsigned long long *wide, unsigned short *half,
                                            unsigned *old)
{
    int i = threadIdx.x;
    old[i] = atomicCAS(&data[i], expected[i], 1000 + i);
    old[64 + i] = (unsigned)atomicCAS(&wide[i], (unsigned long long)expected[i], ~0ull - i);
    old[128 + i] = atomicCAS(&half[i], (unsigned short)expected[i], (unsigned short)(7 * i));
}

extern "C" __global__ void operations_64(unsigned long long *data, const unsigned long long *with,
                                         unsigned long long *old, int n)
{
    int i = threadIdx.x;
    unsigned long long v = with[i];
    old[i] = atomicAdd(&data[i], v);
    old[n + i] = atomicExch(&data[n + i], v);
    old[2 * n + i] = atomicMin(&data[2 * n + i], v);
    old[3 * n + i] = atomicMax(&data[3 * n + i], v);
    old[4 * n + i] = (unsigned long long)atomicMin((long long *)&data[4 * n + i], (long long)v);
    old[5 * n + i] = (unsigned long long)atomicMax((long long *)&data[5 * n + i], (long long)v);
    old[6 * n + i] = atomicAnd(&data[6 * n + i], v);
    old[7 * n + i] = atomicOr(&data[7 * n + i], v);
    old[8 * n + i] = atomicXor(&data[8 * n + i], v);
}

// All threads on few words, without using what was there before: the compiler may emit red.
extern "C" __global__ void contended(const int *in, int *out, float *sum, double *sum64, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        atomicAdd(&out[0], v);
        atomicMax(&out[1], v);
        atomicMin(&out[2], v);
        atomicXor(&out[3], v);
        atomicOr(&out[4], 1 << (v & 31));
        atomicAnd(&out[5], ~(1 << (v >> 3 & 31)));
        atomicInc((unsigned *)&out[6], 76);
        atomicDec((unsigned *)&out[7], 99);
        atomicAdd(sum, (float)(v & 15));
        atomicAdd(sum64, (double)v);
    }
}

// The maximum of floats through compare-and-swap.
extern "C" __global__ void float_maximum(const float *in, float *out)
{
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned *word = (unsigned *)out;
    unsigned seen = *(volatile unsigned *)word;
    while (v > __uint_as_float(seen)) {
        unsigned before = atomicCAS(word, seen, __float_as_uint(v));
        if (before == seen) break;
        seen = before;
    }
}

// A histogram in shared memory that the blocks add to one in global memory.
extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] / 4], 1);
    __syncthreads();
    if (threadIdx.x < 64 && local[threadIdx.x]) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// Operations on shared memory with a narrower scope.
extern "C" __global__ void shared_scopes(const int *in, int *out)
{
    __shared__ int cell[4];
    __shared__ unsigned long long wide;
    int t = threadIdx.x;
    if (t < 4) cell[t] = t == 1 ? 1 << 30 : 0;
    if (t == 0) wide = 0;
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + t];
    atomicAdd_block(&cell[0], v);
    atomicMin_block(&cell[1], v);
    atomicMax(&cell[2], v);
    atomicOr_block(&cell[3], v & 0xff);
    atomicAdd(&wide, (unsigned long long)(v & 0xffff) << 24);
    __syncthreads();
    if (t < 4) out[blockIdx.x * 6 + t] = cell[t];
    if (t == 4) out[blockIdx.x * 6 + 4] = (int)(wide >> 24);
    if (t == 5) atomicAdd_system(&out[blockIdx.x * 6 + 5], cell[0] & 7);
}
