// nvcc: sm_75 sm_90 sm_100
//
// Blocks that talk to each other through global memory.

// The block that finishes last adds up what the others left.
__device__ unsigned finished;

extern "C" __global__ void last_block_sum(const float *in, volatile float *partial, float *out, int n)
{
    __shared__ float cell[128];
    __shared__ bool last;
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) sum += in[i];
    cell[t] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) cell[t] += cell[t + half];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = cell[0];
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x - 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float total = 0;
        for (unsigned b = 0; b < gridDim.x; b++) total += partial[b];
        *out = total;
    }
}

// A scan of the whole array in one pass: a tile waits for the one before it to say its prefix
// (decoupled look-back). Tiles are numbered in the order in which they start.
extern "C" __global__ void single_pass_scan(const int *in, int *out, unsigned *next_tile,
                                            volatile int *prefix, volatile unsigned *state)
{
    __shared__ int warp_sum[4];
    __shared__ unsigned tile;
    __shared__ int before;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0) tile = atomicAdd(next_tile, 1);
    __syncthreads();

    int value = in[tile * 128 + t];
    for (int offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(0xffffffff, value, offset);
        if (lane >= offset) value += below;
    }
    if (lane == 31) warp_sum[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; w++) value += warp_sum[w];

    if (t == 127) {
        int sum = 0;
        if (tile > 0) {
            while (state[tile - 1] == 0) {}
            __threadfence();
            sum = prefix[tile - 1];
        }
        prefix[tile] = sum + value;
        __threadfence();
        state[tile] = 1;
        before = sum;
    }
    __syncthreads();
    out[tile * 128 + t] = before + value;
}
