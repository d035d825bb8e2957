// Each of ITEMS elements a thread, of any type.
namespace tools {
template <typename T, int ITEMS>
__global__ void __launch_bounds__(256) scale(T* data, T factor, int count) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (first + k < count) data[first + k] *= factor;
}
}  // namespace tools

void launch(double* d_data, int count) {
  tools::scale<double, 4><<<(count + 1023) / 1024, 256>>>(d_data, 0.5, count);
}
