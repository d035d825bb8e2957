#include "device/host_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/argument_words.h"
#include "core/outcome.h"
#include "device/argument_values.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const std::string& detail) {
  throw Failure(Outcome::launch_failed, detail);
}

// " of scale, sum"
std::string functions_of(const Artifact& artifact) {
  std::string names;
  for (const auto& [function, symbol] : artifact.symbols) names += (names.empty() ? " of " : ", ") + function;
  return names;
}

}  // namespace

void HostLibrary::Close::operator()(void* library) const noexcept {
  dlclose(library);
}

HostLibrary::HostLibrary(const Artifact& artifact)
    : file_(artifact.file), library_(dlopen(artifact.file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library_)
    throw Failure(Outcome::compile_error,
                  fmt::format("the compiled code{} cannot be loaded: {}", functions_of(artifact), dlerror()));
  table_ = static_cast<const tailwave_cpu::Table*>(symbol(tailwave_cpu::kTableSymbol));
  if (table_ == nullptr || table_->abi_version != tailwave_cpu::kAbiVersion)
    refuse(fmt::format("{}: not compiled by this version of tailwave", artifact.file.string()));
  for (int i = 0; i < table_->entry_count; ++i)
    entries_.emplace(table_->entries[i].name, &table_->entries[i]);
}

const tailwave_cpu::Entry& HostLibrary::entry(const std::string& function) const {
  const auto found = entries_.find(function);
  if (found == entries_.end()) refuse(fmt::format("the program has no '{}'", function));
  return *found->second;
}

void* HostLibrary::symbol(const std::string& name) const {
  return dlsym(library_.get(), name.c_str());
}

void HostLibrary::stay_loaded() const {
  dlopen(file_.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void check_parameters(const tailwave_cpu::Entry& entry, const Launch& launch) {
  const auto count = static_cast<std::size_t>(entry.argument_count);
  if (launch.arguments.size() != count)
    refuse(fmt::format("'{}' takes {}{}{}", launch.kernel, count, kOtherArguments, launch.arguments.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const tailwave_cpu::Argument& parameter = entry.arguments[i];
    if (std::holds_alternative<Buffer*>(launch.arguments[i]) != parameter.pointer)
      refuse(fmt::format("argument {} of '{}'{}{}", i + 1, launch.kernel, kOtherArgument,
                         parameter.pointer ? "a scalar, and the kernel takes a pointer"
                                           : "a pointer, and the kernel takes a scalar"));
    check_size(launch, i, parameter.size);
  }
}

}  // namespace tailwave
