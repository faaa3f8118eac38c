// nvcc: sm_75 sm_90 sm_100
//
// Cooperative groups: tiles of a block, groups of the lanes that are together, and what the library
// computes over them.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int Size>
__device__ int tile_sum(int value)
{
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        value += tile.shfl_down(value, offset);
    return tile.shfl(value, 0) * 64 + tile.thread_rank() + 1000 * tile.meta_group_rank();
}

extern "C" __global__ void tile_sums(const int *in, int *out)
{
    int t = threadIdx.x;
    out[t] = tile_sum<4>(in[t]);
    out[64 + t] = tile_sum<8>(in[t]);
    out[128 + t] = tile_sum<16>(in[t]);
    out[192 + t] = tile_sum<32>(in[t]);
}

extern "C" __global__ void tile_votes(const int *in, unsigned *out)
{
    int t = threadIdx.x;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned result = tile.ballot(in[t] > 0);
    result |= tile.any(in[t] > 90) << 8 | tile.all(in[t] > -80) << 9;
    result |= tile.match_any(in[t] & 3) << 16;
    out[t] = result;
}

// Groups of the lanes that took the same branch.
extern "C" __global__ void together(const int *in, int *sums, unsigned *sizes)
{
    int t = threadIdx.x;
    int value = in[t];
    int sum = 0;
    if (value & 1) {
        cg::coalesced_group group = cg::coalesced_threads();
        group.sync();
        atomicAdd(&sizes[t / 32], group.thread_rank() == 0 ? group.size() : 0);
        sum = value;
    }
    sums[t] = sum;
}

extern "C" __global__ void reductions(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    out[t] = cg::reduce(tile, in[t], cg::plus<int>());
    out[n + t] = cg::reduce(warp, in[t], cg::greater<int>());
    out[2 * n + t] = cg::reduce(warp, in[t], cg::bit_xor<int>());
    out[3 * n + t] = cg::inclusive_scan(tile, in[t]);
    out[4 * n + t] = cg::exclusive_scan(warp, in[t]);
}

// Lanes with equal labels form a group of their own.
extern "C" __global__ void labels(const int *in, int *out)
{
    int t = threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto group = cg::labeled_partition(warp, in[t] & 3);
    int sum = cg::reduce(group, in[t], cg::plus<int>());
    out[t] = sum * 32 + group.thread_rank();
    auto half = cg::binary_partition(warp, in[t] > 0);
    out[64 + t] = (int)half.size() * 32 + half.thread_rank();
}

// Ranks in a three-dimensional block and grid.
extern "C" __global__ void ranks(unsigned *out)
{
    cg::thread_block block = cg::this_thread_block();
    unsigned in_block = block.thread_rank();
    unsigned cta = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    dim3 place = block.thread_index();
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[cta * block.size() + in_block] =
        place.x | place.y << 4 | place.z << 8 | lane << 12 | block.group_index().y << 20;
}
