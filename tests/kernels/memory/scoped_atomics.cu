// nvcc: sm_80 sm_90 sm_100
//
// Atomics of the C++ library with order and scope, and packed floating-point additions.

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// A queue of one writer and many readers: the flag is released and acquired.
extern "C" __global__ void message(const int *in, int *box, int *flag, int *out, int n)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (threadIdx.x < 32) {
        for (int k = threadIdx.x; k < n; k += 32) box[k] = in[k] * 3;
        __syncwarp();
        if (threadIdx.x == 0) ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        for (int k = threadIdx.x - 32; k < n; k += blockDim.x - 32) out[k] = box[k] + 1;
    }
}

extern "C" __global__ void counters(unsigned *count, unsigned long long *sum, int *low)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*count);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> s(*sum);
    cuda::atomic_ref<int, cuda::thread_scope_block> l(low[blockIdx.x]);
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned old = c.fetch_add(1, cuda::memory_order_relaxed);
    s.fetch_add((unsigned long long)old << 20, cuda::memory_order_acq_rel);
    l.fetch_min(-(int)(i * 7 % 101), cuda::memory_order_seq_cst);
}

// A lock by exchange with acquire, released by a store.
extern "C" __global__ void guarded(int *lock, int *value)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> l(*lock);
    while (l.exchange(1, cuda::memory_order_acquire)) {}
    *value = *value * 5 + 3;
    l.store(0, cuda::memory_order_release);
}

// Sums small enough to be exact in any order.
extern "C" __global__ void packed_sums(const int *in, __half2 *halves, __nv_bfloat162 *brains,
                                       __half *half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = (float)in[i];
    atomicAdd(&halves[i % 4], __floats2half2_rn(v, -v));
    atomicAdd(&brains[i % 32], __floats2bfloat162_rn(v, 1.0f));
    atomicAdd(half, __float2half(v));
}
