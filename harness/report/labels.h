#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/study.h"

namespace tailwave {

// How the configurations of a table are told apart: the variant, if it varies, and the parameters and problem
// quantities that do. What all have in common is said once.
class Labels {
 public:
  // names: in this order (Study::names).
  Labels(const std::vector<const StudyRow*>& rows, const std::vector<std::string>& names);
  Labels(const DeviceStudy& device, const std::vector<std::string>& names);  // of all its rows

  // Column names, e.g. {"variant", "BLOCK_SIZE"}; at least one.
  [[nodiscard]] const std::vector<std::string>& headings() const { return headings_; }
  // A row's values for them; "" for a parameter that its variant lacks.
  [[nodiscard]] std::vector<std::string> cells(const StudyRow& row) const;
  // "shared, BLOCK_SIZE 128": the same on one line.
  [[nodiscard]] std::string line(const StudyRow& row) const;
  // "tuned, THIRD_LAW true": without what does not vary among the rows of its variant; tells the rows apart as well.
  [[nodiscard]] std::string short_line(const StudyRow& row) const;
  // The same without the parameter or problem quantity `left_out`: the series that the row is part of; the variant where nothing
  // else is left.
  [[nodiscard]] std::string series(const StudyRow& row, const std::string& left_out) const;
  // "variant basic, DT 0.01, N 4096"; "" when everything varies.
  [[nodiscard]] const std::string& common() const { return common_; }

 private:
  std::vector<std::string> headings_;
  std::map<std::string, std::set<std::string>> varies_;  // of each variant which headings vary
  std::string common_;
};

// A configuration by its full name, as code (Markdown): as the device's tables call it, or that name where they do
// not have it.
std::string configuration_label(const DeviceStudy& device, const Labels& labels,
                                const std::string& configuration);

}  // namespace tailwave
