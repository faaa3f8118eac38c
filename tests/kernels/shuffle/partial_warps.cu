// nvcc: sm_75 sm_90
//
// Shuffles in warps that are not whole: lanes that do not exist, that have exited or that are
// elsewhere.

#define FULL 0xffffffffu

// A block of 45 threads has a warp of 13. The lanes past its end count as exited, so a full mask is
// allowed; each lane only uses values of lanes that exist.
extern "C" __global__ void scan_45(const int *in, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    int value = in[i];
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(FULL, value, offset);
        if (lane >= offset) value += below;
    }
    out[i] = value;
}

// The same block with the exact mask, summed downwards.
extern "C" __global__ void reverse_scan_45(const int *in, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    unsigned first = threadIdx.x - lane;
    unsigned lanes = min(32u, blockDim.x - first);
    unsigned mask = lanes == 32 ? FULL : (1u << lanes) - 1;
    int value = in[i];
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int above = __shfl_down_sync(mask, value, offset);
        if (lane + offset < lanes) value += above;
    }
    out[i] = value;
}

// Ballots of the two warps: lanes that do not exist are 0 in them.
extern "C" __global__ void ballot_45(const int *in, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ballot_sync(FULL, in[i] >= 0);
}

// Only the upper half of the warp is active.
extern "C" __global__ void upper_half(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int value = in[lane];
    if (lane >= 16) {
        value = __shfl_xor_sync(0xffff0000u, value, 5);
        value += __shfl_sync(0xffff0000u, value, 16 + (lane * 7) % 16);
        value -= __shfl_up_sync(0xffff0000u, value, 3, 16);
    }
    out[lane] = value;
}

// Lanes 0 to 9 have exited, yet the mask names them.
extern "C" __global__ void exited_lanes(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    if (lane < 10) {
        out[lane] = -1;
        return;
    }
    int value = in[lane];
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(FULL, value, offset);
        if (lane >= offset + 10) value += below;
    }
    out[lane] = value;
}

// Lanes leave one after the other; those that remain vote with the full mask in each round.
extern "C" __global__ void leaving_lanes(const unsigned *rounds, unsigned *out)
{
    unsigned lane = threadIdx.x;
    unsigned seen = 0;
    for (unsigned round = 0; round < 64; round++) {
        if (round == rounds[lane]) break;
        seen = seen * 31 + __ballot_sync(FULL, (lane ^ round) & 1);
        if (round == rounds[lane] / 2 && (lane & 8)) {
            out[lane] = seen;
            return;
        }
    }
    out[lane] = seen;
}
