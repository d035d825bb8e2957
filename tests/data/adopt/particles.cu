#include <cuda_runtime.h>
struct Particles {
    float *x, *y;
    const float *vx;
    const float *vy;
    int count;
};
__constant__ float dt;
__constant__ float4 walls[2];
__global__ void advance(Particles p, float damping)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= p.count) return;
    float nx = p.x[i] + dt * p.vx[i] * damping;
    float ny = p.y[i] + dt * p.vy[i] * damping;
    if (nx < walls[0].x) nx = walls[0].x;
    if (ny > walls[1].y) ny = walls[1].y;
    p.x[i] = nx;
    p.y[i] = ny;
}
int main()
{
    Particles p;
    p.count = 100000;
    float *vx, *vy;
    cudaMalloc(&p.x, p.count * sizeof(float));
    cudaMalloc(&p.y, p.count * sizeof(float));
    cudaMalloc(&vx, p.count * sizeof(float));
    cudaMalloc(&vy, p.count * sizeof(float));
    p.vx = vx; p.vy = vy;
    float h = 0.01f;
    cudaMemcpyToSymbol(dt, &h, sizeof(float));
    advance<<<(p.count + 127) / 128, 128>>>(p, 0.99f);
    cudaDeviceSynchronize();
}
