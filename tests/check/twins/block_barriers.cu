// nvcc: sm_75 sm_90 -- -lineinfo
// Barriers that some threads go around, and named barriers.
// barrier in a branch
extern "C" __global__ void wrong_branch_then_all(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 32) __syncthreads();
    out[t] = s[63 - t];
}

extern "C" __global__ void wrong_branch_lanes(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (in[t] % 2 == 0) {
        s[t] *= 2;
        __syncthreads();
    }
    out[t] = s[t];
}

extern "C" __global__ void right_branch(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (in[t] % 2 == 0) s[t] *= 2;
    __syncthreads();
    out[t] = s[63 - t];
}

// break out of a loop with a barrier
extern "C" __global__ void wrong_break(const int *in, int *out) {
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0) found = 0;
    __syncthreads();
    int i = 0;
    for (; i < 8; ++i) {
        if (in[t] == 40 && i == 3) found = 1;
        if (t / 32 == 1 && i == 5) break;
        __syncthreads();
    }
    out[t] = i;
}

extern "C" __global__ void right_break(const int *in, int *out) {
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0) found = 0;
    __syncthreads();
    int i = 0;
    for (; i < 8; ++i) {
        if (in[t] == 40 && i == 3) found = 1;
        __syncthreads();
        bool stop = found;
        __syncthreads();
        if (stop) break;
    }
    out[t] = i;
}

// shrinking tree: threads return when they are done. Defined
extern "C" __global__ void right_shrinking(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int d = 64; d; d >>= 1) {
        __syncthreads();
        if (t >= d) return;
        s[t] += s[t + d];
    }
    out[0] = s[0];
}

// named barriers, producer and consumer
__device__ void sync(int id, int n) { asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ void arrive(int id, int n) { asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
extern "C" __global__ void right_producer(const int *in, int *out) {
    __shared__ int buf[2][32];
    int t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        for (int i = 0; i < 4; ++i) {
            if (i >= 2) sync(3 + i % 2, 64);
            buf[i % 2][lane] = in[i * 32 + lane];
            arrive(1 + i % 2, 64);
        }
    } else {
        for (int i = 0; i < 4; ++i) {
            sync(1 + i % 2, 64);
            out[i * 32 + lane] = buf[i % 2][31 - lane];
            if (i < 2) arrive(3 + i % 2, 64);
        }
    }
}

extern "C" __global__ void wrong_producer(const int *in, int *out) {
    __shared__ int buf[2][32];
    int t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        for (int i = 0; i < 4; ++i) {
            buf[i % 2][lane] = in[i * 32 + lane];
            arrive(1 + i % 2, 64);
        }
    } else {
        for (int i = 0; i < 4; ++i) {
            sync(1 + i % 2, 64);
            out[i * 32 + lane] = buf[i % 2][31 - lane];
        }
    }
}

// two halves wait at different barriers
extern "C" __global__ void wrong_crossed(const int *in, int *out) {
    int t = threadIdx.x;
    if (t < 32) { sync(1, 64); sync(2, 64); }
    else { sync(2, 64); sync(1, 64); }
    out[t] = in[t];
}
