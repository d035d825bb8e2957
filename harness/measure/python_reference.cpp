#include "measure/python_reference.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/outcome.h"
#include "core/parallel.h"
#include "core/process.h"
#include "core/temporary_folder.h"
#include "json/values.h"
#include "measure/embedded.h"
#include "measure/inputs.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kTask = "python_reference";
constexpr std::string_view kChoosePython =
    "install one with NumPy (python3 -m pip install numpy), or name it in $TAILWAVE_PYTHON";

// The last lines of a text, each of which counts.
std::string last_lines(std::string_view text, std::size_t most) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t lines = 0; lines < most && begin != 0; ++lines) {
    const std::size_t before = text.rfind('\n', begin - 1);
    begin = before == std::string_view::npos ? 0 : before;
  }
  if (begin < text.size() && text[begin] == '\n') ++begin;
  return std::string(text.substr(begin));
}

[[noreturn]] void refuse_python(const std::string& program, const std::string& why) {
  throw Error(Diagnostic{.cause = fmt::format("a reference in Python needs NumPy, and '{}' {}", program, why),
                         .hint = std::string(kChoosePython)},
              Error::kRunFailed);
}

// NumPy lacks it.
bool is_widened(ScalarType type) {
  return is_small_float(type) && type != ScalarType::float16;
}

std::string name_in_python(ScalarType type) {
  return std::string(to_string(is_widened(type) ? ScalarType::float32 : type));
}

std::vector<std::byte> widened(ScalarType type, std::span<const std::byte> bytes) {
  return visit_scalar(type, [&]<class Number>(Number) {
    std::vector<std::byte> wide(bytes.size() / sizeof(Number) * sizeof(float));
    for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Number number;
        std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
        const auto value = static_cast<float>(number);
        std::memcpy(wide.data() + i * sizeof value, &value, sizeof value);
      }
    });
    return wide;
  });
}

void narrow(ScalarType type, std::span<const std::byte> wide, std::span<std::byte> bytes) {
  visit_scalar(type, [&]<class Number>(Number) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(Number); ++i) {
      float value = 0;
      std::memcpy(&value, wide.data() + i * sizeof value, sizeof value);
      const auto number = static_cast<Number>(static_cast<double>(value));
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  });
}

// One call, in the worker's process.
class PythonCall {
 public:
  PythonCall(const Repetition& subject, std::uint64_t draw)
      : system_(*subject.system),
        inputs_(subject.inputs),
        scope_(subject.configuration.scope()),
        draw_(draw) {}

  BufferContents run(const std::string& program, const std::vector<std::string>& results, double longest_s) {
    write_plan(results);
    const fs::path runner = folder_.path() / "reference_runner.py";
    write(runner, embedded::measure::file("reference_runner.py"));
    const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(longest_s * 1e3));
    ProcessResult ended;
    try {
      ended = run_process({program, "-B", runner.string(), folder_.path().string()}, limit);
    } catch (const Error& error) {
      throw Failure(Outcome::launch_failed, error.what());
    }
    if (ended.timed_out) throw Failure(Outcome::timeout, fmt::format("took longer than {:g} s", longest_s));
    if (ended.exit_status != 0) throw Failure(Outcome::launch_failed, why(ended));
    BufferContents contents;
    for (const std::string& name : results) contents[name] = read(name);
    return contents;
  }

 private:
  static std::string why(const ProcessResult& ended) {
    constexpr std::size_t kLines = 12;
    std::string text = last_lines(ended.output, kLines);
    if (ended.signal != 0)
      text += fmt::format("{}it was ended by signal {}", text.empty() ? "" : "\n", ended.signal);
    return text.empty() ? fmt::format("it ended with status {}", ended.exit_status) : text;
  }

  static void write(const fs::path& file, std::string_view bytes) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) refuse_temporary_file(file, "cannot be written");
  }

  [[nodiscard]] fs::path file_of(const std::string& name) const { return folder_.path() / (name + ".bin"); }
  [[nodiscard]] fs::path result_of(const std::string& name) const {
    return folder_.path() / (name + ".result");
  }

  // None of a buffer whose size depends on a parameter that the reference has not.
  [[nodiscard]] std::optional<std::size_t> count_of(const BufferSpec& buffer) const {
    try {
      const std::int64_t count = buffer.count.evaluate_int(scope_);
      return count < 1 ? std::nullopt : std::optional(static_cast<std::size_t>(count));
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
  }

  void write_input(const std::string& name, const BufferSpec& buffer, std::size_t count) const {
    std::vector<std::byte> bytes(count * size_bytes(buffer.type));
    if (buffer.fill.kind == Fill::Kind::function && !buffer.output_only) {
      const auto made = inputs_.at(name).contents.bytes();
      bytes.assign(made.begin(), made.end());
    } else if (const auto byte = uniform_byte(buffer, draw_))
      std::memset(bytes.data(), std::to_integer<int>(*byte), bytes.size());
    else
      make_input(input_of(name, buffer, count, scope_), draw_, 0, bytes);
    if (is_widened(buffer.type)) bytes = widened(buffer.type, bytes);
    write(file_of(name), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  void write_plan(const std::vector<std::string>& results) {
    const PythonReference& python = *system_.reference.python;
    json buffers = json::object();
    for (const auto& [name, buffer] : system_.buffers) {
      const std::optional<std::size_t> count = count_of(buffer);
      if (!count) continue;
      write_input(name, buffer, *count);
      buffers[name] = {{"file", file_of(name).string()},
                       {"result", result_of(name).string()},
                       {"type", name_in_python(buffer.type)},
                       {"count", *count}};
    }
    std::vector<std::string> reads;
    for (const auto& [name, hash] : python.files)
      reads.push_back(fs::canonical(python.path_of(name)).string());
    const json plan{{"source", python.file.string()},
                    {"function", python.function},
                    {"project", fs::canonical(system_.directory).string()},
                    {"reads", reads},
                    {"quantities", json_object(scope_)},
                    {"buffers", buffers},
                    {"results", results}};
    write(folder_.path() / "plan.json", plan.dump());
  }

  [[nodiscard]] Blob read(const std::string& name) const {
    const BufferSpec& buffer = system_.buffers.at(name);
    const std::size_t bytes = *count_of(buffer) * size_bytes(buffer.type);
    Blob blob = Blob::shared(bytes);
    std::vector<std::byte> wide;
    if (is_widened(buffer.type)) wide.resize(bytes / size_bytes(buffer.type) * sizeof(float));
    const std::span<std::byte> to = wide.empty() ? blob.writable() : std::span(wide);
    std::ifstream stream(result_of(name), std::ios::binary);
    stream.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    if (static_cast<std::size_t>(stream.gcount()) != to.size())
      throw Failure(Outcome::launch_failed, fmt::format("it ended without the result '{}'", name));
    if (!wide.empty()) narrow(buffer.type, wide, blob.writable());
    return blob;
  }

  const System& system_;
  const MadeInputs& inputs_;
  Values scope_;
  std::uint64_t draw_;
  TemporaryFolder folder_;
};

}  // namespace

// Without the working folder among those that modules are looked for in: nothing of a project is executed.
Python find_python() {
  constexpr const char* kAsk =
      "import sys\n"
      "sys.path = [folder for folder in sys.path if folder]\n"
      "import json, site\n"
      "try:\n"
      "    import numpy\n"
      "    version = numpy.__version__\n"
      "except ImportError:\n"
      "    version = ''\n"
      "print(json.dumps({'program': sys.executable, 'python': sys.version.split()[0], 'numpy': version,\n"
      "                  'folders': [sys.prefix, sys.base_prefix] + sys.path + [site.getusersitepackages()]}))\n";
  constexpr std::chrono::seconds kLongest{60};
  const char* const chosen = std::getenv("TAILWAVE_PYTHON");
  const std::string program = chosen == nullptr || *chosen == '\0' ? "python3" : chosen;
  ProcessResult answer;
  try {
    answer = run_process({program, "-B", "-c", kAsk}, kLongest);
  } catch (const Error&) {
    refuse_python(program, "cannot be started");
  }
  const json told = json::parse(last_lines(answer.output, 1), nullptr, false);
  if (answer.exit_status != 0 || answer.timed_out || !told.is_object())
    refuse_python(program, "is no Python 3: " + last_lines(answer.output, 1));
  const auto numpy = told.at("numpy").get<std::string>();
  if (numpy.empty()) refuse_python(program, "has none");
  Python python{told.at("program").get<std::string>(),
                fmt::format("Python {}, NumPy {}", told.at("python").get<std::string>(), numpy),
                {}};
  for (const json& folder : told.at("folders"))
    if (const auto text = folder.get<std::string>(); text.starts_with('/') && text != "/")
      python.folders.emplace_back(text);
  return python;
}

BufferContents run_python_reference(Worker& worker, const Python& python, const System& system,
                                    const Configuration& configuration, std::uint64_t draw,
                                    double longest_s) {
  std::vector<std::string> results;
  for (const auto& [name, comparison] : system.reference.compare)
    if (comparison.norm != Comparison::Norm::range) results.push_back(name);
  Packet request;
  worker.put_subject(request, {.system = &system,
                               .configuration = configuration,
                               .artifact = {},
                               .settings = {},
                               .results = results});
  request << draw << python.program.string() << longest_s;
  Packet answer = worker.call(kTask, request);
  BufferContents contents;
  answer >> contents;
  return contents;
}

Tasks python_reference_tasks(const std::vector<const System*>& systems) {
  return {{kTask, [systems](DeviceData& /*data*/, Watch& watch, Packet& request, Packet& answer) {
             constexpr double kInputsS = 600;
             const Repetition subject = take_repetition(request, systems);
             const auto draw = take<std::uint64_t>(request);
             const auto program = take<std::string>(request);
             const auto longest_s = take<double>(request);
             const Watch::Scope watched(watch, Watch::Doing::host_work, longest_s + kInputsS);
             answer << PythonCall(subject, draw).run(program, subject.results, longest_s);
           }}};
}

}  // namespace tailwave
