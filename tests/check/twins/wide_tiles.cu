// nvcc: sm_75 sm_80 -- -lineinfo
// Tiles of several warps, which cooperative groups synchronise through shared memory. Between two operations on a tile the lanes of a
// warp are kept apart by votes and shuffles alone.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void right_reduce(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    int sum = cg::reduce(tile, in[i], cg::plus<int>());
    out[i] = cg::reduce(tile, sum + in[i], cg::greater<int>()) + sum;
}

extern "C" __global__ void right_scan(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    int sum = cg::inclusive_scan(tile, in[i], cg::plus<int>());
    out[i] = cg::exclusive_scan(tile, sum, cg::plus<int>());
}

extern "C" __global__ void right_votes(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    int first = tile.shfl(in[i], 3);
    out[i] = first + tile.any(in[i] > 5) + 2 * tile.all(in[i] > 5) + tile.any(in[i] > 500);
}

extern "C" __global__ void right_sync(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int cells[256];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    cells[threadIdx.x] = in[i];
    tile.sync();
    out[i] = cells[threadIdx.x ^ 63];
}

extern "C" __global__ void wrong_sync(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int cells[256];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    cells[threadIdx.x] = in[i];
    tile.sync();
    out[i] = cells[threadIdx.x ^ 127];
}
