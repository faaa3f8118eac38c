// nvcc: sm_75 sm_90 sm_100
//
// Barriers of the block after, around and inside divergent code.

// Lanes leave the first loop at different times; then all meet.
extern "C" __global__ void after_divergent_loop(const unsigned *trips, unsigned *out)
{
    __shared__ unsigned cell[128];
    unsigned i = threadIdx.x;
    unsigned x = i + 1;
    for (unsigned k = 0; k < trips[i]; k++) x = x * 1664525u + 1013904223u;
    cell[i] = x;
    __syncthreads();
    unsigned y = cell[(i + 37) % 128];
    for (unsigned k = trips[i]; k < 20; k += 1 + (i & 3)) y ^= y << 1 | k;
    __syncthreads();
    cell[i] = y;
    __syncthreads();
    out[i] = cell[127 - i] + x;
}

// A barrier in a loop that all threads run equally often, with a divergent body.
extern "C" __global__ void relax(int *data, int rounds)
{
    __shared__ int cell[96];
    unsigned i = threadIdx.x;
    cell[i] = data[i];
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        int next = cell[i];
        if ((i + k) % 3 == 0 && i > 0)
            next = min(next, cell[i - 1]);
        else if (i + 1 < 96 && cell[i + 1] < next)
            next = cell[i + 1] + 1;
        __syncthreads();
        cell[i] = next;
        __syncthreads();
    }
    data[i] = cell[i];
}

// Whole warps leave before the barrier: those that remain must not wait for them.
extern "C" __global__ void early_warps(const unsigned *in, unsigned *out)
{
    __shared__ unsigned cell[128];
    unsigned i = threadIdx.x;
    cell[i] = 0;
    __syncthreads();
    if (i / 32 == 1 || i / 32 == 3) {
        out[i] = 1;
        return;
    }
    cell[i] = in[i];
    __syncthreads();
    out[i] = cell[(i + 64) % 128] + 2;
}

// Barriers that count or combine a predicate.
extern "C" __global__ void voting_barriers(const int *in, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(in[i] > 0);
    int all = __syncthreads_and(in[i] > -90);
    int any = __syncthreads_or(in[i] == 77);
    out[i] = count * 4 + (all ? 2 : 0) + (any ? 1 : 0);
}

// Two groups of warps with a named barrier each; the groups run a different number of rounds.
extern "C" __global__ void named_barriers(unsigned *out)
{
    __shared__ volatile unsigned cell[128];
    unsigned i = threadIdx.x;
    unsigned group = i / 64;
    unsigned base = group * 64;
    unsigned x = i * 2654435761u;
    for (unsigned k = 0; k < 5 + 6 * group; k++) {
        cell[i] = x;
        asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
        x = x * 5 + cell[base + (i + 1 + k) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
    }
    __syncthreads();
    out[i] = x;
}

// Producer warps arrive and go on; the consumer warp waits.
extern "C" __global__ void arrive_and_wait(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned cell[64];
    unsigned i = threadIdx.x;
    if (i < 64) {
        cell[i] = in[i] * 3;
        __threadfence_block();
        asm volatile("barrier.arrive 3, 96;" ::: "memory");
        out[i] = i;
    } else {
        asm volatile("barrier.sync 3, 96;" ::: "memory");
        out[i] = cell[i - 64] + cell[i - 32];
    }
}
