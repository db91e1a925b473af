// The peers of examples/gemm.tile and bench/softmax.tile for oclgrind: one work item per element, tiles of 16 in local
// memory; one work group of 64 per row.
__kernel void gemm(__global const float *A, __global const float *B, __global float *C, int n) {
  __local float a[16][16], b[16][16];
  const int column = get_local_id(0), row = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    a[row][column] = A[y * n + k + column];
    b[row][column] = B[(k + row) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; ++i) sum += a[row][i] * b[i][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[y * n + x] = sum;
}

__kernel void softmax(__global const float *X, __global float *Y, int n) {
  __local float part[64];
  const int lane = get_local_id(0), row = get_group_id(0);
  float top = -INFINITY;
  for (int i = lane; i < n; i += 64) top = fmax(top, X[row * n + i]);
  part[lane] = top;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 32; d > 0; d /= 2) {
    if (lane < d) part[lane] = fmax(part[lane], part[lane + d]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  top = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int i = lane; i < n; i += 64) sum += exp(X[row * n + i] - top);
  part[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 32; d > 0; d /= 2) {
    if (lane < d) part[lane] += part[lane + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sum = part[0];
  for (int i = lane; i < n; i += 64) Y[row * n + i] = exp(X[row * n + i] - top) / sum;
}
