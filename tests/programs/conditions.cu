// nvcc: -rdc=true -lcudadevrt
// Conditional nodes of graphs, whose conditions kernels set.
#include "check.h"

__global__ void countDown(int *left, int *turns, cudaGraphConditionalHandle handle)
{
    *turns += 1;
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, int *value)
{
    cudaGraphSetConditional(handle, *value);
}

__global__ void add(int *to, int value) { *to += value; }

static cudaGraphNode_t conditional(cudaGraph_t graph, cudaGraphNode_t *after, cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, int size, cudaGraph_t *bodies)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &params));
#else
    CHECK(cudaGraphAddNode(&node, graph, after, after ? 1 : 0, &params));
#endif
    for (int i = 0; i < size; i++) bodies[i] = params.conditional.phGraph_out[i];
    return node;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t *after, void *function, void **arguments)
{
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &params));
    return node;
}

int main()
{
    int *data;
    CHECK(cudaMallocManaged(&data, 16 * sizeof(int)));
    for (int i = 0; i < 16; i++) data[i] = 0;
    int *left = data, *turns = data + 1, *value = data + 2, *taken = data + 3;

    // A loop, which every launch begins anew: the condition is 1 at first.
    cudaGraph_t graph, body;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &body);
    void *counting[] = {&left, &turns, &handle};
    kernel(body, nullptr, (void *)countDown, counting);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int count : {5, 3, 1}) {
        *left = count;
        *turns = 0;
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        EXPECT(*left == 0 && *turns == count);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    // If and else, chosen by a kernel before it, with a loop inside; the rest of the graph comes behind.
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle inner;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    CHECK(cudaGraphConditionalHandleCreate(&inner, graph, 1, cudaGraphCondAssignDefault));
    void *choosing[] = {&handle, &value};
    cudaGraphNode_t first = kernel(graph, nullptr, (void *)choose, choosing);
    cudaGraph_t bodies[3];
    int size = CUDART_VERSION >= 12080 ? 2 : 1;
    cudaGraphNode_t branch = conditional(graph, &first, handle, cudaGraphCondTypeIf, size, bodies);
    conditional(bodies[0], nullptr, inner, cudaGraphCondTypeWhile, 1, &body);
    void *below[] = {&left, &turns, &inner};
    kernel(body, nullptr, (void *)countDown, below);
    int hundred = 100, thousand = 1000;
    void *otherwise[] = {&turns, &hundred}, *behind[] = {&taken, &thousand};
    if (size == 2) kernel(bodies[1], nullptr, (void *)add, otherwise);
    kernel(graph, &branch, (void *)add, behind);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int condition : {1, 0}) {
        *value = condition;
        *left = 4;
        *turns = *taken = 0;
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        EXPECT(*turns == (condition ? 4 : size == 2 ? 100 : 0) && *taken == 1000);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

#if CUDART_VERSION >= 12080
    // One of three, by number; none if there is none of the number.
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    first = kernel(graph, nullptr, (void *)choose, choosing);
    conditional(graph, &first, handle, cudaGraphCondTypeSwitch, 3, bodies);
    int values[] = {1, 20, 300};
    for (int i = 0; i < 3; i++) {
        void *adding[] = {&taken, &values[i]};
        kernel(bodies[i], nullptr, (void *)add, adding);
    }
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int which : {0, 1, 2, 3}) {
        *value = which;
        *taken = 0;
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        EXPECT(*taken == (which < 3 ? values[which] : 0));
    }
#endif
    return passed();
}
