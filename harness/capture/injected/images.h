#pragma once

#include <cuda.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tailwave::injected {

// A variable of a module: __constant__ or __device__.
struct ImageVariable {
  std::string name;
  std::size_t bytes = 0;
  std::string initial;  // what it holds when the module is loaded; empty: not known
};

// What a cubin's symbol table has. Empty for what is no ELF file.
std::vector<std::string> kernels_in(std::string_view cubin);
std::vector<ImageVariable> variables_in(std::string_view cubin);

// The machine code of the modules that the application has loaded, as far as it has a kernel that is wanted.
class Images {
 public:
  explicit Images(std::function<bool(const std::string& symbol)> is_wanted)
      : is_wanted_(std::move(is_wanted)) {}

  // A call that loads a module begins in this thread; in it the driver loads this code; the call has ended with this handle.
  static void begin();
  void add(std::string_view cubin);
  void named(CUmodule module);
  void unloaded(CUmodule module);

  // The code that `function` of that symbol is of; null: it was not seen. `candidates`: how many differ that it may be of.
  std::shared_ptr<const std::string> find(CUfunction function, const std::string& symbol,
                                          std::size_t& candidates) const;

 private:
  std::function<bool(const std::string& symbol)> is_wanted_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const std::string>> all_;  // the newest last
  std::map<CUmodule, std::shared_ptr<const std::string>> by_module_;
};

}  // namespace tailwave::injected
