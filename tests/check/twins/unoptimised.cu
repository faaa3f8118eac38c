// nvcc: sm_80 -- -G
// Code that is not optimised: structures are copied word by word, values go through calls and memory.
struct Padded { double key; int value; };

extern "C" __global__ void wrong_copy(Padded *out) {
    __shared__ Padded held[32];
    if (threadIdx.x != 3) held[threadIdx.x].key = threadIdx.x;
    held[threadIdx.x].value = 7;
    __syncthreads();
    out[threadIdx.x] = held[31 - threadIdx.x];
}

extern "C" __global__ void right_copy(Padded *out) {
    __shared__ Padded held[32];
    held[threadIdx.x].key = threadIdx.x;
    held[threadIdx.x].value = 7;
    __syncthreads();
    Padded mine = held[31 - threadIdx.x];
    if (mine.key > 3) mine.value++;
    out[threadIdx.x] = mine;
}

__device__ double wrong_add(double *sum, double value) {
    unsigned long long *word = (unsigned long long *)sum, old = *word;
    *sum = __longlong_as_double(old) + value;
    return __longlong_as_double(old);
}

__device__ double add(double *sum, double value) {
    unsigned long long *word = (unsigned long long *)sum, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, (unsigned long long)__double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}

extern "C" __global__ void wrong_sum(const double *in, double *sum) { wrong_add(sum, in[threadIdx.x]); }

extern "C" __global__ void right_sum(const double *in, double *sum) { add(sum, in[threadIdx.x]); }

extern "C" __global__ void wrong_order(int *locks, int *sum) {
    int first = blockIdx.x & 1;
    while (atomicCAS(&locks[first], 0, 1) != 0) {}
    while (atomicCAS(&locks[1 - first], 0, 1) != 0) {}
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(&locks[0], 0);
    atomicExch(&locks[1], 0);
}
