#include "device/cpu/cpu_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "core/outcome.h"
#include "device/cpu/cpu_buffer.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse_program(const std::string& detail) {
  throw Failure(Outcome::launch_failed, detail);
}

const Artifact& of_the_host(const Artifact& artifact) {
  if (artifact.kind == Artifact::Kind::cubin) refuse_program("a cubin cannot run on the CPU device");
  if (artifact.kind == Artifact::Kind::gpu_library) throw Failure(Outcome::unavailable, kQueuesOnGpu);
  return artifact;
}

}  // namespace

CpuProgram::CpuProgram(const Artifact& artifact) : library_(of_the_host(artifact)) {
  variables_.emplace(library_.handle(), library_.symbol(tailwave_cpu::kTableSymbol));
}

std::span<std::byte> CpuProgram::variable(const std::string& name) const {
  void* const address = library_.symbol(name);
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  const bool known = address != nullptr &&
                     dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                             RTLD_DL_SYMENT) != 0 &&
                     symbol != nullptr && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
  if (!known)
    refuse_program(
        fmt::format("the program has no variable '{}'; it has to be extern \"C\" and not static", name));
  return {static_cast<std::byte*>(address), symbol->st_size};
}

PackedArguments::PackedArguments(const tailwave_cpu::Entry& entry, const Launch& launch) {
  for (const LaunchArgument& argument : launch.arguments)
    if (std::holds_alternative<TextureView>(argument) || std::holds_alternative<TensorMapView>(argument))
      throw Failure(Outcome::unavailable, "the CPU device has no textures and no tensor maps");
  check_parameters(entry, launch);
  for (const LaunchArgument& argument : launch.arguments)
    values_.add(argument, [](const Buffer& buffer) { return dynamic_cast<const CpuBuffer&>(buffer).data(); });
  pointers_ = values_.places();
}

}  // namespace tailwave
