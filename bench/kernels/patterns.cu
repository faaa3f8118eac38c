// Kernels that people write, beside native loops in `bench engines`.

extern "C" __global__ void transpose(const float *in, float *out, int side) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * side + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[(y + i) * side + x] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" __global__ void stencil(const float *in, float *out, int side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= side - 1 || y >= side - 1) return;
    int at = y * side + x;
    out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - side] + in[at + side]);
}

extern "C" __global__ void softmax(const float *in, float *out, int width) {
    __shared__ float part[8];
    const float *row = in + blockIdx.x * width;
    float most = -3.0e38f, sum = 0;
    for (int i = threadIdx.x; i < width; i += 256) most = fmaxf(most, row[i]);
    for (int i = 16; i > 0; i /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, i));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    most = part[0];
    for (int i = 1; i < 8; i++) most = fmaxf(most, part[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += 256) sum += __expf(row[i] - most);
    for (int i = 16; i > 0; i /= 2) sum += __shfl_xor_sync(~0u, sum, i);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    for (int i = threadIdx.x; i < width; i += 256) out[blockIdx.x * width + i] = __expf(row[i] - most) / sum;
}

extern "C" __global__ void bitonic(unsigned *keys) {
    __shared__ unsigned part[512];
    unsigned *mine = keys + blockIdx.x * 512;
    part[threadIdx.x] = mine[threadIdx.x];
    part[threadIdx.x + 256] = mine[threadIdx.x + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (at & size) == 0;
            unsigned a = part[at], b = part[at + stride];
            if ((a > b) == up) {
                part[at] = b;
                part[at + stride] = a;
            }
        }
    __syncthreads();
    mine[threadIdx.x] = part[threadIdx.x];
    mine[threadIdx.x + 256] = part[threadIdx.x + 256];
}

extern "C" __global__ void nbody(const float4 *bodies, float4 *forces, int count) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < count; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = tile[j].w * r * r * r;
            x += dx * f;
            y += dy * f;
            z += dz * f;
        }
        __syncthreads();
    }
    forces[i] = make_float4(x, y, z, 0);
}

// A product of matrices as it is written first.
extern "C" __global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum = fmaf(a[row * n + k], b[k * n + column], sum);
        c[row * n + column] = sum;
    }
}

// The scalar products of rows with a vector: a row a warp, four elements a lane at once.
extern "C" __global__ void gemv(const float4 *rows, const float4 *vector, float *out, int width) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < width / 4; i += 32) {
        float4 a = rows[row * (width / 4) + i], b = vector[i];
        sum = fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
    }
    for (int i = 16; i > 0; i /= 2) sum += __shfl_xor_sync(~0u, sum, i);
    if (lane == 0) out[row] = sum;
}

// The sums of tiles of eight lanes, as cooperative groups make them.
extern "C" __global__ void tiles(const float *in, float *out) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    unsigned members = 255u << (lane & ~7u);
    float sum = in[at];
    for (int i = 4; i > 0; i /= 2) sum += __shfl_xor_sync(members, sum, i, 8);
    out[at] = sum;
}
