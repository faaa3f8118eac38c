// A graph that is captured, and one that is made by hand.
#include "check.h"

__global__ void add(int *data, int what)
{
    data[threadIdx.x] += what;
}

int main()
{
    int *data, host[32];
    CHECK(cudaMalloc(&data, sizeof host));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(data, 0, sizeof host, stream));
    for (int i = 0; i < 5; i++)
        add<<<1, 32, 0, stream>>>(data, i);
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 6);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int value : host)
        EXPECT(value == 10);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    CHECK(cudaGraphCreate(&graph, 0));
    int what = 100;
    void *arguments[] = {&data, &what};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(32);
    kernel.kernelParams = arguments;
    cudaGraphNode_t first, second;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&second, graph, &first, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int value : host)
        EXPECT(value == 110);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    return passed();
}
