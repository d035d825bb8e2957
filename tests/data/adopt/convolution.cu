#include <iostream>
#include <cuda_runtime.h>

#define MASK_WIDTH 5
#define MASK_RADIUS (MASK_WIDTH / 2)
#define BLOCK_DIM 16

__constant__ float d_mask[MASK_WIDTH * MASK_WIDTH];

__global__ void convolution2D(const float* in, float* out, int width, int height) {
    int col = blockIdx.x * BLOCK_DIM + threadIdx.x;
    int row = blockIdx.y * BLOCK_DIM + threadIdx.y;
    if (row >= height || col >= width) return;
    float acc = 0.0f;
    for (int i = 0; i < MASK_WIDTH; i++) {
        for (int j = 0; j < MASK_WIDTH; j++) {
            int r = row - MASK_RADIUS + i;
            int c = col - MASK_RADIUS + j;
            if (r >= 0 && r < height && c >= 0 && c < width) {
                acc += in[r * width + c] * d_mask[i * MASK_WIDTH + j];
            }
        }
    }
    out[row * width + col] = acc;
}

int main() {
    int width = 1920, height = 1080;
    size_t bytes = width * height * sizeof(float);
    float h_mask[MASK_WIDTH * MASK_WIDTH];
    for (int i = 0; i < MASK_WIDTH * MASK_WIDTH; i++) h_mask[i] = 1.0f / (MASK_WIDTH * MASK_WIDTH);
    float *d_in, *d_out;
    cudaMalloc((void**)&d_in, bytes);
    cudaMalloc((void**)&d_out, bytes);
    cudaMemcpyToSymbol(d_mask, h_mask, sizeof(h_mask));
    dim3 threads(BLOCK_DIM, BLOCK_DIM);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    convolution2D<<<blocks, threads>>>(d_in, d_out, width, height);
    cudaDeviceSynchronize();
    std::cout << cudaGetErrorString(cudaGetLastError()) << std::endl;
}
