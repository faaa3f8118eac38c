// nvcc: sm_75 sm_90 -- -lineinfo
// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void right_tiles(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    for (int d = 4; d; d >>= 1) v += tile.shfl_down(v, d);
    v = tile.shfl(v, 0);
    out[i] = v + tile.any(in[i] == 17) + tile.match_any(in[i] % 3);
}

extern "C" __global__ void right_reduce(const int *in, int *out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = cg::reduce(tile, in[i], cg::plus<int>()) + cg::inclusive_scan(tile, in[i]) + cg::exclusive_scan(tile, in[i]);
}

extern "C" __global__ void right_coalesced_reduce(const int *in, int *sum) {
    int i = threadIdx.x;
    if (in[i] % 3 == 0) {
        auto g = cg::coalesced_threads();
        int s = cg::reduce(g, in[i], cg::plus<int>());
        if (g.thread_rank() == 0) atomicAdd(sum, s);
    }
}

extern "C" __global__ void right_labeled(const int *in, int *sums) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int key = in[threadIdx.x] % 5;
    auto g = cg::labeled_partition(tile, key);
    int s = cg::reduce(g, in[threadIdx.x], cg::plus<int>());
    if (g.thread_rank() == 0) atomicAdd(sums + key, s);
}

extern "C" __global__ void right_block_tile(const int *in, int *out) {
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    s[block.thread_rank()] = in[block.thread_rank()];
    tile.sync();
    out[block.thread_rank()] = s[block.thread_rank() ^ 15];
    block.sync();
    s[block.thread_rank()] = 3;
}

// tile sync does not order other tiles
extern "C" __global__ void wrong_block_tile(const int *in, int *out) {
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    s[block.thread_rank()] = in[block.thread_rank()];
    tile.sync();
    out[block.thread_rank()] = s[block.thread_rank() ^ 16];
}

// tile collective in divergent code
extern "C" __global__ void wrong_tile_branch(const int *in, int *out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, v = in[t];
    if (v % 8 < 4) v = tile.shfl_xor(v, 4);
    out[t] = v;
}

extern "C" __global__ void right_tile_branch(const int *in, int *out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, v = in[t];
    if (tile.meta_group_rank() % 2) v = tile.shfl_xor(v, 4);
    out[t] = v;
}

// tile reduction across the whole block needs a barrier
template <int N> __device__ int block_sum(int v, int *part) {
    auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    int s = cg::reduce(tile, v, cg::plus<int>());
    if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = s; // !
    return s;
}
extern "C" __global__ void wrong_tile_sum(const int *in, int *out) {
    __shared__ int part[4];
    block_sum<32>(in[threadIdx.x], part);
    out[threadIdx.x] = part[0] + part[1] + part[2] + part[3];
}

extern "C" __global__ void right_tile_sum(const int *in, int *out) {
    __shared__ int part[4];
    block_sum<32>(in[threadIdx.x], part);
    __syncthreads();
    out[threadIdx.x] = part[0] + part[1] + part[2] + part[3];
}
