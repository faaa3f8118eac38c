// nvcc: -arch=compute_90
// Boxes of tensors: copied into shared memory and back by tensor maps, also beyond the tensor's edges.
#include "check.h"
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cstdint>

constexpr int WIDTH = 70, HEIGHT = 45, PITCH = 96, TILE_X = 32, TILE_Y = 16;

__device__ uint32_t inShared(const void *pointer) { return (uint32_t)__cvta_generic_to_shared(pointer); }

// Each CTA doubles one box.
__global__ void twice(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
    __shared__ alignas(128) float box[TILE_Y][TILE_X];
    __shared__ alignas(8) uint64_t ready;
    const int x = blockIdx.x * TILE_X, y = blockIdx.y * TILE_Y;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(inShared(&ready)) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(inShared(&ready)), "r"((int)sizeof box)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
                         "r"(inShared(box)), "l"(&from), "r"(x), "r"(y), "r"(inShared(&ready))
                     : "memory");
    }
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(inShared(&ready))
                     : "memory");
    }
    for (int i = threadIdx.x; i < TILE_X * TILE_Y; i += blockDim.x) box[i / TILE_X][i % TILE_X] *= 2;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(x), "r"(y),
                     "r"(inShared(box))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

static CUtensorMap map(float *memory)
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 13000
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
#else
    CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
    EXPECT(found == cudaDriverEntryPointSuccess);
    CUtensorMap made;
    const cuuint64_t extents[] = {WIDTH, HEIGHT}, strides[] = {PITCH * sizeof(float)};
    const cuuint32_t tile[] = {TILE_X, TILE_Y}, steps[] = {1, 1};
    EXPECT(((PFN_cuTensorMapEncodeTiled_v12000)function)(
               &made, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, memory, extents, strides, tile, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
           == CUDA_SUCCESS);
    return made;
}

int main()
{
    float *from, *to;
    CHECK(cudaMallocManaged(&from, PITCH * HEIGHT * sizeof(float)));
    CHECK(cudaMallocManaged(&to, PITCH * HEIGHT * sizeof(float)));
    for (int i = 0; i < PITCH * HEIGHT; i++) from[i] = i, to[i] = -1;
    twice<<<dim3((WIDTH + TILE_X - 1) / TILE_X, (HEIGHT + TILE_Y - 1) / TILE_Y), 128>>>(map(from), map(to));
    CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < PITCH; x++) EXPECT(to[y * PITCH + x] == (x < WIDTH ? 2.0f * (y * PITCH + x) : -1.0f));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return passed();
}
