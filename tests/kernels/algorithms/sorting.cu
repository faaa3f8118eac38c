// nvcc: sm_75 sm_90 sm_100
//
// Sorting and searching written out.

#include <climits>

// Bitonic sort of 32 values by shuffles alone.
extern "C" __global__ void bitonic_warp(const int *in, int *out)
{
    int lane = threadIdx.x % 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    for (int size = 2; size <= 32; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int other = __shfl_xor_sync(0xffffffff, value, stride);
            bool lower = (lane & stride) == 0, up = (lane & size) == 0;
            value = lower == up ? min(value, other) : max(value, other);
        }
    }
    out[i] = value;
}

// Bitonic sort of the block's keys and values in shared memory.
extern "C" __global__ void bitonic_block(unsigned *keys, unsigned *values)
{
    __shared__ unsigned key[256], value[256];
    unsigned t = threadIdx.x;
    key[t] = keys[t];
    value[t] = values[t];
    for (unsigned size = 2; size <= 256; size *= 2) {
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned partner = t ^ stride;
            if (partner > t) {
                bool up = (t & size) == 0;
                if ((key[t] > key[partner]) == up) {
                    unsigned k = key[t], v = value[t];
                    key[t] = key[partner];
                    value[t] = value[partner];
                    key[partner] = k;
                    value[partner] = v;
                }
            }
        }
    }
    __syncthreads();
    keys[t] = key[t];
    values[t] = value[t];
}

// Odd-even transposition sort until a vote of the block says that nothing moved.
extern "C" __global__ void odd_even(int *data, int *rounds)
{
    __shared__ int cell[128];
    int t = threadIdx.x;
    cell[2 * t] = data[2 * t];
    cell[2 * t + 1] = data[2 * t + 1];
    __syncthreads();
    int round = 0;
    bool moved;
    do {
        moved = false;
        for (int phase = 0; phase < 2; phase++) {
            int left = 2 * t + phase;
            if (left + 1 < 128 && cell[left] > cell[left + 1]) {
                int x = cell[left];
                cell[left] = cell[left + 1];
                cell[left + 1] = x;
                moved = true;
            }
            __syncthreads();
        }
        round++;
    } while (__syncthreads_or(moved));
    data[2 * t] = cell[2 * t];
    data[2 * t + 1] = cell[2 * t + 1];
    if (t == 0) *rounds = round;
}

// Radix sort of 128 keys, one bit a pass, by ballots and counts of the warps.
extern "C" __global__ void radix_bits(const unsigned *in, unsigned *out, int bits)
{
    __shared__ unsigned cell[128], zeros[4];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned key = in[t];
    for (int bit = 0; bit < bits; bit++) {
        bool one = key >> bit & 1;
        unsigned ones = __ballot_sync(0xffffffff, one);
        if (lane == 0) zeros[warp] = __popc(~ones);
        __syncthreads();
        unsigned before = 0, total = 0;
        for (unsigned w = 0; w < 4; w++) {
            if (w < warp) before += zeros[w];
            total += zeros[w];
        }
        unsigned ones_below = __popc(ones & ((1u << lane) - 1));
        unsigned place = one ? total + (warp * 32 - before) + ones_below : before + lane - ones_below;
        cell[place] = key;
        __syncthreads();
        key = cell[t];
    }
    out[t] = key;
}

// Merging two sorted arrays: each thread finds its part by a binary search of the diagonal.
extern "C" __global__ void merge_path(const int *a, int n, const int *b, int m, int *out, int items)
{
    int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * items;
    if (diagonal >= n + m) return;
    int low = max(0, diagonal - m), high = min(diagonal, n);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = diagonal; k < min(diagonal + items, n + m); k++)
        out[k] = j >= m || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

// The place of each needle in a sorted array, without branches and with.
extern "C" __global__ void searches(const int *sorted, int n, const int *needle, int *first,
                                    int *exact)
{
    int i = threadIdx.x;
    int base = 0;
    for (int step = 128; step > 0; step /= 2)
        if (base + step <= n && sorted[base + step - 1] < needle[i]) base += step;
    first[i] = base;

    int low = 0, high = n - 1, found = -1;
    while (low <= high) {
        int middle = (low + high) >> 1;
        if (sorted[middle] == needle[i]) {
            found = middle;
            break;
        }
        if (sorted[middle] < needle[i])
            low = middle + 1;
        else
            high = middle - 1;
    }
    exact[i] = found >= 0 ? sorted[found] : INT_MIN;
}
