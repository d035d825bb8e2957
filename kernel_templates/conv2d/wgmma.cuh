// Products of four warps (wgmma), compute capability 9.0, of operands whose rows both run along the depth: A
// times the transpose of B. They have no path for the CPU device.
#pragma once

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "wgmma is of compute capability 9.0 alone (sm_90a)"
#endif

__device__ inline unsigned shared_address(const void* x) {
  return static_cast<unsigned>(__cvta_generic_to_shared(x));
}

// Where an operand lies. Rows are 128 bytes, swizzled by 128 bytes, so that eight of them are an atom of 1024
// bytes, which it begins with; the next atom is the next eight rows. Sixteen numbers further along the depth
// are 32 bytes further. See matrix descriptors of wgmma in the PTX manual; they count in 16 bytes.
__device__ inline unsigned long long descriptor(const void* start) {
  return static_cast<unsigned long long>((shared_address(start) & 0x3ffff) >> 4) | 1ull << 16 |
         static_cast<unsigned long long>(1024 >> 4) << 32 | 1ull << 62;
}

// What this thread has written to shared memory is seen by products that begin after a barrier.
__device__ inline void show_writes() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `Groups` of begun groups of products are not complete.
template <int Groups>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}

// The compiler may neither read the sums earlier nor write them later than here.
template <int Count>
__device__ inline void hold(float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// Of sums[i] and the 7 behind it, and of the 32 from there on.
#define CONV2D_SUMS_8(i)                                                                            \
  "+f"(sums[(i) + 0]), "+f"(sums[(i) + 1]), "+f"(sums[(i) + 2]), "+f"(sums[(i) + 3]), "+f"(sums[(i) + 4]), \
      "+f"(sums[(i) + 5]), "+f"(sums[(i) + 6]), "+f"(sums[(i) + 7])
#define CONV2D_SUMS_32(i) CONV2D_SUMS_8(i), CONV2D_SUMS_8((i) + 8), CONV2D_SUMS_8((i) + 16), CONV2D_SUMS_8((i) + 24)

// What the assembler calls them.
#define CONV2D_FIRST_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define CONV2D_SECOND_32 \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define CONV2D_NEXT_8 "%64, %65, %66, %67, %68, %69, %70, %71"
#define CONV2D_THIRD_32 \
  CONV2D_NEXT_8 ", %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define CONV2D_FOURTH_32 \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// sums = a b', or sums += a b' if `add`: 64 rows of A with 16 of the depth, against N = 2 * Count rows of B.
// Lane l of warp w holds for each eight columns those numbered l % 4 * 2 and the next, of row 16 * w + l / 4
// and then of the eighth row after it. a and b are descriptors.
#define CONV2D_MULTIPLY(columns, count, names, a_name, b_name, add_name, ...)                          \
  __device__ inline void multiply(float (&sums)[count], unsigned long long a, unsigned long long b, int add) { \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " add_name ", 0;\n"                              \
                 "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32.f16.f16 {" names "}, "            \
                 a_name ", " b_name ", add, 1, 1, 0, 0;\n}"                                             \
                 : __VA_ARGS__                                                                          \
                 : "l"(a), "l"(b), "r"(add)                                                              \
                 : "memory");                                                                           \
  }
CONV2D_MULTIPLY("64", 32, CONV2D_FIRST_32, "%32", "%33", "%34", CONV2D_SUMS_32(0))
CONV2D_MULTIPLY("128", 64, CONV2D_FIRST_32 ", " CONV2D_SECOND_32, "%64", "%65", "%66", CONV2D_SUMS_32(0),
                CONV2D_SUMS_32(32))
CONV2D_MULTIPLY("144", 72, CONV2D_FIRST_32 ", " CONV2D_SECOND_32 ", " CONV2D_NEXT_8, "%72", "%73", "%74",
                CONV2D_SUMS_32(0), CONV2D_SUMS_32(32), CONV2D_SUMS_8(64))
CONV2D_MULTIPLY("192", 96, CONV2D_FIRST_32 ", " CONV2D_SECOND_32 ", " CONV2D_THIRD_32, "%96", "%97", "%98",
                CONV2D_SUMS_32(0), CONV2D_SUMS_32(32), CONV2D_SUMS_32(64))
CONV2D_MULTIPLY("256", 128, CONV2D_FIRST_32 ", " CONV2D_SECOND_32 ", " CONV2D_THIRD_32 ", " CONV2D_FOURTH_32, "%128",
                "%129", "%130", CONV2D_SUMS_32(0), CONV2D_SUMS_32(32), CONV2D_SUMS_32(64), CONV2D_SUMS_32(96))
