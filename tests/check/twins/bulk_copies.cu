// nvcc: sm_90 -- -lineinfo
// Bulk copies between global and shared memory, and the barrier objects that count their bytes.
using Object = unsigned long long;

__device__ unsigned at(const void *shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
__device__ void init(Object *b, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory");
}
__device__ void expect(Object *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory");
}
__device__ void wait(Object *b, unsigned parity) {
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(at(b)), "r"(parity) : "memory");
}
__device__ void load(int *to, const int *from, unsigned bytes, Object *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(b)) : "memory");
}

__device__ int rows(const int *in, int count, bool together) {
    __shared__ alignas(16) int row[2][64];
    __shared__ Object full[2];
    int t = threadIdx.x, sum = 0;
    if (t < 2) init(&full[t], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
    for (int i = 0; t == 0 && i < 2; ++i) {
        expect(&full[i], sizeof row[i]);
        load(row[i], in + 64 * i, sizeof row[i], &full[i]);
    }
    for (int i = 0; i < count; ++i) {
        wait(&full[i % 2], i / 2 % 2);
        sum += row[i % 2][63 - t];
        if (together) __syncthreads();
        if (t == 0 && i + 2 < count) {
            expect(&full[i % 2], sizeof row[0]);
            load(row[i % 2], in + 64 * (i + 2), sizeof row[0], &full[i % 2]);
        }
    }
    return sum;
}
extern "C" __global__ void wrong_rows(const int *in, int *out) { out[threadIdx.x] = rows(in, 5, false); }
extern "C" __global__ void right_rows(const int *in, int *out) { out[threadIdx.x] = rows(in, 5, true); }

__device__ int bytes(const int *in, unsigned expected) {
    __shared__ alignas(16) int row[64];
    __shared__ Object full;
    if (threadIdx.x == 0) init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, expected);
        load(row, in, sizeof row, &full);
    }
    wait(&full, 0);
    return row[threadIdx.x];
}
extern "C" __global__ void wrong_bytes(const int *in, int *out) { out[threadIdx.x] = bytes(in, 272); }
extern "C" __global__ void right_bytes(const int *in, int *out) { out[threadIdx.x] = bytes(in, 256); }

__device__ void store(const int *in, int *out, bool together) {
    __shared__ alignas(16) int row[64];
    row[threadIdx.x] = 2 * in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (together) __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(at(row)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
extern "C" __global__ void wrong_store(const int *in, int *out) { store(in, out, false); }
extern "C" __global__ void right_store(const int *in, int *out) { store(in, out, true); }
