// The product by cuSPARSE, which is looked for when it is called: nothing here needs its headers. CANDIDATE
// is the number of the algorithm: 0 the library's own choice, 2 and 3 its two for compressed rows.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

// As cusparse.h has them.
constexpr int kFloat = 0, kIndex32 = 2, kFromZero = 0, kNotTransposed = 0;

void* library() {
  for (const char* name : {"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so.11", "libcusparse.so",
                           "/usr/local/cuda/lib64/libcusparse.so"})
    if (void* const found = dlopen(name, RTLD_NOW)) return found;
  throw std::runtime_error("cuSPARSE is not here: there is no libcusparse.so");
}

void* driver() {
  if (void* const found = dlopen("libcuda.so.1", RTLD_NOW)) return found;
  throw std::runtime_error("the driver is not here: there is no libcuda.so.1");
}

template <class... Arguments>
void call_of(void* from, const char* name, Arguments... arguments) {
  using Function = int(Arguments...);
  auto* const function = reinterpret_cast<Function*>(dlsym(from, name));
  if (function == nullptr) throw std::runtime_error(std::string("there is no ") + name);
  if (const int status = function(arguments...); status != 0)
    throw std::runtime_error(std::string(name) + " gives status " + std::to_string(status));
}

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  static void* const from = library();
  call_of(from, name, arguments...);
}

// What is asked for once.
struct Product {
  void* handle = nullptr;
  void *matrix = nullptr, *x = nullptr, *y = nullptr;
  std::uint64_t memory = 0;  // on the GPU
  const float one = 1, nothing = 0;
};
Product product;

// The arguments that bufferSize, preprocess and the product itself have in common, and one more.
template <class Last>
void call_product(const char* name, Last last) {
  call(name, product.handle, kNotTransposed, static_cast<const void*>(&product.one), product.matrix,
       product.x, static_cast<const void*>(&product.nothing), product.y, kFloat, CANDIDATE, last);
}

void* memory() {
  return reinterpret_cast<void*>(product.memory);
}

void look_at(void* y, void* row_starts, void* columns, void* values, void* x) {
  call("cusparseCsrSetPointers", product.matrix, row_starts, columns, values);
  call("cusparseDnVecSetValues", product.x, x);
  call("cusparseDnVecSetValues", product.y, y);
}

}  // namespace

// PREPROCESS: the matrix is looked at here, and what is found out is kept in memory of the library's own. It
// is not a buffer, which would begin anew before each execution.
extern "C" void plan(void* y, void* row_starts, void* columns, void* values, void* x, int rows,
                     int nonzeros) {
  static void* const cuda = driver();
  call("cusparseCreate", &product.handle);
  call("cusparseSetStream", product.handle, tailwave_stream());
  call("cusparseCreateCsr", &product.matrix, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(rows),
       static_cast<std::int64_t>(nonzeros), row_starts, columns, values, kIndex32, kIndex32, kFromZero,
       kFloat);
  call("cusparseCreateDnVec", &product.x, static_cast<std::int64_t>(rows), x, kFloat);
  call("cusparseCreateDnVec", &product.y, static_cast<std::int64_t>(rows), y, kFloat);
  std::size_t bytes = 0;
  call_product("cusparseSpMV_bufferSize", &bytes);
  if (product.memory != 0) call_of(cuda, "cuMemFree_v2", product.memory);
  product.memory = 0;
  if (bytes > 0) call_of(cuda, "cuMemAlloc_v2", &product.memory, bytes);
  if (PREPROCESS) call_product("cusparseSpMV_preprocess", memory());
}

extern "C" void multiply(void* y, void* row_starts, void* columns, void* values, void* x) {
  call("cusparseSetStream", product.handle, tailwave_stream());
  look_at(y, row_starts, columns, values, x);
  call_product("cusparseSpMV", memory());
}
