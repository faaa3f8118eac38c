// nvcc: sm_75 sm_90 -- -lineinfo
// activemask tells who happens to be here, a ballot who takes the branch.
extern "C" __global__ void wrong(const int *in, int *out, int n) {
    int lane = threadIdx.x;
    if (lane < n) {
        unsigned mask = __activemask();
        int v = in[lane];
        for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);  // mask may be too small
        if (lane == 0) out[0] = v;
    }
}

extern "C" __global__ void right(const int *in, int *out, int n) {
    int lane = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, lane < n);
    if (lane < n) {
        int v = in[lane];
        for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);
        if (lane == 0) out[0] = v;
    }
}

// Counts with whoever is here: any set of lanes will do.
extern "C" __global__ void opportunistic(const int *in, unsigned *out) {
    if (in[threadIdx.x] > 5) {
        unsigned mask = __activemask();
        int leader = __ffs(mask) - 1;
        unsigned base = 0;
        if (threadIdx.x == leader) base = atomicAdd(out, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        out[1 + base + __popc(mask & ((1u << threadIdx.x) - 1))] = threadIdx.x;
    }
}

// The value that decides the branch is the one that is exchanged.
extern "C" __global__ void wrong_own_value(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (v > 3) {
        unsigned mask = __activemask();
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d);  // mask may be too small
    }
    out[threadIdx.x] = v;
}

extern "C" __global__ void right_own_value(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (__all_sync(0xffffffffu, v > 3)) {
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    }
    out[threadIdx.x] = v;
}

// A warp barrier for whoever happens to be here orders nothing with the others.
__device__ void mirror(const int *in, int *out, unsigned mask) {
    __shared__ int row[32];
    int t = threadIdx.x;
    row[t] = in[t];
    __syncwarp(mask);
    out[t] = row[31 - t];
}
extern "C" __global__ void wrong_barrier(const int *in, int *out) { mirror(in, out, __activemask()); }
extern "C" __global__ void right_barrier(const int *in, int *out) { mirror(in, out, 0xffffffffu); }
