#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compile/device_linker.h"
#include "spec/system.h"

namespace tailwave {

// The machine code of a variant whose source is a file of code already (VariantSpec::is_prebuilt), for sm_<architecture>:
// a cubin as it is, PTX assembled by nvJitLink. Throws Failure(compile_error) with what is
// wrong with the file, Failure(unavailable) with `why_no_linker` where one is needed.
std::string prebuilt_cubin(const std::filesystem::path& file, const std::string& architecture,
                           const std::shared_ptr<const DeviceLinker>& linker,
                           const std::string& why_no_linker);

// The symbol of each kernel: its name, or the mangled one of a function of that name. Throws Failure(compile_error) that
// names what the code has.
std::map<std::string, std::string> symbols_in(const std::string& cubin,
                                              const std::vector<std::string>& kernels,
                                              const std::filesystem::path& file);

}  // namespace tailwave
