#include "adopt/block_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "adopt/lexemes.h"

namespace tailwave {
namespace {

constexpr std::int64_t kMostThreads = 1024;  // of a block, on every GPU

const char* thread_of(int direction) {
  return kThreadNumbers[static_cast<std::size_t>(direction)];
}

// Of BLOCK * ITEMS elements of a block, the factor that counts threads.
std::optional<Polynomial> part_of_threads(const Polynomial& span) {
  std::string best;
  int most = INT_MIN;
  for (const std::string& factor : span.factors()) {
    const std::string upper = in_capitals(factor);
    int score = 0;
    for (const char* word : {"BLOCK", "THREAD", "TPB", "DIM", "WORKGROUP"})
      if (upper.find(word) != std::string::npos) score += 2;
    if (counts_items(upper)) score -= 3;
    if (score > most) {
      most = score;
      best = factor;
    }
  }
  return best.empty() || !KernelScope::is_constant(Polynomial::factor(best))
             ? std::nullopt
             : std::optional(Polynomial::factor(best));
}

}  // namespace

std::optional<Polynomial> BlockEvidence::size(int direction) {
  auto shared = shared_size(direction);
  if (shared && !shared->is_number() && holds(shared, direction)) return shared;
  auto bounds = directions_ == 1 ? launch_bounds() : std::nullopt;
  if (bounds && !bounds->is_number() && holds(bounds, direction)) return bounds;
  for (const auto& found : {span_of_block(direction), step_of_threads(direction)})
    if (holds(found, direction)) return found;
  return std::nullopt;
}

// Whether nothing speaks against it.
bool BlockEvidence::holds(const std::optional<Polynomial>& size, int direction) {
  if (!size) return false;
  if (!is_length_of_work(*size, direction)) return true;
  draft_.guess(fmt::format("{} is not the number of threads of {}, which compares {} with it", size->text(),
                           launch_.kernel->name, thread_of(direction)),
               "\"block\"");
  return false;
}

bool BlockEvidence::is_length_of_work(const Polynomial& size, int direction) {
  const std::vector<KernelScope::Limit> limits = scope_.limits();
  const Polynomial thread = Polynomial::factor(thread_of(direction));
  return std::any_of(limits.begin(), limits.end(), [&](const KernelScope::Limit& each) {
    return each.value == thread && each.below == size;
  });
}

std::int64_t BlockEvidence::limit() {
  std::int64_t least = kMostThreads;
  const auto take = [&](const std::optional<Polynomial>& size) {
    if (size && size->is_number() && size->number() > 0) least = std::min(least, size->number());
  };
  take(launch_bounds());
  const auto shared = directions_ == 1 ? shared_size(0) : std::nullopt;
  if (shared && !is_length_of_work(*shared, 0)) take(shared);
  return least;
}

std::optional<Polynomial> BlockEvidence::launch_bounds() {
  const auto arguments = split_at_commas(launch_.kernel->launch_bounds);
  const auto term = arguments.empty() ? std::nullopt : parse_term(arguments[0]);
  return term ? to_polynomial(*term, scope_) : std::nullopt;
}

// Of an array of which each thread in a direction has an element.
std::optional<Polynomial> BlockEvidence::shared_size(int direction) {
  const Polynomial thread = Polynomial::factor(thread_of(direction));
  for (const SharedArray& array : launch_.body.shared)
    for (const CTerm& index : array.indices) {
      if (array.sizes.empty() || !array.sizes[0] || !is_plain(index)) continue;
      const auto value = to_polynomial(index, scope_);
      if (value && *value == thread) return to_polynomial(*array.sizes[0], scope_);
    }
  return std::nullopt;
}

// Whether no variable that changes is part of it.
bool BlockEvidence::is_plain(const CTerm& term, int depth) const {
  constexpr int kDeepest = 8;  // locals made of locals
  bool plain = depth < kDeepest;
  for_each_term(term, [&](const CTerm& part) {
    const auto local = launch_.body.locals.find(part.text);
    if (!plain || part.kind != CTerm::Kind::name || local == launch_.body.locals.end()) return;
    plain = !local->second.changes && (!local->second.first || is_plain(*local->second.first, depth + 1));
  });
  return plain;
}

std::optional<Polynomial> BlockEvidence::span_of_block(int direction) {
  const auto at = static_cast<std::size_t>(direction);
  for (const Polynomial& each : scope_.coordinates()) {
    const Polynomial threads = each.coefficient_of(kThreadNumbers[at]);
    const Polynomial blocks = each.coefficient_of(kBlockNumbers[at]);
    if (threads == Polynomial(0) || blocks == Polynomial(0)) continue;
    auto span = blocks.divided_by(threads);
    if (!span || span->has(kBlockSizes[at]) || *span == Polynomial(1)) continue;
    if (!KernelScope::is_constant(*span) || is_length_of_work(*span, direction)) continue;
    const bool plain = span->is_number() || *span == Polynomial::factor(span->factors()[0]);
    if (plain) return span;
    if (auto part = part_of_threads(*span)) return part;
  }
  return std::nullopt;
}

std::optional<Polynomial> BlockEvidence::step_of_threads(int direction) {
  const Polynomial thread = Polynomial::factor(thread_of(direction));
  for (const auto& [name, local] : launch_.body.locals) {
    if (!local.first || !local.step) continue;
    const auto first = to_polynomial(*local.first, scope_);
    auto step = to_polynomial(*local.step, scope_);
    if (!first || !step || !(*first == thread) || !KernelScope::is_constant(*step)) continue;
    if (*step == Polynomial::factor(step->text())) return step;
  }
  return std::nullopt;
}

}  // namespace tailwave
