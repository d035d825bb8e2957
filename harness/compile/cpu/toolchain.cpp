#include "compile/cpu/toolchain.h"

#include <fstream>
#include <utility>

#include "compile/compile_steps.h"
#include "compile/prelude.h"

namespace tailwave {
namespace fs = std::filesystem;

std::shared_ptr<const HostToolchain> HostToolchain::find() {
  for (const std::vector<std::string>& command :
       {words_in_environment("CXX"), {"g++"}, {"clang++"}, {"c++"}}) {
    if (command.empty()) continue;
    if (const std::string version = first_line(answer_of(command, {"--version"})); !version.empty())
      return std::make_shared<const HostToolchain>(command, version);
  }
  return nullptr;
}

HostToolchain::HostToolchain(std::vector<std::string> command, std::string version)
    : command_(std::move(command)), version_(std::move(version)) {}

std::string HostToolchain::cpu_identity() {
  std::ifstream stream("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(stream, line) && !line.empty();)
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features") ||
        line.starts_with("CPU "))
      identity += line + '\n';
  return identity;
}

std::string HostToolchain::sanitizers() {
#ifdef TAILWAVE_SANITIZE
  return TAILWAVE_SANITIZE;
#else
  return "";
#endif
}

std::vector<std::string> HostToolchain::base_flags() const {
  std::vector<std::string> flags{"-fPIC",           "-fvisibility=hidden",
                                 "-fno-math-errno", "-Wno-unknown-pragmas",
                                 "-Wno-attributes", "-fdiagnostics-color=never"};
  // GCC would make static locals of templates unique in the process, so that two builds of one template would
  // share their __shared__ arrays and could not be unloaded.
  if (!is_clang()) append(flags, {"-fno-gnu-unique"});
  if (const std::string names = sanitizers(); !names.empty())
    append(flags,
           {"-O1", "-g", "-fsanitize=" + names, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"});
  else
    append(flags, {"-O3", "-march=native"});
  return flags;
}

std::vector<fs::path> HostToolchain::folders() const {
  std::vector<fs::path> all;
  for (const std::string& word : command_)
    if (const fs::path program = found_on_path(word); !program.empty())
      all.push_back(installation_of(program));
  for (const std::string& flag : extra_flags())
    if (const std::size_t path = flag.find('/'); path != std::string::npos)
      all.emplace_back(flag.substr(path));
  return all;
}

std::vector<std::string> HostToolchain::extra_flags() {
  return words_in_environment("TAILWAVE_HOST_CXXFLAGS");
}

HostToolchain::Result HostToolchain::compile(const std::string& unit, const std::vector<File>& headers,
                                             const std::vector<std::string>& includes,
                                             const std::vector<std::string>& flags, double deadline_s,
                                             bool is_whole) const {
  const UnitFolder folder(".cpp", unit, headers);
  std::vector<std::string> compile = command_;
  append(compile, base_flags());
  append(compile, flags);
  append(compile, extra_flags());
  append(compile, folder.flags(includes));
  const CompileSteps steps(folder.path(), deadline_s);
  Result result;
  result.log = steps.run(compile);
  result.inputs = folder.inputs("the host compiler");

  // A step of its own: with -ffast-math GCC would link code that makes the whole program flush denormals.
  std::vector<std::string> link = command_;
  append(link, {"-shared", folder.object().string(), "-o", folder.library().string()});
  if (const std::string names = sanitizers(); !names.empty())
    append(link, {"-fsanitize=" + names});  // whose functions are the program's
  else if (is_whole)
    append(link, {"-Wl,-z,defs"});
  append(link, {"-lm"});
  static_cast<void>(steps.run(link));
  result.code = read_file(folder.library());
  return result;
}

void HostToolchain::compile_object(const fs::path& source, const fs::path& object,
                                   const std::vector<std::string>& flags, double deadline_s) const {
  std::vector<std::string> compile = command_;
  append(compile, flags);
  append(compile, {"-fdiagnostics-color=never", "-c", source.string(), "-o", object.string()});
  static_cast<void>(CompileSteps(source.parent_path(), deadline_s).run(compile));
}

void HostToolchain::link_program(const std::vector<fs::path>& objects, const fs::path& program,
                                 const std::vector<std::string>& flags, double deadline_s) const {
  std::vector<std::string> link = command_;
  for (const fs::path& object : objects) link.push_back(object.string());
  append(link, flags);
  append(link, {"-o", program.string()});
  static_cast<void>(CompileSteps(program.parent_path(), deadline_s).run(link));
}

}  // namespace tailwave
