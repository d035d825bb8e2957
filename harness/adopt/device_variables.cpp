#include "adopt/device_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adopt/lexemes.h"
#include "adopt/pointer_places.h"
#include "adopt/reached_code.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

class DeviceVariables {
 public:
  explicit DeviceVariables(Draft& draft) : draft_(draft), all_(draft.host.lexemes()) {}

  void remark() {
    std::set<std::string> names;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (text(i) == "__device__" || text(i) == "__managed__") names.insert(name_behind(i));
    for (const std::string& name : names)
      if (!name.empty() && is_reached(name)) remark(name);
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < all_.size() ? all_[i].text : std::string_view();
  }

  // "sums" of "__device__ float sums[8];"; empty for functions and for constants.
  [[nodiscard]] std::string name_behind(std::size_t mark) const {
    for (std::size_t i = mark + 1; i < all_.size(); ++i) {
      if (text(i) == "__constant__" || text(i) == "const" || text(i) == "constexpr") return "";
      const bool aligned = text(i - 1) == "__align__" || text(i - 1) == "alignas";
      if (text(i) == "(" && aligned) i = closing(all_, i) + 1;
      const bool ends =
          text(i) == ";" || text(i) == "=" || text(i) == "[" || text(i) == "{" || text(i) == ",";
      if (ends) return is_identifier(text(i - 1)) ? std::string(text(i - 1)) : "";
      if (text(i) == "(" || text(i) == ")" || text(i) == "}") return "";
    }
    return "";
  }

  [[nodiscard]] bool is_reached(const std::string& name) const {
    return std::any_of(draft_.launches.begin(), draft_.launches.end(), [&](const DraftLaunch& launch) {
      return reached_words(draft_.code, *launch.kernel).contains(name);
    });
  }

  void remark(const std::string& name) {
    bool is_written = false, is_copied_to = false;
    for (std::size_t i = 1; i < all_.size(); ++i) {
      if (text(i) != name || text(i - 1) == "." || text(i - 1) == "->") continue;
      is_written = is_written || is_written_at(i);
      is_copied_to = is_copied_to || (i > 1 && text(i - 2) == "cudaMemcpyToSymbol");
    }
    if (is_written)
      draft_.guess(
          fmt::format("__device__ {} is written and not compared", name),
          "a buffer is compared: have the code write to a pointer that its kernel gets, in its place");
    if (is_copied_to)
      draft_.guess(
          fmt::format("__device__ {} holds what its declaration says: what the file copies to it is left out",
                      name),
          "have the kernel get a pointer in its place");
  }

  // A declaration is no write.
  [[nodiscard]] bool is_written_at(std::size_t name) const {
    std::size_t begin = name, behind = name + 1;
    while (text(behind) == "[" || (text(behind) == "." && is_identifier(text(behind + 1))))
      behind = text(behind) == "[" ? closing(all_, behind) + 1 : behind + 2;
    if (text(begin - 1) == "&" || text(begin - 1) == "*") --begin;
    const bool steps =
        text(behind) == "++" || text(behind) == "--" || text(begin - 1) == "++" || text(begin - 1) == "--";
    const bool declares = is_identifier(text(begin - 1)) && text(begin - 1) != "else";
    const bool is_atomic = begin > 1 && text(begin - 1) == "(" && text(begin - 2).starts_with("atomic");
    return steps || is_atomic || among(text(behind), kCompoundAssignments) ||
           (text(behind) == "=" && !declares);
  }

  Draft& draft_;
  LexemeSpan all_;
};

}  // namespace

void remark_on_device_variables(Draft& draft) {
  DeviceVariables(draft).remark();
}

}  // namespace tailwave
