// nvcc: sm_75 sm_90 sm_100
//
// The state spaces: constants, global variables with initialisers, local arrays, shared memory and
// generic addresses to all of them.

struct Row {
    int weight;
    unsigned char tag[3];
    double scale;
};

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ Row rows[3] = {{10, {1, 2, 3}, 0.5}, {-20, {4, 5, 255}, -2.0}, {30, {7, 8, 9}, 1e3}};
__device__ int table[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}, {-1, -2, -3, -4}};
__device__ const char message[] = "warp shuffles exchange registers";
__device__ int *entry[3] = {&table[1][2], &table[3][0], table[0]};
__device__ unsigned long long counter = 0x1122334455667788ull;
__device__ float zeros[64];

extern "C" __global__ void constants(int *out)
{
    int t = threadIdx.x;
    const Row &row = rows[t % 3];
    out[t] = primes[t % 8] * row.weight + row.tag[t % 2 + 1] + (int)(row.scale * 2.0);
}

extern "C" __global__ void initialisers(int *out)
{
    int t = threadIdx.x;
    out[t] = table[t / 4 % 4][t % 4] * 1000 + message[t % 33] + entry[t % 3][t % 2];
}

// Global variables that a kernel changes.
extern "C" __global__ void variables(unsigned long long *out)
{
    int t = threadIdx.x;
    atomicAdd(&counter, (unsigned long long)t << 30);
    zeros[t] = (float)t;
    __syncthreads();
    out[t] = counter + (unsigned long long)zeros[63 - t];
}

// A local array whose index is not known at compile time: an insertion sort.
extern "C" __global__ void local_sort(const int *in, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int array[12];
    int size = 0;
    for (int k = 0; k < 12; k++) {
        int value = in[t * 12 + k], place = size++;
        while (place > 0 && array[place - 1] > value) {
            array[place] = array[place - 1];
            place--;
        }
        array[place] = value;
    }
    for (int k = 0; k < 12; k++) out[t * 12 + k] = array[k];
}

// Queens on a board of n by n with a stack of its own in every lane; the first queen is given.
extern "C" __global__ void queens(int *out, int n)
{
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned columns[16], left[16], right[16], open[16];
    unsigned all = (1u << n) - 1;
    int depth = 1, solutions = 0;
    columns[1] = 1u << t;
    left[1] = columns[1] << 1;
    right[1] = columns[1] >> 1;
    open[1] = all & ~(columns[1] | left[1] | right[1]);
    while (depth > 0) {
        if (depth == n) {
            solutions++;
            depth--;
        } else if (open[depth] == 0) {
            depth--;
        } else {
            unsigned bit = open[depth] & -open[depth];
            open[depth] ^= bit;
            columns[depth + 1] = columns[depth] | bit;
            left[depth + 1] = (left[depth] | bit) << 1;
            right[depth + 1] = (right[depth] | bit) >> 1;
            open[depth + 1] = all & ~(columns[depth + 1] | left[depth + 1] | right[depth + 1]);
            depth++;
        }
    }
    out[t] = solutions;
}

// One load that reads shared, global, constant or local memory, as the lane has it.
extern "C" __global__ void generic_addresses(const int *in, int *out)
{
    __shared__ int cell[32];
    int own[4] = {1, 20, 300, 4000};
    int t = threadIdx.x;
    cell[t] = in[t] * 2;
    own[t % 4] += t;
    __syncthreads();
    const int *from;
    switch (t % 4) {
    case 0: from = &cell[31 - t]; break;
    case 1: from = &in[t / 2]; break;
    case 2: from = &primes[t / 4]; break;
    default: from = &own[t / 8]; break;
    }
    int value = *from;
    __syncthreads();
    int *to = t & 1 ? &cell[t] : &out[32 + t];
    *to = value + 7;
    __syncthreads();
    out[t] = value + cell[t];
}

// Dynamic shared memory, cut into an array of words and one of halfwords.
extern "C" __global__ void dynamic_shared(const int *in, int *out, int words)
{
    extern __shared__ __align__(16) unsigned char pool[];
    int *first = reinterpret_cast<int *>(pool);
    short *second = reinterpret_cast<short *>(pool + words * 4);
    int t = threadIdx.x;
    for (int k = t; k < words; k += blockDim.x) {
        first[k] = in[k];
        second[k] = (short)(in[words - 1 - k] >> 3);
    }
    __syncthreads();
    int size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    for (int k = t; k < words; k += blockDim.x) out[k] = first[words - 1 - k] + second[k] + size;
}
