// nvcc: sm_90 -- -lineinfo
// When the bytes of bulk copies may be used, and when what they read may be written again.
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
__device__ void store(int *to, const int *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void all_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ void all_written() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// The barrier of the CTA says that the copy has begun, not that it is complete.
__device__ int arrived(const int *in, bool waits) {
    __shared__ alignas(16) int row[64];
    __shared__ Object full;
    if (threadIdx.x == 0) init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, sizeof row);
        load(row, in, sizeof row, &full);
        if (waits) wait(&full, 0);
    }
    __syncthreads();
    return row[63 - threadIdx.x];
}
extern "C" __global__ void wrong_arrived(const int *in, int *out) { out[threadIdx.x] = arrived(in, false); }
extern "C" __global__ void right_arrived(const int *in, int *out) { out[threadIdx.x] = arrived(in, true); }

// Two rows leave through one buffer.
__device__ void rows(const int *in, int *out, bool waits, bool fences) {
    __shared__ alignas(16) int row[64];
    for (int i = 0; i < 2; ++i) {
        row[threadIdx.x] = 2 * in[64 * i + threadIdx.x];
        if (fences) fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            store(out + 64 * i, row, sizeof row);
            if (waits) all_read();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) all_written();
}
extern "C" __global__ void wrong_reuse(const int *in, int *out) { rows(in, out, false, true); }
extern "C" __global__ void wrong_fence(const int *in, int *out) { rows(in, out, true, false); }
extern "C" __global__ void right_rows(const int *in, int *out) { rows(in, out, true, true); }

// What a copy wrote to global memory is read back.
__device__ void back(const int *in, int *out, bool written) {
    __shared__ alignas(16) int row[64];
    row[threadIdx.x] = in[threadIdx.x];
    fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, row, sizeof row);
        if (written) all_written();
        else all_read();
        out[64] = out[1] + out[2];
    }
}
extern "C" __global__ void wrong_back(const int *in, int *out) { back(in, out, false); }
extern "C" __global__ void right_back(const int *in, int *out) { back(in, out, true); }

// What came in goes out by another copy: both are of one proxy, and no fence is needed.
extern "C" __global__ void right_through(const int *in, int *out) {
    __shared__ alignas(16) int row[64];
    __shared__ Object full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence();
        expect(&full, sizeof row);
        load(row, in, sizeof row, &full);
        wait(&full, 0);
        store(out, row, sizeof row);
        all_written();
    }
}

// The buffer is cleared before a copy fills it.
__device__ int cleared(const int *in, bool fences, unsigned bytes) {
    __shared__ alignas(16) int row[64];
    __shared__ Object full;
    row[threadIdx.x] = 0;
    if (fences) fence();
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, bytes);
        load(row, in, bytes, &full);
    }
    wait(&full, 0);
    return row[63 - threadIdx.x];
}
extern "C" __global__ void wrong_size(const int *in, int *out) { out[threadIdx.x] = cleared(in, true, 248); }
extern "C" __global__ void right_cleared(const int *in, int *out) { out[threadIdx.x] = cleared(in, true, 240); }

// Thread 0 fills the buffer again by a copy that need not come behind its own stores.
__device__ int refilled(const int *in, bool fences) {
    __shared__ alignas(16) int row[64];
    __shared__ Object full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence();
    }
    row[threadIdx.x] = 0;
    if (fences) fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, sizeof row);
        load(row, in, sizeof row, &full);
    }
    wait(&full, 0);
    return row[63 - threadIdx.x];
}
extern "C" __global__ void wrong_refilled(const int *in, int *out) { out[threadIdx.x] = refilled(in, false); }
extern "C" __global__ void right_refilled(const int *in, int *out) { out[threadIdx.x] = refilled(in, true); }
