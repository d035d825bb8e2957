#include "compile/prebuilt_code.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "compile/cubin.h"
#include "compile/fatbin.h"
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

template <class Read>
auto read_or_refuse(const std::filesystem::path& file, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    refuse_code(file, error.what());
  }
}

Cubin read_machine_code(const std::string& code, const std::filesystem::path& file) {
  return read_or_refuse(file, [&] { return read_cubin(code); });
}

void require_runs_on(const std::string& code, const std::filesystem::path& file, int capability) {
  const Cubin cubin = read_machine_code(code, file);
  if (cubin.relocatable)
    refuse_code(
        file, "it is a part of a program, to be linked: compile it without -rdc=true, or link it by nvlink");
  if (cubin.target / 10 != capability / 10 || cubin.target > capability)
    refuse_code(file, fmt::format("it is code for sm_{}, which a GPU of sm_{} does not run", cubin.target,
                                  capability));
}

PrebuiltCode out_of_fatbin(const std::string& bytes, const std::filesystem::path& file, int capability) {
  return read_or_refuse(file, [&] {
    const std::vector<FatbinImage> images = read_fatbin(bytes);
    const FatbinImage* best = best_image(images, capability);
    if (best != nullptr) {
      PrebuiltCode found{best->kind == FatbinImage::Kind::ptx, unpacked(*best)};
      if (found.is_ptx) found.code.resize(std::strlen(found.code.c_str()));  // it is filled up with zeros
      return found;
    }
    std::vector<std::string> names;
    for (const FatbinImage& image : images) names.push_back(image.name());
    refuse_code(file, fmt::format("it has {}, which a GPU of sm_{} does not run; add -gencode "
                                  "arch=compute_{},code=sm_{} to what nvcc makes it with",
                                  names.empty() ? "no code" : fmt::format("{}", fmt::join(names, ", ")),
                                  capability, capability, capability));
  });
}

}  // namespace

PrebuiltCode read_prebuilt(const std::filesystem::path& file, int capability) {
  PrebuiltCode prebuilt{file.extension() == ".ptx", read_file(file)};
  if (file.extension() == ".fatbin") prebuilt = out_of_fatbin(prebuilt.code, file, capability);
  if (!prebuilt.is_ptx) require_runs_on(prebuilt.code, file, capability);
  return prebuilt;
}

std::string assembled(const PrebuiltCode& prebuilt, const std::filesystem::path& file,
                      const std::string& architecture, const DeviceLinker& linker) {
  const DeviceLinker::Result result = linker.assemble(architecture, prebuilt.code);
  if (!result.succeeded) refuse_code(file, result.log);
  return result.cubin;
}

std::map<std::string, std::string> symbols_in(const std::string& cubin,
                                              const std::vector<std::string>& kernels,
                                              const std::filesystem::path& file) {
  std::map<std::string, std::string> names;  // by kernel
  std::vector<std::string> has;
  for (const KernelResources& one : read_machine_code(cubin, file).kernels) {
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
