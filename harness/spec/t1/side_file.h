#pragma once

#include <optional>

#include "spec/document.h"
#include "spec/experiment.h"
#include "spec/t1/file.h"

namespace tailwave {

// What T1 cannot say of "file.json" stands in "file.tailwave.json" beside it: keys of manifests (problem, buffers,
// variants, reference, verify, work, limits) and of experiments (metric, metrics, objectives, energy, measure, regimes), each of which counts instead
// of what the T1 file says, or with it. Empty where there is no such file; where there is one with something wrong that
// is reported, and the document has what can be read of it.
std::optional<Document> read_side_file(const std::filesystem::path& t1_file, Reporter& reporter);

// The path of it.
std::filesystem::path side_file_of(const std::filesystem::path& t1_file);
bool is_side_file(const std::filesystem::path& file);

// Reads what the side file says over the experiment that the T1 file is.
void apply_side_file(const T1File& file, Experiment& experiment);

}  // namespace tailwave
