#include "device/cuda/dynamic_library.h"

#include <dlfcn.h>

namespace tailwave {

std::optional<DynamicLibrary> DynamicLibrary::open(const std::string& name, std::string& reason) {
  if (void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return DynamicLibrary(handle);
  const char* const words = dlerror();
  const std::string text = words != nullptr ? words : "unknown error";
  const bool absent = text.starts_with(name) && text.find("No such file") != std::string::npos;
  reason = absent ? name + " not found" : "cannot load " + text;
  return std::nullopt;
}

void* DynamicLibrary::address(const char* symbol) const {
  return dlsym(handle_, symbol);
}

}  // namespace tailwave
