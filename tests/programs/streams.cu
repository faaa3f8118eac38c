// Streams that wait for each other's events, asynchronous copies from pinned memory, a callback, times.
#include "check.h"

__global__ void scale(float *data, int n, float by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] *= by;
}

static void CUDART_CB count(void *data)
{
    ++*static_cast<int *>(data);
}

int main()
{
    const int n = 1 << 16, parts = 4;
    float *host, *device;
    CHECK(cudaMallocHost(&host, n * sizeof(float)));
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaStream_t streams[parts];
    cudaEvent_t events[parts], begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    int called = 0;
    for (int part = 0; part < parts; part++) {
        CHECK(cudaStreamCreateWithFlags(&streams[part], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&events[part], cudaEventDisableTiming));
    }
    CHECK(cudaEventRecord(begin, streams[0]));
    for (int part = 0; part < parts; part++) {
        float *from = host + part * (n / parts), *to = device + part * (n / parts);
        CHECK(cudaMemcpyAsync(to, from, n / parts * sizeof(float), cudaMemcpyHostToDevice, streams[part]));
        scale<<<8, 128, 0, streams[part]>>>(to, n / parts, 2);
        // Each stream triples the next one's part, once that has doubled it.
        CHECK(cudaEventRecord(events[part], streams[part]));
    }
    for (int part = 0; part < parts; part++) {
        int next = (part + 1) % parts;
        CHECK(cudaStreamWaitEvent(streams[part], events[next], 0));
        scale<<<8, 128, 0, streams[part]>>>(device + next * (n / parts), n / parts, 3);
        CHECK(cudaLaunchHostFunc(streams[part], count, &called));
        // Callbacks write to one variable: they may not run at once.
        CHECK(cudaStreamSynchronize(streams[part]));
    }
    CHECK(cudaEventRecord(end, streams[0]));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventQuery(begin));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    EXPECT(milliseconds >= 0);
    CHECK(cudaDeviceSynchronize());
    EXPECT(called == parts);
    CHECK(cudaMemcpy(host, device, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == i * 6.0f);
    for (int part = 0; part < parts; part++) {
        CHECK(cudaStreamDestroy(streams[part]));
        CHECK(cudaEventDestroy(events[part]));
    }
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return passed();
}
