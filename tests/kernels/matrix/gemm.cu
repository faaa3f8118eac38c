// A matrix product as libraries write it: asynchronous copies, `ldmatrix`, `mma`, two stages.
// nvcc: sm_80 sm_100
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

constexpr int N = 64, DEPTH = 16, PITCH = 24, WIDTH = N + 8;

__device__ uint32_t address(const void *shared) { return (uint32_t)__cvta_generic_to_shared(shared); }

// Four warps, each of which computes 16 rows of c.
extern "C" __global__ void gemm(const half *a, const half *b, float *c) {
    __shared__ alignas(16) half tile_a[2][N][PITCH], tile_b[2][DEPTH][WIDTH];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    auto stage = [&](int step) {
        int at = step & 1;
        __pipeline_memcpy_async(&tile_a[at][t / 2][8 * (t % 2)], a + t / 2 * N + step * DEPTH + 8 * (t % 2), 16);
        __pipeline_memcpy_async(&tile_b[at][t / 8][8 * (t % 8)], b + (step * DEPTH + t / 8) * N + 8 * (t % 8), 16);
        __pipeline_commit();
    };
    float sums[8][4] = {};
    stage(0);
    for (int step = 0; step < N / DEPTH; step++) {
        if (step + 1 < N / DEPTH) {
            stage(step + 1);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        uint32_t fa[4], fb[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                     : "r"(address(&tile_a[step & 1][16 * warp + lane % 16][8 * (lane / 16)])));
        for (int n = 0; n < 8; n++) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(fb[0]), "=r"(fb[1])
                         : "r"(address(&tile_b[step & 1][lane % 16][8 * n])));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                         "{%0, %1, %2, %3};"
                         : "+f"(sums[n][0]), "+f"(sums[n][1]), "+f"(sums[n][2]), "+f"(sums[n][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        }
        __syncthreads();
    }
    for (int n = 0; n < 8; n++) {
        for (int i = 0; i < 4; i++) {
            c[(16 * warp + lane / 4 + 8 * (i / 2)) * N + 8 * n + 2 * (lane % 4) + i % 2] = sums[n][i];
        }
    }
}
