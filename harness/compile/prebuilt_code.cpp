#include "compile/prebuilt_code.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "compile/cubin.h"
#include "compile/prelude.h"
#include "core/error.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

// "void step<4>(float*)" of "_Z4stepILi4EEvPf"; without result and parameters "step<4>".
std::string kernel_of_symbol(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !symbol.starts_with("_Z")) return symbol;
  std::string name(text.get());
  if (name.starts_with("void ")) name.erase(0, 5);
  return name.substr(0, name.rfind('('));
}

[[noreturn]] void refuse_code(const std::filesystem::path& file, const std::string& why) {
  throw Failure(Outcome::compile_error, fmt::format("{}: {}", display_path(file), why));
}

Cubin read_prebuilt(const std::string& code, const std::filesystem::path& file) {
  try {
    return read_cubin(code);
  } catch (const Error& error) {
    refuse_code(file, error.what());
  }
}

}  // namespace

std::string prebuilt_cubin(const std::filesystem::path& file, const std::string& architecture,
                           const std::shared_ptr<const DeviceLinker>& linker,
                           const std::string& why_no_linker) {
  std::string code = read_file(file);
  if (file.extension() == ".cubin") {
    const int target = read_prebuilt(code, file).target;
    const std::string wanted = architecture.substr(0, architecture.find_first_not_of("0123456789"));
    if (std::to_string(target / 10) != wanted.substr(0, wanted.size() - 1))
      refuse_code(file,
                  fmt::format("it is code for sm_{}, which a GPU of sm_{} does not run", target, wanted));
    return code;
  }
  if (!linker) throw Failure(Outcome::unavailable, why_no_linker);
  const DeviceLinker::Result assembled = linker->assemble(architecture, code);
  if (!assembled.succeeded) refuse_code(file, assembled.log);
  return assembled.cubin;
}

std::map<std::string, std::string> symbols_in(const std::string& cubin,
                                              const std::vector<std::string>& kernels,
                                              const std::filesystem::path& file) {
  std::map<std::string, std::string> names;  // by kernel
  std::vector<std::string> has;
  for (const KernelResources& one : read_prebuilt(cubin, file).kernels) {
    has.push_back(kernel_of_symbol(one.kernel));
    names.emplace(has.back(), one.kernel);
    names.emplace(one.kernel, one.kernel);
  }
  std::map<std::string, std::string> symbols;
  for (const std::string& kernel : kernels) {
    const auto found = names.find(kernel);
    if (found == names.end())
      refuse_code(file, fmt::format("kernel '{}' not found: it has {}", kernel,
                                    has.empty() ? "none" : fmt::format("{}", fmt::join(has, ", "))));
    symbols.emplace(kernel, found->second);
  }
  return symbols;
}

}  // namespace tailwave
