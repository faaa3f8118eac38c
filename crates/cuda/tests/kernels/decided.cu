// Kernels that launch kernels, and that set conditions of graphs. Compiled by nvcc 13.5:
//   nvcc -arch=compute_75 -rdc=true -ptx decided.cu -o decided.ptx
extern "C" {
__global__ void append(int *list, int value) { list[++list[0]] = value; }

// What is behind everything comes last. Nobody launches a block of 2048 threads.
__global__ void parent(int *list, int below)
{
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 100 + below);
    append<<<1, 1>>>(list, below);
    if (below > 0) parent<<<1, 1>>>(list, below - 1);
    append<<<1, 2048>>>(list, 5);
    list[60 + below] = cudaGetLastError();
}

__global__ void deeper(int *list)
{
    list[0] += 1;
    deeper<<<1, 1>>>(list);
    list[1] = cudaGetLastError();
}

__global__ void trap(void) { __trap(); }

__global__ void launch_trap(int *list)
{
    trap<<<1, 1>>>();
    append<<<1, 1>>>(list, 1);
}

__global__ void count_down(int *left, int *turns, cudaGraphConditionalHandle handle)
{
    *turns += 1;
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, const int *value) { cudaGraphSetConditional(handle, *value); }

__device__ void copy(char *to, const char *text)
{
    while ((*to++ = *text++)) {}
}

__global__ void say(char *name, char *text, int error)
{
    copy(name, cudaGetErrorName((cudaError_t)error));
    copy(text, cudaGetErrorString((cudaError_t)error));
}
}
