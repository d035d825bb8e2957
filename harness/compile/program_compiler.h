#pragma once

#include <string>

#include "compile/artifact.h"
#include "compile/cache.h"
#include "compile/project_sources.h"

namespace tailwave {

// Makes what variants run that are programs of the user's own (VariantSpec::is_program): by the manifest's `build`
// command, cached, or nothing where the source is the program. The build's target is that of the variant.
//
// A program is known by its source, for one that is built also by the project's headers that this includes, the command,
// size and time of the program that the command runs, and the machine, for which it may make code (-march=native,
// -arch=native). What it reads besides is not looked at.
class ProgramCompiler : public Compiler {
 public:
  // `gpu`: what tells apart GPUs that code is made for; empty: there is none.
  ProgramCompiler(ArtifactCache cache, std::string gpu);

  // Failure(compile_error): the command's output and status, or why the source cannot be run.
  Artifact build(const BuildRequest& request) override;
  std::string key(const BuildRequest& request) override;
  [[nodiscard]] std::string version() const override { return "none"; }

 private:
  ArtifactCache cache_;
  std::string machine_;
  SourceDigests sources_;
};

}  // namespace tailwave
