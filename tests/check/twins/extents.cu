// nvcc: sm_75 sm_90 -- -lineinfo
// Ends of local arrays and of parameters, rows of matrices, and who comes to a barrier.
__device__ __noinline__ void insert(float *best, float value, int last) {
    int i = last;
    while (i > 0 && best[i - 1] < value) { best[i] = best[i - 1]; --i; }
    best[i] = value;
}

extern "C" __global__ void wrong_local(const float *in, float *out) {
    float best[4] = {0, 0, 0, 0};
    for (int i = 0; i < 8; ++i) insert(best, in[32 * i + threadIdx.x], 4);
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = best[i];
}

extern "C" __global__ void right_local(const float *in, float *out) {
    float best[4] = {0, 0, 0, 0};
    for (int i = 0; i < 8; ++i) insert(best, in[32 * i + threadIdx.x], 3);
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = best[i];
}

struct Taps { float c[8]; };

extern "C" __global__ void wrong_field(Taps taps, const float *in, float *out, int n) {
    float sum = 0;
    for (int i = 0; i <= n; ++i) sum += taps.c[i] * in[(threadIdx.x + i) % 32];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void right_field(Taps taps, const float *in, float *out, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += taps.c[i] * in[(threadIdx.x + i) % 32];
    out[threadIdx.x] = sum;
}

template <int PITCH> __device__ void tile(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned rows[8 * PITCH];
    for (int i = threadIdx.x; i < 8 * PITCH; i += 32) rows[i] = in[i % 32];
    __syncwarp();
    unsigned found, at = __cvta_generic_to_shared(rows + threadIdx.x % 8 * PITCH);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(found) : "r"(at) : "memory");
    out[threadIdx.x] = found;
}

extern "C" __global__ void wrong_rows(const unsigned *in, unsigned *out) { tile<6>(in, out); }

extern "C" __global__ void right_rows(const unsigned *in, unsigned *out) { tile<8>(in, out); }

extern "C" __global__ void wrong_mixed(const int *in, int *out) {
    int found = 0, set = in[threadIdx.x] & 1;
    if (threadIdx.x < 32) found = __syncthreads_count(set);
    else __syncthreads();
    out[threadIdx.x] = found;
}

extern "C" __global__ void right_mixed(const int *in, int *out) {
    int found = __syncthreads_count(in[threadIdx.x] & 1);
    out[threadIdx.x] = threadIdx.x < 32 ? found : 0;
}

extern "C" __global__ void wrong_expected(const int *in, int *out) {
    __shared__ int held[96];
    held[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 64) asm volatile("bar.sync 1, 96;" ::: "memory");
    else asm volatile("bar.sync 1, 64;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = held[95 - threadIdx.x];
}

extern "C" __global__ void right_expected(const int *in, int *out) {
    __shared__ int held[96];
    held[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = held[95 - threadIdx.x];
}
