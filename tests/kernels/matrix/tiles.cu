// Matrices between shared memory and registers: `ldmatrix`, `stmatrix`, straight and transposed.
// nvcc: sm_90
#include <cstdint>

__device__ uint32_t address(const void *shared) { return (uint32_t)__cvta_generic_to_shared(shared); }

extern "C" __global__ void load(const uint4 *in, uint32_t *straight, uint32_t *turned) {
    __shared__ uint4 rows[32];
    int lane = threadIdx.x;
    rows[lane] = in[lane];
    __syncwarp();
    uint32_t at = address(&rows[lane]), a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    straight[4 * lane] = a, straight[4 * lane + 1] = b, straight[4 * lane + 2] = c, straight[4 * lane + 3] = d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.b16 {%0}, [%1];" : "=r"(c) : "l"(&rows[16 + lane % 8]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.b16 {%0}, [%1];" : "=r"(d) : "l"(&rows[24 + lane % 8]));
    turned[4 * lane] = a, turned[4 * lane + 1] = b, turned[4 * lane + 2] = c, turned[4 * lane + 3] = d;
}

// Loaded straight and stored transposed.
extern "C" __global__ void store(const uint4 *in, uint4 *out) {
    __shared__ uint4 rows[32], columns[32];
    int lane = threadIdx.x;
    rows[lane] = in[lane];
    __syncwarp();
    uint32_t a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address(&rows[lane])));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address(&columns[lane])),
                 "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
    __syncwarp();
    out[lane] = columns[lane];
}
