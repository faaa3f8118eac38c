// Asynchronous copies to shared memory: stages, sizes, rests filled with zeros.
// nvcc: sm_80 sm_90 sm_100 -- -lineinfo
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// Each tile of 128 words is copied while the one before it is summed up with its neighbours.
extern "C" __global__ void staged(const int *in, int *out, int tiles) {
    __shared__ int stage[2][128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][t], in + t, 4);
    __pipeline_commit();
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) __pipeline_memcpy_async(&stage[(tile + 1) & 1][t], in + (tile + 1) * 128 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[tile * 128 + t] = stage[tile & 1][t] + 3 * stage[tile & 1][(t + 1) % 128];
        __syncthreads();
    }
}

// The last `zeros` bytes of every 16 are filled with zeros instead.
extern "C" __global__ void filled(const int4 *in, int4 *out, int n) {
    __shared__ int4 kept[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&kept[t], in + t, 16, t < n ? t % 17 : 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = kept[t];
}

extern "C" __global__ void grouped(const int *in, int *out) {
    __shared__ alignas(16) int kept[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, (int4 *)kept, (const int4 *)(in + blockIdx.x * 256), 1024);
    cg::wait(block);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = kept[255 - i];
}

// Nobody waits for the copy.
extern "C" __global__ void never_waited(const int *in, int *out) {
    __shared__ int kept[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&kept[t], in + t, 4);
    __pipeline_commit();
    __syncthreads();
    out[t] = kept[63 - t];
}

// It waits for all groups but one, and needs the last.
extern "C" __global__ void one_group_short(const int *in, int *out) {
    __shared__ int kept[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&kept[t], in + t, 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&kept[64 + t], in + 64 + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[t] = kept[t] + kept[127 - t];
}

// It waits for its own copies, and reads those of others without a barrier.
extern "C" __global__ void no_barrier(const int *in, int *out) {
    __shared__ int kept[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&kept[t], in + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = kept[63 - t];
}
