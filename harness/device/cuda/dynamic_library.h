#pragma once

#include <optional>
#include <string>

namespace tailwave {

// A shared object opened by dlopen and kept for the life of the process: drivers do not support unloading.
class DynamicLibrary {
 public:
  // Empty when it cannot be opened; `reason` then says why in one line ("libcuda.so.1 not found").
  static std::optional<DynamicLibrary> open(const std::string& name, std::string& reason);

  // Sets `function` to the symbol's address, or to null when the library does not have it.
  template <class Function>
  bool find(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(address(symbol));
    return function != nullptr;
  }

 private:
  explicit DynamicLibrary(void* handle) : handle_(handle) {}
  [[nodiscard]] void* address(const char* symbol) const;

  void* handle_;
};

}  // namespace tailwave
