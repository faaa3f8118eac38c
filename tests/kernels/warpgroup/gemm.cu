// nvcc: sm_90a
// c = a b, matrices of 64 by 64: a by rows, b by rows, so that b is turned. Both lie in shared memory under a swizzle of 128 bytes;
// the instruction takes 16 of k at a time.
#include <cuda_fp16.h>
#include <stdint.h>

constexpr int N = 64;

// 128 bytes are a row of 64 elements, whose pieces of 16 bytes change places by the number of the row.
__device__ uint32_t place(int row, int column) {
    uint32_t byte = row * 128 + column * 2;
    return byte ^ ((byte >> 7 & 7) << 4);
}

__device__ uint64_t descriptor(const void *start, uint32_t leading, uint32_t stride) {
    uint64_t at = __cvta_generic_to_shared(start);
    return (at & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 | uint64_t(1) << 62;
}

extern "C" __global__ void gemm(const __half *a, const __half *b, float *c) {
    __shared__ alignas(1024) uint8_t in_a[N * N * 2], in_b[N * N * 2];
    for (int nth = threadIdx.x; nth < N * N; nth += blockDim.x) {
        *(__half *)(in_a + place(nth / N, nth % N)) = a[nth];
        *(__half *)(in_b + place(nth / N, nth % N)) = b[nth];
    }
#ifndef NO_FENCE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    float d[32] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < N; k += 16) {
        // Sixteen of k: 32 bytes further in the rows of a, sixteen rows further in b.
        uint64_t da = descriptor(in_a + 2 * k, 16, 1024), db = descriptor(in_b + 128 * k, 8192, 1024);
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14,"
            " %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 1;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
              "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
              "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]),
              "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
            : "l"(da), "l"(db)
            : "memory");
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int nth = 0; nth < 32; nth++) {
        c[(row + nth / 2 % 2 * 8) * N + nth / 4 * 8 + column + nth % 2] = d[nth];
    }
}
