#include "races/race_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "compile/host_compiler.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/process.h"
#include "races/embedded.h"
#include "races/race_plan.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using Flags = std::vector<std::string>;

void write_text(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw Error(fmt::format("{}: cannot be written", file.string()));
}

std::string text_of_file(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// The runner's words where a guard zone is no longer what it was.
constexpr std::string_view kWritesOutside = "it writes outside of buffer ";

std::string first_line_of(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// What is linked with the kernels: their variables have to be found by name.
const Flags& link_flags() {
  static const Flags flags{"-fsanitize=thread", "-rdynamic", "-pthread", "-ldl", "-lm"};
  return flags;
}

ProcessResult run_limited(const std::vector<std::string>& command) {
  return run_process(command, std::chrono::seconds(static_cast<long>(RaceChecker::kDeadlineS)));
}

[[noreturn]] void refuse(const HostToolchain& toolchain, const std::string& why) {
  throw Error(
      Diagnostic{
          .cause = fmt::format("races cannot be looked for: {} makes no programs with ThreadSanitizer: {}",
                               toolchain.version(), why),
          .hint = "it needs its library, which comes with g++ (libtsan) and, for clang++, with compiler-rt"},
      Error::kRunFailed);
}

// "FUNCTION FILE:LINE:COLUMN", the innermost frame of a report whose file is there and not in `own_folder`: the source of
// a kernel, not that of a library. Else the innermost of all.
std::string frame_of(const std::string& report, const fs::path& own_folder) {
  std::string innermost;
  for (std::size_t at = report.find("    #"); at != std::string::npos; at = report.find("\n    #", at + 1)) {
    std::string line = first_line_of(report.substr(report.find('#', at)));
    const std::size_t number_end = line.find(' ');
    if (number_end == std::string::npos) break;
    line = line.substr(number_end + 1, line.find(" (BuildId: ") - number_end - 1);
    line.resize(std::min(line.size(), line.rfind(" (")));  // of the program
    const std::string place = line.substr(line.rfind(' ') + 1);
    if (!place.starts_with(own_folder.string()) && fs::exists(place.substr(0, place.find(':')))) return line;
    if (innermost.empty()) innermost = line;
  }
  return innermost;
}

// Why a program ended before its plan did.
std::string ending_of(const RaceLog& log, const ProcessResult& result, const fs::path& own_folder) {
  if (result.timed_out) return fmt::format("it took longer than {:g} s", RaceChecker::kDeadlineS);
  if (!log.failure.empty()) return log.failure;
  constexpr std::string_view kError = "ERROR: ThreadSanitizer: ";  // for a signal
  if (const auto error = result.output.find(kError); error != std::string::npos) {
    const std::string words = first_line_of(result.output.substr(error + kError.size()));
    const std::string frame = frame_of(result.output.substr(error), own_folder);
    return fmt::format("it crashed: {}{}{}", words.substr(0, words.find(" (pc")), frame.empty() ? "" : " in ",
                       frame);
  }
  constexpr std::string_view kFatal = "FATAL: ThreadSanitizer: ";
  if (const auto fatal = result.output.find(kFatal); fatal != std::string::npos)
    return "ThreadSanitizer gave up: " + first_line_of(result.output.substr(fatal + kFatal.size()));
  return fmt::format("it ended with status {}", result.exit_status);
}

// What a complete log does not tell.
std::string left_out(const RaceLog& log, const RacePlan& plan) {
  std::vector<std::string> parts;
  if (log.left_some_out) parts.emplace_back("there are more races, which were left out");
  if (plan.left_out != 0)
    parts.push_back(
        fmt::format("only the first {} of {} launches", plan.launches, plan.launches + plan.left_out));
  if (!log.shared_fibers.empty())
    parts.push_back(
        fmt::format("not between threads of a block that share one of its {} fibers", log.shared_fibers));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

RaceChecker::RaceChecker(std::shared_ptr<const HostToolchain> toolchain)
    : toolchain_(std::move(toolchain)), buffers_(toolchain_, shared_.path()) {
  if (!toolchain_)
    throw Error("races cannot be looked for: none of $CXX, g++, clang++ and c++ answers to --version");
  try_to_run();
  build_runner();
}

void RaceChecker::try_to_run() {
  const fs::path source = shared_.path() / "probe.cpp", object = shared_.path() / "probe.o",
                 program = shared_.path() / "probe";
  write_text(source, "int main() { return 0; }\n");
  try {
    toolchain_->compile_object(source, object, {"-fsanitize=thread"});
    toolchain_->link_program({object}, program, link_flags());
  } catch (const Failure& failure) {
    refuse(*toolchain_, first_line_of(failure.what()));
  }
  for (const bool fixed : {false, true}) {
    needs_fixed_addresses_ = fixed;
    const ProcessResult result = run_limited(command_of(program));
    if (result.exit_status == 0) return;
    if (fixed) refuse(*toolchain_, "one does not run: " + first_line_of(result.output));
  }
}

void RaceChecker::build_runner() {
  write_text(shared_.path() / "tailwave_abi.h", cpu_header("tailwave_abi.h"));
  const fs::path source = shared_.path() / "runner.cpp";
  write_text(source, embedded::races::file("runner.cc"));
  try {
    toolchain_->compile_object(source, shared_.path() / "runner.o",
                               {"-std=c++17", "-O1", "-I", shared_.path().string()});
  } catch (const Failure& failure) {
    throw Error(failure.what());
  }
}

std::vector<std::string> RaceChecker::command_of(const fs::path& program) const {
  if (!needs_fixed_addresses_) return {program.string()};
  return {"setarch", "--addr-no-randomize", program.string()};
}

void RaceChecker::build(const RaceCandidate& candidate, const fs::path& folder) const {
  const BuildRequest request{.system = &candidate.experiment->system,
                             .variant = candidate.variant,
                             .configuration = candidate.configuration,
                             .deadline_s = candidate.experiment->measure.build_deadline_s};
  const SourceUnit unit = kernel_unit(request);
  write_text(folder / "unit.cpp", unit.text);
  for (const HostToolchain::File& header : unit.headers) write_text(folder / header.name, header.text);
  Flags flags{"-O1",
              "-g",
              "-fsanitize=thread",
              "-fno-omit-frame-pointer",
              "-fno-optimize-sibling-calls",  // else a kernel that ends with a call is in no trace of it
              "-Wno-unknown-warning-option",
              "-Wno-tsan",
              "-Wno-unknown-pragmas",
              "-Wno-attributes",
              "-DTAILWAVE_RACES",
              "-I",
              folder.string()};
  for (const std::string& include : unit.includes) {
    flags.emplace_back("-I");
    flags.push_back((folder / include).string());
  }
  for (const Flags& more : {unit.flags, HostToolchain::extra_flags()})
    flags.insert(flags.end(), more.begin(), more.end());
  toolchain_->compile_object(folder / "unit.cpp", folder / "unit.o", flags, request.deadline_s);
  toolchain_->link_program({folder / "unit.o", shared_.path() / "runner.o"}, folder / "program", link_flags(),
                           request.deadline_s);
}

RaceCheck RaceChecker::check(const RaceCandidate& candidate) const {
  RaceCheck check;
  try {
    const TemporaryFolder folder;
    const System& system = candidate.experiment->system;
    const auto made = [&](const std::string& buffer) {
      return buffers_.make(system, candidate.configuration, buffer, folder.path() / ("made-" + buffer));
    };
    const RacePlan plan =
        write_plan(folder.path(), system, *candidate.variant, candidate.configuration, made);
    build(candidate, folder.path());
    const fs::path found = folder.path() / "races";
    std::vector<std::string> command = command_of(folder.path() / "program");
    for (const std::string& argument : {plan.file.string(), found.string(), folder.path().string() + '/'})
      command.push_back(argument);
    const ProcessResult result = run_limited(command);
    RaceLog log = read_races(text_of_file(found));
    check.races = std::move(log.races);
    check.stray = std::move(log.stray);
    for (StrayAccess& one : check.stray)
      one.element_bytes = static_cast<std::int64_t>(size_bytes(system.buffers.at(one.buffer).type));
    if (!check.stray.empty())
      check.verdict = RaceVerdict::out_of_bounds;
    else if (!check.races.empty())
      check.verdict = RaceVerdict::races;
    else if (log.complete)
      check.verdict = RaceVerdict::clean;
    check.may_miss_some = !log.shared_fibers.empty();
    if (log.failure.starts_with(kWritesOutside) && !check.stray.empty())
      check.detail.clear();  // which the accesses say better
    else
      check.detail = log.complete ? left_out(log, plan) : ending_of(log, result, folder.path());
  } catch (const Failure& failure) {
    check.detail = failure.what();
  }
  return check;
}

}  // namespace tailwave
