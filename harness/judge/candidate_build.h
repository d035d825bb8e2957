#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>

#include "core/configuration.h"
#include "core/members.h"
#include "core/temporary_folder.h"
#include "measure/tools.h"
#include "spec/system.h"
#include "tune/builder.h"

namespace tailwave {

// A configuration whose variant has another source than its manifest says.
struct CandidateBuild {
  std::size_t system = 0;  // its place in a list of systems
  Configuration configuration;
  std::string
      name;  // what compilers call the source, as "candidate.cu"; empty: the variant's own source is built
  std::string file;  // where its text is, see SourceFolder::add

  static constexpr auto members() {
    return std::tuple{member("system", &CandidateBuild::system),
                      member("configuration", &CandidateBuild::configuration),
                      member("name", &CandidateBuild::name), member("file", &CandidateBuild::file)};
  }
};

// As a task for a CompilePool.
std::string task_of(const CandidateBuild& wanted);

// A folder of its own for sources while they are compiled, which goes with this object. They reach compile processes as
// files: a process that compiles does not read what is sent to it meanwhile.
class SourceFolder {
 public:
  SourceFolder();  // throws Error when it cannot be made

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  // The file that a source is in until remove(). Throws Error when it cannot be written.
  [[nodiscard]] std::string add(std::uint64_t number, const std::string& text) const;
  void remove(std::uint64_t number) const;

 private:
  TemporaryFolder folder_;
};

// In a compile process: builds such a task. The source may include files of its system's folder, and is refused as a
// compile_error where it names others. Messages have the candidate's name in place of the file in `folder`, in which
// each process has a copy of its own, and are cut where they are longer than kMostLogBytes: a client whose answers were
// long would have to read them before it may send more. Throws Error where the machine is at fault.
Built build_candidate(const std::string& task, std::span<const System* const> systems, const Tools& tools,
                      const std::filesystem::path& folder, double deadline_s);

inline constexpr std::size_t kMostLogBytes = std::size_t{32} << 10;

// Compilers' words without the folder of sources that are named in them, whichever process wrote those.
std::string without_source_folder(std::string text);

}  // namespace tailwave
