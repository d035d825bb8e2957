// Takes each column's mean off it: threads of one x share a column.
__global__ void of_columns(float* image, int height, int width) {
  __shared__ float sums[columns_y][columns_x];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * columns_x + tx;
  float sum = 0;
  for (int y = ty; y < height && x < width; y += columns_y) sum += image[y * width + x];
  sums[ty][tx] = sum;
  __syncthreads();
  for (int left = columns_y / 2; left > 0; left /= 2) {
    if (ty < left) sums[ty][tx] += sums[ty + left][tx];
    __syncthreads();
  }
  const float mean = sums[0][tx] / height;
  for (int y = ty; y < height && x < width; y += columns_y) image[y * width + x] -= mean;
}

// The same for rows: threads of one y share a row.
__global__ void of_rows(float* image, int height, int width) {
  __shared__ float sums[rows_y][rows_x];
  const int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * rows_y + ty;
  float sum = 0;
  for (int x = tx; x < width && y < height; x += rows_x) sum += image[y * width + x];
  sums[ty][tx] = sum;
  __syncthreads();
  for (int left = rows_x; left > 1;) {
    const int half = (left + 1) / 2;
    if (tx < left / 2) sums[ty][tx] += sums[ty][tx + half];
    __syncthreads();
    left = half;
  }
  const float mean = sums[ty][0] / width;
  for (int x = tx; x < width && y < height; x += rows_x) image[y * width + x] -= mean;
}
