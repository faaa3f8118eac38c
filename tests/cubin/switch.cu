// Jumps through tables, in a kernel and in a function, next to collective regions.
// cubin: sm_90 and sm_100 with -rdc=true
__device__ __noinline__ int mixed(int *p, int n)
{
    switch (p[n]) {
    case 0: return p[1] * 3;
    case 1: return __popc(p[2] ^ n);
    case 2: return p[n + 7];
    case 4: p[9] = n; return n * 5;
    case 5: return __shfl_xor_sync(p[40], p[10], 3);
    default: return n;
    }
}

extern "C" __global__ void steps(int *p, int n)
{
    int r = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        switch (p[i]) {
        case 0: p[9] = r += p[1] * 3; break;
        case 1: p[10] = r ^= p[2]; break;
        case 2: r = __shfl_down_sync(p[41], r, 5); break;
        case 4: r *= p[7]; break;
        case 5: p[12] = r * 5; break;
        case 6: r += mixed(p, i); break;
        default: r++;
        }
    }
    p[n] = __shfl_up_sync(p[42], r, 1);
}
