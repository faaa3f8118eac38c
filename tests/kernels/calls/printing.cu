// Text and assertions from the device.
// nvcc: sm_75 sm_90 sm_100 -- -lineinfo
#include <cassert>
#include <cstdio>

__device__ const char *words[2] = {"even", "odd"};

extern "C" __global__ void lines(const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int taken = printf("thread %2d: %-4s %.3f %#llx %c|%-5u|%5.2e\n", i, words[i & 1], i * 0.5, (long long)i << 40,
                       'a' + i, in[i], 1.0 / (i + 1));
    if (i == 0) printf("%d values, 100%%\n", taken);
}

extern "C" __global__ void bounded(const int *in) {
    int i = threadIdx.x;
    if (i == 3) printf("before\n");
    assert(in[i] < 40);
}
