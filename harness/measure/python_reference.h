#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "measure/reference_cache.h"
#include "measure/worker.h"
#include "spec/system.h"

namespace tailwave {

// The Python that references are executed with.
struct Python {
  std::filesystem::path program;
  std::string versions;                        // of it and of NumPy
  std::vector<std::filesystem::path> folders;  // where it and its packages are
};
// That of $TAILWAVE_PYTHON, else python3. Throws Error where it cannot be started or has no NumPy.
Python find_python();

// The compared buffers that a reference in Python makes of the inputs of a draw, in a process of its own below that of
// the worker, which is confined like it. `configuration`: the problem, and the parameters of the reference's `by`.
//
// The function is called with a dict of one-dimensional arrays, the scalars of each buffer whose size is known from
// these, and a dict of quantities and parameters. It changes arrays, or returns a dict with all that are compared, of the
// same type and as many numbers. It may read PythonReference::files, and what is installed. bfloat16 and float8, which NumPy lacks, are float32 there; results are rounded.
//
// Throws Failure: timeout after `longest_s`, else launch_failed with the last lines that it printed.
BufferContents run_python_reference(Worker& worker, const Python& python, const System& system,
                                    const Configuration& configuration, std::uint64_t draw, double longest_s);
// The task that this asks for.
Tasks python_reference_tasks(const std::vector<const System*>& systems);

}  // namespace tailwave
