// nvcc: sm_90 -- -lineinfo
// Shared memory of other CTAs of a cluster: what orders accesses to it, and when it is there.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;

// The row of the next CTA of the cluster.
__device__ int *next_of(int *row) {
    auto cluster = cg::this_cluster();
    return cluster.map_shared_rank(row, (cluster.block_rank() + 1) % cluster.num_blocks());
}

extern "C" __global__ void right_exchange(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    row[threadIdx.x] = in[at];
    cg::this_cluster().sync();
    out[at] = next_of(row)[63 - threadIdx.x];
    cg::this_cluster().sync();
}

extern "C" __global__ void wrong_block_barrier(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    cg::this_cluster().sync();
    row[threadIdx.x] = in[at];
    __syncthreads();
    out[at] = next_of(row)[63 - threadIdx.x];  // orders the CTA alone
    cg::this_cluster().sync();
}

extern "C" __global__ void right_relaxed_fence(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    row[threadIdx.x] = in[at];
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[at] = next_of(row)[63 - threadIdx.x];
    cg::this_cluster().sync();
}

extern "C" __global__ void wrong_relaxed(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    row[threadIdx.x] = in[at];
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[at] = next_of(row)[63 - threadIdx.x];  // nothing was released
    cg::this_cluster().sync();
}

extern "C" __global__ void wrong_between(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    row[threadIdx.x] = 0;
    auto token = cg::this_cluster().barrier_arrive();
    row[threadIdx.x] = in[at];  // after the arrival
    cg::this_cluster().barrier_wait(static_cast<decltype(token) &&>(token));
    out[at] = next_of(row)[63 - threadIdx.x];
    cg::this_cluster().sync();
}

// Only a barrier of all, behind the last access, keeps the other CTA.
extern "C" __global__ void wrong_exit(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    row[threadIdx.x] = in[at];
    cg::this_cluster().sync();
    out[at] = next_of(row)[63 - threadIdx.x];  // may be gone
}

extern "C" __global__ void wrong_exit_of_others(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    row[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    if (cluster.block_rank() != 0) return;
    out[blockIdx.x * 64 + threadIdx.x] = next_of(row)[threadIdx.x];  // exits when it likes
}

extern "C" __global__ void wrong_late(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    row[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    if (cluster.block_rank() != 0) {
        if (threadIdx.x == 0) atomicAdd(&out[1], 1);
        return;
    }
    while (atomicAdd(&out[1], 0) == 0) {}
    __nanosleep(1000);
    for (int i = 0; i < 100; i++) __threadfence();
    out[0] = next_of(row)[threadIdx.x];  // is gone
}

extern "C" __global__ void wrong_begin(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    next_of(row)[threadIdx.x] = in[at];  // may not be there yet
    cg::this_cluster().sync();
    out[at] = row[threadIdx.x];
}

// One thread counts down what the others have done, and lets its CTA go only then.
extern "C" __global__ void right_count(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64], left;
    row[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) left = 64;
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = next_of(row)[threadIdx.x];
    uint32_t mine = __cvta_generic_to_shared(&left);
    uint32_t theirs = __cvta_generic_to_shared(next_of(&left));
    asm volatile("red.release.cluster.shared::cluster.add.s32 [%0], -1;" :: "r"(theirs) : "memory");
    if (threadIdx.x == 0) {
        int more = 1;
        while (more) asm volatile("ld.acquire.cluster.shared::cta.s32 %0, [%1];" : "=r"(more) : "r"(mine) : "memory");
    }
}

extern "C" __global__ void wrong_bounds(const int *in, int *out) {
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    row[threadIdx.x] = in[at];
    cg::this_cluster().sync();
    out[at] = next_of(row)[threadIdx.x + 1];  // one too far
    cg::this_cluster().sync();
}

extern "C" __global__ void wrong_rank(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    row[threadIdx.x] = in[at];
    cluster.sync();
    out[at] = cluster.map_shared_rank(row, cluster.num_blocks())[threadIdx.x];  // there is none
    cluster.sync();
}

extern "C" __global__ void wrong_unwritten(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    int at = blockIdx.x * 64 + threadIdx.x;
    if (cluster.block_rank() == 0) row[threadIdx.x] = in[at];
    cluster.sync();
    out[at] = next_of(row)[threadIdx.x];  // only one of the rows was written
    cluster.sync();
}

extern "C" __global__ void wrong_branch(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0 && threadIdx.x < 32) {
        __syncthreads();  // the others wait for the cluster
    } else {
        cluster.sync();
    }
    out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void wrong_spin(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ volatile int flag;
    flag = 0;
    __syncthreads();
    if (cluster.block_rank() == 0) {
        while (flag == 0) {}  // nobody sets it
    }
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void wrong_twice(const int *in, int *out) {
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.arrive;" ::: "memory");  // has not waited
    asm volatile("barrier.cluster.wait;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void wrong_only_wait(const int *in, int *out) {
    asm volatile("barrier.cluster.wait;" ::: "memory");  // has not arrived
    out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void wrong_divergent(const int *in, int *out) {
    if (threadIdx.x % 2 == 0) {
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    } else {
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
        out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
    }
    asm volatile("barrier.cluster.wait;" ::: "memory");
}
