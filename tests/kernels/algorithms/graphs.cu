// nvcc: sm_75 sm_90 sm_100
//
// Graphs, grids and strings.

// A breadth-first search: a warp for each vertex of the frontier.
extern "C" __global__ void breadth_first(const int *row, const int *column, int *distance,
                                         int vertices, int source)
{
    __shared__ int frontier[128], next[128], frontier_size, next_size;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int v = threadIdx.x; v < vertices; v += blockDim.x) distance[v] = v == source ? 0 : -1;
    if (threadIdx.x == 0) {
        frontier[0] = source;
        frontier_size = 1;
        next_size = 0;
    }
    __syncthreads();
    for (int level = 1; frontier_size > 0; level++) {
        for (int f = warp; f < frontier_size; f += warps) {
            int v = frontier[f];
            for (int e = row[v] + lane; e < row[v + 1]; e += 32) {
                int to = column[e];
                if (atomicCAS(&distance[to], -1, level) == -1) next[atomicAdd(&next_size, 1)] = to;
            }
        }
        __syncthreads();
        for (int k = threadIdx.x; k < next_size; k += blockDim.x) frontier[k] = next[k];
        __syncthreads();
        if (threadIdx.x == 0) {
            frontier_size = next_size;
            next_size = 0;
        }
        __syncthreads();
    }
}

// Connected components: labels sink to the smallest vertex number.
extern "C" __global__ void components(const int2 *edge, int edges, int *label, int vertices)
{
    for (int v = threadIdx.x; v < vertices; v += blockDim.x) label[v] = v;
    __syncthreads();
    bool changed;
    do {
        changed = false;
        for (int e = threadIdx.x; e < edges; e += blockDim.x) {
            int a = ((volatile int *)label)[edge[e].x], b = ((volatile int *)label)[edge[e].y];
            if (a != b) {
                atomicMin(&label[edge[e].x], b);
                atomicMin(&label[edge[e].y], a);
                changed = true;
            }
        }
    } while (__syncthreads_or(changed));
}

// All shortest paths of a small graph in shared memory.
extern "C" __global__ void floyd_warshall(int *distance, int n)
{
    extern __shared__ int d[];
    int i = threadIdx.y, j = threadIdx.x;
    d[i * n + j] = distance[i * n + j];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        int through = d[i * n + k] + d[k * n + j];
        __syncthreads();
        if (through < d[i * n + j]) d[i * n + j] = through;
        __syncthreads();
    }
    distance[i * n + j] = d[i * n + j];
}

// A sparse matrix times a vector, a row per warp.
extern "C" __global__ void sparse_matvec(const int *row, const int *column, const int *value,
                                         const int *x, int *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    int sum = 0;
    for (int e = row[r] + lane; e < row[r + 1]; e += 32) sum += value[e] * x[column[e]];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) y[r] = sum;
}

// A generation of the game of life on a torus, with a tile and its rim in shared memory.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height)
{
    __shared__ unsigned char tile[10][18];
    int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 180; k += 128) {
        int x = (x0 + k % 18 - 1 + width) % width, y = (y0 + k / 18 - 1 + height) % height;
        tile[k / 18][k % 18] = in[y * width + x];
    }
    __syncthreads();
    int neighbours = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            if (dx != 1 || dy != 1) neighbours += tile[threadIdx.y + dy][threadIdx.x + dx];
    bool alive = tile[threadIdx.y + 1][threadIdx.x + 1];
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = neighbours == 3 || (alive && neighbours == 2);
}

// Edit distance of two strings: the lanes of a warp walk the anti-diagonals and pass their values on
// with shuffles.
extern "C" __global__ void edit_distance(const char *a, const char *b, int *out, int length)
{
    int lane = threadIdx.x;
    const char *left = a + blockIdx.x * 32, *top = b + blockIdx.x * length;
    int own = left[lane];
    int value = lane + 1, diagonal = lane, above = 0;
    for (int step = 0; step < length + 31; step++) {
        int column = step - lane;
        above = __shfl_up_sync(0xffffffff, value, 1);
        if (lane == 0) above = column + 1;
        if (column >= 0 && column < length) {
            int replaced = diagonal + (own != top[column]);
            value = min(min(value, above) + 1, replaced);
            diagonal = above;
        }
    }
    if (lane == 31) out[blockIdx.x] = value;
}

// A hash table with open addressing that all threads fill at once; then each looks up how often its
// key was there. Only the places in the table depend on who came first.
extern "C" __global__ void hash_table(const unsigned *key, unsigned *slots, int *count,
                                      int *found, int n, unsigned mask)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned place = key[i] * 2654435761u & mask;
        for (;;) {
            unsigned there = atomicCAS(&slots[place], 0, key[i]);
            if (there == 0 || there == key[i]) break;
            place = (place + 1) & mask;
        }
        atomicAdd(&count[place], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned place = key[i] * 2654435761u & mask;
        while (slots[place] != key[i]) place = (place + 1) & mask;
        found[i] = count[place];
    }
}

// Base 64, three bytes to four letters a thread.
extern "C" __global__ void base64(const unsigned char *in, char *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (3 * t >= n) return;
    unsigned word = 0;
    for (int k = 0; k < 3; k++) word = word << 8 | (3 * t + k < n ? in[3 * t + k] : 0);
    for (int k = 0; k < 4; k++) {
        unsigned digit = word >> (18 - 6 * k) & 63;
        char letter;
        if (digit < 26)
            letter = 'A' + digit;
        else if (digit < 52)
            letter = 'a' + digit - 26;
        else if (digit < 62)
            letter = '0' + digit - 52;
        else
            letter = digit == 62 ? '+' : '/';
        if (3 * t + k > n) letter = '=';
        out[4 * t + k] = letter;
    }
}

// A product of integer matrices with tiles in shared memory.
extern "C" __global__ void matrix_product(const int *a, const int *b, int *c, int n)
{
    __shared__ int as[8][8], bs[8][9];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
    int sum = 0;
    for (int base = 0; base < n; base += 8) {
        as[y][x] = row < n && base + x < n ? a[row * n + base + x] : 0;
        bs[y][x] = base + y < n && column < n ? b[(base + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
