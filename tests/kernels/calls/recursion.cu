// Functions that call themselves and each other, and memory from the stack.
// nvcc: sm_75 sm_90 sm_100
#define NO __device__ __noinline__
extern "C" NO int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void fibs(int *out, const int *in) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = fib(in[i]);
}
NO unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void ackermanns(unsigned *out, const unsigned *m, const unsigned *n) {
  int i = threadIdx.x;
  out[i] = ackermann(m[i], n[i]);
}
// Mutual recursion over three functions, of which one takes a structure and gives one back.
struct Pair { long long a; short b; double c; };
NO Pair third(Pair p, int n);
NO int first(int n, float x);
NO double second(int n, double y) { return n <= 0 ? y : y * 0.5 + first(n - 1, (float)(y + n)); }
NO int first(int n, float x) {
  if (n <= 0) return (int)(x * 4.0f);
  Pair p = { n, (short)(n * 7), x };
  p = third(p, n - 1);
  return (int)(p.a % 1000) + p.b + (int)p.c;
}
NO Pair third(Pair p, int n) {
  p.c = second(n - (int)(p.a & 1), p.c) - 1.0;
  p.a = p.a * 3 + n;
  p.b ^= (short)n;
  return p;
}
extern "C" __global__ void mutual(int *out, const int *in) { out[threadIdx.x] = first(in[threadIdx.x], in[threadIdx.x] * 0.25f); }
// Quicksort of an array in local memory.
NO void quicksort(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) { int t = a[i]; a[i] = a[j]; a[j] = t; ++i; --j; }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
}
extern "C" __global__ void sorts(int *out, const int *in) {
  int a[40], first = 40 * threadIdx.x;
  for (int i = 0; i < 40; ++i) a[i] = in[first + i];
  quicksort(a, 0, 39);
  for (int i = 0; i < 40; ++i) out[first + i] = a[i];
}
// Every activation has an array of its own, of which the callee gets the address.
NO int sums(const int *above, int count, int n) {
  int mine[6];
  for (int i = 0; i < 6; ++i) mine[i] = (i < count ? above[i] : i) + n;
  if (n == 0) { int s = 0; for (int i = 0; i < 6; ++i) s += mine[i]; return s; }
  int below = sums(mine, n % 7, n - 1) - sums(mine + 1, n % 5, n / 2);
  for (int i = 0; i < 6; ++i) below += mine[i] * (i + 1);
  return below;
}
extern "C" __global__ void arrays(int *out, const int *in) { out[threadIdx.x] = sums(0, 0, in[threadIdx.x]); }
// A table of functions, of which one calls through the table again.
typedef long long (*Step)(int n, long long x);
__device__ long long up(int n, long long x);
__device__ long long down(int n, long long x);
__device__ long long stop(int n, long long x);
__device__ Step table[3] = { up, down, stop };
NO long long up(int n, long long x) { return n <= 0 ? x : table[(n + x) % 3](n - 1, x + 3) + 1; }
NO long long down(int n, long long x) { return n <= 0 ? -x : table[n % 2](n - 2, x * 2) - x; }
NO long long stop(int n, long long x) { return x ^ n; }
extern "C" __global__ void tables(long long *out, const int *in) {
  int i = threadIdx.x;
  out[i] = table[i % 3](in[i], i);
}
// Virtual functions of a tree of expressions.
struct Node { __device__ virtual int value(int x) const = 0; };
struct Leaf : Node { int k; __device__ Leaf(int k) : k(k) {} __device__ int value(int x) const override { return k * x; } };
struct Sum : Node { const Node *l, *r; __device__ Sum(const Node *l, const Node *r) : l(l), r(r) {}
  __device__ int value(int x) const override { return l->value(x + 1) + r->value(x); } };
struct Less : Node { const Node *l, *r; __device__ Less(const Node *l, const Node *r) : l(l), r(r) {}
  __device__ int value(int x) const override { return x > 20 ? l->value(x) : l->value(x) - r->value(x * 2); } };
extern "C" __global__ void trees(int *out, const int *in) {
  int i = threadIdx.x;
  Leaf a(in[i]), b(i + 1);
  Sum s(&a, &b);
  Less t(&s, &a);
  Sum u(&t, &s);
  Less v(&u, &t);
  const Node *all[4] = { &s, &t, &u, &v };
  out[i] = all[i % 4]->value(i);
}
// Memory of a size that is known at run time only, in a function that calls itself.
NO int halves(int n) {
  int *a = (int *)__builtin_alloca(n * sizeof(int));
  for (int i = 0; i < n; ++i) a[i] = i * n;
  int below = n > 1 ? halves(n / 2) + halves(n - n / 2 - 1) : 0;
  int s = 0;
  for (int i = n - 1; i >= 0; i -= 2) s += a[i] * (a[(i * 7) % n] + 1);
  return s + below;
}
extern "C" __global__ void allocas(int *out, const int *in) {
  int i = threadIdx.x, s = 0;
  for (int k = 0; k < 20; ++k) s = s * 3 + halves(in[i] + k % 3);
  out[i] = s;
}
