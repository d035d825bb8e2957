#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/device_linker.h"
#include "spec/system.h"

namespace tailwave {

// What a variant has as its source that is code already (VariantSpec::is_prebuilt), for a GPU of a compute capability.
struct PrebuiltCode {
  bool is_ptx = false;  // else a cubin that such a GPU runs
  std::string code;
};

// The contents of a .ptx or .cubin; of a .fatbin the image that is best for such a GPU. `capability` is 90 for 9.0. Throws
// Failure(compile_error) with what is wrong with the file and what it has instead.
PrebuiltCode read_prebuilt(const std::filesystem::path& file, int capability);

// Its machine code for sm_<architecture>: a cubin as it is, PTX assembled by nvJitLink. Throws Failure(compile_error) with
// the assembler's words.
std::string assembled(const PrebuiltCode& prebuilt, const std::filesystem::path& file,
                      const std::string& architecture, const DeviceLinker& linker);

// The symbol of each kernel: its name, or the mangled one of a function of that name. Throws Failure(compile_error) that
// names what the code has.
std::map<std::string, std::string> symbols_in(const std::string& cubin,
                                              const std::vector<std::string>& kernels,
                                              const std::filesystem::path& file);

// How the arguments of the variant's launches differ in number or size from the parameters of the machine code's kernels;
// "" where they fit or nobody knows. `symbols`: as symbols_in() has them.
std::string misfit_of_arguments(const VariantSpec& variant, const std::string& cubin,
                                const std::map<std::string, std::string>& symbols);

}  // namespace tailwave
