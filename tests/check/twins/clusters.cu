// nvcc: sm_90 -- -lineinfo
// The cluster of a CTA that has no others, and groups whose size the compiler does not know. distributed.cu has larger clusters.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void right_mirror(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    int t = threadIdx.x;
    row[t] = in[t];
    cluster.sync();
    const int *first = cluster.map_shared_rank(row, 0);
    out[t] = first[63 - t] + 1000 * cluster.num_blocks() + cluster.block_rank();
    cluster.sync();
}

extern "C" __global__ void wrong_mirror(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    int t = threadIdx.x;
    row[t] = in[t];
    auto token = cluster.barrier_arrive();
    const int *first = cluster.map_shared_rank(row, 0);
    out[t] = first[63 - t];  // has arrived and not waited
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
}

extern "C" __global__ void wrong_neighbour(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    row[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    out[threadIdx.x] = cluster.map_shared_rank(row, 1)[threadIdx.x];  // there is no other CTA
}

extern "C" __global__ void right_tiles(const int *in, int *out, int size) {
    __shared__ int row[64];
    row[threadIdx.x] = in[threadIdx.x];
    cg::tiled_partition(cg::this_thread_block(), size).sync();
    out[threadIdx.x] = row[threadIdx.x ^ 1];
}

extern "C" __global__ void __cluster_dims__(2) two(const int *in, int *out) {
    cg::this_cluster().sync();
    out[threadIdx.x] = in[threadIdx.x];
}
