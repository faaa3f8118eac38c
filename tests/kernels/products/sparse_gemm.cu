// nvcc: sm_80 sm_120a
// c = a b, where two of four neighbours in each row of a are there. A warp computes 16 by 8 elements of c.
#include <cstdint>
#include <cuda_fp16.h>

// `a` has `k / 2` columns, `b` is by columns, and a word of `places` says where eight elements of a row of `a` belong.
extern "C" __global__ void sparse_gemm(const __half *a, const uint16_t *places, const __half *b, float *c, int n, int k) {
    int lane = threadIdx.x % 32, group = lane / 4, within = lane % 4;
    int row = 16 * blockIdx.y + group, column = 8 * blockIdx.x + group;
    float d[4] = {};
    for (int first = 0; first < k; first += 32) {
        uint32_t of_a[4], of_b[4];
        for (int part = 0; part < 4; part++) {
            int r = row + 8 * (part % 2), at = first / 2 + 2 * within + 8 * (part / 2);
            of_a[part] = *reinterpret_cast<const uint32_t *>(&a[r * (k / 2) + at]);
            of_b[part] = *reinterpret_cast<const uint32_t *>(&b[column * k + first + 2 * within + 8 * part]);
        }
        // The second pair of lanes of a quad has the metadata: each of 16 columns, of both rows.
        uint32_t metadata = 0;
        if (within >= 2) {
            int at = first / 16 + within - 2;
            metadata = places[row * (k / 16) + at] | uint32_t(places[(row + 8) * (k / 16) + at]) << 16;
        }
        asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 1;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "r"(of_b[0]), "r"(of_b[1]), "r"(of_b[2]),
                       "r"(of_b[3]), "r"(metadata));
    }
    for (int part = 0; part < 4; part++) {
        c[(row + 8 * (part / 2)) * n + 8 * blockIdx.x + 2 * within + part % 2] = d[part];
    }
}
