#include "capture/injected/recorder.h"

#include <cxxabi.h>
#include <regex.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "capture/injected/api.h"
#include "capture/injected/json_text.h"

namespace tailwave::injected {
namespace {

constexpr std::size_t kMostSizes = 32;

// The launch that this thread has under way and that is recorded.
thread_local std::shared_ptr<void> under_way;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::function<bool(const std::string&)> matcher(const std::string& pattern) {
  const auto expression = std::make_shared<regex_t>();
  if (pattern.empty() ||
      regcomp(expression.get(), pattern.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0)
    return [](const std::string&) { return false; };
  return [expression](const std::string& text) {
    return regexec(expression.get(), text.c_str(), 0, nullptr, 0) == 0;
  };
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  bool good = out != nullptr;
  good = good && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  if (out != nullptr) good = std::fclose(out) == 0 && good;
  if (!good) throw std::runtime_error(file.string() + ": cannot be written");
}

// With what is no pointer, since sizes are among it.
std::string size_of(const Launch& launch, const Reach& reach) {
  std::string text = launch.kernel + list_of(launch.grid) + list_of(launch.block) +
                     std::to_string(launch.dynamic_shared_bytes);
  std::vector<Parameter> parameters = launch.parameters;
  for (const PointerPlace& one : reach.pointers) parameters[one.parameter].bytes.replace(one.at, 8, 8, '\0');
  for (const Parameter& one : parameters) text += digits_of(one.bytes) + ",";
  return text;
}

std::size_t bytes_of(const Reach& reach) {
  std::size_t bytes = 0;
  for (const Allocation& one : reach.allocations) bytes += one.bytes;
  return bytes;
}

template <class List, class Text>
std::string joined(const List& list, Text text) {
  std::string all;
  for (const auto& one : list) all += (all.empty() ? "" : ",\n    ") + text(one);
  return "[" + all + "]";
}

std::string parameter_text(const Parameter& one) {
  return R"({"offset": )" + std::to_string(one.offset) + R"(, "bytes": ")" + digits_of(one.bytes) + "\"}";
}

std::string pointer_text(const PointerPlace& one) {
  return R"({"parameter": )" + std::to_string(one.parameter) + R"(, "at": )" + std::to_string(one.at) +
         R"(, "allocation": )" + std::to_string(one.allocation) + R"(, "offset": )" +
         std::to_string(one.offset) + "}";
}

// Of memory that a launch found and left: where what was there is, and what is there after, if that differs.
class MemoryFiles {
 public:
  explicit MemoryFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::string text(const std::string& name, const std::string& before, const std::string& after) const {
    std::string keys = R"("before": ")" + name + ".before\"";
    write_file(folder_ / (name + ".before"), before);
    if (before == after) return keys;
    write_file(folder_ / (name + ".after"), after);
    return keys + R"(, "after": ")" + name + ".after\"";
  }

 private:
  std::filesystem::path folder_;
};

std::string inner_text(const InnerPointers& inner) {
  if (inner.count == 0) return "";
  return R"(, "inner_pointers": {"count": )" + std::to_string(inner.count) + R"(, "first": )" +
         std::to_string(inner.first) + "}";
}

std::string device_name() {
  constexpr int kMost = 256;
  std::string name(kMost, '\0');
  CUdevice device = 0;
  const Api& api = Api::here();
  if (api.cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      api.cuDeviceGetName(name.data(), kMost, device) != CUDA_SUCCESS)
    return "";
  return name.substr(0, name.find('\0'));
}

std::string launch_text(const Launch& launch) {
  std::string text = R"("device": )" + json_text(device_name()) + R"(, "kernel": )" +
                     json_text(launch.kernel) + R"(, "grid": )" + list_of(launch.grid) + R"(, "block": )" +
                     list_of(launch.block) + R"(, "dynamic_shared_bytes": )" +
                     std::to_string(launch.dynamic_shared_bytes) + R"(, "cooperative": )" +
                     (launch.cooperative ? "true" : "false");
  if (launch.cluster) text += R"(, "cluster": )" + list_of(*launch.cluster);
  return text;
}

// Until what the stream has is done. A kernel that waits for one of another thread, which is held back, would never be.
void wait_for(CUstream stream) {
  constexpr std::chrono::seconds kMost{60};
  constexpr std::chrono::microseconds kPause{200};
  const Api& api = Api::here();
  CUevent event = nullptr;
  require(api.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  CUresult result = api.cuEventRecord(event, stream);
  const auto begin = std::chrono::steady_clock::now();
  if (result == CUDA_SUCCESS) result = CUDA_ERROR_NOT_READY;
  while (result == CUDA_ERROR_NOT_READY && std::chrono::steady_clock::now() - begin < kMost) {
    result = api.cuEventQuery(event);
    if (result == CUDA_ERROR_NOT_READY) std::this_thread::sleep_for(kPause);
  }
  api.cuEventDestroy(event);
  if (result == CUDA_ERROR_NOT_READY)
    throw std::runtime_error("it had not ended after " + std::to_string(kMost.count()) +
                             " s: it may wait for another launch, which is held back meanwhile");
  require(result, "the kernel");
}

// Other threads of the application may be capturing a graph, which our own calls must not end.
class Unhindered {
 public:
  Unhindered() { Api::here().cuThreadExchangeStreamCaptureMode(&mode_); }
  ~Unhindered() { Api::here().cuThreadExchangeStreamCaptureMode(&mode_); }
  Unhindered(const Unhindered&) = delete;
  Unhindered& operator=(const Unhindered&) = delete;
  Unhindered(Unhindered&&) = delete;
  Unhindered& operator=(Unhindered&&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace

Settings Settings::from_environment() {
  Settings settings;
  settings.kernel = variable("TAILWAVE_CAPTURE_KERNEL");
  const std::string nth = variable("TAILWAVE_CAPTURE_NTH");
  settings.all_sizes = nth == "all";
  settings.nth = std::strtoull(nth.c_str(), nullptr, 10);
  settings.most_bytes = std::strtoull(variable("TAILWAVE_CAPTURE_BYTES").c_str(), nullptr, 10);
  const std::filesystem::path folder = variable("TAILWAVE_CAPTURE_FOLDER");
  if (folder.empty()) return settings;
  const std::string process = std::to_string(getpid());
  settings.folder = folder / process;
  std::error_code ignored;  // a program may have been replaced by another one, which has its number
  for (int i = 1; std::filesystem::exists(settings.folder, ignored); ++i)
    settings.folder = folder / (process + "_" + std::to_string(i));
  return settings;
}

Recorder::Recorder(Settings settings)
    : settings_(std::move(settings)),
      matches_(matcher(settings_.kernel)),
      images_([this](const std::string& symbol) { return is_wanted(symbol); }) {}

bool Recorder::is_wanted(const std::string& symbol) {
  const std::lock_guard lock(mutex_);
  const auto [found, added] = wanted_.emplace(symbol, false);
  if (added) found->second = matches_(symbol) || matches_(demangled(symbol));
  return found->second;
}

// Counts it.
bool Recorder::is_due(const Launch& launch) {
  const std::lock_guard lock(mutex_);
  if (done_) return false;
  if (!settings_.all_sizes) {
    if (seen_++ != settings_.nth) return false;
    done_ = true;
    return true;
  }
  if (!sizes_.insert(size_of(launch, reach_of(launch))).second) return false;
  if (sizes_.size() <= kMostSizes) return true;
  done_ = true;
  refuse(launch.kernel, "it is launched in more than " + std::to_string(kMostSizes) +
                            " sizes, and the others are not captured");
  return false;
}

void Recorder::refuse(const std::string& symbol, const std::string& why) const {
  std::FILE* const out = std::fopen((settings_.folder / "refused.txt").c_str(), "a");
  if (out == nullptr) return;
  std::fprintf(out, "%s: %s\n", demangled(symbol).c_str(), why.c_str());
  std::fclose(out);
}

// Waits for what was launched before, first as the application itself might, then with all other launches held back.
std::shared_ptr<Recorder::Open> Recorder::open(Launch launch) {
  const Api& api = Api::here();
  const std::string symbol = launch.kernel;
  try {
    auto one = std::make_shared<Open>();
    require(api.cuCtxSynchronize(), "cuCtxSynchronize");
    one->recording = std::unique_lock(recording_);
    require(api.cuCtxSynchronize(), "cuCtxSynchronize");
    require(api.cuFuncGetModule(&one->module, launch.function), "cuFuncGetModule");
    one->reach = reach_of(launch);
    if (const std::size_t bytes = bytes_of(one->reach); bytes > settings_.most_bytes)
      throw std::runtime_error("its arguments point into " + std::to_string(bytes) +
                               " bytes of memory, and at most " + std::to_string(settings_.most_bytes) +
                               " are captured (--most-mib)");
    one->image = images_.find(launch.function, launch.kernel, one->candidates);
    if (!one->image) throw std::runtime_error("its machine code was not seen when it was loaded");
    one->variables = variables_in(*one->image);
    one->before = read_contents(one->reach, one->module, one->variables);
    one->launch = std::move(launch);
    return one;
  } catch (const std::exception& error) {
    refuse(symbol, error.what());
    return nullptr;
  }
}

void Recorder::begin(AskedLaunch& asked) {
  Launch& launch = asked.launch;
  if (done_ || captures_ > 0) return;
  const Unhindered unhindered;
  if (is_capturing(launch.stream)) return;  // it will be a node of a graph
  if (!take_parameters(launch, asked.values, asked.extra))
    return refuse(launch.kernel, "the driver does not tell the sizes of its parameters");
  if (is_due(launch)) under_way = open(std::move(launch));
}

void Recorder::end(CUresult result) {
  const auto one = std::static_pointer_cast<Open>(std::exchange(under_way, nullptr));
  if (!one) return;
  const Unhindered unhindered;
  try {
    require(result, "the launch");
    wait_for(one->launch.stream);
    write(*one, read_contents(one->reach, one->module, one->variables), "launch");
  } catch (const std::exception& error) {
    refuse(one->launch.kernel, error.what());
  }
}

void Recorder::run_again(const Launch& launch) {
  if (captures_ > 0 || !is_due(launch)) return;
  const Unhindered unhindered;
  const auto one = open(launch);
  if (!one) return;
  Contents after;
  try {
    after.allocations.resize(one->before.allocations.size());
    after.variables.resize(one->before.variables.size());
    require(launch_again(one->launch), "cuLaunchKernelEx");
    wait_for(nullptr);
    after = read_contents(one->reach, one->module, one->variables);
    write(*one, after, "graph");
  } catch (const std::exception& error) {
    refuse(one->launch.kernel, error.what());
  }
  try {
    put_back(one->reach, one->module, one->variables, one->before, after);
  } catch (const std::exception& error) {
    refuse(one->launch.kernel, std::string("what was there could not be put back: ") + error.what());
  }
}

void Recorder::write(const Open& one, const Contents& after, const char* how) {
  const std::filesystem::path folder = settings_.folder / ("launch" + std::to_string(written_));
  std::filesystem::create_directory(folder);
  write_file(folder / "code.cubin", *one.image);
  const MemoryFiles files(folder);
  std::string allocations, variables;
  for (std::size_t i = 0; i < one.reach.allocations.size(); ++i) {
    const Allocation& memory = one.reach.allocations[i];
    const std::string& before = one.before.allocations[i];
    allocations += (i == 0 ? "" : ",\n    ") + std::string(R"({"bytes": )") + std::to_string(memory.bytes) +
                   R"(, "memory": )" + json_text(memory.memory) + ", " +
                   files.text("memory" + std::to_string(i), before, after.allocations[i]) +
                   inner_text(inner_pointers(before, one.reach)) + "}";
  }
  const auto is_as_loaded = [&](std::size_t i) {
    const std::string& before = one.before.variables[i];
    const bool is_read = before.size() == one.variables[i].bytes;
    return !is_read || (before == one.variables[i].initial && before == after.variables[i]);
  };
  for (std::size_t i = 0; i < one.variables.size(); ++i)
    if (!is_as_loaded(i))
      variables += (variables.empty() ? "" : ",\n    ") + std::string(R"({"name": )") +
                   json_text(one.variables[i].name) + R"(, "bytes": )" +
                   std::to_string(one.variables[i].bytes) + ", " +
                   files.text("variable" + std::to_string(i), one.before.variables[i], after.variables[i]) +
                   "}";
  const std::string text =
      "{" + launch_text(one.launch) + R"(, "from": ")" + how + R"(", "code_candidates": )" +
      std::to_string(one.candidates) +
      ",\n  \"parameters\": " + joined(one.launch.parameters, parameter_text) +
      ",\n  \"pointers\": " + joined(one.reach.pointers, pointer_text) + ",\n  \"allocations\": [" +
      allocations + "],\n  \"variables\": [" + variables +
      "],\n  \"notes\": " + joined(one.reach.notes, [](const std::string& note) { return json_text(note); }) +
      "}\n";
  write_file(folder / "launch.json.part", text);
  std::filesystem::rename(folder / "launch.json.part", folder / "launch.json");  // now it is whole
  ++written_;
}

}  // namespace tailwave::injected
