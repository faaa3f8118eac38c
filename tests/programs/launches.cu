// nvcc: -rdc=true -lcudadevrt
// Kernels that launch kernels: in order, nested, behind everything else, and impossible ones.
#include "check.h"

__device__ int error_of_impossible, error_afterwards;

__global__ void append(int *list, int *length, int value)
{
    list[(*length)++] = value;
}

__global__ void count(int *counters, int depth)
{
    atomicAdd(&counters[depth], 1);
    if (depth < 3 && threadIdx.x < 2) count<<<1, 2>>>(counters, depth + 1);
}

// A structure, and arguments that are not aligned to each other.
struct Pair {
    char one;
    double other;
};

__global__ void add(char small, Pair pair, double *sum) { *sum = small + pair.one + pair.other; }

__global__ void parent(int *list, int *length, double *sum, int *beside, int *copied, int *filled)
{
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, length, 3);
    append<<<1, 1>>>(list, length, 1);
    append<<<1, 1>>>(list, length, 2);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    // Beside those of the stream before.
    append<<<1, 1, 0, stream>>>(beside, beside + 2, 7);
    append<<<1, 1, 0, stream>>>(beside, beside + 2, 8);
    cudaMemcpyAsync(copied, beside, 2 * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(filled, 0x11, 2 * sizeof(int), stream);
    cudaStreamDestroy(stream);
    add<<<1, 1>>>(2, Pair{3, 0.5}, sum);
    append<<<1, 2048>>>(list, length, 5);
    error_of_impossible = cudaGetLastError();
    error_afterwards = cudaGetLastError();
}

// Whoever is the last one that may launch learns that its launch is one too many.
__global__ void deeper(int *depth, int *error)
{
    *depth += 1;
    deeper<<<1, 1>>>(depth, error);
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) *error = status;
}

int main()
{
    int *data;
    double *sum;
    CHECK(cudaMallocManaged(&data, 64 * sizeof(int)));
    CHECK(cudaMallocManaged(&sum, sizeof(double)));
    for (int i = 0; i < 64; i++) data[i] = 0;
    int *length = data + 8, *copied = data + 16, *filled = data + 24, *beside = data + 48, *counters = data + 32;
    parent<<<1, 1>>>(data, length, sum, beside, copied, filled);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    EXPECT(*length == 3);
    for (int i = 0; i < 3; i++) EXPECT(data[i] == i + 1);
    EXPECT(beside[2] == 2 && copied[0] == 7 && copied[1] == 8);
    EXPECT(filled[0] == 0x11111111 && filled[1] == 0x11111111 && filled[2] == 0);
    EXPECT(*sum == 5.5);
    int first, second;
    CHECK(cudaMemcpyFromSymbol(&first, error_of_impossible, sizeof first));
    CHECK(cudaMemcpyFromSymbol(&second, error_afterwards, sizeof second));
    EXPECT(first == cudaErrorInvalidConfiguration && second == cudaSuccess);

    count<<<1, 2>>>(counters, 0);
    CHECK(cudaDeviceSynchronize());
    for (int depth = 0; depth < 4; depth++) EXPECT(counters[depth] == 2 << depth);

    deeper<<<1, 1>>>(data + 40, data + 41);
    CHECK(cudaDeviceSynchronize());
    EXPECT(data[40] == 25 && data[41] == cudaErrorLaunchMaxDepthExceeded);
    return passed();
}
