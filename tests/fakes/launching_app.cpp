// An application for the tests of `capture`: launches `scale` four times in one size and twice in another, and `bump`, which adds to
// what is there. launching_app [HOW]: by calls ("launch"), with all arguments in one piece ("packed"), by a graph that is launched three
// times ("graph") or is told the same once more before that ("changed"), after a launch that fails ("failing"), or from
// four threads at once ("threads"). Exits with 77 where there is no GPU, and with 1 where its own results are wrong.
#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
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

constexpr int kCount = 100'003;
constexpr std::size_t kPad = 256;
constexpr unsigned kBlock = 128, kCounters = 32;

struct Target {
  CUdeviceptr to;
  int count;
};

// What `scale` gets, as the driver lays it out.
struct Arguments {
  Target target{};
  CUdeviceptr from = 0;
  float factor = 1.5F;
};

// Memory of its own, a stream, and what has to be there at the end.
class Work {
 public:
  Work(CUfunction scale, CUfunction bump) : scale_(scale), bump_(bump), numbers_(kCount) {
    for (int i = 0; i < kCount; ++i) numbers_[static_cast<std::size_t>(i)] = static_cast<float>(i % 977);
    CALL(cuMemAlloc, &from_, kCount * sizeof(float));
    CALL(cuMemAlloc, &to_, kCount * sizeof(float) + kPad);
    CALL(cuMemcpyHtoD, from_, numbers_.data(), kCount * sizeof(float));
    CALL(cuMemAlloc, &counters_, kCounters * sizeof(unsigned));
    CALL(cuMemsetD8, counters_, 0, kCounters * sizeof(unsigned));
    CALL(cuStreamCreate, &stream_, CU_STREAM_NON_BLOCKING);
  }

  [[nodiscard]] CUstream stream() const { return stream_; }

  void launch(int count, bool is_packed = false) {
    Arguments arguments{.target = {to_ + kPad, count}, .from = from_};
    std::array<void*, 3> values{&arguments.target, &arguments.from, &arguments.factor};
    std::size_t bytes = 28;
    std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE,
                               &bytes, CU_LAUNCH_PARAM_END};
    CALL(cuLaunchKernel, scale_, (static_cast<unsigned>(count) + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0,
         stream_, is_packed ? nullptr : values.data(), is_packed ? extra.data() : nullptr);
  }
  // With more threads than a block may have.
  void fail() {
    Arguments arguments{.target = {to_ + kPad, kCount}, .from = from_};
    std::array<void*, 3> values{&arguments.target, &arguments.from, &arguments.factor};
    constexpr unsigned kTooMany = 4096;
    if (find<decltype(::cuLaunchKernel)>("cuLaunchKernel")(
            scale_, 1, 1, 1, kTooMany, 1, 1, 0, stream_, values.data(), nullptr) != CUDA_ERROR_INVALID_VALUE)
      std::exit(1);
  }
  void launch_all(bool is_packed = false) {
    for (int i = 0; i < 4; ++i) launch(kCount, is_packed);
    for (int i = 0; i < 2; ++i) launch(kCount / 3, is_packed);
    std::array<void*, 1> arguments{&counters_};
    CALL(cuLaunchKernel, bump_, 1, 1, 1, kCounters, 1, 1, 0, stream_, arguments.data(), nullptr);
  }
  // Three times.
  void launch_graph(bool is_changed) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    CALL(cuStreamBeginCapture, stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    launch_all();
    CALL(cuStreamEndCapture, stream_, &graph);
    CALL(cuGraphInstantiateWithFlags, &exec, graph, 0);
    if (is_changed) {
      std::size_t count = 1;
      CUgraphNode first = nullptr;
      CUDA_KERNEL_NODE_PARAMS parameters{};
      CALL(cuGraphGetNodes, graph, &first, &count);
      CALL(cuGraphKernelNodeGetParams, first, &parameters);
      CALL(cuGraphExecKernelNodeSetParams, exec, first, &parameters);
    }
    CALL(cuGraphDestroy, graph);
    for (int i = 0; i < 3; ++i) CALL(cuGraphLaunch, exec, stream_);
  }
  // Whether all is there and was launched so many times: somebody may have launched it once more and not put it back.
  [[nodiscard]] bool is_right(unsigned times) const {
    CALL(cuCtxSynchronize);
    std::vector<float> found(kCount);
    CALL(cuMemcpyDtoH, found.data(), to_ + kPad, kCount * sizeof(float));
    std::array<unsigned, kCounters> counted{};
    CALL(cuMemcpyDtoH, counted.data(), counters_, sizeof counted);
    for (const unsigned one : counted)
      if (one != times) return false;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != numbers_[i] * 1.5F + 3) return false;
    return true;
  }

 private:
  CUfunction scale_, bump_;
  std::vector<float> numbers_;
  CUdeviceptr from_ = 0, to_ = 0, counters_ = 0;
  CUstream stream_ = nullptr;
};

bool launch_from_threads(CUcontext context, CUfunction scale, CUfunction bump) {
  std::array<bool, 4> right{};
  std::vector<std::thread> threads;
  for (bool& one : right)
    threads.emplace_back([&one, context, scale, bump] {
      CALL(cuCtxSetCurrent, context);
      Work work(scale, bump);
      work.launch_all();
      one = work.is_right(1);
    });
  bool all = true;
  for (std::thread& one : threads) one.join();
  for (const bool one : right) all = all && one;
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "launch";
  if (driver == nullptr || find<decltype(::cuInit)>("cuInit")(0) != CUDA_SUCCESS) return 77;
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
  CUdeviceptr shift = 0;
  std::size_t bytes = 0;
  CALL(cuModuleGetGlobal, &shift, &bytes, module, "shift");
  const std::array<float, 2> shifts{7, 3};
  CALL(cuMemcpyHtoD, shift, shifts.data(), sizeof shifts);
  const bool is_graph = how == "graph" || how == "changed";
  if (how == "threads") {
    if (!launch_from_threads(context, scale, bump)) return 1;
  } else {
    Work work(scale, bump);
    if (how == "failing") work.fail();
    if (is_graph)
      work.launch_graph(how == "changed");
    else
      work.launch_all(how == "packed");
    if (!work.is_right(is_graph ? 3 : 1)) return 1;
  }
  std::printf("done\n");
  return 0;
}
