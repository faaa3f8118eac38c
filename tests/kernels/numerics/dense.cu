// nvcc: sm_75 sm_90 sm_100
//
// Linear algebra and signal processing in f32 and f64. The compiler fuses multiplications with
// additions, as it does by default.

// C = A B with 16 by 16 tiles in shared memory; the sizes need not be multiples of the tile.
extern "C" __global__ void tiled_product(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[16][16], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int base = 0; base < k; base += 16) {
        as[y][x] = row < m && base + x < k ? a[row * k + base + x] : 0.0f;
        bs[y][x] = base + y < k && column < n ? b[(base + y) * n + column] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; j++) sum = fmaf(as[y][j], bs[j][x], sum);
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// A register tile of 4 by 4 per thread, float4 loads.
extern "C" __global__ void register_tiles(const float4 *a, const float4 *b, float4 *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum[4][4] = {};
    for (int k = 0; k < n; k++) {
        float4 p = a[k * (n / 4) + y], q = b[k * (n / 4) + x]; // A is stored by columns
        float left[4] = {p.x, p.y, p.z, p.w}, right[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) sum[i][j] = fmaf(left[i], right[j], sum[i][j]);
    }
    for (int i = 0; i < 4; i++)
        c[(y * 4 + i) * (n / 4) + x] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

extern "C" __global__ void dot_f64(const double *a, const double *b, double *out, int n)
{
    __shared__ double cell[64];
    int t = threadIdx.x;
    double sum = 0;
    for (int i = t; i < n; i += 64) sum = fma(a[i], b[i], sum);
    cell[t] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) cell[t] += cell[t + half];
        __syncthreads();
    }
    if (t == 0) *out = cell[0];
}

// y = alpha x + y, and the same without fusing.
extern "C" __global__ void saxpy(float alpha, const float *x, float *y, float *unfused, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unfused[i] = __fadd_rn(__fmul_rn(alpha, x[i]), y[i]);
        y[i] = fmaf(alpha, x[i], y[i]);
    }
}

// A filter of 9 taps, with a halo in shared memory and the taps in constant memory.
__constant__ float taps[9] = {0.0625f, -0.125f, 0.3f, 0.7f, 1.1f, 0.7f, 0.3f, -0.125f, 0.0625f};

extern "C" __global__ void filter(const float *in, float *out, int n)
{
    __shared__ float tile[64 + 8];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    for (int k = t; k < 72; k += 64) {
        int from = blockIdx.x * 64 + k - 4;
        tile[k] = from >= 0 && from < n ? in[from] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) sum = fmaf(tile[t + k], taps[k], sum);
    if (i < n) out[i] = sum;
}

// Jacobi sweeps for the Poisson equation on a grid in shared memory.
extern "C" __global__ void jacobi(const float *right, float *u, int sweeps)
{
    __shared__ float grid[2][18][18];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 2 * 18 * 18; k += 256) (&grid[0][0][0])[k] = 0;
    __syncthreads();
    float f = right[(y - 1) * 16 + x - 1];
    int now = 0;
    for (int s = 0; s < sweeps; s++) {
        float around = (grid[now][y][x - 1] + grid[now][y][x + 1]) +
                       (grid[now][y - 1][x] + grid[now][y + 1][x]);
        grid[1 - now][y][x] = 0.25f * (around - f);
        now = 1 - now;
        __syncthreads();
    }
    u[(y - 1) * 16 + x - 1] = grid[now][y][x];
}

// A Fourier transform of 32 points in a warp: the butterflies are shuffles, the twiddles come from a
// table.
extern "C" __global__ void fourier_32(const float2 *in, const float2 *twiddle, float2 *out)
{
    int lane = threadIdx.x;
    float2 v = in[blockIdx.x * 32 + (__brev(lane) >> 27)];
    for (int span = 1; span < 32; span *= 2) {
        float2 other;
        other.x = __shfl_xor_sync(0xffffffff, v.x, span);
        other.y = __shfl_xor_sync(0xffffffff, v.y, span);
        bool upper = lane & span;
        float2 w = twiddle[(lane & (span - 1)) * (16 / span)];
        float2 even = upper ? other : v, odd = upper ? v : other;
        float re = __fsub_rn(__fmul_rn(odd.x, w.x), __fmul_rn(odd.y, w.y));
        float im = __fadd_rn(__fmul_rn(odd.x, w.y), __fmul_rn(odd.y, w.x));
        v.x = upper ? even.x - re : even.x + re;
        v.y = upper ? even.y - im : even.y + im;
    }
    out[blockIdx.x * 32 + lane] = v;
}
