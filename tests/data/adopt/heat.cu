// One step of heat conduction on a grid of nx * ny * nz points, whose faces stay as they are.
__global__ void heat_step(const double* before, double* after, double rate, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x <= 0 || y <= 0 || z <= 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int at = (z * ny + y) * nx + x;
  after[at] = before[at] + rate * (before[at - 1] + before[at + 1] + before[at - nx] + before[at + nx] +
                                   before[at - nx * ny] + before[at + nx * ny] - 6 * before[at]);
}
