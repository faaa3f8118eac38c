// Memory that graphs allocate: by nodes and captured, freed by the graph, by another one, and by the program.
#include "check.h"

__global__ void put(int *data, int value)
{
    data[threadIdx.x] = value;
}

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int host[32];
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    // Captured, and freed by the program.
    int *data;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&data, sizeof host, stream));
    put<<<1, 32, 0, stream>>>(data, 5);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) {
        CHECK(cudaGraphLaunch(exec, stream));
        EXPECT(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue);
        CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
        if (i == 1)
            CHECK(cudaFree(data));
        else
            CHECK(cudaFreeAsync(data, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int value : host)
            EXPECT(value == 5);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    // By nodes; the memory lives longer than the graph.
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = {};
    params.bytesize = sizeof host;
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t alloc, kernel;
    CHECK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
    data = (int *)params.dptr;
    int value = 8;
    void *arguments[] = {&data, &value};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)put;
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(32);
    launch.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &alloc, 1, &launch));
#if CUDART_VERSION >= 13000
    value = 9;
    cudaGraphNodeParams others = {};
    others.type = cudaGraphNodeTypeKernel;
    others.kernel.func = (void *)put;
    others.kernel.gridDim = dim3(1);
    others.kernel.blockDim = dim3(32);
    others.kernel.kernelParams = arguments;
    CHECK(cudaGraphNodeSetParams(kernel, &others));
#endif
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int seen : host)
        EXPECT(seen == value);
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(cudaFree(data) == cudaErrorInvalidValue);
    return passed();
}
