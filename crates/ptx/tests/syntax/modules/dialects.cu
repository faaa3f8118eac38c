// Source of dialects.sm_*.ptx: constructs that exercise the PTX grammar rather than the hardware.
//   nvcc -arch=compute_XX -ptx -rdc=true [-lineinfo] dialects.cu
#include <cstdio>

__constant__ float table[4] = {1.f, 2.f, -3.5f, 1e-30f};
__constant__ int nested[3][2] = {{1, 2}, {3, 4}, {5, 6}};
__device__ int counter = 5;
__device__ double doubles[4] = {1.5, 2.5};
__managed__ int managed[10];
struct Record {
    int a;
    double b;
    char c[7];
};
__device__ Record record = {1, 2.0, "hello"};
__device__ int *pointer = &counter;
__device__ double *middle = &doubles[3];
__device__ const char *message = "hi\n";

__device__ __noinline__ int add3(int a, int b) { return a + b * 3; }
__device__ __noinline__ int sub7(int a, int b) { return a - b * 7; }
typedef int (*Binary)(int, int);
__device__ Binary functions[2] = {add3, sub7};

__global__ void indirect(int *o, int n) { o[threadIdx.x] = functions[n & 1](o[threadIdx.x], n); }
__global__ void print(int *o, float f) { printf("%d %f %s", o[0], f, message); }
__global__ void by_value(Record s, Record *o) { o[threadIdx.x] = s; }

__global__ void __launch_bounds__(128, 4) shared_memory(float *o) {
    extern __shared__ float dynamic[];
    __shared__ double fixed[32][33];
    dynamic[threadIdx.x] = table[threadIdx.x & 3] * o[threadIdx.x];
    fixed[threadIdx.x & 31][threadIdx.x >> 5] = dynamic[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = dynamic[127 - threadIdx.x] + nested[threadIdx.x % 3][1] + fixed[0][threadIdx.x & 31];
}

__global__ void local_memory(int *o, int n) {
    int a[64];
    for (int i = 0; i < 64; i++) a[i] = i * n;
    o[0] = a[n & 63];
}

__global__ void inline_asm(int *o) {
    int r;
    asm volatile(
        "{\n .reg .pred p;\n .reg .b32 t<4>;\n setp.lt.s32 p, %1, 5;\n @!p bra L1_%=;\n"
        " mov.b32 t1, %1; // comment\n add.s32 t1, t1, (1<<4)-1;\n L1_%=: selp.b32 %0, %1, 7, p;\n}"
        : "=r"(r) : "r"(o[0]));
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    int video;
    asm("vadd.s32.s32.s32 %0, %1.b0, %2.h1;" : "=r"(video) : "r"(o[2]), "r"(o[3]));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(o));
    o[1] = r + lane + video;
}

__global__ void branches(int *o, int n) {
    switch (n) {
    case 0: o[0] = 1; break;
    case 1: o[1] = 4; break;
    case 2: o[2] = 8; o[7] = 1; break;
    case 3: o[3] = o[9] * 2; break;
    case 4: o[4] = o[8] / 3; break;
    case 5: o[5] = __popc(o[5]); break;
    default: o[7] = 9;
    }
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int *o) { o[0] = fibonacci(o[1]); }

__global__ void vectors(int4 *a, uchar4 *b, short2 *c, double2 *d) {
    a[0] = a[1];
    b[0].x += b[1].w;
    c[0] = c[3];
    d[1] = d[0];
}

__global__ void atomics(int *a, unsigned long long *b, float *f) {
    atomicAdd(a, 1);
    atomicCAS(b, 1ull, 2ull);
    atomicExch(f, 2.f);
    atomicAdd_block(a, 3);
    __threadfence();
    *(volatile int *)a = 4;
}

__global__ void warps(long long *o) {
    if (o[2]) __trap();
    o[3] = __activemask();
    o[4] = __ballot_sync(0xffffffff, o[5]);
    int all;
    o[6] = __shfl_xor_sync(0xffffffff, (int)o[7], 1);
#if __CUDA_ARCH__ >= 700
    o[8] = __match_all_sync(-1, (int)o[9], &all) + all;
#endif
}

__global__ void textures(cudaTextureObject_t t, float4 *o, cudaSurfaceObject_t s) {
    o[0] = tex2D<float4>(t, 0.5f, 1.5f);
    o[1].x = tex1Dfetch<float>(t, 3);
    surf2Dwrite(o[2].y, s, 4, 5);
}

#if __CUDA_ARCH__ >= 900
struct alignas(64) TensorMap {
    char bytes[128];
};
__global__ void __cluster_dims__(2, 1, 1) hopper(const __grid_constant__ TensorMap m, int *o) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(0), "l"(&m), "r"(0), "r"(1), "r"(8));
    asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\n"
                 "bra LAB_WAIT;\nDONE:\n}" ::"r"(8), "r"(0));
    unsigned p;
    asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(p));
    asm volatile("ld.global.L1::evict_last.L2::128B.u32 %0, [%1];" : "=r"(o[2]) : "l"(o));
    o[1] = p;
}
#endif

#if __CUDA_ARCH__ >= 1000
__global__ void blackwell(unsigned *o) {
    asm volatile("tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, {%4, %4, %4, %4}, 1;" ::"r"(0),
                 "l"(1ull), "l"(2ull), "r"(3), "r"(0));
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0, %1}, [%2];"
                 : "=r"(o[0]), "=r"(o[1]) : "r"(0));
    asm volatile("tcgen05.wait::ld.sync.aligned;");
}
#endif
