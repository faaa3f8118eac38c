// nvcc: sm_75 sm_90 -- -lineinfo
// Membermasks that do not fit those who are there.
// two shuffles with one mask, a branch between
extern "C" __global__ void wrong_stale_narrowed(const int *in, int *out) {
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(~0u, t < 20);
    if (t < 20) {
        int v = __shfl_xor_sync(mask, in[t], 1);
        if (v > 5) {
            v += __shfl_xor_sync(mask, v, 2);
            out[t] = v;
        } else {
            __syncwarp(mask);
            out[t] = v;
        }
    }
}

extern "C" __global__ void right_stale_narrowed(const int *in, int *out) {
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(~0u, t < 20);
    if (t < 20) {
        int v = __shfl_xor_sync(mask, in[t], 1);
        unsigned inner = __ballot_sync(mask, v > 5);
        if (v > 5) {
            int from = t ^ 2;
            int w = __shfl_sync(inner, v, from);
            out[t] = inner >> from & 1 ? v + w : v;
        } else {
            out[t] = v;
        }
    }
}

// full mask in a branch
extern "C" __global__ void wrong_full_in_branch(const int *in, int *out) {
    int t = threadIdx.x;
    int v = in[t];
    if (t & 1) {
        v += __shfl_xor_sync(~0u, v, 1);
        out[t] = v;
    } else {
        v += __shfl_xor_sync(0x55555555u, v, 2);
        out[t] = v;
    }
}

extern "C" __global__ void right_full_in_branch(const int *in, int *out) {
    int t = threadIdx.x;
    int v = in[t];
    if (t & 1) {
        v += __shfl_xor_sync(0xaaaaaaaau, v, 2);
        out[t] = v;
    } else {
        v += __shfl_xor_sync(0x55555555u, v, 2);
        out[t] = v;
    }
}

// overlapping segments: masks of 12 lanes at a stride of 8
extern "C" __global__ void wrong_overlap(const int *in, int *out) {
    int t = threadIdx.x;
    unsigned mask = (0xfffu << (t & ~7)) ;
    out[t] = __shfl_sync(mask, in[t], 0, 8);
}

// match_any groups
extern "C" __global__ void wrong_match(const int *in, int *out) {
    int t = threadIdx.x;
    unsigned group = __match_any_sync(~0u, in[t] % 5);
    int v = in[t];
    v += __shfl_down_sync(group, v, 1);
    out[t] = v;
}

extern "C" __global__ void right_match(const int *in, int *out) {
    int t = threadIdx.x;
    unsigned group = __match_any_sync(~0u, in[t] % 5);
    int sum = 0;
    for (unsigned left = group; left; left &= left - 1) sum += __shfl_sync(group, in[t], __ffs(left) - 1);
    out[t] = sum;
}

// activemask as mask of a tree
template <typename T> __device__ T warp_sum(unsigned mask, T v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(mask, v, d);
    return v;
}
extern "C" __global__ void wrong_activemask(const int *in, int *out) {
    int t = threadIdx.x;
    if (in[t] & 1) out[t] = 1;
    int v = warp_sum(__activemask(), in[t]);
    out[t] += v;
}

extern "C" __global__ void right_activemask(const int *in, int *out) {
    int t = threadIdx.x;
    if (in[t] & 1) out[t] = 1;
    int v = warp_sum(0xffffffffu, in[t]);
    out[t] += v;
}

// loop-carried mask: lanes drop out and the mask follows
extern "C" __global__ void right_loop_mask(const int *in, int *out) {
    int t = threadIdx.x, sum = 0, n = in[t] % 7;
    unsigned mask = __ballot_sync(~0u, n > 0);
    for (int i = 0; i < n;) {
        int leader = __ffs(mask) - 1;
        sum += __shfl_sync(mask, t + i, leader);
        ++i;
        mask = __ballot_sync(mask, i < n);
    }
    out[t] = sum;
}

extern "C" __global__ void wrong_loop_mask(const int *in, int *out) {
    int t = threadIdx.x, sum = 0, n = in[t] % 7;
    unsigned mask = __ballot_sync(~0u, n > 0);
    for (int i = 0; i < n; ++i) {
        sum += __shfl_sync(mask, t + i, 1);
    }
    out[t] = sum;
}

// Two of three ways meet in a sum, and the third waits elsewhere.
__device__ int three_ways(int v, bool all) {
    switch (v & 3) {
    case 0: return __shfl_sync(0xffffffffu, v, 1);
    case 1: return __shfl_sync(0xffffffffu, -v, 0);
    case 2:
        if (all) return __shfl_sync(0xffffffffu, 3 * v, 0);
        __syncwarp();
        return 3 * v;
    default: return all ? __shfl_sync(0xffffffffu, 5, 0) : 5;
    }
}
extern "C" __global__ void wrong_three_ways(const int *in, int *out) {
    out[threadIdx.x] = three_ways(in[threadIdx.x], false);
}
extern "C" __global__ void right_three_ways(const int *in, int *out) {
    out[threadIdx.x] = three_ways(in[threadIdx.x], true);
}
