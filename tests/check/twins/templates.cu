// nvcc: sm_75 sm_90 -- -lineinfo
// Mistakes in helpers: templates, lambdas and functors that the compiler inlines.
#include <cuda_runtime.h>
#include <type_traits>
#include <cstdint>
#include <cuda/atomic>
// reductions and sorts of a warp in shared memory
template <typename T, typename Op, bool Sync> struct WarpTree {
    T *cells;
    __device__ T operator()(T v, Op op) const {
        const unsigned lane = threadIdx.x & 31;
        cells[lane] = v;
#pragma unroll
        for (int step = 16; step; step /= 2) {
            if constexpr (Sync) __syncwarp();
            T other = cells[lane ^ step];
            if constexpr (Sync) __syncwarp();
            cells[lane] = v = op(v, other);
        }
        return v;
    }
};
struct Max { template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
extern "C" __global__ void right_tree(const int *in, int *out) {
    __shared__ int cells[2][32];
    out[threadIdx.x] = WarpTree<int, Max, true>{cells[threadIdx.x / 32]}(in[threadIdx.x], Max{});
}
extern "C" __global__ void wrong_tree(const int *in, int *out) {
    __shared__ int cells[2][32];
    auto tree = WarpTree<int, Max, false>{cells[threadIdx.x / 32]};
    out[threadIdx.x] = tree(in[threadIdx.x], Max{});
}
// structures become vectors through a staging buffer
struct Particle { float x, y, z; };
extern "C" __global__ void right_soa(const float *in, Particle *out) {
    extern __shared__ float none[];
    __shared__ float stage[2][96];
    float *mine = stage[threadIdx.x >> 5];
    int lane = threadIdx.x & 31, base = (blockIdx.x * 2 + (threadIdx.x >> 5)) * 96;
    auto copy = [&](int k) { mine[k * 32 + lane] = in[base + k * 32 + lane]; };
    copy(0), copy(1), copy(2);
    __syncwarp();
    out[base / 3 + lane] = {mine[3 * lane], mine[3 * lane + 1], mine[3 * lane + 2]};
}
extern "C" __global__ void wrong_soa(const float *in, Particle *out) {
    __shared__ float stage[2][96];
    float *mine = stage[threadIdx.x >> 5];
    int lane = threadIdx.x & 31, base = (blockIdx.x * 2 + (threadIdx.x >> 5)) * 96;
    auto copy = [&](int k) { mine[k * 32 + lane] = in[base + k * 32 + lane]; };
    copy(0), copy(1), copy(2);
    out[base / 3 + lane] = {mine[3 * lane], mine[3 * lane + 1], mine[3 * lane + 2]};
}
// stale ballots
// Lanes work on items until theirs is done; those that still work share a coefficient.
extern "C" __global__ void right_work(const int *in, int *out) {
    int left = in[threadIdx.x] % 7, sum = 0;
    unsigned busy = __ballot_sync(~0u, left > 0);
    while (left > 0) {
        int leader = __ffs(busy) - 1;
        sum += __shfl_sync(busy, left, leader);
        busy = __ballot_sync(busy, left > 1);
        --left;
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void wrong_work(const int *in, int *out) {
    int left = in[threadIdx.x] % 7, sum = 0;
    unsigned busy = __ballot_sync(~0u, left > 0);
    while (left > 0) {
        int leader = __ffs(busy) - 1;
        sum += __shfl_sync(busy, left, (leader + 7) & 31);
        --left;
    }
    out[threadIdx.x] = sum;
}
// shuffles in loops that lanes leave
// A row of a sparse matrix for each lane; x is kept in registers.
extern "C" __global__ void right_rows(const int *row, const int *column, const int *x, int *out) {
    int own = x[threadIdx.x], begin = row[threadIdx.x], count = threadIdx.x % 4, sum = 0;
    int longest = count;
    for (int d = 16; d; d /= 2) longest = max(longest, __shfl_xor_sync(~0u, longest, d));
    for (int j = 0; j < longest; ++j) {
        int c = j < count ? column[begin + j] : 0;
        int other = __shfl_sync(~0u, own, c);
        if (j < count) sum += other;
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void wrong_rows(const int *row, const int *column, const int *x, int *out) {
    int own = x[threadIdx.x], begin = row[threadIdx.x], count = threadIdx.x % 4, sum = 0;
    for (int j = begin; j < begin + count; ++j)
        sum += __shfl_sync(~0u, own, column[j] + 1);
    out[threadIdx.x] = sum;
}
// leader of an append is lane 0 whether it is there or not
template <bool First> __device__ void append(unsigned mask, int *list, int *count, int v) {
    int lane = threadIdx.x & 31, leader = First ? __ffs(mask) - 1 : 0, at = 0;
    if (lane == leader) at = atomicAdd(count, __popc(mask));
    at = __shfl_sync(mask, at, leader);
    list[at + __popc(mask & ((1u << lane) - 1))] = v;
}
extern "C" __global__ void right_append(const int *in, int *list, int *count) {
    int v = in[threadIdx.x];
    unsigned mask = __ballot_sync(~0u, v % 5 == 3);
    if (v % 5 == 3) append<true>(mask, list, count, v);
}
extern "C" __global__ void wrong_append(const int *in, int *list, int *count) {
    int v = in[threadIdx.x];
    unsigned mask = __ballot_sync(~0u, v % 5 == 3);
    if (v % 5 == 3) append<false>(mask, list, count, v);
}
// buffers
// Jacobi in shared memory.
template <bool Twice> __device__ void jacobi(float *u, int steps) {
    __shared__ float grid[2][66];
    int i = threadIdx.x + 1;
    grid[0][i] = u[i];
    if (i == 1) { grid[0][0] = grid[1][0] = u[0]; grid[0][65] = grid[1][65] = u[65]; }
    __syncthreads();
    for (int k = 0; k < steps; ++k) {
        int from = Twice ? k & 1 : 0, to = Twice ? from ^ 1 : 0;
        grid[to][i] = 0.5f * (grid[from][i - 1] + grid[from][i + 1]);
        __syncthreads();
    }
    u[i] = grid[Twice ? steps & 1 : 0][i];
}
extern "C" __global__ void right_jacobi(float *u, int steps) { jacobi<true>(u, steps); }
extern "C" __global__ void wrong_jacobi(float *u, int steps) { jacobi<false>(u, steps); }
// Tiles are loaded ahead into a ring.
template <int Stages, typename Load, typename Use> __device__ void pipeline(int tiles, Load load, Use use) {
    load(0, 0);
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) load((k + 1) % Stages, k + 1);
        __syncthreads();
        use(k % Stages);
    }
}
extern "C" __global__ void right_ring(const int *in, int *out, int tiles) {
    __shared__ int ring[3][64];
    int sum = 0, t = threadIdx.x;
    pipeline<3>(tiles, [&](int s, int k) { ring[s][t] = in[64 * k + t]; },
                [&](int s) { sum = sum * 3 + ring[s][63 - t]; });
    out[t] = sum;
}
extern "C" __global__ void wrong_ring(const int *in, int *out, int tiles) {
    __shared__ int ring[2][64];
    int sum = 0, t = threadIdx.x;
    pipeline<2>(tiles, [&](int s, int k) { ring[s][t] = in[64 * k + t]; },
                [&](int s) { sum = sum * 3 + ring[s][63 - t]; });
    out[t] = sum;
}
// halos
template <int Tile, int Right> __device__ void five_point(const float *in, float *out, int w) {
    __shared__ float s[Tile + 2][Tile + 2];
    int x = threadIdx.x, y = threadIdx.y;
    auto at = [&](int j, int i) { return in[(j + 1) * w + i + 1]; };
    s[y + 1][x + 1] = at(y, x);
    if (x == 0) { s[y + 1][0] = at(y, -1); s[y + 1][Right] = at(y, Tile); }
    if (y == 0) { s[0][x + 1] = at(-1, x); s[Tile + 1][x + 1] = at(Tile, x); }
    __syncthreads();
    out[y * Tile + x] = s[y][x + 1] + s[y + 2][x + 1] + s[y + 1][x] + s[y + 1][x + 2];
}
extern "C" __global__ void right_cross(const float *in, float *out) { five_point<8, 9>(in, out, 10); }
extern "C" __global__ void wrong_cross(const float *in, float *out) { five_point<8, 8>(in, out, 10); }
// lock step
template <unsigned Block, bool Sync> __device__ void last_warp(volatile int *s, unsigned t) {
    auto step = [&](unsigned d) {
        int v = s[t] + s[t + d];
        if (Sync) __syncwarp();
        s[t] = v;
        if (Sync) __syncwarp();
    };
    if (Block >= 64) step(32);
    step(16), step(8), step(4), step(2), step(1);
}
template <unsigned Block, bool Sync> __device__ void reduce(const int *in, int *out) {
    __shared__ int s[Block + 32];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * Block + t];
    if (t < 32) s[Block + t] = 0;
    __syncthreads();
    if (Block >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
    if (t < 32) last_warp<Block, Sync>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void right_last_warp(const int *in, int *out) { reduce<128, true>(in, out); }
extern "C" __global__ void wrong_last_warp(const int *in, int *out) { reduce<128, false>(in, out); }
// segments that overlap
// Dynamic shared memory that is cut by hand.
template <int Slack> __device__ void carve(const int *in, int *out, int n) {
    extern __shared__ int pool[];
    int *keys = pool, *counts = pool + n - Slack;
    int t = threadIdx.x;
    if (t < n) keys[t] = in[t];
    if (t < n) counts[t] = 0;
    __syncthreads();
    if (t < n) atomicAdd(&counts[keys[t] % 8], 1);
    __syncthreads();
    if (t < n) out[t] = counts[keys[t] % 8];
}
extern "C" __global__ void right_carve(const int *in, int *out, int n) { carve<0>(in, out, n); }
extern "C" __global__ void wrong_carve(const int *in, int *out, int n) { carve<1>(in, out, n); }
// Blelloch's scan
template <bool All> __device__ void blelloch(int *data) {
    __shared__ int s[128];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = data[2 * t], s[2 * t + 1] = data[2 * t + 1];
    for (int d = 64; d; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    }
    if (t == 0) s[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset /= 2;
        if (All || d < 4) __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = a + offset, left = s[a];
            s[a] = s[b];
            s[b] += left;
        }
    }
    __syncthreads();
    data[2 * t] = s[2 * t], data[2 * t + 1] = s[2 * t + 1];
}
extern "C" __global__ void right_blelloch(int *data) { blelloch<true>(data); }
extern "C" __global__ void wrong_blelloch(int *data) { blelloch<false>(data); }
// a queue between two blocks
template <cuda::memory_order Publish, cuda::memory_order Take> __device__ void queue(int *cells, int *head, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*head);
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 4; ++i) { cells[i] = i * i + 1; ready.store(i + 1, Publish); }
    } else {
        int got = 0, sum = 0;
        while (got < 4) {
            int n = ready.load(Take);
            for (; got < n; ++got) sum += cells[got];
        }
        *out = sum;
    }
}
extern "C" __global__ void right_spsc(int *c, int *h, int *o) { queue<cuda::memory_order_release, cuda::memory_order_acquire>(c, h, o); }
extern "C" __global__ void wrong_spsc_store(int *c, int *h, int *o) { queue<cuda::memory_order_relaxed, cuda::memory_order_acquire>(c, h, o); }
extern "C" __global__ void wrong_spsc_load(int *c, int *h, int *o) { queue<cuda::memory_order_release, cuda::memory_order_relaxed>(c, h, o); }
// the block that is last adds up
template <bool Fence> __device__ void last_block(const int *in, int *part, unsigned *done, int *out) {
    __shared__ bool last;
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        if (Fence) __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
        if (Fence) __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int i = 0; i < gridDim.x; ++i) all += part[i];
        *out = all;
    }
}
extern "C" __global__ void right_last_block(const int *in, int *p, unsigned *d, int *o) { last_block<true>(in, p, d, o); }
extern "C" __global__ void wrong_last_block(const int *in, int *p, unsigned *d, int *o) { last_block<false>(in, p, d, o); }
