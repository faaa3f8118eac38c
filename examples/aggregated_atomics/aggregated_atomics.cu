// nvcc: sm_75 sm_90
//
// One atomic per warp instead of one per lane: lanes that would add to the same address elect a
// leader, which adds for all of them.

__device__ unsigned lowest_lane(unsigned mask) { return __ffs(mask) - 1; }

// Counts the elements that are multiples of three. The lanes that took the branch together are the
// active mask; however the scheduler splits the warp, the sum is the same.
extern "C" __global__ void count_multiples(const unsigned *in, unsigned *counter, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    if (i < n && in[i] % 3 == 0) {
        unsigned together = __activemask();
        if (lane == lowest_lane(together)) atomicAdd(counter, __popc(together));
    }
}

// A histogram whose lanes of equal key elect one leader per key with match.any.
extern "C" __global__ void histogram(const unsigned *in, unsigned *bins, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    unsigned in_range = __ballot_sync(0xffffffff, i < n);
    if (i < n) {
        unsigned key = in[i] % 16;
        unsigned same = __match_any_sync(in_range, key);
        if (lane == lowest_lane(same)) atomicAdd(&bins[key], __popc(same));
    }
}

// Every kept element gets a slot of its own: the leader reserves as many as the warp needs and tells
// the others where they start. Which slots a warp gets depends on the order of the warps.
extern "C" __global__ void reserve_slots(const unsigned *in, unsigned *slots, unsigned *next)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    unsigned value = in[i];
    unsigned kept = __ballot_sync(0xffffffff, value & 1);
    if (kept == 0) return;

    unsigned leader = lowest_lane(kept);
    unsigned base = 0;
    if (lane == leader) base = atomicAdd(next, __popc(kept));
    base = __shfl_sync(0xffffffff, base, leader);
    if (value & 1) slots[base + __popc(kept & ((1u << lane) - 1))] = value;
}
