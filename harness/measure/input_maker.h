#pragma once

#include <list>
#include <string>
#include <utility>

#include "core/hash.h"
#include "measure/made_inputs.h"
#include "measure/reference.h"
#include "measure/repetition.h"

namespace tailwave {

// Calls the functions that fill buffers (System::makers), each in a process of its own on the CPU that has nothing of what
// is measured. What they made is kept on disk with what references made, for as long as nothing changes that it depends
// on, and the latest of it in memory.
class InputMaker {
 public:
  explicit InputMaker(ReferenceTools tools) : tools_(std::move(tools)) {}

  // For Worker::set_inputs. Throws Error where a function does not build or run, or writes beyond its buffer.
  void complete(Repetition& repetition);

 private:
  MadeInputs inputs_of(const System& system, const Configuration& configuration);
  MadeInput made(const System& system, const VariantSpec& maker, const std::string& buffer,
                 const Configuration& configuration);
  [[nodiscard]] Blob call(const System& system, const VariantSpec& maker, const std::string& buffer,
                          const Configuration& configuration) const;

  ReferenceTools tools_;
  std::list<MadeInput> latest_;  // the one asked for last is the first
};

// What the maker of a buffer is called with for a configuration of the system: its problem, and the parameters alone that
// its arguments may name.
Configuration maker_configuration(const System& system, const VariantSpec& maker,
                                  const Configuration& configuration);

// For keys: how the system's makers are built for a problem and the parameters of its reference's `by`.
void add_makers(FieldHasher& hasher, Compiler* host_compiler, const System& system, const Values& problem,
                const Values& parameters);

}  // namespace tailwave
