// All-pairs softened gravity, one thread a body: every thread reads all bodies from global memory.
// Body: x y z vx vy vz.

constexpr float kSoftening = 1e-9f;
// So many pulls are summed on their own: one sum of 65536 float32 values would be off by 2e-5.
constexpr int kChunk = 1024;

// Velocities of one step. Positions stay as they are until `move`: other blocks may still read them.
extern "C" __global__ void body_force(float* bodies, float dt, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  float* body = bodies + 6 * i;
  const float x = body[0];
  const float y = body[1];
  const float z = body[2];
  float sum_x = 0.0f;
  float sum_y = 0.0f;
  float sum_z = 0.0f;
  for (int start = 0; start < n; start += kChunk) {
    float chunk_x = 0.0f;
    float chunk_y = 0.0f;
    float chunk_z = 0.0f;
    for (int j = start; j < min(start + kChunk, n); ++j) {
      const float dx = bodies[6 * j] - x;
      const float dy = bodies[6 * j + 1] - y;
      const float dz = bodies[6 * j + 2] - z;
      const float root = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float weight = root * root * root;
      chunk_x += dx * weight;
      chunk_y += dy * weight;
      chunk_z += dz * weight;
    }
    sum_x += chunk_x;
    sum_y += chunk_y;
    sum_z += chunk_z;
  }
  body[3] += dt * sum_x;
  body[4] += dt * sum_y;
  body[5] += dt * sum_z;
}

extern "C" __global__ void move(float* bodies, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float* body = bodies + 6 * i;
  body[0] += dt * body[3];
  body[1] += dt * body[4];
  body[2] += dt * body[5];
}
