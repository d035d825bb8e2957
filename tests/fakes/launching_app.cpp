// An application for the tests of `capture`: launches `scale` four times in one size and twice in another, and `bump`, which adds to
// what is there, by the driver, or with the argument "graph" by a graph. Exits with 77 where there is no GPU, and with 1 where its own results are wrong.
#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

// out[i] = from[i] * factor + shift[1]; `to` is a struct of a pointer and a count.
constexpr const char* kPtx = R"ptx(
.version 7.0
.target sm_75
.address_size 64
.const .align 4 .b8 shift[8];
.visible .entry scale(.param .align 8 .b8 to[16], .param .u64 from, .param .f32 factor) {
  .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
  ld.param.u64 %rd2, [from]; ld.param.f32 %f1, [factor]; ld.param.u32 %r2, [to+8]; ld.param.u64 %rd1, [to];
  mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r4, %r3, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra end;
  cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5; add.s64 %rd7, %rd3, %rd5;
  ld.global.f32 %f2, [%rd6]; ld.const.f32 %f3, [shift+4];
  fma.rn.f32 %f4, %f2, %f1, %f3;
  st.global.f32 [%rd7], %f4;
end:
  ret;
}
.visible .entry bump(.param .u64 to) {
  .reg .b32 %r<3>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4]; add.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;
  ret;
}
)ptx";

void* const driver = dlopen("libcuda.so.1", RTLD_NOW);

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

void require(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::exit(1);
}

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)
#define CALL(name, ...) require(find<decltype(::name)>(NAME_OF(name))(__VA_ARGS__), #name)

struct Target {
  CUdeviceptr to;
  int count;
};

}  // namespace

int main(int argc, char** argv) {
  if (driver == nullptr || find<decltype(::cuInit)>("cuInit")(0) != CUDA_SUCCESS) return 77;
  const bool by_graph = argc > 1 && std::string(argv[1]) == "graph";
  CUdevice device = 0;
  CUcontext context = nullptr;
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  CUmodule module = nullptr;
  CUfunction scale = nullptr, bump = nullptr;
  CALL(cuModuleLoadData, &module, kPtx);
  CALL(cuModuleGetFunction, &scale, module, "scale");
  CALL(cuModuleGetFunction, &bump, module, "bump");
  CUdeviceptr shift = 0, from = 0, to = 0;
  std::size_t bytes = 0;
  CALL(cuModuleGetGlobal, &shift, &bytes, module, "shift");
  const std::array<float, 2> shifts{7, 3};
  CALL(cuMemcpyHtoD, shift, shifts.data(), sizeof shifts);
  constexpr int kCount = 100'003;
  constexpr std::size_t kPad = 256;
  std::vector<float> numbers(kCount), found(kCount);
  for (int i = 0; i < kCount; ++i) numbers[static_cast<std::size_t>(i)] = static_cast<float>(i % 977);
  CALL(cuMemAlloc, &from, kCount * sizeof(float));
  CALL(cuMemAlloc, &to, kCount * sizeof(float) + kPad);
  CALL(cuMemcpyHtoD, from, numbers.data(), kCount * sizeof(float));
  constexpr unsigned kCounters = 32;
  CUdeviceptr counters = 0;
  CALL(cuMemAlloc, &counters, kCounters * sizeof(unsigned));
  CALL(cuMemsetD8, counters, 0, kCounters * sizeof(unsigned));
  CUstream stream = nullptr;
  CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  const auto launch = [&](int count) {
    constexpr unsigned kBlock = 128;
    Target target{to + kPad, count};
    float factor = 1.5F;
    std::array<void*, 3> arguments{&target, &from, &factor};
    CALL(cuLaunchKernel, scale, (static_cast<unsigned>(count) + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0,
         stream, arguments.data(), nullptr);
  };
  const auto launch_all = [&] {
    for (int i = 0; i < 4; ++i) launch(kCount);
    for (int i = 0; i < 2; ++i) launch(kCount / 3);
    std::array<void*, 1> arguments{&counters};
    CALL(cuLaunchKernel, bump, 1, 1, 1, kCounters, 1, 1, 0, stream, arguments.data(), nullptr);
  };
  if (by_graph) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    CALL(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    launch_all();
    CALL(cuStreamEndCapture, stream, &graph);
    CALL(cuGraphInstantiateWithFlags, &exec, graph, 0);
    CALL(cuGraphDestroy, graph);
    for (int i = 0; i < 3; ++i) CALL(cuGraphLaunch, exec, stream);
  } else {
    launch_all();
  }
  CALL(cuCtxSynchronize);
  CALL(cuMemcpyDtoH, found.data(), to + kPad, kCount * sizeof(float));
  std::array<unsigned, kCounters> counted{};
  CALL(cuMemcpyDtoH, counted.data(), counters, sizeof counted);
  for (const unsigned one : counted)
    if (one != (by_graph ? 3U : 1U)) return 1;  // somebody launched it once more and did not put it back
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != numbers[i] * 1.5F + 3) return 1;
  std::printf("done\n");
  return 0;
}
