#include "compile/prebuilt_code.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "compile/cubin.h"
#include "compile/fatbin.h"
#include "compile/prelude.h"
#include "compile/ptx_text.h"
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

// "step<4,double>" is "step<4, double>".
std::string without_blanks(std::string name) {
  std::erase(name, ' ');
  return name;
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

// "3 parameters of 8, 8, 4 bytes"
std::string described(const std::vector<int>& parameters) {
  if (parameters.empty()) return "no parameters";
  return fmt::format("{} parameter{} of {} bytes", parameters.size(), parameters.size() == 1 ? "" : "s",
                     fmt::join(parameters, ", "));
}

std::string misfit_of(const LaunchSpec& launch, const std::vector<int>& parameters) {
  if (parameters.size() != launch.arguments.size())
    return fmt::format("'{}' takes {}, 'args' has {}", launch.kernel, described(parameters),
                       launch.arguments.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::size_t given = layout_of(launch.arguments[i]).bytes;
    if (given != static_cast<std::size_t>(parameters[i]))
      return fmt::format("argument {} of '{}' has {} bytes, and the parameter {}", i + 1, launch.kernel,
                         given, parameters[i]);
  }
  return "";
}

// "100", "90a": what follows ".target sm_".
std::string ptx_target(const std::string& ptx) {
  PtxScanner scanner(ptx);
  for (std::string_view token = scanner.next(); !token.empty(); token = scanner.next()) {
    if (token != ".target") continue;
    const std::string_view target = scanner.next();
    return std::string(target.substr(std::min(target.size(), target.find('_') + 1)));
  }
  return "";
}

// PTX is for its target and what is newer; with an "a" for no other.
void require_assembles_for(const std::string& ptx, const std::filesystem::path& file,
                           const std::string& architecture) {
  if (ptx.empty()) refuse_code(file, "the file is empty");
  const std::string target = ptx_target(ptx);
  if (target.empty()) refuse_code(file, "it is no PTX: nothing in it says .target");
  const int wanted = std::atoi(architecture.c_str()), made_for = std::atoi(target.c_str());
  if (made_for > wanted || (target.ends_with('a') && made_for != wanted))
    refuse_code(file, fmt::format("it is PTX for sm_{}, of which no code for a GPU of sm_{} can be made",
                                  target, wanted));
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
  require_assembles_for(prebuilt.code, file, architecture);
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
    names.emplace(without_blanks(has.back()), one.kernel);
    names.emplace(one.kernel, one.kernel);
  }
  std::map<std::string, std::string> symbols;
  for (const std::string& kernel : kernels) {
    const auto found = names.find(without_blanks(kernel));
    if (found == names.end())
      refuse_code(file, fmt::format("kernel '{}' not found: it has {}", kernel,
                                    has.empty() ? "none" : fmt::format("{}", fmt::join(has, ", "))));
    symbols.emplace(kernel, found->second);
  }
  return symbols;
}

std::string misfit_of_arguments(const VariantSpec& variant, const std::string& cubin,
                                const std::map<std::string, std::string>& symbols) {
  const std::map<std::string, std::vector<int>> known = read_machine_code(cubin, variant.source).parameters;
  for (const auto* plan : {&variant.prepare, &variant.launches, &variant.finish})
    for (const LaunchSpec& launch : *plan) {
      const auto symbol = symbols.find(launch.kernel);
      if (!launch.is_kernel() || symbol == symbols.end()) continue;
      const auto parameters = known.find(symbol->second);
      if (parameters == known.end()) continue;
      if (std::string misfit = misfit_of(launch, parameters->second); !misfit.empty()) return misfit;
    }
  return "";
}

}  // namespace tailwave
