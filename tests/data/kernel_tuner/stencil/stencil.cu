__global__ void stencil(float* x_new, const float* x_old, int width, int height) {
  const int x = blockIdx.x * block_size_x + threadIdx.x, y = blockIdx.y * block_size_y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  x_new[i] = 0.2f * (x_old[i] + x_old[i - 1] + x_old[i + 1] + x_old[i - width] + x_old[i + width]);
}
