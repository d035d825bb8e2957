// The kernels whose times are known, or known to relate to each other. They run on the CPU device too.

__device__ unsigned long long now_ns() {
#ifdef TAILWAVE_CPU
  return __globaltimer();
#else
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
#endif
}

extern "C" __global__ void selftest_empty() {}

extern "C" __global__ void selftest_spin(long long nanoseconds) {
  const unsigned long long begin = now_ns();
  while (now_ns() - begin < static_cast<unsigned long long>(nanoseconds)) {
  }
}

// The smallest step between two readings of the timer: nothing that waits on it can be more exact.
extern "C" __global__ void selftest_timer_step(unsigned long long* step) {
  unsigned long long last = now_ns(), least = ~0ull;
  for (int i = 0; i < 100000; ++i) {
    const unsigned long long now = now_ns();
    if (now != last && now - last < least) least = now - last;
    last = now;
  }
  *step = least;
}

// Keeps the arithmetic units busy; `out` is written only to keep the compiler from leaving the loop out.
extern "C" __global__ void selftest_work(float* out, int iterations) {
  float a = threadIdx.x * 1e-3f, b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < iterations; ++i) {
    a = a * 0.999f + 0.1f;
    b = b * 0.998f + 0.2f;
    c = c * 0.997f + 0.3f;
    d = d * 0.996f + 0.4f;
  }
  if (a + b + c + d == 12345.0f) *out = a;
}

extern "C" __global__ void selftest_read(const float4* data, int count, float* out) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const float4 four = data[i];
    sum += four.x + four.y + four.z + four.w;
  }
  if (sum == 12345.0f) *out = sum;
}
