// nvcc: sm_75 sm_90 -- -lineinfo
// Fences on both sides of a handover between CTAs, and locks.
__device__ void publish(int *data, int *flag) {
    data[threadIdx.x] = threadIdx.x + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile int *)flag = 1;
}

extern "C" __global__ void wrong_barrier(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) return publish(data, flag);
    if (threadIdx.x == 0) while (*(volatile int *)flag == 0) {}
    __syncthreads();  // orders nothing with the other CTA
    out[threadIdx.x] = data[threadIdx.x];
}

extern "C" __global__ void right_barrier(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) return publish(data, flag);
    if (threadIdx.x == 0) {
        while (*(volatile int *)flag == 0) {}
        __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
}

extern "C" __global__ void wrong_narrow(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) return publish(data, flag);
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence_block();
    out[threadIdx.x] = data[threadIdx.x];
}

extern "C" __global__ void right_narrow(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) return publish(data, flag);
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];
}

// What is written behind the fence is not released, whatever barrier follows.
extern "C" __global__ void wrong_late(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        __threadfence();
        data[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) *(volatile int *)flag = 1;
        return;
    }
    while (*(volatile int *)flag == 0) {}
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];
}

extern "C" __global__ void right_late(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) return publish(data, flag);
    while (*(volatile int *)flag == 0) {}
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];
}

// One lane acquires and tells the others, as tiles of several warps do in cooperative groups.
extern "C" __global__ void right_told(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) return publish(data, flag);
    int there = 0;
    if (threadIdx.x % 32 == 0) {
        while (*(volatile int *)flag == 0) {}
        __threadfence();
        there = 1;
    }
    if (__shfl_sync(~0u, there, 0)) out[threadIdx.x] = data[threadIdx.x];
}

// Two locks, in different order: each CTA may come to hold one.
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

extern "C" __global__ void right_order(int *locks, int *sum) {
    while (atomicCAS(&locks[0], 0, 1) != 0) {}
    while (atomicCAS(&locks[1], 0, 1) != 0) {}
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(&locks[0], 0);
    atomicExch(&locks[1], 0);
}

// Lanes in lockstep: who has the lock waits for those that it keeps waiting.
extern "C" __global__ void wrong_lockstep(int *lock, int *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    atomicAdd(sum, 1);
    atomicExch(lock, 0);
}

extern "C" __global__ void right_lockstep(int *lock, int *sum) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            atomicAdd(sum, 1);
            atomicExch(lock, 0);
            done = true;
        }
    }
}
