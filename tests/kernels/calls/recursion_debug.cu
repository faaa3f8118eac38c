// The same for debuggers: no function is inlined, and everything has its place in memory.
// nvcc: sm_90 -- -G
#include "recursion.cu"
