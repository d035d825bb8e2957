// One step of diffusion on a grid of nx * ny * nz points, x fastest. A point becomes 0.4 of itself and 0.1 of each of
// its six neighbours; the outermost points keep their values. A thread walks along z over DEPTH points and holds the
// points below, at and above its own in registers, so that it reads each point of its column once.

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y * BLOCK_Z)
    diffuse(const float* __restrict__ field, float* __restrict__ next, int nx, int ny, int nz) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int first = (blockIdx.z * BLOCK_Z + threadIdx.z) * DEPTH;
  if (x >= nx || y >= ny || first >= nz) return;

  const int plane = nx * ny;
  const bool is_side = x == 0 || x == nx - 1 || y == 0 || y == ny - 1;
  int at = first * plane + y * nx + x;
  float below = first > 0 ? field[at - plane] : 0.0f;
  float centre = field[at];
#pragma unroll UNROLL
  for (int k = 0; k < DEPTH; ++k) {
    const int z = first + k;
    if (z < nz) {
      const float above = z + 1 < nz ? field[at + plane] : 0.0f;
      float value = centre;
      if (!is_side && z > 0 && z < nz - 1) {
        const float neighbours = field[at - 1] + field[at + 1] + field[at - nx] + field[at + nx] + below + above;
        value = 0.4f * centre + 0.1f * neighbours;
      }
      next[at] = value;
      below = centre;
      centre = above;
      at += plane;
    }
  }
}
