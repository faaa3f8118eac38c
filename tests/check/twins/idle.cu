// nvcc: sm_75 sm_90 -- -lineinfo
// Partial tiles and idle threads: what those that have nothing to do leave out.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void right_tile_return(const int *in, int *out, int n) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (int d = tile.size() / 2; d; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
}
extern "C" __global__ void wrong_tile_return(const int *in, int *out, int n) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    for (int d = tile.size() / 2; d; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
}
// argmax
struct Best { float value; int index; };
template <typename Load> __device__ Best best(unsigned mask, int lanes, Load load) {
    Best b = load();
    for (int d = 16; d; d >>= 1) {
        float v = __shfl_down_sync(mask, b.value, d);
        int i = __shfl_down_sync(mask, b.index, d);
        if ((threadIdx.x & 31) + d < lanes && v > b.value) b = {v, i};
    }
    return b;
}
extern "C" __global__ void right_argmax(const float *in, int *out) {
    int warp = threadIdx.x / 32, lanes = min(32, blockDim.x - warp * 32);
    unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    Best b = best(mask, lanes, [&] { return Best{in[threadIdx.x], (int)threadIdx.x}; });
    if (threadIdx.x % 32 == 0) out[warp] = b.index;
}
extern "C" __global__ void wrong_argmax(const float *in, int *out) {
    Best b = best(~0u, 32, [&] { return Best{in[threadIdx.x], (int)threadIdx.x}; });
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = b.index;
}
// A reduction whose idle half does not come along.
extern "C" __global__ void right_idle(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
extern "C" __global__ void wrong_idle(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
            __syncthreads();
        }
    }
    if (t == 0) *out = s[0];
}
// groups that were asked for too early
extern "C" __global__ void right_coalesced(const int *in, int *out) {
    int v = in[threadIdx.x];
    auto all = cg::tiled_partition<32>(cg::this_thread_block());
    auto g = cg::binary_partition(all, v % 4 == 0);
    if (v % 4 == 0) out[threadIdx.x] = cg::reduce(g, v, cg::plus<int>());
    __syncwarp();
    out[threadIdx.x] += 1;
}
extern "C" __global__ void wrong_coalesced(const int *in, int *out) {
    int v = in[threadIdx.x];
    auto g = cg::coalesced_threads();
    if (v % 4 == 0) out[threadIdx.x] = cg::reduce(g, v, cg::plus<int>());
    __syncwarp();
    out[threadIdx.x] += 1;
}
