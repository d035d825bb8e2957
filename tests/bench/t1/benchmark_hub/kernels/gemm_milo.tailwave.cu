// The parts of the OpenCL kernel as one source in CUDA, by the header that is beside them.
#include "gemm_milo/cl_to_cuda.h"
#include "gemm_milo/common.opencl"
#include "gemm_milo/xgemm_part1.opencl"
#include "gemm_milo/xgemm_part2.opencl"
#include "gemm_milo/xgemm_part3.opencl"
#include "gemm_milo/xgemm_part4.opencl"
