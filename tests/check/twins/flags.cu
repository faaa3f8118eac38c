// nvcc: sm_75 sm_90 -- -lineinfo
// CTAs that hand over data in global memory.
extern "C" __global__ void wrong(int *data, unsigned *count, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        data[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(count, 1) == gridDim.x - 1;  // no fence before the atomic
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = data[threadIdx.x];
}

extern "C" __global__ void right(int *data, unsigned *count, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        data[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = data[threadIdx.x];
}

// Every CTA writes the same cells.
extern "C" __global__ void wrong_overlap(int *out) {
    out[threadIdx.x] = blockIdx.x;
}

// Every CTA writes the same value.
extern "C" __global__ void right_same(int *out) {
    out[threadIdx.x] = 7;
}
