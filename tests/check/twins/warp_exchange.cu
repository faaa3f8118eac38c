// nvcc: sm_75 sm_90 -- -lineinfo
// Lanes of a warp that exchange values in memory.
// Hillis-Steele scan: sync only after write
extern "C" __global__ void wrong_scan(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        s[t] += v;
        __syncwarp();
    }
    out[t] = s[t];
}

extern "C" __global__ void right_scan(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncwarp();
        s[t] += v;
        __syncwarp();
    }
    out[t] = s[t];
}

// warp transposes a tile
template <int N> __device__ void transpose(int (&tile)[N][N + 1], const int *in, int *out, bool sync) {
    int t = threadIdx.x;
    for (int r = 0; r < N; ++r) tile[r][t] = in[r * N + t];
    if (sync) __syncwarp();
    for (int r = 0; r < N; ++r) out[r * N + t] = tile[t][r];
}
extern "C" __global__ void wrong_transpose(const int *in, int *out) {
    __shared__ int tile[32][33];
    transpose<32>(tile, in, out, false);
}

extern "C" __global__ void right_transpose(const int *in, int *out) {
    __shared__ int tile[32][33];
    transpose<32>(tile, in, out, true);
}

// a ballot is no memory barrier
extern "C" __global__ void wrong_ballot_is_no_fence(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    unsigned b = __ballot_sync(~0u, in[t] > 3);
    out[t] = s[31 - t] + b;
}

// masks that leave a lane out of the warp barrier
extern "C" __global__ void wrong_half_sync(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
    out[t] = s[t ^ 16];
}

extern "C" __global__ void right_half_sync(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
    out[t] = s[t ^ 15];
}

// volatile lockstep reduction with two warps
__device__ void tail(volatile int *s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
extern "C" __global__ void wrong_lockstep(const int *in, int *out) {
    __shared__ int s[128 + 32];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 32) s[128 + t] = 0;
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) tail(s, t);
    if (t == 0) out[0] = s[0];
}

__device__ void tail_right(volatile int *s, int t) {
    int v = s[t];
    v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 8]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 4]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 2]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 1]; __syncwarp(); s[t] = v; __syncwarp();
}
extern "C" __global__ void right_lockstep(const int *in, int *out) {
    __shared__ int s[128 + 32];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 32) s[128 + t] = 0;
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) tail_right(s, t);
    if (t == 0) out[0] = s[0];
}

// if/else of one warp, lockstep order assumed: then-part before else-part
extern "C" __global__ void wrong_then_else(const int *in, int *out) {
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = in[t];
    } else {
        out[t] = s[t - 16];
    }
}

extern "C" __global__ void right_then_else(const int *in, int *out) {
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = in[t];
        __syncwarp();
    } else {
        __syncwarp();
        out[t] = s[t - 16];
    }
}
