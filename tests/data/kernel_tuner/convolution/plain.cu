__global__ void convolve(float* output, const float* input, const float* weights, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int i = 0; i < filter_height; ++i)
    for (int j = 0; j < filter_width; ++j)
      sum += input[(y + i) * (width + 32) + x + j] * weights[i * filter_width + j];
  output[y * width + x] = sum;
}
