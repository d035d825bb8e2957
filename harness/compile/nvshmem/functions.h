// What kernels may use of NVSHMEM. Its own headers take NVRTC seconds, so they are compiled once, with a function for each
// of these (wrapper.cu), and kernels are linked with those: their <nvshmem.h> (header.h) is made of this list.

TAILWAVE_NVSHMEM(int, nvshmem_my_pe, (), ())
TAILWAVE_NVSHMEM(int, nvshmem_n_pes, (), ())
TAILWAVE_NVSHMEM(void*, nvshmem_ptr, (const void* memory, int pe), (memory, pe))

TAILWAVE_NVSHMEM(int, nvshmem_int_g, (const int* source, int pe), (source, pe))
TAILWAVE_NVSHMEM(float, nvshmem_float_g, (const float* source, int pe), (source, pe))
TAILWAVE_NVSHMEM(double, nvshmem_double_g, (const double* source, int pe), (source, pe))
TAILWAVE_NVSHMEM(void, nvshmem_int_p, (int* to, int value, int pe), (to, value, pe))
TAILWAVE_NVSHMEM(void, nvshmem_float_p, (float* to, float value, int pe), (to, value, pe))
TAILWAVE_NVSHMEM(void, nvshmem_double_p, (double* to, double value, int pe), (to, value, pe))

TAILWAVE_NVSHMEM(void, nvshmem_putmem, (void* to, const void* source, size_t bytes, int pe),
                 (to, source, bytes, pe))
TAILWAVE_NVSHMEM(void, nvshmem_getmem, (void* to, const void* source, size_t bytes, int pe),
                 (to, source, bytes, pe))
TAILWAVE_NVSHMEM(void, nvshmemx_putmem_block, (void* to, const void* source, size_t bytes, int pe),
                 (to, source, bytes, pe))
TAILWAVE_NVSHMEM(void, nvshmemx_getmem_block, (void* to, const void* source, size_t bytes, int pe),
                 (to, source, bytes, pe))

TAILWAVE_NVSHMEM(void, nvshmem_fence, (), ())
TAILWAVE_NVSHMEM(void, nvshmem_quiet, (), ())
TAILWAVE_NVSHMEM(void, nvshmem_barrier_all, (), ())
