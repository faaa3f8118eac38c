// nvcc: sm_80 sm_90 -- -lineinfo
// Asynchronous copies into shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_pipeline_primitives.h>
namespace cg = cooperative_groups;

// Nobody waits for the copy.
extern "C" __global__ void wrong_no_wait(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x, at = blockIdx.x * 64;
    __pipeline_memcpy_async(&tile[t], &in[at + t], 4);
    __pipeline_commit();
    __syncthreads();
    out[at + t] = tile[63 - t];
}

extern "C" __global__ void right_no_wait(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x, at = blockIdx.x * 64;
    __pipeline_memcpy_async(&tile[t], &in[at + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[at + t] = tile[63 - t];
}

// Each thread waits for its own copy and reads that of another.
extern "C" __global__ void wrong_no_barrier(const int4 *in, int *out) {
    __shared__ int4 tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = tile[(t + 32) % 64].y;
}

extern "C" __global__ void right_no_barrier(const int4 *in, int *out) {
    __shared__ int4 tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = tile[t].y;
    __syncthreads();
    out[t] += tile[(t + 32) % 64].y;
}

// Two groups are under way; the second is read when only the first is there.
extern "C" __global__ void wrong_one_short(const int *in, int *out) {
    __shared__ int one[64], two[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&one[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&two[t], &in[64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int sum = one[63 - t];
    sum += two[63 - t];
    out[t] = sum;
}

extern "C" __global__ void right_one_short(const int *in, int *out) {
    __shared__ int one[64], two[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&one[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&two[t], &in[64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int sum = one[63 - t];
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += two[63 - t];
    out[t] = sum;
}

// Two buffers; the next copy begins before everyone has read the buffer that it fills.
extern "C" __global__ void wrong_reused(const int *in, int *out) {
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < 8; ++i) {
        if (i + 1 < 8) __pipeline_memcpy_async(&tile[(i + 1) % 2][t], &in[(i + 1) * 64 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[i % 2][(t + 33) % 64];
    }
    out[t] = sum;
}

extern "C" __global__ void right_reused(const int *in, int *out) {
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < 8; ++i) {
        if (i + 1 < 8) __pipeline_memcpy_async(&tile[(i + 1) % 2][t], &in[(i + 1) * 64 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[i % 2][(t + 33) % 64];
        __syncthreads();
    }
    out[t] = sum;
}

// A group copies; a barrier is no wait.
extern "C" __global__ void wrong_group(const int *in, int *out) {
    __shared__ alignas(16) int tile[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile));
    block.sync();
    out[block.thread_rank()] = tile[255 - block.thread_rank()];
    cg::wait(block);
}

extern "C" __global__ void right_group(const int *in, int *out) {
    __shared__ alignas(16) int tile[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile));
    cg::wait(block);
    out[block.thread_rank()] = tile[255 - block.thread_rank()];
}

// A pipeline of tiles that waits for one tile less than it uses.
extern "C" __global__ void wrong_stages(const int *in, int *out) {
    __shared__ alignas(16) int tile[3][64];
    auto block = cg::this_thread_block();
    int t = block.thread_rank(), sum = 0;
    for (int i = 0; i < 2; ++i) cg::memcpy_async(block, tile[i], in + i * 64, cuda::aligned_size_t<4>(256));
    for (int i = 0; i + 2 < 8; ++i) {
        cg::memcpy_async(block, tile[(i + 2) % 3], in + (i + 2) * 64, cuda::aligned_size_t<4>(256));
        cg::wait_prior<3>(block);
        sum += tile[i % 3][63 - t];
        block.sync();
    }
    cg::wait(block);
    out[t] = sum + tile[6 % 3][63 - t] + tile[7 % 3][63 - t];
}

extern "C" __global__ void right_stages(const int *in, int *out) {
    __shared__ alignas(16) int tile[3][64];
    auto block = cg::this_thread_block();
    int t = block.thread_rank(), sum = 0;
    for (int i = 0; i < 2; ++i) cg::memcpy_async(block, tile[i], in + i * 64, cuda::aligned_size_t<4>(256));
    for (int i = 0; i + 2 < 8; ++i) {
        cg::memcpy_async(block, tile[(i + 2) % 3], in + (i + 2) * 64, cuda::aligned_size_t<4>(256));
        cg::wait_prior<2>(block);
        sum += tile[i % 3][63 - t];
        block.sync();
    }
    cg::wait(block);
    out[t] = sum + tile[6 % 3][63 - t] + tile[7 % 3][63 - t];
}

// The tail of a tile is cleared while the copy that fills it may be under way.
extern "C" __global__ void wrong_clear(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 4);
    if (t >= n) tile[t] = 0;
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

extern "C" __global__ void right_clear(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[min(t, n - 1)], 4, t < n ? 0 : 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

// The first warp waits for the copies of all; a thread can wait for its own only.
extern "C" __global__ void wrong_waits_alone(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 4);
    __pipeline_commit();
    if (t < 32) __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

extern "C" __global__ void right_waits_alone(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t < 32) {
        __pipeline_memcpy_async(&tile[2 * t], &in[2 * t], 8);
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    out[t] = tile[63 - t];
}

// The copy reads its source until it has been waited for.
__device__ void source(int *in, int *out, bool waits) {
    __shared__ int row[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&row[t], &in[t], 4);
    __pipeline_commit();
    if (waits) __pipeline_wait_prior(0);
    __syncthreads();
    in[63 - t] = -1;
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = row[t];
}
extern "C" __global__ void wrong_source(int *in, int *out) { source(in, out, false); }
extern "C" __global__ void right_source(int *in, int *out) { source(in, out, true); }
