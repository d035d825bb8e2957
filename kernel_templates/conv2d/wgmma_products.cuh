// Products of 64 rows by wgmma, in any number of columns that is a multiple of 8. An instruction's sums are
// operands by number, and assembler has no arrays: hence lists for each size, the one before and four more.
#pragma once

// What the assembler calls the sums.
#define WGMMA_NAMES_8 "%0, %1, %2, %3"
#define WGMMA_NAMES_16 WGMMA_NAMES_8 ", %4, %5, %6, %7"
#define WGMMA_NAMES_24 WGMMA_NAMES_16 ", %8, %9, %10, %11"
#define WGMMA_NAMES_32 WGMMA_NAMES_24 ", %12, %13, %14, %15"
#define WGMMA_NAMES_40 WGMMA_NAMES_32 ", %16, %17, %18, %19"
#define WGMMA_NAMES_48 WGMMA_NAMES_40 ", %20, %21, %22, %23"
#define WGMMA_NAMES_56 WGMMA_NAMES_48 ", %24, %25, %26, %27"
#define WGMMA_NAMES_64 WGMMA_NAMES_56 ", %28, %29, %30, %31"
#define WGMMA_NAMES_72 WGMMA_NAMES_64 ", %32, %33, %34, %35"
#define WGMMA_NAMES_80 WGMMA_NAMES_72 ", %36, %37, %38, %39"
#define WGMMA_NAMES_88 WGMMA_NAMES_80 ", %40, %41, %42, %43"
#define WGMMA_NAMES_96 WGMMA_NAMES_88 ", %44, %45, %46, %47"
#define WGMMA_NAMES_104 WGMMA_NAMES_96 ", %48, %49, %50, %51"
#define WGMMA_NAMES_112 WGMMA_NAMES_104 ", %52, %53, %54, %55"
#define WGMMA_NAMES_120 WGMMA_NAMES_112 ", %56, %57, %58, %59"
#define WGMMA_NAMES_128 WGMMA_NAMES_120 ", %60, %61, %62, %63"
#define WGMMA_NAMES_136 WGMMA_NAMES_128 ", %64, %65, %66, %67"
#define WGMMA_NAMES_144 WGMMA_NAMES_136 ", %68, %69, %70, %71"
#define WGMMA_NAMES_152 WGMMA_NAMES_144 ", %72, %73, %74, %75"
#define WGMMA_NAMES_160 WGMMA_NAMES_152 ", %76, %77, %78, %79"
#define WGMMA_NAMES_168 WGMMA_NAMES_160 ", %80, %81, %82, %83"
#define WGMMA_NAMES_176 WGMMA_NAMES_168 ", %84, %85, %86, %87"
#define WGMMA_NAMES_184 WGMMA_NAMES_176 ", %88, %89, %90, %91"
#define WGMMA_NAMES_192 WGMMA_NAMES_184 ", %92, %93, %94, %95"
#define WGMMA_NAMES_200 WGMMA_NAMES_192 ", %96, %97, %98, %99"
#define WGMMA_NAMES_208 WGMMA_NAMES_200 ", %100, %101, %102, %103"
#define WGMMA_NAMES_216 WGMMA_NAMES_208 ", %104, %105, %106, %107"
#define WGMMA_NAMES_224 WGMMA_NAMES_216 ", %108, %109, %110, %111"
#define WGMMA_NAMES_232 WGMMA_NAMES_224 ", %112, %113, %114, %115"
#define WGMMA_NAMES_240 WGMMA_NAMES_232 ", %116, %117, %118, %119"
#define WGMMA_NAMES_248 WGMMA_NAMES_240 ", %120, %121, %122, %123"
#define WGMMA_NAMES_256 WGMMA_NAMES_248 ", %124, %125, %126, %127"

#define WGMMA_FOUR(i) "+f"(sums[i]), "+f"(sums[(i) + 1]), "+f"(sums[(i) + 2]), "+f"(sums[(i) + 3])
#define WGMMA_SUMS_8 WGMMA_FOUR(0)
#define WGMMA_SUMS_16 WGMMA_SUMS_8, WGMMA_FOUR(4)
#define WGMMA_SUMS_24 WGMMA_SUMS_16, WGMMA_FOUR(8)
#define WGMMA_SUMS_32 WGMMA_SUMS_24, WGMMA_FOUR(12)
#define WGMMA_SUMS_40 WGMMA_SUMS_32, WGMMA_FOUR(16)
#define WGMMA_SUMS_48 WGMMA_SUMS_40, WGMMA_FOUR(20)
#define WGMMA_SUMS_56 WGMMA_SUMS_48, WGMMA_FOUR(24)
#define WGMMA_SUMS_64 WGMMA_SUMS_56, WGMMA_FOUR(28)
#define WGMMA_SUMS_72 WGMMA_SUMS_64, WGMMA_FOUR(32)
#define WGMMA_SUMS_80 WGMMA_SUMS_72, WGMMA_FOUR(36)
#define WGMMA_SUMS_88 WGMMA_SUMS_80, WGMMA_FOUR(40)
#define WGMMA_SUMS_96 WGMMA_SUMS_88, WGMMA_FOUR(44)
#define WGMMA_SUMS_104 WGMMA_SUMS_96, WGMMA_FOUR(48)
#define WGMMA_SUMS_112 WGMMA_SUMS_104, WGMMA_FOUR(52)
#define WGMMA_SUMS_120 WGMMA_SUMS_112, WGMMA_FOUR(56)
#define WGMMA_SUMS_128 WGMMA_SUMS_120, WGMMA_FOUR(60)
#define WGMMA_SUMS_136 WGMMA_SUMS_128, WGMMA_FOUR(64)
#define WGMMA_SUMS_144 WGMMA_SUMS_136, WGMMA_FOUR(68)
#define WGMMA_SUMS_152 WGMMA_SUMS_144, WGMMA_FOUR(72)
#define WGMMA_SUMS_160 WGMMA_SUMS_152, WGMMA_FOUR(76)
#define WGMMA_SUMS_168 WGMMA_SUMS_160, WGMMA_FOUR(80)
#define WGMMA_SUMS_176 WGMMA_SUMS_168, WGMMA_FOUR(84)
#define WGMMA_SUMS_184 WGMMA_SUMS_176, WGMMA_FOUR(88)
#define WGMMA_SUMS_192 WGMMA_SUMS_184, WGMMA_FOUR(92)
#define WGMMA_SUMS_200 WGMMA_SUMS_192, WGMMA_FOUR(96)
#define WGMMA_SUMS_208 WGMMA_SUMS_200, WGMMA_FOUR(100)
#define WGMMA_SUMS_216 WGMMA_SUMS_208, WGMMA_FOUR(104)
#define WGMMA_SUMS_224 WGMMA_SUMS_216, WGMMA_FOUR(108)
#define WGMMA_SUMS_232 WGMMA_SUMS_224, WGMMA_FOUR(112)
#define WGMMA_SUMS_240 WGMMA_SUMS_232, WGMMA_FOUR(116)
#define WGMMA_SUMS_248 WGMMA_SUMS_240, WGMMA_FOUR(120)
#define WGMMA_SUMS_256 WGMMA_SUMS_248, WGMMA_FOUR(124)

// sums = a b, or sums += a b if `add`: 64 rows of A times 16 rows of B, in N = 2 * Count columns. Lane l of
// warp w holds for each eight columns those numbered l % 4 * 2 and the next, of row 16 * w + l / 4 and then
// of the eighth row after it. b is a descriptor, of B whose rows are along N (AlongN 1) or along K (0). So is
// a, with rows along K; or A is in registers, where a lane holds pairs of halves as it holds pairs of sums, of
// eight columns and then of the next eight. `count` and x1 to x6 number the operands behind the sums.
#define WGMMA_MULTIPLY(columns, count, x1, x2, x3, x4, x5, x6, names, ...)                              \
  template <int AlongN>                                                                                 \
  __device__ inline void multiply(float(&sums)[count], unsigned long long a, unsigned long long b,      \
                                  int add) {                                                            \
    asm volatile(                                                                                       \
        "{\n.reg .pred add;\n"                                                                          \
        "setp.ne.b32 add, %" #x2                                                                        \
        ", 0;\n"                                                                                        \
        "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" names "}, %" #count ", %" #x1  \
        ", add, 1, 1, 0, %" #x3 ";\n}"                                                                  \
        : __VA_ARGS__                                                                                   \
        : "l"(a), "l"(b), "r"(add), "n"(AlongN)                                                         \
        : "memory");                                                                                    \
  }                                                                                                     \
  template <int AlongN>                                                                                 \
  __device__ inline void multiply(float(&sums)[count], const unsigned(&a)[4], unsigned long long b,     \
                                  int add) {                                                            \
    asm volatile(                                                                                       \
        "{\n.reg .pred add;\n"                                                                          \
        "setp.ne.b32 add, %" #x5                                                                        \
        ", 0;\n"                                                                                        \
        "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" names "}, {%" #count ", %" #x1 \
        ", %" #x2 ", %" #x3 "}, %" #x4 ", add, 1, 1, %" #x6 ";\n}"                                      \
        : __VA_ARGS__                                                                                   \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(AlongN)                     \
        : "memory");                                                                                    \
  }
WGMMA_MULTIPLY(8, 4, 5, 6, 7, 8, 9, 10, WGMMA_NAMES_8, WGMMA_SUMS_8)
WGMMA_MULTIPLY(16, 8, 9, 10, 11, 12, 13, 14, WGMMA_NAMES_16, WGMMA_SUMS_16)
WGMMA_MULTIPLY(24, 12, 13, 14, 15, 16, 17, 18, WGMMA_NAMES_24, WGMMA_SUMS_24)
WGMMA_MULTIPLY(32, 16, 17, 18, 19, 20, 21, 22, WGMMA_NAMES_32, WGMMA_SUMS_32)
WGMMA_MULTIPLY(40, 20, 21, 22, 23, 24, 25, 26, WGMMA_NAMES_40, WGMMA_SUMS_40)
WGMMA_MULTIPLY(48, 24, 25, 26, 27, 28, 29, 30, WGMMA_NAMES_48, WGMMA_SUMS_48)
WGMMA_MULTIPLY(56, 28, 29, 30, 31, 32, 33, 34, WGMMA_NAMES_56, WGMMA_SUMS_56)
WGMMA_MULTIPLY(64, 32, 33, 34, 35, 36, 37, 38, WGMMA_NAMES_64, WGMMA_SUMS_64)
WGMMA_MULTIPLY(72, 36, 37, 38, 39, 40, 41, 42, WGMMA_NAMES_72, WGMMA_SUMS_72)
WGMMA_MULTIPLY(80, 40, 41, 42, 43, 44, 45, 46, WGMMA_NAMES_80, WGMMA_SUMS_80)
WGMMA_MULTIPLY(88, 44, 45, 46, 47, 48, 49, 50, WGMMA_NAMES_88, WGMMA_SUMS_88)
WGMMA_MULTIPLY(96, 48, 49, 50, 51, 52, 53, 54, WGMMA_NAMES_96, WGMMA_SUMS_96)
WGMMA_MULTIPLY(104, 52, 53, 54, 55, 56, 57, 58, WGMMA_NAMES_104, WGMMA_SUMS_104)
WGMMA_MULTIPLY(112, 56, 57, 58, 59, 60, 61, 62, WGMMA_NAMES_112, WGMMA_SUMS_112)
WGMMA_MULTIPLY(120, 60, 61, 62, 63, 64, 65, 66, WGMMA_NAMES_120, WGMMA_SUMS_120)
WGMMA_MULTIPLY(128, 64, 65, 66, 67, 68, 69, 70, WGMMA_NAMES_128, WGMMA_SUMS_128)
WGMMA_MULTIPLY(136, 68, 69, 70, 71, 72, 73, 74, WGMMA_NAMES_136, WGMMA_SUMS_136)
WGMMA_MULTIPLY(144, 72, 73, 74, 75, 76, 77, 78, WGMMA_NAMES_144, WGMMA_SUMS_144)
WGMMA_MULTIPLY(152, 76, 77, 78, 79, 80, 81, 82, WGMMA_NAMES_152, WGMMA_SUMS_152)
WGMMA_MULTIPLY(160, 80, 81, 82, 83, 84, 85, 86, WGMMA_NAMES_160, WGMMA_SUMS_160)
WGMMA_MULTIPLY(168, 84, 85, 86, 87, 88, 89, 90, WGMMA_NAMES_168, WGMMA_SUMS_168)
WGMMA_MULTIPLY(176, 88, 89, 90, 91, 92, 93, 94, WGMMA_NAMES_176, WGMMA_SUMS_176)
WGMMA_MULTIPLY(184, 92, 93, 94, 95, 96, 97, 98, WGMMA_NAMES_184, WGMMA_SUMS_184)
WGMMA_MULTIPLY(192, 96, 97, 98, 99, 100, 101, 102, WGMMA_NAMES_192, WGMMA_SUMS_192)
WGMMA_MULTIPLY(200, 100, 101, 102, 103, 104, 105, 106, WGMMA_NAMES_200, WGMMA_SUMS_200)
WGMMA_MULTIPLY(208, 104, 105, 106, 107, 108, 109, 110, WGMMA_NAMES_208, WGMMA_SUMS_208)
WGMMA_MULTIPLY(216, 108, 109, 110, 111, 112, 113, 114, WGMMA_NAMES_216, WGMMA_SUMS_216)
WGMMA_MULTIPLY(224, 112, 113, 114, 115, 116, 117, 118, WGMMA_NAMES_224, WGMMA_SUMS_224)
WGMMA_MULTIPLY(232, 116, 117, 118, 119, 120, 121, 122, WGMMA_NAMES_232, WGMMA_SUMS_232)
WGMMA_MULTIPLY(240, 120, 121, 122, 123, 124, 125, 126, WGMMA_NAMES_240, WGMMA_SUMS_240)
WGMMA_MULTIPLY(248, 124, 125, 126, 127, 128, 129, 130, WGMMA_NAMES_248, WGMMA_SUMS_248)
WGMMA_MULTIPLY(256, 128, 129, 130, 131, 132, 133, 134, WGMMA_NAMES_256, WGMMA_SUMS_256)
