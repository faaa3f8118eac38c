// nvcc: sm_80 sm_90 -- -lineinfo
// Barrier objects: mbarrier in shared memory, arrivals and phases.
using Object = unsigned long long;

__device__ unsigned at(const void *shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
__device__ void init(Object *b, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory");
}
__device__ Object arrive(Object *b) {
    Object state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(b)) : "memory");
    return state;
}
__device__ void drop(Object *b) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive_drop.shared.b64 s, [%0]; }" ::"r"(at(b)) : "memory");
}
__device__ bool done(Object *b, Object state) {
    unsigned over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at(b)), "l"(state) : "memory");
    return over;
}
__device__ bool done(Object *b, unsigned parity) {
    unsigned over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at(b)), "r"(parity) : "memory");
    return over;
}
__device__ unsigned pending(Object state) {
    unsigned count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    return count;
}

__device__ int turns(const int *in, bool waits) {
    __shared__ Object b;
    __shared__ int row[64];
    int t = threadIdx.x, sum = 0;
    if (t == 0) init(&b, 64);
    __syncthreads();
    for (int i = 0; i < 3; ++i) {
        row[t] = in[t] + i;
        Object written = arrive(&b);
        while (!done(&b, written)) {}
        sum += row[63 - t];
        Object read = arrive(&b);
        while (waits && !done(&b, read)) {}
    }
    return sum;
}
extern "C" __global__ void wrong_reuse(const int *in, int *out) { out[threadIdx.x] = turns(in, false); }
extern "C" __global__ void right_reuse(const int *in, int *out) { out[threadIdx.x] = turns(in, true); }

__device__ int begin(const int *in, bool together) {
    __shared__ Object b;
    if (threadIdx.x == 0) init(&b, 64);
    if (together) __syncthreads();
    Object state = arrive(&b);
    while (!done(&b, state)) {}
    return in[threadIdx.x];
}
extern "C" __global__ void wrong_begin(const int *in, int *out) { out[threadIdx.x] = begin(in, false); }
extern "C" __global__ void right_begin(const int *in, int *out) { out[threadIdx.x] = begin(in, true); }

__device__ int meet(const int *in, unsigned count) {
    __shared__ Object b;
    if (threadIdx.x == 0) init(&b, count);
    __syncthreads();
    Object state = arrive(&b);
    while (!done(&b, state)) {}
    return in[threadIdx.x];
}
extern "C" __global__ void wrong_many(const int *in, int *out) { out[threadIdx.x] = meet(in, 65); }
extern "C" __global__ void wrong_few(const int *in, int *out) { out[threadIdx.x] = meet(in, 63); }
extern "C" __global__ void right_count(const int *in, int *out) { out[threadIdx.x] = meet(in, 64); }

// The first warp produces, the second consumes.
__device__ void pipeline(const int *in, int *out, int rows, int first_parity) {
    __shared__ Object full[2], empty[2];
    __shared__ int buffer[2][32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 32);
        init(&empty[threadIdx.x], 32);
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < rows; ++i) {
        int slot = i % 2;
        unsigned round = i / 2 % 2;
        if (threadIdx.x < 32) {
            while (!done(&empty[slot], round ^ first_parity)) {}
            buffer[slot][lane] = in[32 * i + lane];
            arrive(&full[slot]);
        } else {
            while (!done(&full[slot], round)) {}
            sum += buffer[slot][31 - lane];
            arrive(&empty[slot]);
        }
    }
    if (threadIdx.x >= 32) out[lane] = sum;
}
extern "C" __global__ void wrong_parity(const int *in, int *out) { pipeline(in, out, 5, 0); }
extern "C" __global__ void right_parity(const int *in, int *out) { pipeline(in, out, 5, 1); }

// Who leaves early must drop out.
__device__ int leave(const int *in, int n, bool drops) {
    __shared__ Object b;
    __shared__ int row[64];
    int t = threadIdx.x;
    if (t == 0) init(&b, 64);
    __syncthreads();
    if (t >= n) {
        if (drops) drop(&b);
        return 0;
    }
    row[t] = in[t];
    Object state = arrive(&b);
    while (!done(&b, state)) {}
    return row[n - 1 - t] + pending(state);
}
extern "C" __global__ void wrong_leave(const int *in, int *out) { out[threadIdx.x] = leave(in, 40, false); }
extern "C" __global__ void right_leave(const int *in, int *out) {
    // The state tells how many were missing, which depends on who came first.
    out[threadIdx.x] = leave(in, 40, true) >= in[0];
}

// An asynchronous copy that arrives when it is complete.
__device__ int copied(const int *in, bool waits) {
    __shared__ Object b;
    __shared__ int row[64];
    int t = threadIdx.x;
    if (t == 0) init(&b, 64);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&row[t])), "l"(in + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&b)) : "memory");
    while (waits && !done(&b, 0u)) {}
    return row[63 - t];
}
extern "C" __global__ void wrong_copy(const int *in, int *out) { out[threadIdx.x] = copied(in, false); }
extern "C" __global__ void right_copy(const int *in, int *out) { out[threadIdx.x] = copied(in, true); }
