// The study's first kernel: one thread a body, which reads all bodies from global memory and adds up in one sum.

#include "body.cuh"

extern "C" __global__ void body_force(Body* bodies, float dt, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) {
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < n; ++j) add_pull(bodies[i], bodies[j], sum);
    bodies[i].vx += dt * sum.x;
    bodies[i].vy += dt * sum.y;
    bodies[i].vz += dt * sum.z;
  }
}
