// nvcc: sm_120a
// Matrices become e2m1 with a scale for 16 elements of a row, and are multiplied: 16 by 8 elements by a warp.
#include <cstdint>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

// Elements in rows of `k`, as e2m1, and their scales.
extern "C" __global__ void quantize(const float *in, uint8_t *out, __nv_fp8_storage_t *scales) {
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    const float *mine = in + 16 * block;
    float most = 0;
    for (int i = 0; i < 16; i++) {
        most = fmaxf(most, fabsf(mine[i]));
    }
    // 6 is the largest number of e2m1.
    __nv_fp8_storage_t scale = __nv_cvt_float_to_fp8(most / 6, __NV_SATFINITE, __NV_E4M3);
    float by = __half2float(__half(__nv_cvt_fp8_to_halfraw(scale, __NV_E4M3)));
    for (int i = 0; i < 16; i += 2) {
        float2 pair = make_float2(mine[i] / by, mine[i + 1] / by);
        out[(16 * block + i) / 2] = __nv_cvt_float2_to_fp4x2(pair, __NV_E2M1, cudaRoundNearest);
    }
    scales[block] = scale;
}

// `c` of `n` columns is `a` times the transpose of `b`.
extern "C" __global__ void scaled_gemm(const uint8_t *a, const uint8_t *scales_a, const uint8_t *b, const uint8_t *scales_b,
                                       float *c, int n, int k) {
    int lane = threadIdx.x % 32, group = lane / 4, within = lane % 4;
    int row = 16 * blockIdx.y + group, column = 8 * blockIdx.x + group;
    float d[4] = {};
    for (int first = 0; first < k; first += 64) {
        uint32_t of_a[4], of_b[2];
        for (int part = 0; part < 4; part++) {
            int at = (row + 8 * (part % 2)) * k + first + 8 * within + 32 * (part / 2);
            of_a[part] = *reinterpret_cast<const uint32_t *>(&a[at / 2]);
        }
        for (int part = 0; part < 2; part++) {
            of_b[part] = *reinterpret_cast<const uint32_t *>(&b[(column * k + first + 8 * within + 32 * part) / 2]);
        }
        uint32_t scale_a = *reinterpret_cast<const uint32_t *>(&scales_a[((row + 8 * (within % 2)) * k + first) / 16]);
        uint32_t scale_b = *reinterpret_cast<const uint32_t *>(&scales_b[(column * k + first) / 16]);
        asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, %10, {%12, %13}, %11, {%12, %13};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "r"(of_b[0]), "r"(of_b[1]), "r"(scale_a),
                       "r"(scale_b), "h"(uint16_t(0)), "h"(uint16_t(0)));
    }
    for (int part = 0; part < 4; part++) {
        c[(row + 8 * (part / 2)) * n + 8 * blockIdx.x + 2 * within + part % 2] = d[part];
    }
}
