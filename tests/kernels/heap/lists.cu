// nvcc: sm_75 sm_90
//
// Memory that kernels allocate: malloc and free, new and delete, in one launch and across launches.

struct Node {
    Node *next;
    unsigned long long value;
};

// Every thread makes a list of up to eight nodes, adds them up, and deletes them.
extern "C" __global__ void lists(const unsigned *in, unsigned long long *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Node *head = nullptr;
    for (unsigned k = 0; k <= in[i] % 8; k++)
        head = new Node{head, (unsigned long long)in[i] * k};
    unsigned long long sum = 0;
    while (head) {
        Node *next = head->next;
        sum = sum * 3 + head->value;
        delete head;
        head = next;
    }
    out[i] = sum;
}

// An object with a constructor and a destructor, in an array.
struct Counted {
    unsigned *counter;
    unsigned amount;
    __device__ Counted() : counter(nullptr), amount(1) {}
    __device__ ~Counted() { if (counter) atomicAdd(counter, amount); }
};

extern "C" __global__ void arrays(unsigned *destroyed)
{
    Counted *all = new Counted[threadIdx.x + 1];
    for (unsigned k = 0; k <= threadIdx.x; k++) {
        all[k].counter = destroyed;
        all[k].amount += k;
    }
    delete[] all;
}

// One launch leaves what the next one reads and frees.
__device__ unsigned *kept[256];

extern "C" __global__ void leave()
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *mine = (unsigned *)malloc((i + 1) * sizeof(unsigned));
    for (unsigned k = 0; k <= i; k++) mine[k] = i + k;
    kept[i] = mine;
}

extern "C" __global__ void take(unsigned *sums)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    // What another thread has allocated, so that blocks are freed by others.
    unsigned other = 255 - i, sum = 0;
    for (unsigned k = 0; k <= other; k++) sum += kept[other][k];
    free(kept[other]);
    kept[other] = nullptr;
    sums[i] = sum;
}

// How many blocks of a size there is room for, and that freed ones make room again.
extern "C" __global__ void fill(unsigned *counts, unsigned bytes)
{
    char *mine = (char *)malloc(bytes);
    if (mine) {
        atomicAdd(&counts[0], 1);
        mine[0] = 1;
        mine[bytes - 1] = 1;
        if ((unsigned long long)mine % 16 == 0) atomicAdd(&counts[1], 1);
    }
    __syncthreads();
    free(mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        char *again = (char *)malloc(bytes);
        counts[2] = again != nullptr;
        free(again);
    }
}

// The lanes of a warp share what one of them allocates.
extern "C" __global__ void shared_by_a_warp(unsigned *out)
{
    unsigned lane = threadIdx.x % 32;
    unsigned long long address = 0;
    if (lane == 7) address = (unsigned long long)malloc(32 * sizeof(unsigned));
    unsigned *all = (unsigned *)__shfl_sync(0xffffffff, address, 7);
    all[lane] = threadIdx.x * 5;
    __syncwarp();
    out[threadIdx.x] = all[31 - lane];
    __syncwarp();
    if (lane == 20) free(all);
}
