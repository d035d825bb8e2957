#include "compile/program_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "compile/cpu/toolchain.h"
#include "compile/cuda_toolkit.h"
#include "compile/prelude.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/outcome.h"
#include "core/process.h"
#include "core/stopwatch.h"
#include "core/temporary_folder.h"

namespace tailwave {
namespace {
namespace fs = std::filesystem;

std::vector<CommandWord> evaluated(const BuildRequest& request) {
  std::vector<CommandWord> words;
  try {
    for (const CommandWord& word : request.variant->build)
      words.push_back(word.with(request.configuration.scope()));
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::compile_error, fmt::format("'build': {}", error.what()));
  }
  return words;
}

std::vector<std::string> command_of(const std::vector<CommandWord>& words, const fs::path& source,
                                    const fs::path& program) {
  std::vector<std::string> command;
  for (const CommandWord& word : words) command.push_back(word.text(source, program));
  return command;
}

// The file that a name on PATH means; the name itself where it has a '/' or means none.
fs::path file_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  std::istringstream folders(environment_text("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
  return name;
}

// By which another compiler of that name is told.
std::string stamp_of(const std::string& name) {
  struct stat status {};
  if (stat(file_on_path(name).c_str(), &status) != 0) return name;
  return fmt::format("{} {} {}.{}", name, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

bool starts_with_program(const LaunchSpec& launch) {
  const auto& first = launch.command.front().parts;
  return first.size() == 1 && std::holds_alternative<CommandWord::Place>(first.front());
}

void require_executable(const VariantSpec& variant) {
  for (const auto* plan : {&variant.prepare, &variant.launches, &variant.finish})
    for (const LaunchSpec& launch : *plan)
      if (starts_with_program(launch) && access(variant.source.c_str(), X_OK) != 0)
        throw Failure(
            Outcome::compile_error,
            fmt::format("{} cannot be run: it is not executable (chmod +x), or needs its interpreter before "
                        "it: [\"python3\", \"{{program}}\", ...], or is to be built: 'build'",
                        display_path(variant.source)));
}

}  // namespace

ProgramCompiler::ProgramCompiler(ArtifactCache cache, std::string gpu)
    : cache_(std::move(cache)), machine_(fmt::format("{}\n{}", HostToolchain::cpu_identity(), gpu)) {}

std::string ProgramCompiler::key(const BuildRequest& request) {
  const VariantSpec& variant = *request.variant;
  FieldHasher hasher;
  hasher.add("program").add(to_string(variant.target));
  if (variant.build.empty()) return hasher.add(read_file(variant.source)).digest();
  hasher.add(sources_.of(variant.source, request.system->directory));
  const std::vector<std::string> words = command_of(evaluated(request), "{source}", "{program}");
  for (const std::string& word : words) hasher.add(word);
  return hasher.add(stamp_of(words.front())).add(machine_).digest();
}

Artifact ProgramCompiler::build(const BuildRequest& request) {
  const VariantSpec& variant = *request.variant;
  const std::string content_key = key(request);
  Artifact artifact;
  artifact.kind = variant.target == VariantSpec::Target::reporting_program ? Artifact::Kind::reporting_program
                                                                           : Artifact::Kind::program;
  artifact.record.key = content_key;
  artifact.record.compiler = version();
  artifact.record.target = to_string(variant.target);
  if (variant.build.empty()) {
    require_executable(variant);
    artifact.file = variant.source;
    artifact.record.code_hash = content_hash(read_file(variant.source));
    return artifact;
  }
  if (auto known = cache_.find(content_key)) return *known;
  const auto start = std::chrono::steady_clock::now();
  const TemporaryFolder folder;
  const fs::path program = folder.path() / "program";
  const std::vector<std::string> command = command_of(evaluated(request), variant.source, program);
  const std::chrono::duration<double> limit(request.deadline_s);
  ProcessResult made;
  try {
    made = run_process(command, std::chrono::duration_cast<std::chrono::milliseconds>(limit));
  } catch (const Error& error) {
    throw Failure(Outcome::compile_error, error.what());
  }
  if (made.timed_out)
    throw Failure(Outcome::compile_timeout,
                  fmt::format("'{}' took longer than {:g} s", command.front(), limit.count()));
  if (made.exit_status != 0)
    throw Failure(Outcome::compile_error, fmt::format("'{}' ended with status {}\n{}", command.front(),
                                                      made.exit_status, made.output));
  if (!fs::is_regular_file(program))
    throw Failure(Outcome::compile_error,
                  fmt::format("'{}' did not make {{program}}\n{}", command.front(), made.output));
  const std::string code = read_file(program);
  artifact.record.compiler = command.front();
  artifact.record.options =
      fmt::format("{}", fmt::join(command_of(evaluated(request), "{source}", "{program}"), " "));
  artifact.record.code_hash = content_hash(code);
  artifact.record.log = made.output;
  artifact.record.seconds = seconds_since(start);
  cache_.store(artifact, code);
  return artifact;
}

}  // namespace tailwave
