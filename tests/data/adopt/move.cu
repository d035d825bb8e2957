// Arguments in a struct.
struct Box {
  float width, height;
  int count;
};

struct Particle {
  float x, y, vx, vy, mass;
};

__global__ void move(Particle* particles, Box box, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= box.count) return;
  Particle p = particles[i];
  p.x = fmodf(p.x + dt * p.vx + box.width, box.width);
  p.y = fmodf(p.y + dt * p.vy + box.height, box.height);
  particles[i] = p;
}
