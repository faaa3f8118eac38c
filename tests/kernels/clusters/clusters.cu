// nvcc: sm_90 sm_100 -- -lineinfo
// What the CTAs of a cluster do together: registers, barriers, and each other's shared memory.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;

// What each CTA is in the grid and in its cluster. 16 numbers for each, in the order of the grid.
extern "C" __global__ void ranks(unsigned *out) {
    auto cluster = cg::this_cluster();
    dim3 at = cluster.block_index(), of = cluster.dim_blocks();
    unsigned explicitly, x, y, z, nx, ny, nz;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(explicitly));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
    asm("mov.u32 %0, %%clusterid.z;" : "=r"(z));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nx));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ny));
    asm("mov.u32 %0, %%nclusterid.z;" : "=r"(nz));
    unsigned values[16] = {x, y, z, nx, ny, nz, at.x, at.y, at.z, of.x, of.y, of.z,
                           cluster.block_rank(), cluster.num_blocks(), explicitly, 0};
    unsigned cta = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x < 16) out[16 * cta + threadIdx.x] = values[threadIdx.x];
}

// A histogram whose bins are spread over the CTAs of a cluster.
extern "C" __global__ void histogram(const unsigned *in, int count, unsigned *out, int bins, int bins_of_cta) {
    extern __shared__ unsigned mine[];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_of_cta; i += blockDim.x) mine[i] = 0;
    cluster.sync();
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        int bin = in[i] % bins;
        unsigned *theirs = cluster.map_shared_rank(mine, bin / bins_of_cta);
        atomicAdd(theirs + bin % bins_of_cta, 1);
    }
    cluster.sync();
    unsigned *total = out + cluster.block_rank() * bins_of_cta;
    for (int i = threadIdx.x; i < bins_of_cta; i += blockDim.x) atomicAdd(&total[i], mine[i]);
}

// Each CTA hands its row on to the next of its cluster, round and round.
extern "C" __global__ void ring(const int *in, int *out, int rounds) {
    auto cluster = cg::this_cluster();
    __shared__ int rows[2][64];
    int t = threadIdx.x, at = blockIdx.x * 64 + t;
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    rows[0][t] = in[at];
    cluster.sync();
    for (int i = 0; i < rounds; i++) {
        cluster.map_shared_rank(&rows[0][0], next)[64 * ((i + 1) % 2) + t] = rows[i % 2][t] + 1;
        cluster.sync();
    }
    out[at] = rows[rounds % 2][t];
}

// A pointer to shared memory that one CTA tells the others means the same to them.
extern "C" __global__ void told(int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int value[4];
    __shared__ int *where;
    unsigned rank = cluster.block_rank(), all = cluster.num_blocks();
    cluster.sync();
    if (threadIdx.x == 0) {
        value[3] = 100 + rank;
        *cluster.map_shared_rank(&where, (rank + 1) % all) = value + 3;
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        int *theirs = where;
        out[3 * blockIdx.x] = *theirs;
        out[3 * blockIdx.x + 1] = cluster.query_shared_rank(theirs);
        out[3 * blockIdx.x + 2] = cluster.query_shared_rank(value) + 10 * __isShared(theirs) + 20 * __isShared(value)
            + 40 * __isClusterShared(theirs) + 80 * __isClusterShared(value) + 160 * __isGlobal(theirs);
    }
    cluster.sync();
}

// Who waits spins until another CTA of the cluster writes to its shared memory, which itself waits for that of a third.
extern "C" __global__ void chain(int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int token;
    unsigned rank = cluster.block_rank(), all = cluster.num_blocks();
    if (threadIdx.x == 0) token = 0;
    cluster.sync();
    if (threadIdx.x == 0) {
        int seen = 1;
        if (rank != all - 1) {
            uint32_t at = __cvta_generic_to_shared(&token);
            do {
                asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
            } while (seen == 0);
        }
        out[blockIdx.x] = seen;
        if (rank != 0) {
            uint32_t at = __cvta_generic_to_shared(&token), theirs;
            asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(at), "r"(rank - 1));
            asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" :: "r"(theirs), "r"(3 * seen) : "memory");
        }
    }
    cluster.sync();
}

// The CTA of rank 0 waits at a barrier object in its shared memory at which threads of all CTAs arrive.
extern "C" __global__ void arrivals(int *out) {
    auto cluster = cg::this_cluster();
    __shared__ alignas(8) uint64_t object;
    __shared__ int sums[32];
    unsigned rank = cluster.block_rank(), all = cluster.num_blocks();
    uint32_t at = __cvta_generic_to_shared(&object), first;
    if (rank == 0 && threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at), "r"(all * 32) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sums[threadIdx.x] = 0;
    cluster.sync();
    int *theirs = cluster.map_shared_rank(sums, 0);
    atomicAdd(theirs + threadIdx.x, 1 << rank);
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(at));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(first) : "memory");
    if (rank == 0) {
        int done = 0;
        while (!done) {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(at) : "memory");
        }
        out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x];
    }
    cluster.sync();
}

// Stores and sums that tell a barrier object of the CTA in whose memory they are made.
extern "C" __global__ void sent(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ alignas(8) uint64_t object;
    __shared__ alignas(16) int row[128];
    __shared__ unsigned sum;
    unsigned rank = cluster.block_rank(), all = cluster.num_blocks(), next = (rank + 1) % all;
    uint32_t at = __cvta_generic_to_shared(&object);
    if (threadIdx.x == 0) {
        sum = 1000;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at), "r"(32 * 16 + 32 * 4) : "memory");
    }
    cluster.sync();
    uint32_t to, object_there, sum_there;
    uint32_t here = __cvta_generic_to_shared(row + 4 * threadIdx.x), sum_here = __cvta_generic_to_shared(&sum);
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(here), "r"(next));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(object_there) : "r"(at), "r"(next));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(sum_there) : "r"(sum_here), "r"(next));
    const int4 value = reinterpret_cast<const int4 *>(in)[blockIdx.x * 32 + threadIdx.x];
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%0], {%1, %2, %3, %4}, [%5];"
                 :: "r"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(object_there) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                 :: "r"(sum_there), "r"(value.x), "r"(object_there) : "memory");
    int done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at) : "memory");
    }
    int *mine = out + blockIdx.x * 160;
    for (int i = 0; i < 4; i++) mine[threadIdx.x + 32 * i] = row[threadIdx.x + 32 * i];
    mine[128 + threadIdx.x] = sum;
    cluster.sync();
}

// One copy in bulk to a CTA of the cluster from another's shared memory, and one from global memory to several of them.
extern "C" __global__ void bulk(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ alignas(8) uint64_t object;
    __shared__ alignas(16) int from[32], row[32], all_get[32];
    unsigned rank = cluster.block_rank(), all = cluster.num_blocks(), next = (rank + 1) % all;
    uint32_t at = __cvta_generic_to_shared(&object);
    from[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] * 2;
    all_get[threadIdx.x] = -1;
    bool named = rank % 2 == 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at), "r"(named ? 256 : 128) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0) {
        uint32_t to, object_there, source = __cvta_generic_to_shared(from), here = __cvta_generic_to_shared(row);
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(here), "r"(next));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(object_there) : "r"(at), "r"(next));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                     :: "r"(to), "r"(source), "r"(object_there) : "memory");
        if (rank == all - 1) {
            uint32_t everywhere = __cvta_generic_to_shared(all_get);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, [%2], %3;"
                         :: "r"(everywhere), "l"(in), "r"(at), "h"((uint16_t)5) : "memory");
        }
    }
    int done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at) : "memory");
    }
    out[blockIdx.x * 64 + threadIdx.x] = row[threadIdx.x];
    out[blockIdx.x * 64 + 32 + threadIdx.x] = all_get[threadIdx.x];
    cluster.sync();
}

// Its clusters have two CTAs and no others.
extern "C" __global__ void __cluster_dims__(2) pairs(int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int mine;
    if (threadIdx.x == 0) mine = blockIdx.x * blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, 1 - cluster.block_rank());
    cluster.sync();
}

// Half the threads arrive, work on, and wait later.
extern "C" __global__ void split(const int *in, int *out) {
    auto cluster = cg::this_cluster();
    __shared__ int row[64];
    row[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    auto token = cluster.barrier_arrive();
    int own = 0;
    for (unsigned i = 0; i < threadIdx.x; i++) own += i;
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(row, next)[63 - threadIdx.x] + own;
    cluster.sync();
}
