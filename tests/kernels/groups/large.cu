// Groups of several warps, which keep their barriers in the shared memory that is set aside for the system.
// nvcc: sm_80 sm_90 -- -lineinfo
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <int Size> __device__ void tile(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int own[256];
    auto block = cg::this_thread_block(memory);
    auto group = cg::tiled_partition<Size>(block);
    int rank = block.thread_rank(), value = in[rank];
    own[rank] = value;
    int sum = cg::reduce(group, value, cg::plus<int>());
    int before = cg::exclusive_scan(group, value, cg::plus<int>());
    group.sync();
    int other = own[rank / Size * Size + (Size - 1 - rank % Size)];
    out[rank] = sum - before + 1000000 * (group.shfl(value, 3) == other);
}

extern "C" __global__ void tile_64(const int *in, int *out) { tile<64>(in, out); }

extern "C" __global__ void tile_128(const int *in, int *out) { tile<128>(in, out); }

// One warp reads what another one of the group may not have written yet.
extern "C" __global__ void wrong_tile(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int own[256];
    auto block = cg::this_thread_block(memory);
    auto group = cg::tiled_partition<64>(block);
    int rank = block.thread_rank();
    own[rank] = in[rank];
    group.sync();
    out[rank] = own[(rank + 64) % 256];
}
