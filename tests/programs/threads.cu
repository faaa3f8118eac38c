// Threads of the host, each with a stream of its own by default, and exceptions through calls.
// nvcc: -default-stream per-thread
#include "check.h"
#include <stdexcept>
#include <thread>
#include <vector>

__global__ void fill(int *data, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = value;
}

static void work(int value)
{
    const int n = 1000;
    int *data, host[n];
    CHECK(cudaMalloc(&data, sizeof host));
    fill<<<1, 128>>>(data, n, value);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
    for (int got : host)
        EXPECT(got == value);
    CHECK(cudaFree(data));
    if (value % 2)
        throw std::runtime_error("odd");
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; i++)
        threads.emplace_back([i] {
            bool caught = false;
            try {
                work(i);
            } catch (const std::runtime_error &) {
                caught = true;
            }
            EXPECT(caught == (i % 2 == 1));
        });
    for (std::thread &thread : threads)
        thread.join();
    return passed();
}
