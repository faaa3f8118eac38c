// nvcc: sm_75 sm_90
//
// Keep the positive elements. A ballot tells every lane which lanes keep theirs; the number of set
// bits below its own is the place where a lane writes.

// Each warp compacts its own 32 elements, in order, to the start of its part of `out`.
extern "C" __global__ void compact_warp(const int *in, int *out, unsigned *count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    int value = in[i];

    unsigned kept = __ballot_sync(0xffffffff, value > 0);
    unsigned below = kept & ((1u << lane) - 1);
    if (value > 0) out[i - lane + __popc(below)] = value;
    if (lane == 0) count[i / 32] = __popc(kept);
}

// Each block of up to 1024 threads compacts its own elements, in order. The warps' counts are
// scanned by the first warp.
extern "C" __global__ void compact_block(const int *in, int *out, unsigned *count, unsigned n)
{
    __shared__ unsigned warp_base[32];

    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    int value = i < n ? in[i] : 0;

    unsigned kept = __ballot_sync(0xffffffff, value > 0);
    if (lane == 0) warp_base[warp] = __popc(kept);
    __syncthreads();

    if (warp == 0) {
        unsigned warps = blockDim.x / 32;
        unsigned mine = lane < warps ? warp_base[lane] : 0;
        unsigned sum = mine;
        for (unsigned offset = 1; offset < 32; offset *= 2) {
            unsigned lower = __shfl_up_sync(0xffffffff, sum, offset);
            if (lane >= offset) sum += lower;
        }
        if (lane < warps) warp_base[lane] = sum - mine;
        if (lane == 31) count[blockIdx.x] = sum;
    }
    __syncthreads();

    unsigned below = kept & ((1u << lane) - 1);
    if (value > 0) out[blockIdx.x * blockDim.x + warp_base[warp] + __popc(below)] = value;
}
