#include "capture/replay_check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>

#include "capture/captured_launch.h"
#include "compile/artifact.h"
#include "compile/cubin.h"
#include "compile/prelude.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "measure/launch_plan.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace fs = std::filesystem;

namespace {

constexpr double kDeadlineS = 20;  // of one launch
constexpr std::size_t kMostRegions = 32;

// A part of a file that a buffer of one size has.
struct FilePart {
  fs::path file;
  std::size_t offset = 0, bytes = 0;
};

std::string read_part_of(const FilePart& part) {
  std::ifstream stream(part.file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(part.offset));
  std::string contents(part.bytes, '\0');
  stream.read(contents.data(), static_cast<std::streamsize>(part.bytes));
  if (!stream) throw Error("'" + part.file.string() + "' cannot be read");
  return contents;
}

void write_part_of(const FilePart& part, const std::string& contents) {
  std::fstream stream(part.file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(static_cast<std::streamoff>(part.offset));
  stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  stream.close();
  if (!stream) throw Error("'" + part.file.string() + "' cannot be written");
}

// The manifest's one variant in one size, and what its buffers begin and end with.
class Captured {
 public:
  Captured(const fs::path& manifest, int size) {
    Diagnostics diagnostics;
    std::optional<System> system = load_system(manifest, diagnostics);
    if (!system) throw Error(diagnostics, Error::kRunFailed);
    system_ = *std::move(system);
    for (const auto& [name, results] : system_.reference.stored) names_.push_back(name);
    for (const auto& [name, quantity] : system_.problem) scope_[name] = std::int64_t{size};
  }

  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] const VariantSpec& variant() const { return *system_.find_variant("captured"); }
  [[nodiscard]] const Values& scope() const { return scope_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // of what is compared
  [[nodiscard]] std::size_t bytes(const std::string& buffer) const {
    const BufferSpec& spec = system_.buffers.at(buffer);
    return static_cast<std::size_t>(spec.count.evaluate_int(scope_)) * size_bytes(spec.type);
  }
  [[nodiscard]] FilePart before(const std::string& buffer) const {
    return part(buffer, system_.buffers.at(buffer).fill);
  }
  [[nodiscard]] std::string expected(const std::string& buffer) const {
    return read_part_of(part(buffer, system_.reference.stored.at(buffer)));
  }

  // Where the arguments point to in a buffer, in bytes, and its end.
  [[nodiscard]] std::vector<std::size_t> regions(const std::string& buffer) const {
    std::set<std::size_t> starts{0, bytes(buffer)};
    for (const Argument& argument : variant().launches.front().arguments)
      for_each_leaf(argument, [&](const Argument& leaf) {
        const auto* const pointer = std::get_if<BufferArgument>(&leaf);
        if (pointer == nullptr || pointer->buffer != buffer || !pointer->offset) return;
        starts.insert(static_cast<std::size_t>(pointer->offset->evaluate_int(scope_)) *
                      size_bytes(system_.buffers.at(buffer).type));
      });
    return {starts.begin(), starts.end()};
  }

 private:
  [[nodiscard]] FilePart part(const std::string& buffer, const Fill& fill) const {
    const auto scalars = static_cast<std::size_t>(fill.offset.evaluate_int(scope_));
    return {fill.file, scalars * size_bytes(system_.buffers.at(buffer).type), bytes(buffer)};
  }

  System system_;
  Values scope_;
  std::vector<std::string> names_;
};

// One launch on a device of this process.
class Replay {
 public:
  Replay(const Captured& captured, Executor& executor) : captured_(captured), executor_(executor) {
    const VariantSpec& variant = captured.variant();
    const fs::path code = captured.system().directory / variant.source;
    Artifact artifact{
        .kind = Artifact::Kind::cubin, .file = code, .variables = read_cubin(read_file(code)).variables};
    for (const std::string& kernel : kernel_names(variant)) artifact.symbols.emplace(kernel, kernel);
    program_ = executor.load(artifact);
    for (const auto& [name, spec] : captured.system().buffers) {
      const MemoryKind memory =
          *find_enum<MemoryKind>(std::get<std::string>(spec.memory.evaluate(captured.scope())));
      buffers_.emplace(name, executor.allocate_at({.gpu = 0, .memory = memory}, captured.bytes(name)));
    }
    for (const auto* plan : {&variant.prepare, &variant.launches})
      plans_.push_back(resolve_plan(*plan, captured.scope(), [&](const std::string& name) {
        return FoundBuffer{captured.system().buffers.at(name).type, buffers_.at(name).get()};
      }));
  }

  void put(const std::string& buffer, const std::string& contents) {
    executor_.upload(*buffers_.at(buffer), std::as_bytes(std::span(contents)));
  }

  void launch() {
    for (const std::vector<Launch>& plan : plans_)
      if (!plan.empty()) executor_.run(*program_, plan, {.timed = false});
  }

  [[nodiscard]] std::string get(const std::string& buffer) {
    Buffer& from = *buffers_.at(buffer);
    std::string contents(from.size_bytes(), '\0');
    executor_.download(from, std::as_writable_bytes(std::span(contents)));
    return contents;
  }

  // What the launch changes is put back. It comes from the host, so that the caches hold what the launch works with and
  // no copies of it.
  void keep_what_changes() {
    for (const std::string& name : captured_.names())
      if (std::string before = read_part_of(captured_.before(name)); before != captured_.expected(name))
        kept_.emplace(name, std::move(before));
  }
  void restore() {
    for (const auto& [name, contents] : kept_) put(name, contents);
  }

  // Anew, with other contents of one buffer or none.
  void run(const std::string& other, const std::string& contents) {
    for (const auto& [name, spec] : captured_.system().buffers)
      put(name, name == other ? contents : read_part_of(captured_.before(name)));
    launch();
  }

 private:
  const Captured& captured_;
  Executor& executor_;
  std::unique_ptr<Program> program_;
  std::map<std::string, std::unique_ptr<Buffer>> buffers_;
  std::map<std::string, std::string> kept_;  // what is put back, by buffer
  std::vector<std::vector<Launch>> plans_;   // prepare, then the launch
};

std::size_t differing_bytes(const std::string& one, const std::string& other) {
  std::size_t count = one.size() == other.size() ? 0 : std::max(one.size(), other.size());
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) count += one[i] == other[i] ? 0 : 1;
  return count;
}

// As the application's launch left it, and again so.
ReplayCheck replay(const Captured& captured, Executor& executor) {
  ReplayCheck check;
  Replay replay(captured, executor);
  replay.run("", "");
  std::vector<std::string> first;
  for (const std::string& name : captured.names()) {
    const std::string& found = first.emplace_back(replay.get(name));
    check.memory.push_back({name, found.size(), differing_bytes(found, captured.expected(name)), 0});
  }
  if (check.is_identical()) return check;
  replay.run("", "");
  for (std::size_t i = 0; i < first.size(); ++i)
    check.repeats = check.repeats && replay.get(captured.names()[i]) == first[i];
  return check;
}

// A part of a buffer, in bytes from its first.
struct Region {
  std::size_t begin = 0, end = 0;
};

// Whether all is as expected but for what a region that began with other bytes kept of them.
bool is_no_input(const Captured& captured, Replay& replay, const std::string& buffer, const Region& region,
                 const std::string& found, const std::string& expected, const std::string& poisoned) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_inside = i >= region.begin && i < region.end;
    if (found[i] != expected[i] && !(is_inside && found[i] == poisoned[i])) return false;
  }
  return std::ranges::all_of(captured.names(), [&](const std::string& name) {
    return name == buffer || replay.get(name) == captured.expected(name);
  });
}

// How many bytes of the region the launch writes whatever was there; the buffer's file then has other bytes there.
std::size_t mark_written(const Captured& captured, Executor& executor, const std::string& buffer,
                         const Region& region) {
  Replay replay(captured, executor);
  const std::string expected = captured.expected(buffer);
  std::string before = read_part_of(captured.before(buffer)), poisoned = before;
  for (std::size_t i = region.begin; i < region.end; ++i)
    poisoned[i] = static_cast<char>(~static_cast<unsigned char>(expected[i]));
  replay.run(buffer, poisoned);
  const std::string found = replay.get(buffer);
  if (!is_no_input(captured, replay, buffer, region, found, expected, poisoned)) return 0;
  std::size_t written = 0;
  for (std::size_t i = region.begin; i < region.end; ++i) {
    if (found[i] != expected[i]) continue;
    before[i] = poisoned[i];
    ++written;
  }
  if (written == 0) return 0;
  replay.run(buffer, before);
  if (!is_no_input(captured, replay, buffer, {}, replay.get(buffer), expected, before)) return 0;
  write_part_of(captured.before(buffer), before);
  return written;
}

// What `work` returns, in a process of its own, as text; "!" and the reason where it throws, nothing where it dies.
std::string in_a_process(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error("no pipe can be made");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t process = fork();
  if (process < 0) throw Error("no process can be forked");
  if (process == 0) {
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = std::string("!") + error.what();
    }
    const ssize_t written = write(to.number(), text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  to.close();
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t read_bytes = 0; (read_bytes = read(from.number(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(read_bytes));
  int status = 0;
  waitpid(process, &status, 0);
  return text;
}

std::unique_ptr<Executor> open(const ExecutorFactory& device) {
  std::unique_ptr<Executor> executor = device();
  executor->set_deadline_s(kDeadlineS);
  return executor;
}

}  // namespace

bool ReplayCheck::is_identical() const {
  return failure.empty() && std::ranges::all_of(memory, [](const Memory& one) { return one.differing == 0; });
}

ReplayCheck check_replay(const fs::path& manifest, int size, const ExecutorFactory& device) {
  const Captured captured(manifest, size);
  ReplayCheck check;
  const std::string text = in_a_process([&] {
    const ReplayCheck found = replay(captured, *open(device));
    std::string line = found.repeats ? "1" : "0";
    for (const ReplayCheck::Memory& one : found.memory) line += " " + std::to_string(one.differing);
    return line;
  });
  for (const std::string& name : captured.names()) check.memory.push_back({name, captured.bytes(name), 0, 0});
  if (text.empty() || text.front() == '!') {
    check.failure = text.empty() ? "the process that launched it died" : text.substr(1);
    return check;
  }
  std::istringstream numbers(text);
  numbers >> check.repeats;
  for (ReplayCheck::Memory& one : check.memory) numbers >> one.differing;
  if (!check.is_identical()) return check;
  for (ReplayCheck::Memory& one : check.memory) {
    const std::vector<std::size_t> starts = captured.regions(one.buffer);
    for (std::size_t i = 0; i + 1 < starts.size() && i < kMostRegions; ++i) {
      const Region region{starts[i], starts[i + 1]};
      const std::string written = in_a_process(
          [&] { return std::to_string(mark_written(captured, *open(device), one.buffer, region)); });
      if (!written.empty() && written.front() != '!') one.written += std::stoull(written);
    }
  }
  return check;
}

void launch_again(const fs::path& manifest, int size, const ExecutorFactory& device, int times) {
  const Captured captured(manifest, size);
  const std::unique_ptr<Executor> executor = open(device);
  Replay replay(captured, *executor);
  replay.keep_what_changes();
  const auto is_right = [&] {
    return std::ranges::all_of(captured.names(), [&](const std::string& name) {
      return replay.get(name) == captured.expected(name);
    });
  };
  replay.run("", "");
  replay.launch();
  const bool repeats = is_right();
  for (int i = 0; i < times; ++i) {
    if (!repeats) replay.restore();
    replay.launch();
  }
}

}  // namespace tailwave
