// The study's program for several GPUs with CUB's block reduction (its section 5.5): the kernels as it prints them, but for
// the block size. N is the number of a PE's points.

#include <nvshmem.h>
#include <nvshmemx.h>

#include <cub/block/block_reduce.cuh>

#include "nvshmem.cuh"

__global__ void jacobi (const float* f_old, float* f, float* l2_norm, int N)
{
    int idx = threadIdx.x + blockIdx.x * blockDim.x;

    int my_pe = nvshmem_my_pe();
    int n_pes = nvshmem_n_pes();

    // The first point of the first PE and the last one of the last keep their values.
    bool on_boundary = false;

    if (my_pe == 0 && idx == 0) {
        on_boundary = true;
    }
    else if (my_pe == n_pes - 1 && idx == N - 1) {
        on_boundary = true;
    }

    typedef cub::BlockReduce<float, BLOCK_SIZE> BlockReduce;

    __shared__ typename BlockReduce::TempStorage temp_storage;

    float l2 = 0.0f;

    if (idx < N && !on_boundary) {
        // Neighbours are another PE's at the ends of a part.
        float f_left;
        float f_right;

        if (idx == 0) {
            f_left = nvshmem_float_g(&f_old[N - 1], my_pe - 1);
        }
        else {
            f_left = f_old[idx - 1];
        }

        if (idx == N - 1) {
            f_right = nvshmem_float_g(&f_old[0], my_pe + 1);
        }
        else {
            f_right = f_old[idx + 1];
        }

        f[idx] = 0.5f * (f_right + f_left);

        l2 = (f[idx] - f_old[idx]) * (f[idx] - f_old[idx]);
    }

    float block_l2 = BlockReduce(temp_storage).Sum(l2);

    if (threadIdx.x == 0) {
        atomicAdd(l2_norm, block_l2);
    }
}

#include "nvshmem_initialize.cuh"
