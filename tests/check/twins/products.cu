// nvcc: sm_90a -- -lineinfo
// A warpgroup multiplies matrices that its threads have stored: a and b of ones, 64 by 16 and 16 by 8.
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint64_t matrix(const void *start, uint32_t leading, uint32_t stride) {
    uint64_t at = __cvta_generic_to_shared(start);
    return (at & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32;
}

__device__ void multiply(const __half *a, const __half *b, float *out) {
    float d[4] = {};
    uint64_t da = matrix(a, 1024, 128), db = matrix(b, 128, 128);
    asm volatile(
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\n"
        "wgmma.wait_group.sync.aligned 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(da), "l"(db)
        : "memory");
    for (int nth = 0; nth < 4; nth++) out[threadIdx.x * 4 + nth] = d[nth];
}

// The barrier orders the stores for loads, and not for the asynchronous proxy.
extern "C" __global__ void wrong_proxy(float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[16 * 8];
    for (int nth = threadIdx.x; nth < 64 * 16; nth += 128) a[nth] = __float2half(1);
    b[threadIdx.x] = __float2half(1);
    __syncthreads();
    multiply(a, b, out);
}

extern "C" __global__ void right_proxy(float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[16 * 8];
    for (int nth = threadIdx.x; nth < 64 * 16; nth += 128) a[nth] = __float2half(1);
    b[threadIdx.x] = __float2half(1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(a, b, out);
}

// No warp waits for the others' stores.
extern "C" __global__ void wrong_barrier(float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[16 * 8];
    for (int nth = threadIdx.x; nth < 64 * 16; nth += 128) a[nth] = __float2half(1);
    b[threadIdx.x] = __float2half(1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    multiply(a, b, out);
}
