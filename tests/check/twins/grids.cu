// nvcc: sm_75 sm_90 -- -lineinfo
// CTAs that work together.
#include <cuda/atomic>
// last block reduces
extern "C" __global__ void wrong_last(const int *in, int *part, unsigned *count, int *out) {
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    for (int d = 32; d; d >>= 1) { __syncthreads(); if (t < d) s[t] += s[t + d]; }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += part[b];
        out[0] = sum;
    }
}

extern "C" __global__ void right_last(const int *in, int *part, unsigned *count, int *out) {
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    for (int d = 32; d; d >>= 1) { __syncthreads(); if (t < d) s[t] += s[t + d]; }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += part[b];
        out[0] = sum;
    }
}

// flag handed over
extern "C" __global__ void wrong_flag(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t + 1;
        __syncthreads();
        if (t == 0) *flag = 1;
    } else {
        if (t == 0) while (!*flag) {}
        __syncthreads();
        out[t] = data[t];
    }
}

extern "C" __global__ void right_flag(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t + 1;
        __syncthreads();
        __threadfence();
        if (t == 0) *flag = 1;
    } else {
        if (t == 0) while (!*flag) {}
        __syncthreads();
        __threadfence();
        out[t] = data[t];
    }
}

// decoupled look-back scan with status in one word
extern "C" __global__ void right_lookback(const unsigned *in, unsigned long long *state, unsigned *ticket, unsigned *out) {
    __shared__ unsigned tile, prefix;
    int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(ticket, 1);
    __syncwarp();
    unsigned id = tile, v = in[id * 32 + t];
    for (int d = 1; d < 32; d *= 2) { unsigned w = __shfl_up_sync(~0u, v, d); if (t >= d) v += w; }
    unsigned total = __shfl_sync(~0u, v, 31);
    if (t == 0) {
        volatile unsigned long long *s = state;
        if (id == 0) s[0] = 2ull << 32 | total; else s[id] = 1ull << 32 | total;
        unsigned sum = 0;
        for (int b = (int)id - 1; b >= 0;) {
            unsigned long long x = s[b];
            if (x >> 32 == 0) continue;
            sum += (unsigned)x;
            if (x >> 32 == 2) break;
            --b;
        }
        if (id) s[id] = 2ull << 32 | (unsigned)(sum + total);
        prefix = sum;
    }
    __syncwarp();
    out[id * 32 + t] = v + prefix;
}

// look-back with status and value in two words and no fence
extern "C" __global__ void wrong_lookback(const unsigned *in, volatile unsigned *flag, unsigned *sums, unsigned *out) {
    __shared__ unsigned prefix;
    int t = threadIdx.x, id = blockIdx.x;
    unsigned v = in[id * 32 + t];
    for (int d = 1; d < 32; d *= 2) { unsigned w = __shfl_up_sync(~0u, v, d); if (t >= d) v += w; }
    if (t == 31) {
        unsigned before = 0;
        if (id) { while (!flag[id - 1]) {} before = sums[id - 1]; }
        sums[id] = before + v;
        flag[id] = 1;
        prefix = before;
    }
    __syncwarp();
    out[id * 32 + t] = v + prefix;
}

// a spin lock
extern "C" __global__ void right_lock(int *lock, int *sum) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1)) {}
        __threadfence();
        *sum += threadIdx.x + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void wrong_lock(int *lock, int *sum) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1)) {}
        *sum += threadIdx.x + 1;
        atomicExch(lock, 0);
    }
}

// block-scope atomics across blocks
extern "C" __global__ void wrong_scope(int *sum) {
    atomicAdd_block(sum, 1);
}

extern "C" __global__ void right_scope(int *sum) {
    atomicAdd_block(sum + blockIdx.x, 1);
}

// compaction with an atomic counter: the order of the output depends on it
extern "C" __global__ void wrong_compact(const int *in, unsigned *count, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (in[i] % 3 == 0) out[atomicAdd(count, 1)] = in[i];
}
