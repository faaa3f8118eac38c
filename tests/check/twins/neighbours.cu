// nvcc: sm_75 sm_90 -- -lineinfo
// What lies beside what: variables in shared memory, padding of structures, the accesses of other CTAs.

// Out of one array into the next.
extern "C" __global__ void wrong_next_array(const float *in, float *out) {
    __shared__ float left[32], right[32];
    int t = threadIdx.x;
    left[t] = in[t];
    right[t] = -1;
    __syncthreads();
    out[t] = left[t + 1] + right[t];
}

extern "C" __global__ void right_next_array(const float *in, float *out) {
    __shared__ float left[32], right[32];
    int t = threadIdx.x;
    left[t] = in[t];
    right[t] = -1;
    __syncthreads();
    out[t] = left[min(t + 1, 31)] + right[t];
}

extern __shared__ float dynamic[];

// Out of an array into dynamic shared memory.
extern "C" __global__ void wrong_dynamic(const float *in, float *out) {
    __shared__ float tile[32];
    int t = threadIdx.x;
    tile[t] = in[t];
    dynamic[t] = -1;
    __syncthreads();
    out[t] = tile[t + 1] + dynamic[t];
}

extern "C" __global__ void right_dynamic(const float *in, float *out) {
    __shared__ float tile[32];
    int t = threadIdx.x;
    tile[t] = in[t];
    dynamic[t] = -1;
    __syncthreads();
    out[t] = tile[t] + dynamic[31 - t];
}

// Padding that the compiler copies by itself, byte by byte.
struct alignas(16) Vector { float x, y, z; };
struct Item { long long key; int value; };

extern "C" __global__ void right_padding(const float *in, Vector *vectors, Item *items) {
    __shared__ Vector some[32];
    __shared__ Item others[32];
    int t = threadIdx.x;
    some[t].x = in[t];
    some[t].y = 2 * in[t];
    some[t].z = 3;
    others[t].key = t;
    others[t].value = -t;
    __syncthreads();
    vectors[t] = some[31 - t];
    items[t] = others[31 - t];
}

extern "C" __global__ void wrong_member(const float *in, Vector *vectors) {
    __shared__ Vector some[32];
    int t = threadIdx.x;
    some[t].x = in[t];
    if (t != 7) some[t].y = 2 * in[t];
    some[t].z = 3;
    __syncthreads();
    vectors[t].y = some[31 - t].y;
}

// One CTA clears the sum that all add to; its own addition comes between its write and theirs.
extern "C" __global__ void wrong_clear(const int *in, int *sum) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;
    if (threadIdx.x == 0) atomicAdd(sum, in[blockIdx.x]);
}

extern "C" __global__ void right_clear(const int *in, int *sum) {
    if (threadIdx.x == 0) atomicAdd(sum, in[blockIdx.x]);
}

// The last CTA overwrites what the others read, and waits for two of the three.
__device__ void wait_for(volatile int *count, int many) {
    while (*count < many) {}
    __threadfence();
}

extern "C" __global__ void wrong_readers(int *cell, int *count, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x < 3) {
        out[blockIdx.x] = *cell;
        if (blockIdx.x != 2) {
            __threadfence();
            atomicAdd(count, 1);
        }
    } else {
        wait_for(count, 2);
        *cell = 5;
    }
}

extern "C" __global__ void right_readers(int *cell, int *count, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x < 3) {
        out[blockIdx.x] = *cell;
        __threadfence();
        atomicAdd(count, 1);
    } else {
        wait_for(count, 3);
        *cell = 5;
    }
}
