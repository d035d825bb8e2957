#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "compile/block_trace.h"
#include "compile/prelude.h"
#include "core/argument_words.h"
#include "core/error.h"
#include "device/cuda/nvshmem.h"
#include "occupancy/clusters.h"

namespace tailwave {
namespace {

std::string describe(const Launch& launch) {
  return fmt::format("{} (grid {} x {} x {}, block {} x {} x {}, {} bytes of dynamic shared memory)",
                     launch.kernel, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                     launch.block.y, launch.block.z, launch.dynamic_shared_bytes);
}

PreparedLaunch with_exit(PreparedLaunch prepared, const Launch& launch) {
  if (!launch.exit) return prepared;
  const auto& value = dynamic_cast<const CudaBuffer&>(*launch.exit->buffer);
  prepared.exit = PreparedExit{*launch.exit, value.address()};
  return prepared;
}

bool fits_unsigned(std::int64_t value) {
  return value >= 0 && value <= std::numeric_limits<unsigned>::max();
}

bool sizes_fit(const Launch& launch) {
  const auto fits = [](const Dim3& size) {
    return fits_unsigned(size.x) && fits_unsigned(size.y) && fits_unsigned(size.z);
  };
  return fits(launch.grid) && fits(launch.block) && fits_unsigned(launch.dynamic_shared_bytes);
}

std::array<unsigned, 3> driver_size(const Dim3& size) {
  return {static_cast<unsigned>(size.x), static_cast<unsigned>(size.y), static_cast<unsigned>(size.z)};
}

const void* pointer_of(const Buffer& buffer) {
  const CUdeviceptr address = dynamic_cast<const CudaBuffer&>(buffer).address();
  const void* pointer = nullptr;
  static_assert(sizeof address == sizeof pointer);
  std::memcpy(&pointer, &address, sizeof pointer);
  return pointer;
}

}  // namespace

CudaProgram::CudaProgram(std::shared_ptr<Context> context, const Artifact& artifact)
    : context_(std::move(context)), artifact_(artifact) {
  context_->enter();
  if (artifact.kind == Artifact::Kind::gpu_library) {
    library_ = std::make_unique<HostLibrary>(artifact);
    library_->stay_loaded();  // what it has begun, such as threads of its own, may outlive it
    for (const auto& [name, symbol] : artifact.symbols) kernels_[name] = {};
    return;
  }
  if (artifact.kind != Artifact::Kind::cubin && artifact.kind != Artifact::Kind::ptx) {
    throw Failure(Outcome::launch_failed, artifact.file.string() + ": not machine code for a GPU");
  }
  const std::string code = read_file(artifact.file);
  if (code.empty()) throw Error(artifact.file.string() + ": there is no machine code in it");
  const DriverApi& api = context_->api();
  CUmodule loaded = nullptr;
  context_->check(api.module_load(&loaded, code.data()), "loading the machine code");
  module_ = Module(loaded, {context_});
  if (context_->nvshmem() != nullptr) join_nvshmem();
  for (const auto& [name, symbol] : artifact.symbols) {
    Kernel& kernel = kernels_[name];
    context_->check(api.module_function(&kernel.function, loaded, symbol.c_str()), "finding kernel " + name);
    kernel.max_dynamic_shared_bytes = attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    read_cluster(kernel);
  }
  keep_variables();
}

// Before anything of it runs, and until it goes.
void CudaProgram::join_nvshmem() {
  context_->nvshmem()->add(module_.get());
  module_ = std::shared_ptr<CUmod_st>(module_.get(), [context = context_, code = module_](CUmodule module) {
    if (!context->usable()) return;
    context->enter();
    context->nvshmem()->remove(module);
  });
}

void CudaProgram::keep_variables() {
  constexpr std::size_t kAlignment = 256;
  const DriverApi& api = context_->api();
  std::size_t total = 0;
  for (const std::string& symbol : artifact_.variables) {
    Variable& variable = variables_.emplace_back();
    context_->check(api.module_global(&variable.address, &variable.bytes, module_.get(), symbol.c_str()),
                    "finding the variable " + symbol);
    variable.offset = total;
    total += (variable.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (variables_.empty()) return;
  CUstream const stream = nullptr;  // the context's own
  initial_ = std::make_unique<CudaBuffer>(context_, total, stream);
  for (const Variable& variable : variables_)
    context_->check(api.copy(initial_->address() + variable.offset, variable.address, variable.bytes, stream),
                    "keeping the code's variables");
  context_->check(api.stream_synchronize(stream), "keeping the code's variables");
}

void CudaProgram::restore_variables(CUstream stream) {
  for (const Variable& variable : variables_)
    context_->check(
        context_->api().copy(variable.address, initial_->address() + variable.offset, variable.bytes, stream),
        "restoring the code's variables");
}

CudaProgram* CudaProgram::already_on(const Context& context) const {
  const auto found = elsewhere_.find(&context);
  return found == elsewhere_.end() ? nullptr : found->second.get();
}

CudaProgram& CudaProgram::on(const std::shared_ptr<Context>& context) {
  if (context == context_) return *this;
  std::unique_ptr<CudaProgram>& program = elsewhere_[context.get()];
  if (!program) program = std::make_unique<CudaProgram>(context, artifact_);
  return *program;
}

CudaProgram::Kernel& CudaProgram::kernel(const std::string& name) {
  const auto found = kernels_.find(name);
  if (found == kernels_.end()) throw Failure(Outcome::launch_failed, "the program has no kernel " + name);
  return found->second;
}

int CudaProgram::attribute(const Kernel& kernel, CUfunction_attribute attribute) const {
  int value = 0;
  context_->check(context_->api().function_attribute(&value, attribute, kernel.function),
                  "reading a kernel's attribute");
  return value;
}

void CudaProgram::read_cluster(Kernel& kernel) const {
  if (context_->limit(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0) return;
  const Dim3 required{attribute(kernel, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
                      attribute(kernel, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
                      attribute(kernel, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
  if (required.count() > 0) kernel.cluster = required;
  kernel.needs_cluster =
      !kernel.cluster && attribute(kernel, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) != 0;
}

std::optional<Dim3> CudaProgram::cluster_of(const Kernel& kernel, const Launch& launch) {
  if (launch.cluster && kernel.cluster) require_same_cluster(launch.kernel, *launch.cluster, *kernel.cluster);
  if (kernel.needs_cluster && !launch.cluster)
    throw Failure(Outcome::launch_failed,
                  fmt::format("'{}' was compiled for clusters, and the launch says nothing "
                              "of them: it needs \"cluster\"",
                              launch.kernel));
  const std::optional<Dim3>& cluster = kernel.cluster ? kernel.cluster : launch.cluster;
  if (cluster) require_whole_clusters(launch.kernel, launch.grid, *cluster);
  return cluster;
}

void CudaProgram::prepare_cluster(Kernel& kernel, const Launch& launch, const Dim3& cluster,
                                  PreparedLaunch& prepared) {
  constexpr std::int64_t kPortableBlocks = 8;
  const auto refuse = [&](const std::string& why) {
    throw Failure(Outcome::exceeds_device_limit, fmt::format("{}: {}", prepared.text, why));
  };
  const std::int64_t blocks = cluster.count();
  if (context_->limit(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0) {
    if (blocks > 1) refuse(fmt::format("clusters of {} blocks need compute capability 9.0", blocks));
    return;
  }
  if (blocks > kPortableBlocks && !kernel.may_have_large_cluster) {
    kernel.may_have_large_cluster =
        context_->api().set_function_attribute(
            kernel.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) == CUDA_SUCCESS;
  }
  if (blocks > 1 && prepared.exceeded_limit.empty()) {
    int most = 0;
    const DriverLaunchConfig config(prepared, nullptr);
    const CUresult asked = context_->api().largest_cluster(&most, kernel.function, &config.get());
    if (asked == CUDA_SUCCESS && blocks > most)
      refuse(fmt::format("a cluster of {} blocks exceeds the {} that the device allows", blocks, most));
  }
  if (!kernel.cluster && launch.cluster) prepared.cluster = driver_size(cluster);
}

CUresult CudaProgram::allow_dynamic_shared(Kernel& kernel, std::int64_t bytes) {
  if (bytes <= kernel.max_dynamic_shared_bytes) return CUDA_SUCCESS;
  if (bytes > std::numeric_limits<int>::max()) return CUDA_ERROR_INVALID_VALUE;
  const int size = static_cast<int>(bytes);
  const CUresult result = context_->api().set_function_attribute(
      kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, size);
  if (result == CUDA_SUCCESS) kernel.max_dynamic_shared_bytes = size;
  return result;
}

std::string CudaProgram::exceeded_limit(const Kernel& kernel, const Launch& launch) const {
  const auto limit = [this](CUdevice_attribute attribute) { return context_->limit(attribute); };
  const std::int64_t threads = launch.block.count();
  const int device_threads = limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads > device_threads) {
    return fmt::format("{} threads a block exceed the {} that the device allows", threads, device_threads);
  }
  const int kernel_threads = attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads > kernel_threads) {
    return fmt::format("{} threads a block exceed the {} that the kernel allows ({} registers a thread)",
                       threads, kernel_threads, attribute(kernel, CU_FUNC_ATTRIBUTE_NUM_REGS));
  }
  const std::int64_t shared =
      launch.dynamic_shared_bytes + attribute(kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const int device_shared = limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (shared > device_shared) {
    return fmt::format("{} bytes of shared memory a block exceed the {} that the device allows", shared,
                       device_shared);
  }
  struct Axis {
    const char* name;
    std::int64_t size;
    CUdevice_attribute limit;
  };
  for (const Axis& axis : {Axis{"block in x", launch.block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
                           Axis{"block in y", launch.block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
                           Axis{"block in z", launch.block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
                           Axis{"grid in x", launch.grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
                           Axis{"grid in y", launch.grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
                           Axis{"grid in z", launch.grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z}}) {
    if (const int most = limit(axis.limit); axis.size > most) {
      return fmt::format("a {} of {} exceeds the {} that the device allows", axis.name, axis.size, most);
    }
  }
  return "";
}

// Whether the driver's call for a copy may last until the stream is so far: from and to pageable memory, and within the
// host's. To a variable: without `to`.
bool waits_for_the_stream(const CudaBuffer& from, const CudaBuffer* to) {
  const auto on_host = [](const CudaBuffer& one) {
    return one.memory() == MemoryKind::pinned || one.memory() == MemoryKind::pageable;
  };
  if (from.memory() == MemoryKind::pageable) return true;
  return to != nullptr && (to->memory() == MemoryKind::pageable || (on_host(from) && on_host(*to)));
}

// A kernel that touches what it does not reach would end the process's work with the GPU.
void CudaProgram::require_reachable(const Launch& launch) const {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::vector<Buffer*> buffers = buffers_of(launch.arguments[i]);
    const bool any_pageable = std::any_of(buffers.begin(), buffers.end(), [](const Buffer* buffer) {
      return dynamic_cast<const CudaBuffer&>(*buffer).memory() == MemoryKind::pageable;
    });
    if (!any_pageable || context_->limit(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0) continue;
    throw Failure(
        Outcome::launch_failed,
        fmt::format("argument {} of '{}' is pageable memory, which kernels do not reach on this GPU: it "
                    "has to be pinned or managed, or copied",
                    i + 1, launch.kernel));
  }
}

void CudaProgram::check_arguments(const Kernel& kernel, const Launch& launch) const {
  const auto ask = context_->api().function_parameter;
  if (ask == nullptr) return;
  std::size_t count = 0, offset = 0, size = 0;
  for (; ask(kernel.function, count, &offset, &size) == CUDA_SUCCESS; ++count) {
    if (count < launch.arguments.size()) check_size(launch, count, size);
  }
  if (count != launch.arguments.size()) {
    throw Failure(Outcome::launch_failed, fmt::format("'{}' takes {}{}{}", launch.kernel, count,
                                                      kOtherArguments, launch.arguments.size()));
  }
}

void CudaProgram::add_argument(const LaunchArgument& argument, PreparedLaunch& prepared) {
  if (const auto* const view = std::get_if<TextureView>(&argument)) {
    const CudaTexture& one = texture(*view);
    const CUtexObject object = one.object();
    prepared.textures.push_back(&one);
    prepared.values.add(std::as_bytes(std::span(&object, 1)));
  } else if (const auto* const map = std::get_if<TensorMapView>(&argument)) {
    prepared.values.add(tensor_map_of(*context_, *map));
  } else {
    prepared.values.add(argument, pointer_of);
  }
}

// Kept, so that a graph of a launch finds the same one again.
const CudaTexture& CudaProgram::texture(const TextureView& view) {
  const auto known =
      std::find_if(textures_.begin(), textures_.end(), [&](const auto& one) { return one->shows(view); });
  if (known != textures_.end()) return **known;
  return *textures_.emplace_back(std::make_unique<CudaTexture>(context_, view));
}

CudaProgram::Notes CudaProgram::notes(const Launch& launch) {
  const auto symbol = artifact_.symbols.find(launch.kernel);
  if (symbol == artifact_.symbols.end())
    throw Failure(Outcome::launch_failed, "the program has no kernel " + launch.kernel);
  Notes found;
  const auto find = [&](CUdeviceptr& address, std::size_t& bytes, const std::string& variable) {
    context_->check(context_->api().module_global(&address, &bytes, module_.get(), variable.c_str()),
                    "finding where '" + launch.kernel + "' notes its blocks");
  };
  std::size_t known_bytes = 0;
  find(found.blocks, found.bytes, block_trace_variable(symbol->second));
  find(found.times, known_bytes, std::string(kTraceTimes));
  find(found.long_life, known_bytes, std::string(kTraceLongLife));
  found.registers = attribute(kernel(launch.kernel), CU_FUNC_ATTRIBUTE_NUM_REGS);
  found.local_bytes = attribute(kernel(launch.kernel), CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  return found;
}

PreparedLaunch CudaProgram::prepare_copy(const Launch& launch) {
  const auto& buffer = dynamic_cast<const CudaBuffer&>(*launch.copied);
  PreparedLaunch prepared;
  prepared.copy_from = buffer.address();
  prepared.copy_bytes = buffer.size_bytes();
  if (launch.copied_to != nullptr) {
    const auto& to = dynamic_cast<const CudaBuffer&>(*launch.copied_to);
    require_equal_copy(buffer, to);
    prepared.text = fmt::format("copying {} bytes from {} to {} memory", buffer.size_bytes(),
                                to_string(buffer.memory()), to_string(to.memory()));
    prepared.copy_to = to.address();
    prepared.waits_for_host = waits_for_the_stream(buffer, &to);
    return prepared;
  }
  prepared.waits_for_host = waits_for_the_stream(buffer, nullptr);
  prepared.text = "copying to the variable " + launch.kernel;
  std::size_t variable_bytes = 0;
  context_->check(
      context_->api().module_global(&prepared.copy_to, &variable_bytes, module_.get(), launch.kernel.c_str()),
      "finding the variable " + launch.kernel);
  require_room(launch.kernel, variable_bytes, buffer.size_bytes());
  return prepared;
}

PreparedLaunch CudaProgram::prepare_prefetch(const Launch& launch) const {
  const auto& buffer = dynamic_cast<const CudaBuffer&>(*launch.prefetched);
  if (buffer.memory() != MemoryKind::managed)
    throw Failure(Outcome::launch_failed,
                  fmt::format("a prefetch moves managed memory, this is {}", to_string(buffer.memory())));
  PreparedLaunch prepared;
  prepared.text =
      fmt::format("moving {} bytes to the {}", buffer.size_bytes(), launch.to_host ? "host" : "GPU");
  // Behind a held stream the driver's threads begin to move pages only when it goes on, 0.1 ms later on an H200.
  prepared.waits_for_host = true;
  prepared.prefetched = buffer.address();
  prepared.prefetch_bytes = buffer.size_bytes();
  prepared.prefetch_to = launch.to_host ? CU_DEVICE_CPU : context_->device();
  return prepared;
}

PreparedLaunch CudaProgram::prepare_collective(const Launch& launch) const {
  if (context_->nvshmem() == nullptr)
    throw Failure(Outcome::launch_failed,
                  launch.kernel + ": there are no processing elements to do it together");
  PreparedLaunch prepared;
  prepared.text = launch.kernel + " of all processing elements";
  prepared.collective = launch.collective;
  if (launch.summed == nullptr) return prepared;
  const auto& buffer = dynamic_cast<const CudaBuffer&>(*launch.summed);
  prepared.summed = buffer.address();
  prepared.summed_type = launch.summed_type;
  prepared.summed_count = buffer.size_bytes() / size_bytes(launch.summed_type);
  return prepared;
}

PreparedLaunch CudaProgram::prepare_call(const Launch& launch) {
  PreparedLaunch prepared;
  prepared.library = library_.get();
  prepared.call = &library_->entry(launch.kernel);
  prepared.text = "calling " + launch.kernel;
  check_parameters(*prepared.call, launch);
  for (const LaunchArgument& argument : launch.arguments) add_argument(argument, prepared);
  prepared.arguments = prepared.values.places();
  return prepared;
}

PreparedLaunch CudaProgram::prepare(const Launch& launch) {
  if (launch.collective != Collective::none) return with_exit(prepare_collective(launch), launch);
  if (launch.copied != nullptr) return with_exit(prepare_copy(launch), launch);
  if (launch.prefetched != nullptr) return with_exit(prepare_prefetch(launch), launch);
  if (library_) return with_exit(prepare_call(launch), launch);
  Kernel& of = kernel(launch.kernel);
  check_arguments(of, launch);
  require_reachable(launch);
  PreparedLaunch prepared;
  prepared.function = of.function;
  prepared.text = describe(launch);
  prepared.exceeded_limit = exceeded_limit(of, launch);
  if (!sizes_fit(launch)) check_launch(*context_, CUDA_ERROR_INVALID_VALUE, prepared);
  check_launch(*context_, allow_dynamic_shared(of, launch.dynamic_shared_bytes), prepared);
  prepared.grid = driver_size(launch.grid);
  prepared.block = driver_size(launch.block);
  prepared.dynamic_shared_bytes = static_cast<unsigned>(launch.dynamic_shared_bytes);
  prepared.cooperative = launch.cooperative;
  if (const std::optional<Dim3> cluster = cluster_of(of, launch))
    prepare_cluster(of, launch, *cluster, prepared);
  if (launch.priority != 0) prepared.priority = context_->nearest_priority(launch.priority);
  for (const LaunchArgument& argument : launch.arguments) add_argument(argument, prepared);
  prepared.arguments = prepared.values.places();
  return with_exit(std::move(prepared), launch);
}

std::optional<int> CudaProgram::blocks_per_sm(const Launch& launch) {
  if (library_) return std::nullopt;
  Kernel& of = kernel(launch.kernel);
  if (!exceeded_limit(of, launch).empty() || !sizes_fit(launch)) return 0;
  context_->check(allow_dynamic_shared(of, launch.dynamic_shared_bytes), describe(launch));
  int blocks = 0;
  context_->check(context_->api().blocks_per_sm(&blocks, of.function, static_cast<int>(launch.block.count()),
                                                static_cast<std::size_t>(launch.dynamic_shared_bytes)),
                  "asking for the occupancy of " + describe(launch));
  return blocks;
}

std::optional<int> CudaProgram::active_clusters(const Launch& launch) {
  if (!launch.is_kernel() || launch.sms > 0 || library_) return std::nullopt;
  Kernel& of = kernel(launch.kernel);
  const std::optional<Dim3> cluster = cluster_of(of, launch);
  if (!cluster || cluster->count() == 1) return std::nullopt;
  if (!exceeded_limit(of, launch).empty() || !sizes_fit(launch)) return 0;
  context_->check(allow_dynamic_shared(of, launch.dynamic_shared_bytes), describe(launch));
  PreparedLaunch prepared;
  prepared.text = describe(launch);
  prepared.grid = driver_size(launch.grid);
  prepared.block = driver_size(launch.block);
  prepared.dynamic_shared_bytes = static_cast<unsigned>(launch.dynamic_shared_bytes);
  prepare_cluster(of, launch, *cluster, prepared);
  prepared.cluster = driver_size(*cluster);
  const DriverLaunchConfig config(prepared, nullptr);
  int clusters = 0;
  context_->check(context_->api().active_clusters(&clusters, of.function, &config.get()),
                  "asking for the active clusters of " + prepared.text);
  return clusters;
}

bool CudaProgram::launched_before(const Launch& launch, int sms) const {
  if (!launch.is_kernel()) return true;
  const auto found = kernels_.find(launch.kernel);
  return found != kernels_.end() && found->second.launched_on.contains(sms);
}

void CudaProgram::mark_launched(const Launch& launch, int sms) {
  if (launch.is_kernel()) kernel(launch.kernel).launched_on.insert(sms);
}

}  // namespace tailwave
#endif
