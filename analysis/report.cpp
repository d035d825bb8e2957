#include "analysis/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "analysis/claims.h"
#include "analysis/markdown.h"
#include "analysis/section.h"
#include "analysis/study.h"
#include "core/error.h"

namespace tailwave {
namespace {

// Whole or not at all: through a temporary file beside it.
void write_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const std::filesystem::path temporary = file.string() + ".tmp";
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream)
      throw Error(
          Diagnostic{file.string(), "", "cannot be written", "", -1, "name another folder with --out"},
          Error::kRunFailed);
  }
  std::filesystem::rename(temporary, file, error);
  if (error) throw Error(Diagnostic{file.string(), "", error.message(), "", -1, ""}, Error::kRunFailed);
}

std::string page(const Study& study) {
  Footnotes notes;
  std::string text = fmt::format("# {}: {}\n\n**Question.** {}\n\n**Answer.**\n\n", prose(study.system),
                                 prose(study.experiment), prose(study.question));
  for (const DeviceStudy& device : study.devices)
    text += fmt::format("- {}: {}.\n", prose(device.device), answer(study, device));
  text += side_by_side(study);
  for (const DeviceStudy& device : study.devices) text += device_section(study, device, notes);
  if (const std::string list = notes.text(); !list.empty()) text += "\n## Notes\n\n" + list;
  return text;
}

std::string index(const std::vector<Study>& studies, const std::string& claims) {
  std::string text =
      "# Results\n\nWritten by `tailwave report` from the database; every number is the median of stored "
      "samples.\n\n" +
      claims;
  if (studies.empty()) return text + "\nThere are no results yet: `tailwave run` makes some.\n";
  MarkdownTable table({"experiment", "question", "device", "answer"});
  for (const Study& study : studies) {
    for (const DeviceStudy& device : study.devices) {
      table.add({fmt::format("[{}]({}/{}.md)", prose(study.name()), study.system, study.experiment),
                 prose(study.question), prose(device.device), answer(study, device)});
    }
  }
  return text + "\n" + table.text();
}

}  // namespace

ReportSummary render_report(Database& database, const ReportOptions& options) {
  const std::vector<Study> all = load_studies(database);
  std::vector<std::string> wanted;
  for (const Study& study : options.experiments.empty() ? all : load_studies(database, options.experiments))
    wanted.push_back(study.name());
  ReportSummary summary{options.out_dir / "README.md", options.out_dir / "claims.md", {}};
  for (const Study& study : all) {
    const std::filesystem::path file = options.out_dir / study.system / (study.experiment + ".md");
    const bool asked = std::find(wanted.begin(), wanted.end(), study.name()) != wanted.end();
    if (!asked && std::filesystem::exists(file)) continue;
    write_file(file, page(study));
    summary.pages.push_back(file);
  }
  const std::vector<Claim> claims = list_claims(options.project);
  const std::vector<Verdict> verdicts = judge(database, claims);
  write_file(summary.claims, claims_page(verdicts));
  const std::string counts =
      fmt::format("[What the studies claim](claims.md):\n\n{}", count_verdicts(verdicts));
  write_file(summary.index, index(all, counts) + selftest_section(database));
  return summary;
}

}  // namespace tailwave
