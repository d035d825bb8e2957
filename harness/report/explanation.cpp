#include "report/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/between_repetitions.h"
#include "core/standing.h"
#include "report/explained_cause.h"
#include "report/explained_counters.h"
#include "report/explanation_draft.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

// "A and B are as fast as each other", or that the samples do not tell.
std::string not_slower_text(const ExplanationDraft& draft, const BesideBest& other) {
  const std::string both = fmt::format("{} and {}", draft.names().a, draft.names().b);
  if (other.standing != Standing::tied)
    return fmt::format("The samples leave open whether {} or {} is faster", draft.names().a, draft.names().b);
  const bool one_repetition =
      has_one_repetition(draft.a().times_ns) || has_one_repetition(draft.b().times_ns);
  if (one_repetition && other.ratio > 1 + kExplainedMargin)
    return fmt::format("{} are less than {:.0f} % apart, which one repetition does not tell", both,
                       100 * untold_share(draft.a().times_ns, draft.b().times_ns));
  return both + " are as fast as each other";
}

// The arguments of launches are not stored: whether they differ is not known.
std::string identity_of(const ExplainedSide& a, const ExplainedSide& b, const ExplainedNames& names) {
  if (a.code_hash.empty() || a.code_hash != b.code_hash || !a.waves || !b.waves) return "";
  const auto shape = [](const WaveFacts& launch) {
    return std::tie(launch.kernel, launch.grid, launch.block);
  };
  if (shape(*a.waves) != shape(*b.waves)) return "";
  return capital(fmt::format(
      "{} and {} have the same machine code, and main launches of one shape: what differs is what the "
      "kernels are given, or when they were measured.",
      names.a, names.b));
}

void compare_times(ExplanationDraft& draft) {
  ExplainedNumber& time =
      *draft.add("time", ExplainedUnit::time_ns, draft.a().median_ns, draft.b().median_ns);
  if (draft.a().mode != draft.b().mode) {
    draft.explanation.verdict = ExplainedVerdict::not_comparable;
    time.says =
        fmt::format("{} was timed {}, {} {}: their times say nothing of each other.", draft.names().a,
                    draft.names().text(draft.a().mode), draft.names().b, draft.names().text(draft.b().mode));
    time.says = capital(time.says);
    return;
  }
  const std::vector<BesideBest> compared =
      compare_with_best({draft.a().times_ns, draft.b().times_ns}, {true, true}, {.margin = kExplainedMargin});
  const bool a_is_best = compared.at(0).standing == Standing::best;
  const BesideBest& other = compared.at(a_is_best ? 1 : 0);
  const std::size_t samples =
      std::min(samples_of(draft.a().times_ns).size(), samples_of(draft.b().times_ns).size());
  const std::string interval =
      other.interval && samples >= kFewestSamples
          ? fmt::format("95 % interval of the ratio {} to {}, within {} alone",
                        format_number(other.interval->low), format_number(other.interval->high),
                        draft.a().run_id == draft.b().run_id ? "this run" : "these runs")
          : fmt::format("{}, too few for an interval", plural(samples, "sample"));
  draft.ratio = other.ratio;
  if (other.standing == Standing::slower) {
    draft.explanation.verdict = a_is_best ? ExplainedVerdict::a_faster : ExplainedVerdict::b_faster;
    time.says = fmt::format("{} is {} times as fast as {}: {} ({}).", draft.fast_name(),
                            format_number(draft.ratio), draft.slow_name(),
                            against(ExplainedUnit::time_ns, {draft.fast().median_ns, draft.slow().median_ns}),
                            interval);
    time.says = capital(time.says);
    return;
  }
  const bool tied = other.standing == Standing::tied;
  draft.explanation.verdict = tied ? ExplainedVerdict::tied : ExplainedVerdict::unclear;
  time.says = fmt::format("{}: {} and {} ({}, margin 1 %).", not_slower_text(draft, other),
                          show(ExplainedUnit::time_ns, draft.a().median_ns),
                          show(ExplainedUnit::time_ns, draft.b().median_ns), interval);
  time.says = capital(time.says);
}

void resources(ExplanationDraft& draft) {
  const auto whole = [](const ExplainedSide& side, std::optional<std::int64_t> WaveFacts::*member) {
    const auto number = side.waves ? (*side.waves).*member : std::nullopt;
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  };
  const auto occupancy = [](const ExplainedSide& side) {
    return side.waves ? side.waves->occupancy : std::nullopt;
  };
  draft.add("registers a thread", ExplainedUnit::number, whole(draft.a(), &WaveFacts::registers),
            whole(draft.b(), &WaveFacts::registers));
  if (whole(draft.a(), &WaveFacts::spill_bytes).value_or(0) > 0 ||
      whole(draft.b(), &WaveFacts::spill_bytes).value_or(0) > 0)
    draft.add("spilled bytes a thread", ExplainedUnit::number, whole(draft.a(), &WaveFacts::spill_bytes),
              whole(draft.b(), &WaveFacts::spill_bytes));
  ExplainedNumber* const blocks =
      draft.add("blocks that fit on an SM", ExplainedUnit::number,
                whole(draft.a(), &WaveFacts::blocks_per_sm), whole(draft.b(), &WaveFacts::blocks_per_sm));
  if (blocks != nullptr) {
    if (draft.a().waves) blocks->note_a = draft.a().waves->limiter;
    if (draft.b().waves) blocks->note_b = draft.b().waves->limiter;
  }
  ExplainedNumber* const number =
      draft.add("occupancy at most", ExplainedUnit::share, occupancy(draft.a()), occupancy(draft.b()));
  const auto most = two(occupancy(draft.fast()), occupancy(draft.slow()));
  if (!most || !draft.fast().waves->blocks_per_sm || !draft.slow().waves->blocks_per_sm ||
      !differ(most->fast, most->slow, kExplainedMargin))
    return;
  // Less than a wave does not come near what fits.
  if (draft.fast().waves->waves.value_or(0) < 1 || draft.slow().waves->waves.value_or(0) < 1) return;
  const auto fit = [&](const WaveFacts& waves) {
    return fmt::format("{} of {} threads{}", plural(static_cast<std::size_t>(*waves.blocks_per_sm), "block"),
                       waves.block,
                       waves.limiter.empty() ? "" : " (by " + draft.names().text(waves.limiter) + ")");
  };
  const bool less = most->fast < most->slow;
  draft.say(number, fmt::format("{} {}: on an SM fit {} against {}.",
                                less ? "It is so although occupancy can only reach" : "Occupancy can reach",
                                against(ExplainedUnit::share, *most), fit(*draft.fast().waves),
                                fit(*draft.slow().waves)));
}

void waves(ExplanationDraft& draft) {
  const auto waves = [](const ExplainedSide& side) { return side.waves ? side.waves->waves : std::nullopt; };
  ExplainedNumber* const number =
      draft.add("waves", ExplainedUnit::number, waves(draft.a()), waves(draft.b()));
  const auto both = two(waves(draft.fast()), waves(draft.slow()));
  if (!both || !differ(both->fast, both->slow, kExplainedMargin)) return;
  const auto &last = draft.fast().waves->tail_fraction, &other = draft.slow().waves->tail_fraction;
  const bool has_last = last && other && std::max(both->fast, both->slow) > 1;
  const auto full = [](double share) { return share > 0 ? percent(share) + " full" : std::string("full"); };
  draft.say(
      number,
      fmt::format("The grid of its main kernel has {} waves{}.", against(ExplainedUnit::number, *both),
                  has_last ? fmt::format(", the last one {} against {}", full(*last), full(*other)) : ""));
}

void traced(ExplanationDraft& draft) {
  const auto busy = [](const ExplainedSide& side) {
    return side.traced ? std::optional(side.traced->busy) : std::nullopt;
  };
  ExplainedNumber* const number =
      draft.add("slots busy in a trace", ExplainedUnit::share, busy(draft.a()), busy(draft.b()));
  const auto both = two(busy(draft.fast()), busy(draft.slow()));
  if (!both) return;
  const auto cost = [](const TracedSlots& traced, const std::string& cause) {
    const double share = traced.idle.at(cause == "worker_imbalance" ? "sm_imbalance" : cause);
    return cause == "ramp" ? share + traced.idle.at("drain") : share;
  };
  const TracedSlots& of_slow = *draft.slow().traced;
  std::string text = fmt::format("Traced, the slots of its longest launch are busy {} of the time",
                                 against(ExplainedUnit::share, *both));
  const bool doubtful = of_slow.cause == "hand_over" && (of_slow.doubtful || draft.fast().traced->doubtful);
  if (!of_slow.cause.empty() && !doubtful)
    text += fmt::format("; what costs {} most is {}: {}", draft.slow_name(), of_slow.cause,
                        against(ExplainedUnit::share,
                                {cost(*draft.fast().traced, of_slow.cause), cost(of_slow, of_slow.cause)}));
  draft.say(number, text + ".");
}

void limit(ExplanationDraft& draft) {
  if (draft.a().limit != draft.b().limit) return;
  ExplainedNumber* const number = draft.add("of the limit " + draft.a().limit, ExplainedUnit::share,
                                            draft.a().limit_share, draft.b().limit_share);
  if (const auto share = two(draft.fast().limit_share, draft.slow().limit_share))
    draft.say(number,
              fmt::format("Of the speed that the limit {} allows, it reaches {}.",
                          draft.names().text(draft.a().limit), against(ExplainedUnit::share, *share)));
}

std::string missing(const ExplanationDraft& draft) {
  std::vector<std::string> parts;
  const auto those = [&](const auto& is_meant) {
    const bool a = is_meant(draft.a()), b = is_meant(draft.b());
    if (a && b) return std::string("both");
    return a ? draft.names().a : b ? draft.names().b : "";
  };
  const auto lists = [&](const std::string& what, const auto& is_meant, const std::string& how) {
    const std::string names = those(is_meant);
    if (!names.empty()) parts.push_back(fmt::format("{}: {}{}.", what, names, how));
  };
  for (const auto& [side, name] :
       {std::pair{&draft.a(), &draft.names().a}, std::pair{&draft.b(), &draft.names().b}})
    for (const std::string* why : {&side->not_counted, &side->not_traced})
      if (!why->empty())
        parts.push_back(fmt::format("Left out, of {}: {}.", *name, draft.names().text(*why)));
  for (const auto& [side, name] :
       {std::pair{&draft.a(), &draft.names().a}, std::pair{&draft.b(), &draft.names().b}})
    if (side->counted && !side->counted->remark.empty())
      parts.push_back(fmt::format("Of {}: {}.", *name, draft.names().text(side->counted->remark)));
  for (const auto& [side, name] :
       {std::pair{&draft.a(), &draft.names().a}, std::pair{&draft.b(), &draft.names().b}})
    if (side->counted && side->counted->other_run)
      parts.push_back(fmt::format("The counters of {} are of another run than its times: of {}, {}.", *name,
                                  draft.names().text(side->counted->experiment), side->counted->counted_at));
  lists(
      "Not counted",
      [](const ExplainedSide& side) { return side.on_gpu && !side.counted && side.not_counted.empty(); },
      " (`tailwave counters` does)");
  lists(
      "Counted without the reasons of stalls",
      [](const ExplainedSide& side) {
        return side.counted && side.not_counted.empty() &&
               !side.counted->sum(stall_metric("long_scoreboard"));
      },
      " (`tailwave counters` without --quick has them)");
  if (draft.a().counted && draft.b().counted && draft.a().counted->method != draft.b().counted->method)
    parts.push_back(fmt::format("{} was counted by {}, {} by {}.", draft.names().a, draft.a().counted->method,
                                draft.names().b, draft.b().counted->method));
  lists(
      "Not traced",
      [](const ExplainedSide& side) { return side.on_gpu && !side.traced && side.not_traced.empty(); },
      " (`tailwave trace` does)");
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

std::optional<double> ExplainedNumber::ratio() const {
  if (!a || !b || *a <= 0 || *b <= 0) return std::nullopt;
  return std::max(*a, *b) / std::min(*a, *b);
}

std::string more_text(const ExplainedNumber& number, const std::string& a, const std::string& b) {
  const auto ratio = number.ratio();
  if (!ratio) return "";
  const std::string times = format_number(*ratio);
  return times == "1" ? "equal" : fmt::format("{}, {} times", *number.a > *number.b ? a : b, times);
}

std::string Explanation::paragraph() const {
  std::vector<std::string> sentences;
  if (!identity.empty()) sentences.push_back(identity);
  for (const ExplainedNumber& number : numbers)
    if (!number.says.empty()) sentences.push_back(number.says);
  if (!missing.empty()) sentences.push_back(missing);
  return fmt::format("{}", fmt::join(sentences, " "));
}

Explanation explain_same(const ExplainedNames& names) {
  Explanation same;
  same.verdict = ExplainedVerdict::tied;
  same.identity = capital(fmt::format(
      "{} and {} are the same, machine code and launches: neither is faster than the other, and one of "
      "them was measured.",
      names.a, names.b));
  return same;
}

Explanation explain(const ExplainedSide& a, const ExplainedSide& b, const ExplainedNames& names) {
  ExplanationDraft draft(a, b, names);
  draft.explanation.identity = identity_of(a, b, names);
  compare_times(draft);
  explain_counters(draft);
  resources(draft);
  waves(draft);
  traced(draft);
  limit(draft);
  lead_with_cause(draft);
  draft.explanation.missing = missing(draft);
  return std::move(draft.explanation);
}

std::string show(ExplainedUnit unit, double value) {
  constexpr double kNs = 1e9, kMhz = 1e6;
  switch (unit) {
    case ExplainedUnit::time_ns:
      return format_time(value / kNs);
    case ExplainedUnit::count: {
      std::string text = format_si(value);
      while (text.ends_with(' ')) text.pop_back();
      return text;
    }
    case ExplainedUnit::bytes:
      return format_si(value) + "B";
    case ExplainedUnit::share:
      return percent(value);
    case ExplainedUnit::clock_mhz:
      return format_si(value * kMhz) + "Hz";
    case ExplainedUnit::number:
      break;
  }
  return format_number(value);
}

}  // namespace tailwave
