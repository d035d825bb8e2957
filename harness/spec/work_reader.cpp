#include "spec/work_reader.h"

#include <algorithm>
#include <map>
#include <set>

#include "spec/names.h"
#include "spec/system_reader.h"
#include "spec/variant_reader.h"

namespace tailwave {
namespace {

class WorkReader {
 public:
  WorkReader(const Json& work, System& system, Reporter& reporter)
      : work_(work), system_(system), reporter_(reporter) {}

  void run() {
    const std::vector<std::string> scope = names_in_scope(system_);
    std::vector<std::string> known = scope;
    for (const auto& member : work_.members()) known.push_back(member.first);
    for (const auto& [name, place] : work_.members()) {
      const std::string why = why_not_a_parameter_name(name);
      if (!why.empty()) reporter_.report(place.pointer(), "the name '" + name + "' " + why);
      if (std::find(scope.begin(), scope.end(), name) != scope.end()) {
        reporter_.report(place.pointer(), "'" + name + "' is work and a parameter or problem quantity, too");
        continue;
      }
      if (const auto expression = read_expression(place, known, reporter_))
        written_.emplace(name, *expression);
    }
    for (const auto& entry : written_) resolve(entry.first);
    for (const auto& [name, expression] : system_.work) check(name, expression);
    // A bad quantity still is one, so that a metric which names it is not reported, too.
    for (const auto& member : work_.members()) system_.work.try_emplace(member.first);
  }

 private:
  // Puts the quantity, free of other quantities, into system.work. False when it cannot be: that is reported.
  // Recursive: as deep as there are quantities.
  bool resolve(const std::string& name) {
    if (system_.work.contains(name)) return true;
    const auto written = written_.find(name);
    if (written == written_.end() || failed_.contains(name)) return false;
    if (report_cycle(name)) return false;
    path_.push_back(name);
    bool good = true;
    for (const std::string& used : written->second.names()) {
      if (work_.find(used) && !resolve(used)) good = false;
    }
    path_.pop_back();
    if (good) good = substitute(name, written->second);
    if (!good) failed_.insert(name);
    return good;
  }

  bool report_cycle(const std::string& name) {
    const auto first = std::find(path_.begin(), path_.end(), name);
    if (first == path_.end()) return false;
    std::string chain;
    for (auto step = first; step != path_.end(); ++step) {
      chain += *step + " -> ";
      failed_.insert(*step);
    }
    const Expression& expression = written_.at(name);
    const std::string& next = std::next(first) == path_.end() ? name : *std::next(first);
    reporter_.report(
        work_.find(name).pointer(),
        ExpressionError("cyclic: " + chain + name, expression.column_of(next), "", expression.text()));
    return true;
  }

  bool substitute(const std::string& name, const Expression& expression) {
    try {
      system_.work.emplace(name, expression.substitute(system_.work));
      return true;
    } catch (const ExpressionError& error) {
      reporter_.report(work_.find(name).pointer(), error);
      return false;
    }
  }

  void check(const std::string& name, const Expression& expression) {
    const std::string pointer = work_.find(name).pointer();
    for (const VariantSpec& variant : system_.variants) {
      const std::size_t before = reporter_.diagnostics().size();
      check_variant_has(expression, system_, variant, pointer, reporter_);
      check_amount(expression, default_scope(system_, variant), pointer, reporter_);
      if (reporter_.diagnostics().size() != before) return;
    }
  }

  const Json& work_;
  System& system_;
  Reporter& reporter_;
  std::map<std::string, Expression> written_;
  std::vector<std::string> path_;
  std::set<std::string> failed_;
};

}  // namespace

void read_work(const Json& work, System& system, Reporter& reporter) {
  WorkReader(work, system, reporter).run();
}

}  // namespace tailwave
