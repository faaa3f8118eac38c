// nvcc: sm_80 -- -lineinfo
// A barrier between the threads that copy and those that use the bytes must lie behind the wait, not before it.
#include <cuda_pipeline.h>

__device__ int rows(const int *in, bool behind) {
    __shared__ int row[64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&row[t], &in[t], sizeof(int));
    __pipeline_commit();
    if (!behind) __syncthreads();
    __pipeline_wait_prior(0);
    if (behind) __syncthreads();
    return row[63 - t];
}
extern "C" __global__ void wrong_rows(int *in, int *out) { out[threadIdx.x] = rows(in, false); }
extern "C" __global__ void right_rows(int *in, int *out) { out[threadIdx.x] = rows(in, true); }

__device__ int lanes(const int *in, bool behind) {
    __shared__ int row[32];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&row[t], &in[t], sizeof(int));
    __pipeline_commit();
    if (!behind) __syncwarp();
    __pipeline_wait_prior(0);
    if (behind) __syncwarp();
    return row[t ^ 5];
}
extern "C" __global__ void wrong_lanes(int *in, int *out) { out[threadIdx.x] = lanes(in, false); }
extern "C" __global__ void right_lanes(int *in, int *out) { out[threadIdx.x] = lanes(in, true); }

// Another thread writes what a copy reads.
__device__ int source(int *in, bool behind) {
    __shared__ int row[64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&row[t], &in[t], sizeof(int));
    __pipeline_commit();
    if (!behind) __syncthreads();
    __pipeline_wait_prior(0);
    if (behind) __syncthreads();
    in[63 - t] = 7;
    return row[t];
}
extern "C" __global__ void wrong_source(int *in, int *out) { out[threadIdx.x] = source(in, false); }
extern "C" __global__ void right_source(int *in, int *out) { out[threadIdx.x] = source(in, true); }
