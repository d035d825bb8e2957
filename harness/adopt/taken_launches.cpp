#include "adopt/taken_launches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "adopt/host_branches.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

struct Label {
  std::string variable;
  std::int64_t value = 0;
  bool operator==(const Label&) const = default;
};

// Whether two texts are the same but for numbers.
bool differ_in_numbers(LexemeSpan left, LexemeSpan right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Lexeme& a, const Lexeme& b) {
                      return a.text == b.text || (integer_of(a.text) && integer_of(b.text));
                    });
}

bool take_the_same(const HostLaunch& left, const HostLaunch& right) {
  return left.template_arguments.size() == right.template_arguments.size() &&
         differ_in_numbers(left.grid, right.grid) && differ_in_numbers(left.block, right.block) &&
         differ_in_numbers(left.shared, right.shared) &&
         std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(),
                    right.arguments.end(), [](LexemeSpan a, LexemeSpan b) { return joined(a) == joined(b); });
}

class TakenLaunches {
 public:
  TakenLaunches(Draft& draft, std::vector<TakenLaunch> launches)
      : draft_(draft), launches_(std::move(launches)), branches_(draft.host.lexemes()) {}

  std::vector<TakenLaunch> take() {
    for (std::size_t choice = 0; choice < branches_.choices().size(); ++choice) decide(choice);
    return launches_;
  }

 private:
  // Of the choice that the launch has to be in; null: it is in none.
  const HostBranch* branch(const TakenLaunch& launch, std::size_t choice) const {
    for (const HostBranch& each : branches_.of(launch.host->at))
      if (each.choice == choice) return &each;
    return nullptr;
  }

  void decide(std::size_t choice) {
    std::set<std::size_t> common;
    bool is_first = true, is_one_text = true;
    const HostLaunch* first = nullptr;
    for (const TakenLaunch& each : launches_) {
      const HostBranch* own = branch(each, choice);
      if (own == nullptr) continue;
      if (is_first) common = own->arms;
      std::erase_if(common, [&](std::size_t arm) { return !own->arms.contains(arm); });
      first = is_first ? each.host : first;
      is_one_text = is_one_text && each.host->as_text == first->as_text;
      is_first = false;
    }
    if (is_first || !common.empty()) return;
    const auto evaluated = taken_arm(choice);
    const std::size_t arm = evaluated.value_or(*branch(launch_in(choice), choice)->arms.begin());
    std::vector<TakenLaunch> kept, others;
    std::vector<std::size_t> places;
    for (const TakenLaunch& each : launches_) {
      const HostBranch* own = branch(each, choice);
      const bool is_kept = own == nullptr || own->arms.contains(arm);
      (is_kept ? kept : others).push_back(each);
      if (is_kept && own != nullptr) places.push_back(kept.size() - 1);
    }
    const bool is_one = merge(choice, kept, places, others);
    launches_ = std::move(kept);
    if (!is_one && !is_one_text) note(choice, launches_[places.front()], evaluated.has_value());
  }

  const TakenLaunch& launch_in(std::size_t choice) const {
    return *std::find_if(launches_.begin(), launches_.end(),
                         [&](const TakenLaunch& each) { return branch(each, choice) != nullptr; });
  }

  // The arm that is run with the values of the host's code; empty: they do not say, or it launches nothing.
  std::optional<std::size_t> taken_arm(std::size_t choice) {
    const HostChoice& all = branches_.choices()[choice];
    std::optional<std::size_t> otherwise;
    std::optional<std::size_t> taken;
    for (std::size_t i = 0; i < all.arms.size() && !taken; ++i) {
      if (all.arms[i].otherwise) otherwise = i;
      for (const LexemeSpan condition : all.arms[i].conditions) {
        const auto holds = holds_in(all, condition);
        if (!holds) return std::nullopt;
        if (*holds) taken = i;
      }
    }
    if (!taken) taken = otherwise;
    const bool launches =
        taken && std::any_of(launches_.begin(), launches_.end(), [&](const TakenLaunch& each) {
          const HostBranch* own = branch(each, choice);
          return own != nullptr && own->arms.contains(*taken);
        });
    return launches ? taken : std::nullopt;
  }

  std::optional<bool> holds_in(const HostChoice& choice, LexemeSpan condition) {
    HostScope scope(draft_, choice.at, false);
    const auto term = parse_term(condition);
    if (!term || choice.subject.empty()) return term ? holds_always(*term, scope) : std::nullopt;
    const auto subject = parse_term(choice.subject);
    if (!subject) return std::nullopt;
    return holds_always({CTerm::Kind::binary, "==", {*subject, *term}}, scope);
  }

  // Of "case 256" and of "n == 256".
  std::optional<Label> label(std::size_t choice, std::size_t arm) {
    const HostChoice& all = branches_.choices()[choice];
    if (arm >= all.arms.size() || all.arms[arm].conditions.size() != 1) return std::nullopt;
    auto left = parse_term(all.subject), right = parse_term(all.arms[arm].conditions[0]);
    if (all.subject.empty() && right && right->kind == CTerm::Kind::binary && right->text == "==") {
      left = right->parts[0];
      right = CTerm(right->parts[1]);
    }
    HostScope scope(draft_, all.at, false);
    const auto value = right ? to_polynomial(*right, scope) : std::nullopt;
    if (!left || left->kind != CTerm::Kind::name || !value || !value->is_number()) return std::nullopt;
    return Label{draft_.host.origin_of(left->text, all.at).name, value->number()};
  }

  // The number of the template there; empty: it is none.
  std::optional<std::int64_t> number(const TakenLaunch& launch, std::size_t place) {
    if (place >= launch.kernel->templates.size() || launch.kernel->templates[place].kind == "bool" ||
        launch.kernel->templates[place].is_type)
      return std::nullopt;
    HostScope scope(draft_, launch.host->at, false);
    const auto term = parse_term(lexemes_of(launch.host->template_arguments[place]));
    const auto value = term ? to_polynomial(*term, scope) : std::nullopt;
    return value && value->is_number() ? std::optional(value->number()) : std::nullopt;
  }

  // Whether the launches that are left out differ from those that are kept in one number of the template alone, or in truths that
  // go with it.
  bool merge(std::size_t choice, std::vector<TakenLaunch>& kept, const std::vector<std::size_t>& places,
             const std::vector<TakenLaunch>& others) {
    std::vector<std::map<std::size_t, SwitchedNumber>> found;
    std::size_t count = 0;
    for (const std::size_t each : places) {
      std::vector<const TakenLaunch*> same{&kept[each]};
      for (const TakenLaunch& other : others)
        if (other.kernel == kept[each].kernel) same.push_back(&other);
      count += same.size();
      auto numbers = numbers_of(choice, same);
      if (numbers.size() != 1) return false;
      found.push_back(std::move(numbers));
    }
    if (count != places.size() + others.size()) return false;
    for (std::size_t i = 0; i < places.size(); ++i) kept[places[i]].switched.merge(found[i]);
    return true;
  }

  std::map<std::size_t, SwitchedNumber> numbers_of(std::size_t choice,
                                                   const std::vector<const TakenLaunch*>& all) {
    std::map<std::size_t, SwitchedNumber> numbers;
    for (std::size_t i = 0; i < all[0]->host->template_arguments.size(); ++i) {
      std::set<std::int64_t> values;
      bool differs = false, is_labelled = true;
      std::string variable;
      for (const TakenLaunch* each : all) {
        if (!take_the_same(*all[0]->host, *each->host)) return {};
        differs = differs || each->host->template_arguments[i] != all[0]->host->template_arguments[i];
        const auto value = number(*each, i);
        if (value) values.insert(*value);
        const auto own = label(choice, *branch(*each, choice)->arms.begin());
        is_labelled =
            is_labelled && (!own || (value == own->value && (variable.empty() || variable == own->variable)));
        if (own) variable = own->variable;
      }
      if (!differs || all[0]->kernel->templates[i].kind == "bool") continue;
      if (values.size() != all.size()) return {};
      numbers[i] = {{values.begin(), values.end()}, is_labelled ? variable : ""};
    }
    return numbers;
  }

  // One note for choices in choices.
  void note(std::size_t choice, const TakenLaunch& taken, bool evaluated) {
    for (const HostBranch& each : branches_.of(taken.host->at))
      if (noted_.contains(each.choice)) return;
    noted_.insert(choice);
    const int line = line_at(draft_.code, branches_.choices()[choice].at);
    const std::string arguments = fmt::format("{}", fmt::join(taken.host->template_arguments, ", "));
    draft_.guess(fmt::format("the launches from line {} on are alternatives: took {}{}{}", line,
                             evaluated ? "what the values in the file lead to, " : "the first, ",
                             taken.kernel->name, arguments.empty() ? "" : "<" + arguments + ">"),
                 "\"launches\"; --kernel takes another kernel");
  }

  Draft& draft_;
  std::vector<TakenLaunch> launches_;
  HostBranches branches_;
  std::set<std::size_t> noted_;
};

}  // namespace

std::vector<TakenLaunch> taken_launches(Draft& draft, std::vector<TakenLaunch> launches) {
  return TakenLaunches(draft, std::move(launches)).take();
}

}  // namespace tailwave
