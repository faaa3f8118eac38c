// nvcc: sm_75 sm_90 sm_100
//
// Lanes of one warp that wait for each other without a barrier: they only get on when every lane
// that can run gets its turn (sm_70 and later).

// The textbook lock that never ends where the lanes of a warp run in lockstep.
extern "C" __global__ void spin_lock(unsigned *lock, volatile unsigned *total, unsigned rounds)
{
    for (unsigned k = 0; k < rounds; k++) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *total = *total + threadIdx.x + k;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// The lock written so that the winner releases it inside the loop.
extern "C" __global__ void try_lock(unsigned *lock, volatile unsigned *total)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *total = *total + threadIdx.x * threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// A ticket lock: lanes are served in the order in which they came, one after the other.
extern "C" __global__ void ticket_lock(unsigned *next, volatile unsigned *serving,
                                       volatile unsigned *total)
{
    unsigned ticket = atomicAdd(next, 1);
    while (*serving != ticket) __nanosleep(20);
    *total = *total * 3 + 1;
    __threadfence();
    *serving = ticket + 1;
}

// Each lane waits until its neighbour has passed a token on: first downwards, then upwards.
extern "C" __global__ void token_ring(volatile unsigned *flag, unsigned *out)
{
    unsigned lane = threadIdx.x;
    if (lane < 31)
        while (flag[lane + 1] == 0) {}
    unsigned down = lane < 31 ? flag[lane + 1] : 1;
    flag[lane] = down + lane;
    __threadfence();
    if (lane > 0)
        while (flag[32 + lane - 1] == 0) {}
    unsigned up = lane > 0 ? flag[32 + lane - 1] : 1;
    flag[32 + lane] = up * 3 + lane;
    out[lane] = down ^ up;
}

// Producer and consumer lanes with a one-element mailbox in shared memory.
extern "C" __global__ void mailbox(const unsigned *in, unsigned *out, unsigned count)
{
    __shared__ volatile unsigned box[16], full[16];
    unsigned lane = threadIdx.x % 32, pair = lane / 2;
    if (lane < 16) full[lane] = 0;
    __syncwarp();
    if (lane % 2) {
        for (unsigned k = 0; k < count; k++) {
            while (full[pair]) {}
            box[pair] = in[pair * count + k];
            __threadfence_block();
            full[pair] = 1;
        }
    } else {
        unsigned hash = pair;
        for (unsigned k = 0; k < count; k++) {
            while (!full[pair]) {}
            hash = hash * 33 + box[pair];
            __threadfence_block();
            full[pair] = 0;
        }
        out[pair] = hash;
    }
}
