// nvcc: sm_75 sm_90 -- -lineinfo
// Queues, leaders, padding, single bits.
extern "C" __global__ void wrong_queue(const int *in, unsigned *count, int *out) {
    __shared__ int queue[2][64];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, n = 0;
    for (int i = 0; i < 4; ++i) {
        int v = in[i * 64 + threadIdx.x];
        bool keep = v % 3 == 0;
        unsigned b = __ballot_sync(~0u, keep);
        if (keep) queue[w][n + __popc(b & ((1u << lane) - 1))] = v;
        n += __popc(b);
        if (n >= 32) {
            unsigned base = 0;
            if (lane == 0) base = atomicAdd(count, 32);
            base = __shfl_sync(~0u, base, 0);
            out[base + lane] = queue[w][lane];
            if (lane < n - 32) queue[w][lane] = queue[w][32 + lane];
            n -= 32;
        }
    }
}

// shuffle from a lane of a divergent loop with leader election
extern "C" __global__ void right_leader(const int *in, int *out) {
    int t = threadIdx.x;
    unsigned todo = __ballot_sync(~0u, in[t] % 4 != 0);
    while (todo) {
        int leader = __ffs(todo) - 1;
        int v = __shfl_sync(~0u, in[t], leader);
        if (v == in[t]) out[t] = v;
        todo &= todo - 1;
    }
}

// the loop ends for some lanes early, the full mask goes on
extern "C" __global__ void wrong_leader(const int *in, int *out) {
    int t = threadIdx.x;
    bool done = in[t] % 4 == 0;
    int v = 0;
    while (!done) {
        v = __shfl_sync(~0u, in[t], 4);
        done = true;
    }
    if (v) out[t] = v;
}

// aggregated atomic with a mask from before a nested branch
extern "C" __global__ void wrong_nested(const int *in, unsigned *count, unsigned *out) {
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(~0u, in[t] > 4);
    if (in[t] > 4) {
        if (in[t] % 2) {
            int leader = __ffs(mask) - 1; // lane 5, odd
            unsigned base = 0;
            if (t == leader + 1) base = atomicAdd(count, 1);
            base = __shfl_sync(mask, base, leader + 1);
            out[t] = base;
        }
    }
}

// struct with padding copied through shared memory: silent
struct Padded { char c; int i; short s; };
extern "C" __global__ void right_padding(const Padded *in, Padded *out) {
    __shared__ Padded s[32];
    Padded p; p.c = in[threadIdx.x].c; p.i = in[threadIdx.x].i; p.s = in[threadIdx.x].s;
    s[threadIdx.x] = p;
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

// partial initialisation that matters
extern "C" __global__ void wrong_init(const int *in, int *out) {
    __shared__ int max_seen; // never initialised
    atomicMax(&max_seen, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = max_seen;
}

extern "C" __global__ void right_init(const int *in, int *out) {
    __shared__ int max_seen;
    if (threadIdx.x == 0) max_seen = -1;
    __syncthreads();
    atomicMax(&max_seen, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = max_seen;
}

// bitmap in shared memory built with byte stores by neighbours: different bytes of one word are no race
extern "C" __global__ void right_bytes(const unsigned char *in, unsigned *out) {
    __shared__ __align__(4) unsigned char s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = ((unsigned *)s)[threadIdx.x];
}

// read-modify-write of one word by neighbours for different bits: a race
extern "C" __global__ void wrong_bits(const int *in, unsigned *out) {
    if (in[threadIdx.x] & 1) out[threadIdx.x / 32] |= 1u << threadIdx.x % 32;
}

extern "C" __global__ void right_bits(const int *in, unsigned *out) {
    unsigned b = __ballot_sync(~0u, in[threadIdx.x] & 1);
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = b;
}

// ping-pong between two global buffers in one launch: blocks race
extern "C" __global__ void wrong_pingpong(int *a, int *b) {
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int r = 0; r < 2; ++r) {
        b[i] = a[(i + 1) % 64];
        __syncthreads();
        a[i] = b[i];
        __syncthreads();
    }
}

// misaligned vector access
extern "C" __global__ void wrong_vector(const int *in, int4 *out) {
    out[threadIdx.x] = *(const int4 *)(in + 1 + threadIdx.x * 4);
}

// local array indexed past its end
extern "C" __global__ void wrong_local(const int *in, int *out) {
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = in[i] + threadIdx.x;
    out[threadIdx.x] = a[in[threadIdx.x] % 9];
}

extern "C" __global__ void right_local(const int *in, int *out) {
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = in[i] + threadIdx.x;
    out[threadIdx.x] = a[in[threadIdx.x] % 8];
}
