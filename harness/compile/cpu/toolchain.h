#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/unit_compiler.h"
#include "core/outcome.h"

namespace tailwave {

// The host compiler found at run time.
class HostToolchain : public UnitCompiler {
 public:
  // The first that answers to --version: $CXX (may have arguments: "ccache g++"), g++, clang++, c++ on PATH.
  // Null when there is none.
  static std::shared_ptr<const HostToolchain> find();

  // `command` is a compiler that takes GCC's options.
  HostToolchain(std::vector<std::string> command, std::string version);

  [[nodiscard]] const std::string& version() const override {
    return version_;  // "g++ (Debian 12.2.0-14) 12.2.0"
  }

  // Where programs of the command and their parts lie beside the system's folders; and what folders and files
  // $TAILWAVE_HOST_CXXFLAGS names.
  [[nodiscard]] std::vector<std::filesystem::path> folders() const;

  // What -march=native depends on: the model and feature flags of the CPU.
  static std::string cpu_identity();
  [[nodiscard]] const std::string& identity() const override { return cpu_; }  // the same, read once
  // "address,undefined" when this program itself is built with sanitizers, else "". Code is then built with them too.
  static std::string sanitizers();

  [[nodiscard]] Result compile(const std::string& unit, const std::vector<File>& headers,
                               const std::vector<std::string>& includes,
                               const std::vector<std::string>& flags,
                               double deadline_s = kDefaultBuildDeadlineS,
                               bool is_whole = false) const override;

  // One step of making a program, with the caller's flags alone. Both throw as compile() does.
  void compile_object(const std::filesystem::path& source, const std::filesystem::path& object,
                      const std::vector<std::string>& flags,
                      double deadline_s = kDefaultBuildDeadlineS) const;
  void link_program(const std::vector<std::filesystem::path>& objects, const std::filesystem::path& program,
                    const std::vector<std::string>& flags, double deadline_s = kDefaultBuildDeadlineS) const;

  // Optimisation and target (or the sanitizers), visibility.
  [[nodiscard]] std::vector<std::string> base_flags() const override;
  // After the caller's flags: what $TAILWAVE_HOST_CXXFLAGS holds, split at spaces.
  static std::vector<std::string> extra_flags();

 private:
  [[nodiscard]] bool is_clang() const { return version_.find("clang") != std::string::npos; }

  std::vector<std::string> command_;
  std::string version_;
  std::string cpu_ = cpu_identity();
};

}  // namespace tailwave
