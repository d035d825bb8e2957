// The product by cuBLASLt, which is looked for when it is called: nothing here needs its headers. Of the algorithms that it
// proposes, best first, the one at place CANDIDATE is taken.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

// As cublasLt.h has them.
struct Algorithm {
  std::uint64_t data[8];
};
struct Proposal {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int status;
  float waves;
  int reserved[4];
};
constexpr int kHalf = 2, kFloat = 0, kComputeFloat = 68, kMostWorkspace = 1;

void* library() {
  for (const char* name :
       {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so", "/usr/local/cuda/lib64/libcublasLt.so"})
    if (void* const found = dlopen(name, RTLD_NOW)) return found;
  throw std::runtime_error("cuBLASLt is not here: there is no libcublasLt.so");
}

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  static void* const from = library();
  using Function = int(Arguments...);
  auto* const function = reinterpret_cast<Function*>(dlsym(from, name));
  if (function == nullptr) throw std::runtime_error(std::string("cuBLASLt has no ") + name);
  if (const int status = function(arguments...); status != 0)
    throw std::runtime_error(std::string(name) + " gives status " + std::to_string(status));
}

// What is asked for once. Row by row A B is, column by column, B A.
struct Product {
  void* handle = nullptr;
  void* operation = nullptr;
  void *a = nullptr, *b = nullptr, *c = nullptr;
  Proposal chosen{};
};
Product product;

}  // namespace

extern "C" void plan(int half, int m, int n, int k, std::int64_t workspace_bytes) {
  const int type = half == 1 ? kHalf : kFloat;
  call("cublasLtCreate", &product.handle);
  call("cublasLtMatmulDescCreate", &product.operation, kComputeFloat, kFloat);
  const auto layout = [&](void*& matrix, int rows, int columns) {
    call("cublasLtMatrixLayoutCreate", &matrix, type, static_cast<std::uint64_t>(rows),
         static_cast<std::uint64_t>(columns), static_cast<std::int64_t>(rows));
  };
  layout(product.b, n, k);
  layout(product.a, k, m);
  layout(product.c, n, m);
  void* preference = nullptr;
  call("cublasLtMatmulPreferenceCreate", &preference);
  const auto most = static_cast<std::size_t>(workspace_bytes);
  call("cublasLtMatmulPreferenceSetAttribute", preference, kMostWorkspace, static_cast<const void*>(&most),
       sizeof most);
  constexpr int kAsked = 64;
  Proposal proposals[kAsked] = {};
  int count = 0;
  call("cublasLtMatmulAlgoGetHeuristic", product.handle, product.operation, product.b, product.a, product.c,
       product.c, preference, kAsked, &proposals[0], &count);
  call("cublasLtMatmulPreferenceDestroy", preference);
  if (CANDIDATE >= count)
    throw std::runtime_error("cuBLASLt proposes " + std::to_string(count) + " algorithms, and CANDIDATE " +
                             std::to_string(CANDIDATE) + " is none of them");
  product.chosen = proposals[CANDIDATE];
}

extern "C" void multiply(const void* a, const void* b, void* c, void* workspace) {
  const float one = 1, nothing = 0;
  call("cublasLtMatmul", product.handle, product.operation, static_cast<const void*>(&one), b, product.b, a,
       product.a, static_cast<const void*>(&nothing), static_cast<const void*>(c), product.c, c, product.c,
       static_cast<const void*>(&product.chosen.algorithm), workspace, product.chosen.workspace_bytes,
       tailwave_stream());
}
