#include "cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "cli/common_options.h"
#include "cli/device_name.h"
#include "cli/number_check.h"
#include "cli/other_gpus.h"
#include "compile/host_compiler.h"
#include "compile/nvcc_compiler.h"
#include "compile/nvrtc_compiler.h"
#include "compile/nvshmem_home.h"
#include "compile/program_compiler.h"
#include "core/parallel.h"
#include "core/random.h"
#include "device/cpu/cpu_device.h"
#include "device/cuda/cuda_comparer.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cupti_files.h"
#include "device/cuda/nvml.h"
#include "device/lease.h"
#include "device/program/program_executor.h"
#include "measure/draw.h"
#include "measure/measurer.h"
#include "occupancy/device_spec.h"
#include "occupancy/sm_share.h"
#include "selftest/selftest.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "spec/problem_space.h"
#include "tune/compile_pool.h"
#include "tune/counting.h"
#include "tune/energy.h"
#include "tune/environment.h"
#include "tune/grid_curve.h"
#include "tune/timelines.h"
#include "tune/tracer.h"

namespace tailwave {
namespace {

// Defaults, and of the problem's quantities the last of the experiment's values.
Values largest_scope(const Experiment& experiment, const VariantSpec& variant) {
  Values scope = default_scope(experiment.system, variant);
  for (const Parameter& quantity : experiment.problem)
    if (!quantity.values.empty()) scope[quantity.name] = quantity.values.back();
  if (!experiment.sizes.empty())
    for (const auto& [name, value] : experiment.sizes.back().problem) scope[name] = value;
  return scope;
}

// The device whose occupancy a driver's description stands for; named as in occupancy/devices.json where it is
// known there.
DeviceSpec spec_of(const DeviceDescription& device) {
  for (const DeviceSpec& known : known_devices()) {
    for (const DeviceSpec& one : {known, part_of(known, device.sms)})
      if (one.title == device.name) return device_spec_from(device.properties, one.name, device.name);
  }
  return device_spec_from(device.properties, device.name, device.name);
}

bool has_programs(const Experiment& experiment) {
  return has_variant(experiment, [](const VariantSpec& variant) { return variant.is_program(); });
}

bool has_nvcc_code(const Experiment& experiment) {
  return has_variant(experiment, [](const VariantSpec& variant) { return variant.is_nvcc_code(); });
}

// What a CPU run computes occupancy for unless `wanted` says so: the published device of the first experiment that has
// one, since that is the GPU whose curves it explains.
std::string planning_device(const std::string& wanted, const std::vector<Experiment>& experiments) {
  if (!wanted.empty()) return wanted;
  for (const Experiment& experiment : experiments) {
    if (!experiment.published) continue;
    for (const DeviceSpec& known : known_devices()) {
      if (known.name == experiment.published->device) return known.name;
    }
  }
  return "h100";
}

}  // namespace

void add_session_options(Command& command, SessionOptions& options) {
  command
      .add_option("--device", options.device,
                  options.several_gpus ? "auto, cuda:0, cuda:0,cuda:1, cuda:all, cpu" : "auto, cuda:0, cpu")
      ->capture_default_str();
  command.add_option("--db", options.database, "the result database")->capture_default_str();
  add_unsafe_options(command);
  add_sandbox_options(command, options.sandbox);
}

void add_sms_option(Command& command, SessionOptions& options) {
  command
      .add_option(
          "--sms", options.sms,
          "on so many of the GPU's multiprocessors, as a device of its own (with --device cpu: so many of "
          "the cores)")
      ->check(whole_number(1, kMostSms));
}

void add_target_option(Command& command, SessionOptions& options) {
  options.plans_occupancy = true;
  command.add_option("--target", options.planned_for,
                     "on the CPU device: the GPU that occupancy and waves are computed for (default: "
                     "the GPU of the published study, else h100)");
}

std::vector<Experiment> load_experiments(const std::vector<std::string>& specs) {
  std::vector<Experiment> experiments;
  Diagnostics diagnostics;
  for (const std::filesystem::path& file : expand_specs({specs.begin(), specs.end()})) {
    std::optional<Experiment> experiment = load_experiment(file, diagnostics);
    if (experiment) experiments.push_back(std::move(*experiment));
  }
  if (!diagnostics.empty()) throw Error(diagnostics);
  return experiments;
}

bool has_kernels(const Experiment& experiment) {
  return has_variant(experiment,
                     [](const VariantSpec& variant) { return variant.target == VariantSpec::Target::cuda; });
}

std::string times_remark(const Experiment& experiment, const DeviceDescription& device) {
  if (device.kind != DeviceKind::cpu || !has_kernels(experiment)) return "";
  return "times on the CPU device rank code for this CPU, not for a GPU";
}

unsigned build_processes() {
  return hardware_threads();
}

Session::Session(SessionOptions options, std::vector<Experiment> experiments, const Console& console)
    : options_(std::move(options)), experiments_(std::move(experiments)), console_(console) {
  set_sandboxes(options_.sandbox, cache_, console_);
  for (const Experiment& experiment : experiments_) allow_project(experiment);
  const auto is_in_python = [](const Experiment& experiment) {
    return experiment.system.reference.python.has_value();
  };
  std::optional<Python> python;
  if (std::ranges::any_of(experiments_, is_in_python)) python = find_python();
  if (python) allow_python(*python);
  const auto host_toolchain = HostToolchain::find();
  allow_host_compiler(host_toolchain.get());
  const int cores = options_.device == "cpu" ? options_.sms : 0;
  try {
    host_device_ = std::make_unique<ProcessWorker>(
        holding_setup(cpu_device(cores), lease_name({.kind = DeviceKind::cpu})));
  } catch (const Error& error) {
    if (cores > 0) throw Error(fmt::format("--sms {}: {}", cores, error.what()), Error::kBadUsage);
    throw;
  }
  WorkerSetup reference = setup(cpu_device());
  reference.description = host_device_->description();
  reference_device_ = std::make_unique<ProcessWorker>(std::move(reference));
  std::string no_nvrtc;
  nvrtc_ = NvrtcLibrary::load(no_nvrtc);
  allow_nvrtc(nvrtc_.get());
  host_ = std::make_unique<HostCompiler>(cache_, host_toolchain);
  cpu_kernels_ = std::make_unique<CpuKernelCompiler>(cache_, host_toolchain);
  const ReferenceCache kept =
      options_.keeps_references ? ReferenceCache(cache_.root() / "references") : ReferenceCache();
  tools_.host = host_.get();
  tools_.host_device = host_device_.get();
  tools_.reference = {
      .host_compiler = host_.get(),
      .cpu_kernels = cpu_kernels_.get(),
      .cpu = reference_device_.get(),
      .place = options_.reference_place,
      .python = std::move(python),
      .kept = options_.fresh ? kept.finding_nothing() : kept,
      .tell = [this](const std::string& text) { console_.note(text); },
      // NVRTC initialises CUDA in the process that it compiles in, which then can start no more processes that use it.
      .build =
          [](Compiler& compiler, const BuildRequest& request) {
            Built built = build_elsewhere(compiler, request, InterruptGuard::requested);
            if (!built.artifact) throw Failure(built.outcome, built.detail);
            return *std::move(built.artifact);
          },
      .others = [this](const System& system,
                       const Values& problem) { return other_configurations(system, problem); }};
  tools_.first_draw = options_.draw ? static_cast<std::uint64_t>(*options_.draw) : kept_draw(cache_.root());
  choose_device(no_nvrtc);
  open_nvcc();
  open_programs();
  if (options_.device != "cpu" && nvrtc_ && !nvrtc_->note().empty()) console_.note(nvrtc_->note() + "\n");
  input_maker_.emplace(tools_.reference);
  std::vector<ProcessWorker*> workers{host_device_.get(), reference_device_.get(), pes_device_.get(),
                                      counting_.get(),    recording_pes_.get(),    program_device_.get()};
  for (const Gpu& gpu : gpus_) workers.insert(workers.end(), {gpu.device.get(), gpu.reference.get()});
  for (ProcessWorker* worker : workers) {
    if (worker == nullptr) continue;
    worker->set_cancelled(InterruptGuard::requested);
    worker->set_inputs([this](Repetition& repetition) { input_maker_->complete(repetition); });
  }
}

// A process takes a tenth of a second to give up its GPU.
Session::~Session() {
  for (const Gpu& gpu : gpus_) {
    for (ProcessWorker* const worker : {gpu.device.get(), gpu.reference.get()}) worker->let_go();
    gpu.verifier->let_go();
  }
}

void Session::choose_device(const std::string& no_nvrtc) {
  const std::string& device = options_.device;
  if (device == "cpu") return use_cpu(no_nvrtc);
  if (device != "auto") {
    const std::vector<int> ordinals = parse_ordinals(device);
    if (ordinals.size() > 1 && !options_.several_gpus)
      throw Error(Diagnostic{.cause = fmt::format("--device {}: this command works with one GPU", device),
                             .hint = "'run' and 'tune' take several"});
    if (!nvrtc_) throw Error(fmt::format("{}: kernels cannot be compiled: {}", device, no_nvrtc));
    return use_cuda(ordinals);
  }
  std::string obstacle = cuda_obstacle();
  if (obstacle.empty()) obstacle = no_nvrtc;
  if (obstacle.empty()) return use_cuda({0});
  if (options_.sms > 0)
    throw Error(Diagnostic{.cause = fmt::format("no GPU to have {} SMs of: {}", options_.sms, obstacle),
                           .hint = "--device cpu has so many of the CPU's cores"});
  console_.note(fmt::format("no GPU to run on ({}): using the CPU device\n", obstacle));
  use_cpu(no_nvrtc);
}

Worker& Session::counting() const {
  if (counting_) return *counting_;
  throw Error(
      Diagnostic{.place = "counters",
                 .cause = "the CPU device has no hardware counters",
                 .hint = "name a GPU with --device; what Nsight Compute counted elsewhere comes in by "
                         "'tailwave import --format ncu'"},
      Error::kRunFailed);
}

Worker& Session::recording(const VariantSpec& variant) const {
  return variant.pes && recording_pes_ ? *recording_pes_ : counting();
}

Database& Session::database() {
  if (!database_) database_ = std::make_unique<Database>(open_to_write(options_.database, console_));
  return *database_;
}

ResultStore& Session::store() {
  if (!store_) store_.emplace(database());
  return *store_;
}

// Some of the experiment, in a random order that is always the same.
std::vector<Configuration> Session::other_configurations(const System& system, const Values& problem) const {
  constexpr std::size_t kMost = 40;
  std::vector<Configuration> others;
  for (const Experiment& experiment : experiments_) {
    const auto has_it = [&](const Regime& regime) { return regime.system.get() == &system; };
    if (&experiment.system != &system && std::ranges::none_of(experiment.regimes, has_it)) continue;
    const ProblemSpaces all = problem_spaces(experiment, VariantSpec::Target::cuda, false);
    for (const ProblemSpace& space : all.spaces) {
      if (space.problem() != problem) continue;
      Generator random(1);
      for (const Point point : space.points().sample(kMost, random))
        others.push_back(space.configuration(point));
    }
  }
  return others;
}

WorkerSetup Session::setup(ExecutorFactory device) const {
  WorkerSetup setup{.device = [device = std::move(device), hidden = options_.hidden] {
    for (const int descriptor : hidden) close(descriptor);
    return device();
  }};
  for (const Experiment& experiment : experiments_) {
    setup.systems.push_back(&experiment.system);
    for (const Regime& regime : experiment.regimes)
      if (regime.system) setup.systems.push_back(regime.system.get());
  }
  for (Tasks tasks : {measuring_tasks(), tracing_tasks(setup.systems), curve_tasks(setup.systems),
                      energy_tasks(setup.systems), counting_tasks(setup.systems),
                      timeline_tasks(setup.systems), selftest_tasks(), python_reference_tasks(setup.systems)})
    setup.tasks.merge(tasks);
  setup.isolated = true;
  return setup;
}

// References on the CPU are not held up, like what is built there.
WorkerSetup Session::holding_setup(ExecutorFactory device, std::string held_device) const {
  WorkerSetup holding = setup(std::move(device));
  holding.leases = default_lease_folder();
  holding.holder = lease_holder_here();
  holding.held_device = std::move(held_device);
  holding.tell = [this](const std::string& text) {
    if (console_.has_status_line()) fmt::print(stderr, "\r\x1b[K");
    console_.note(text + "\n");
  };
  return holding;
}

// One that the driver does not report is named to it by number alone: CUDA_VISIBLE_DEVICES may go on behind a name that is none.
GpuPlace Session::place_of(int ordinal) const {
  if (std::ranges::any_of(experiments_, has_other_gpus)) return {.ordinal = ordinal};
  return {.ordinal = ordinal,
          .alone = !has_visible_names() || std::cmp_less(ordinal, list_cuda_devices().size())};
}

Session::Gpu Session::open_gpu(int ordinal, const DeviceDescription& known) const {
  Gpu gpu;
  const GpuPlace place = place_of(ordinal);
  gpu.verifier = std::make_unique<Verifier>(cuda_comparer(place, cache_));
  // It opens the device while the worker does.
  std::vector<Comparer::Kind> kinds;
  for (const Experiment& experiment : experiments_) {
    for (const VariantSpec& variant : experiment.system.variants)
      std::ranges::copy(large_comparisons(experiment.system, variant, largest_scope(experiment, variant)),
                        std::back_inserter(kinds));
  }
  if (!kinds.empty()) gpu.verifier->start(kinds);
  WorkerSetup measuring = holding_setup(cuda_device(place, options_.sms));
  measuring.isolated = false;  // what a kernel does to the device's memory, the device keeps apart
  measuring.examiner = gpu.verifier->examiner();
  measuring.description = known;
  WorkerSetup reference = holding_setup(cuda_device(place, options_.sms));
  try {
    gpu.device = std::make_unique<ProcessWorker>(std::move(measuring));
  } catch (const Error& error) {
    throw cannot_open(options_.device, error.what());
  }
  reference.description = gpu.device->description();
  constexpr std::int64_t kPart = 16;  // of the memory, for what is expected
  gpu.verifier->keep_at_most(static_cast<std::size_t>(gpu.device->description().memory_bytes / kPart));
  gpu.reference = std::make_unique<ProcessWorker>(std::move(reference));
  return gpu;
}

void Session::use_cuda(const std::vector<int>& ordinals) {
  std::vector<Gpu> others;
  if (ordinals.size() > 1) others = start_others(ordinals);
  gpus_.push_back(open_gpu(ordinals.front()));
  const Gpu& gpu = gpus_.front();
  tools_.device = gpu.device.get();
  pes_device_ = open_pes(ordinals.front(), {});
  tools_.pes_device = pes_device_.get();
  if (options_.counts) open_counting(ordinals.front());
  kernels_ = std::make_unique<NvrtcCompiler>(nvrtc_, cache_, device().compute_capability);
  tools_.kernels = kernels_.get();
  tools_.verifier = gpu.verifier.get();
  tools_.reference.kernels = kernels_.get();
  tools_.reference.gpu = gpu.reference.get();
  tools_.occupancy_device = spec_of(device());
  for (Gpu& other : others) {
    DeviceDescription description = device();  // its limits are those of the first; what is not, follows
    description.uuid = other.device->description().uuid;
    for (ProcessWorker* const worker : {other.device.get(), other.reference.get()})
      worker->describe(description);
    gpus_.push_back(std::move(other));
  }
}

// They open their GPUs while the first one is opened.
std::vector<Session::Gpu> Session::start_others(const std::vector<int>& ordinals) const {
  if (std::ranges::any_of(experiments_, has_pes))
    throw Error(
        Diagnostic{.cause = fmt::format("--device {}: variants with processing elements take several GPUs "
                                        "themselves",
                                        options_.device),
                   .hint = "name the first of these GPUs alone"});
  const std::vector<DeviceDescription> here = list_cuda_devices();
  std::vector<Gpu> others;
  for (const int ordinal : ordinals) {
    const auto place = static_cast<std::size_t>(ordinal);
    if (place >= here.size())
      throw Error(Diagnostic{.cause = fmt::format("cuda:{}: there are {} GPUs here", ordinal, here.size()),
                             .hint = "'tailwave list devices' names what is here to run on"});
    if (here[place].name != here[static_cast<std::size_t>(ordinals.front())].name)
      throw Error(
          Diagnostic{.cause = fmt::format("--device {}: cuda:{} is another model than cuda:{} ({} and {})",
                                          options_.device, ordinal, ordinals.front(), here[place].name,
                                          here[static_cast<std::size_t>(ordinals.front())].name),
                     .hint = "times of one model tell nothing of another: give each a run of its own"});
    if (ordinal == ordinals.front()) continue;
    others.push_back(open_gpu(ordinal, here[place]));
    others.back().device->start_ahead();
  }
  return others;
}

void Session::open_counting(int ordinal) {
  const std::vector<std::filesystem::path> libraries = cupti_candidates(nvrtc_ ? nvrtc_->file() : "");
  allow_counters(libraries);
  WorkerSetup counting = holding_setup(counting_cuda_device(place_of(ordinal), libraries));
  counting.isolated = false;
  counting.description = device();
  counting_ = std::make_unique<ProcessWorker>(std::move(counting));
  recording_pes_ = open_pes(ordinal, libraries);
}

std::vector<Tools> Session::tools_of_all() const {
  std::vector<Tools> all{tools_};
  for (std::size_t i = 1; i < gpus_.size(); ++i) {
    Tools& other = all.emplace_back(tools_);
    other.device = gpus_[i].device.get();
    other.verifier = gpus_[i].verifier.get();
    other.reference.gpu = gpus_[i].reference.get();
  }
  return all;
}

// Their processes are started when such a variant is measured or recorded first.
std::unique_ptr<ProcessWorker> Session::open_pes(int ordinal,
                                                 const std::vector<std::filesystem::path>& recorders) const {
  if (std::ranges::none_of(experiments_, has_pes)) return nullptr;
  std::string why_not;
  const auto nvshmem = find_nvshmem(nvrtc_->file(), why_not);
  if (!nvshmem) return nullptr;  // no such variant can be built: that tells why
  const int gpus = std::max(1, static_cast<int>(list_cuda_devices().size()) - ordinal);
  WorkerSetup elements = holding_setup(
      cuda_pes_device(ordinal, device(), options_.sms > 0 ? 0 : gpus, nvshmem->host_library, recorders),
      lease_name(device()));
  elements.isolated = false;
  elements.description = device();
  return std::make_unique<ProcessWorker>(std::move(elements));
}

// A candidate that is judged may be CUDA C++ where the manifest has none: nobody has looked for nvcc then.
void Session::open_nvcc() {
  std::shared_ptr<const NvccToolchain> toolchain;
  std::string why_not = "nvcc is looked for where a library variant of the manifest has a .cu as its source";
  if (device().kind != DeviceKind::cuda)
    why_not = kQueuesOnGpu;
  else if (std::ranges::any_of(experiments_, has_nvcc_code))
    toolchain = NvccToolchain::find(device().compute_capability, why_not);
  allow_nvcc(toolchain.get());
  nvcc_ = std::make_unique<NvccCompiler>(cache_, std::move(toolchain), why_not);
  tools_.nvcc = nvcc_.get();
}

void Session::open_programs() {
  if (std::ranges::none_of(experiments_, has_programs)) return;
  const DeviceDescription& here = device();
  programs_ = std::make_unique<ProgramCompiler>(
      cache_, here.kind == DeviceKind::cuda ? fmt::format("sm_{}", here.compute_capability) : "");
  tools_.programs = programs_.get();
  const bool on_cpu = device().kind == DeviceKind::cpu;
  const std::string obstacle = options_.sms > 0 && !on_cpu
                                   ? "a program cannot be kept to some of the GPU's SMs: run it without --sms"
                                   : "";
  WorkerSetup programs =
      holding_setup(program_device(device(), on_cpu ? options_.sms : 0, obstacle), lease_name(device()));
  programs.description = device();
  programs.confines_programs = !on_cpu;
  program_device_ = std::make_unique<ProcessWorker>(std::move(programs));
  tools_.program_device = program_device_.get();
}

void Session::use_cpu(const std::string& no_nvrtc) {
  tools_.kernels = cpu_kernels_.get();
  tools_.device = host_device_.get();
  if (!options_.plans_occupancy) return;
  const DeviceSpec target = find_device(planning_device(options_.planned_for, experiments_));
  if (!nvrtc_) {
    if (std::ranges::any_of(experiments_, has_kernels))
      console_.note(fmt::format("not asked whether a GPU's compiler takes the kernels: {}\n", no_nvrtc));
    return;
  }
  tools_.occupancy_device = target;
  planner_ = std::make_unique<NvrtcCompiler>(nvrtc_, cache_, target.compute_capability);
  tools_.planner = planner_.get();
}

RunRecord Session::environment(const Experiment& experiment) const {
  RunRecord record = describe_environment(folder_of_record(experiment));
  record.driver = device().driver;
  record.draw = static_cast<std::int64_t>(tools_.first_draw);
  record.compiler = nvrtc_ ? nvrtc_->version() : "";
  record.host_compiler = host_->version();
  if (device().kind == DeviceKind::cuda) record.clocks = read_clocks_json(device().uuid);
  return record;
}

std::string time_spent(const PhaseTimes& phases, double total_s) {
  std::string text = fmt::format(
      "{:.2f} s: {:.2f} waiting for builds, {:.2f} loading, {:.2f} verifying, {:.2f} measuring, "
      "{:.2f} storing",
      total_s, phases.wait, phases.load, phases.verify, phases.measure, phases.store);
  const double named = phases.wait + phases.load + phases.verify + phases.measure + phases.store;
  const double rest = total_s - named;
  if (rest < 1 || rest < 0.2 * total_s) return text;
  return fmt::format("{}, {:.2f} on references, processes and waiting for the device", text, rest);
}

}  // namespace tailwave
