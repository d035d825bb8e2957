// The convolution by cuDNN, which is looked for when it is called: nothing here needs its headers. Of the
// algorithms that it proposes, best first, the one at place CANDIDATE is taken.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

// As cudnn_graph.h, cudnn_ops.h and cudnn_cnn.h of version 9 have them.
struct Proposal {
  int algorithm, status;
  float milliseconds;
  std::size_t workspace_bytes;
  int determinism, math;
  int reserved[3];
};
constexpr int kFloat = 0, kHalf = 2;
constexpr int kChannelsFirst = 0, kChannelsLast = 1;
constexpr int kCrossCorrelation = 1;  // filters are not mirrored
constexpr int kAnyMath = 0, kTensorMath = 1, kFmaMath = 3;

void* library() {
  for (const char* name : {"libcudnn.so.9", "libcudnn.so", "/usr/local/cuda/lib64/libcudnn.so.9",
                           "/usr/local/cuda/lib/libcudnn.so.9", "/usr/lib/x86_64-linux-gnu/libcudnn.so.9"})
    if (void* const found = dlopen(name, RTLD_NOW)) return found;
  throw std::runtime_error("cuDNN is not here: there is no libcudnn.so.9, also not in LD_LIBRARY_PATH");
}

template <class Function>
Function* find(const char* name) {
  static void* const from = library();
  auto* const function = reinterpret_cast<Function*>(dlsym(from, name));
  if (function == nullptr) throw std::runtime_error(std::string("cuDNN has no ") + name);
  return function;
}

template <class... Arguments>
int status_of(const char* name, Arguments... arguments) {
  return find<int(Arguments...)>(name)(arguments...);
}

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  if (const int status = status_of(name, arguments...); status != 0)
    throw std::runtime_error(std::string(name) + " gives status " + std::to_string(status) + ": " +
                             find<const char*(int)>("cudnnGetErrorString")(status));
}

// What is asked for once.
struct Convolution {
  void* handle = nullptr;
  void *image = nullptr, *weight = nullptr, *out = nullptr;
  void* operation = nullptr;
  int algorithm = 0;
  std::size_t workspace_bytes = 0;
};
Convolution convolution;

}  // namespace

extern "C" void plan(int half, int batch, int channels, int filters, int height, int width, int size,
                     int stride, int padding, std::int64_t workspace_bytes) {
  const int type = half == 1 ? kHalf : kFloat, format = half == 1 ? kChannelsLast : kChannelsFirst;
  const int out_height = (height + 2 * padding - size) / stride + 1,
            out_width = (width + 2 * padding - size) / stride + 1;
  Convolution& made = convolution;
  call("cudnnCreate", &made.handle);
  call("cudnnCreateTensorDescriptor", &made.image);
  call("cudnnSetTensor4dDescriptor", made.image, format, type, batch, channels, height, width);
  call("cudnnCreateTensorDescriptor", &made.out);
  call("cudnnSetTensor4dDescriptor", made.out, format, type, batch, filters, out_height, out_width);
  call("cudnnCreateFilterDescriptor", &made.weight);
  call("cudnnSetFilter4dDescriptor", made.weight, type, format, filters, channels, size, size);
  call("cudnnCreateConvolutionDescriptor", &made.operation);
  call("cudnnSetConvolution2dDescriptor", made.operation, padding, padding, stride, stride, 1, 1,
       kCrossCorrelation, kFloat);
  call("cudnnSetConvolutionMathType", made.operation, half == 1 ? kTensorMath : kFmaMath);  // no TF32

  constexpr int kAsked = 32;
  Proposal proposals[kAsked] = {};
  int count = 0;
  call("cudnnGetConvolutionForwardAlgorithm_v7", made.handle, made.image, made.weight, made.operation,
       made.out, kAsked, &count, &proposals[0]);
  int usable = 0;
  for (int i = 0; i < count; ++i) {
    const Proposal& proposal = proposals[i];
    const bool allowed = half == 1 || proposal.math == kAnyMath || proposal.math == kFmaMath;
    if (proposal.status != 0 || !allowed) continue;
    call("cudnnSetConvolutionMathType", made.operation, half == 1 ? proposal.math : kFmaMath);
    std::size_t bytes = 0;
    if (status_of("cudnnGetConvolutionForwardWorkspaceSize", made.handle, made.image, made.weight,
                  made.operation, made.out, proposal.algorithm, &bytes) != 0 ||
        bytes > static_cast<std::size_t>(workspace_bytes))
      continue;
    made.algorithm = proposal.algorithm;
    made.workspace_bytes = bytes;
    if (usable++ == CANDIDATE) return;
  }
  // For the few elements of a small problem, as verifications have them, it proposes fewer: the last of these is tried.
  const double elements = 1.0 * batch * filters * height * width;
  if (usable > 0 && elements < 1e5) return;
  throw std::runtime_error("of " + std::to_string(count) + " algorithms that cuDNN proposes " +
                           std::to_string(usable) + " can be used, and CANDIDATE " +
                           std::to_string(CANDIDATE) + " is none of them");
}

extern "C" void convolve(const void* image, const void* weight, void* out, void* workspace) {
  const float one = 1, nothing = 0;
  const Convolution& made = convolution;
  call("cudnnSetStream", made.handle, tailwave_stream());
  call("cudnnConvolutionForward", made.handle, static_cast<const void*>(&one), made.image, image, made.weight,
       weight, made.operation, made.algorithm, workspace, made.workspace_bytes,
       static_cast<const void*>(&nothing), made.out, out);
}
