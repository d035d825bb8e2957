#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/hash.h"
#include "core/trial.h"
#include "device/executor.h"
#include "spec/system.h"

namespace tailwave {

// All functions throw Failure(launch_failed) for an expression that cannot be evaluated, a size below 1, an argument
// that does not fit its type, and a plan of more than kMostLaunches launches.
constexpr std::size_t kMostLaunches = 1'000'000;

// On how many processing elements the variant runs; 0: it has none.
int evaluate_pes(const VariantSpec& variant, const Values& scope);

// What the expressions of the variant's launches may name, for one of its processing elements.
Values scope_of_pe(const VariantSpec& variant, const Values& scope, int pe = 0);

// An expression that has to give a whole number; `what` begins what is said of one that does not.
std::int64_t evaluate_size(const Expression& expression, const Values& scope, const std::string& what);

// Where a buffer is to lie.
MemoryKind evaluate_memory(const Expression& memory, const Values& scope, const std::string& buffer);
Placement evaluate_placement(const BufferSpec& spec, const Values& scope, const std::string& buffer);

// The same for a number from 0 to end - 1, of a stream, a GPU or SMs.
int evaluate_number(const Expression& expression, const Values& scope, const std::string& what, int end);

struct FoundBuffer {
  ScalarType type;
  Buffer* buffer;
};
using FindBuffer = std::function<FoundBuffer(const std::string& name)>;

// The launches of a plan in order, with every expression evaluated: loops are unrolled, launches whose condition is
// false left out. `scope` is that of scope_of_pe() where the variant has processing elements, here and below.
std::vector<Launch> resolve_plan(const std::vector<LaunchSpec>& plan, const Values& scope,
                                 const FindBuffer& find);

// Adds all that resolve_plan() would give, with buffers by their names: plans of equal digests execute the same.
void add_resolved_plan(FieldHasher& hasher, const std::vector<LaunchSpec>& plan, const Values& scope);
// All parts of the variant, on all of its processing elements.
void add_resolved_plans(FieldHasher& hasher, const VariantSpec& variant, const Values& scope);

// The shapes of a plan's launches as they take place for the first time, and how often they do at most: position,
// kernel, grid, block, dynamic shared memory, SMs asked for, clusters of the manifest and count. Without copies and launches that never take place.
std::vector<LaunchRecord> launch_shapes(const std::vector<LaunchSpec>& plan, const Values& scope);

// Whether how often a loop goes round depends on a value that a run alone knows: it has `until`, and two iterations or
// more. Throws Failure where `repeat` cannot be evaluated.
bool may_end_early(const std::vector<LaunchSpec>& plan, const Values& scope);

}  // namespace tailwave
