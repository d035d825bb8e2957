#pragma once

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
  // "variant basic, DT 0.01, N 4096"; "" when everything varies.
  [[nodiscard]] const std::string& common() const { return common_; }

 private:
  std::vector<std::string> headings_;
  std::string common_;
};

// A configuration by its full name, as code (Markdown): as the device's tables call it, or that name where they do
// not have it.
std::string configuration_label(const DeviceStudy& device, const Labels& labels,
                                const std::string& configuration);

}  // namespace tailwave
