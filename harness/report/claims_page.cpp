#include "report/claims_page.h"

#include <fmt/format.h>

#include <map>

#include "report/markdown.h"

namespace tailwave {
namespace {

std::string device_of(const ClaimVerdict& verdict) {
  return verdict.device.empty() ? "no GPU" : verdict.device;
}

std::string emphasised(Judgement verdict) {
  const std::string text(to_string(verdict));
  return verdict == Judgement::refuted || verdict == Judgement::differs_here ? "**" + text + "**" : text;
}

std::string statement_of(const Claim& claim) {
  std::string text = fmt::format("{} ({})", prose(claim.statement), code(claim.id));
  if (!claim.derived.empty()) text += prose(" Derived: " + claim.derived);
  return text;
}

// Whether a claim's sentence and source stand in the first of its rows alone or, for tables that are sorted, in all.
enum class Sentences { once, in_every_row };

std::string table_of(const std::vector<const ClaimVerdict*>& verdicts, Sentences sentences) {
  MarkdownTable table(
      {"claim", "source", "device", "verdict", "evidence", "explanation", "on the study's GPU"});
  const Claim* last = nullptr;
  for (const ClaimVerdict* verdict : verdicts) {
    const Claim& claim = *verdict->claim;
    const bool again = &claim == last && sentences == Sentences::once;
    last = &claim;
    table.add({again ? "" : statement_of(claim),
               again ? "" : prose(fmt::format("{}; {}", claim.source, claim.place)),
               prose(device_of(*verdict)), emphasised(verdict->verdict), prose(verdict->evidence),
               prose(verdict->explanation), prose(verdict->there)});
  }
  return table.text();
}

}  // namespace

std::string count_verdicts(const std::vector<ClaimVerdict>& verdicts) {
  std::map<std::string, std::map<Judgement, int>> counts;
  for (const ClaimVerdict& verdict : verdicts) ++counts[device_of(verdict)][verdict.verdict];
  std::string text;
  for (auto& [device, count] : counts) {
    text += fmt::format(
        "- {}: {} confirmed, {} refuted, {} differ here (right on the study's GPU, not on this one), {} not testable "
        "here\n",
        prose(device), count[Judgement::confirmed], count[Judgement::refuted], count[Judgement::differs_here],
        count[Judgement::not_testable]);
  }
  return text;
}

std::string claims_page(const std::vector<ClaimVerdict>& verdicts) {
  std::map<std::string, std::vector<const ClaimVerdict*>> systems;
  for (const ClaimVerdict& verdict : verdicts) systems[verdict.claim->system].push_back(&verdict);
  std::string text =
      "# What the studies claim\n\n"
      "Each claim is a query (analysis/claims); `tailwave query claims` gives the same rows. "
      "A claim without data on a device is not testable there, and its evidence says what is needed.\n\n" +
      count_verdicts(verdicts);
  if (verdicts.empty()) text += "There are none about the systems of this database.\n";
  for (const auto& [system, of_system] : systems)
    text += fmt::format("\n## {}\n\n{}", prose(system), table_of(of_system, Sentences::once));
  return text;
}

std::string claims_section(const std::vector<ClaimVerdict>& verdicts, const std::string& system) {
  std::vector<const ClaimVerdict*> of_system;
  for (const ClaimVerdict& verdict : verdicts)
    if (verdict.claim->system == system) of_system.push_back(&verdict);
  if (of_system.empty()) return "";
  return fmt::format("\n## What the study claims\n\n{}", table_of(of_system, Sentences::in_every_row));
}

}  // namespace tailwave
