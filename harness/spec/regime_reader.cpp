#include "spec/regime_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/hash.h"
#include "core/suggestion.h"
#include "spec/fill_reader.h"
#include "spec/maker_reader.h"
#include "spec/names.h"
#include "spec/system_fields.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

const NamedRegime* find_named(std::string_view name) {
  for (const NamedRegime& one : named_regimes())
    if (one.name == name) return &one;
  return nullptr;
}

Regime made_of(const NamedRegime& named) {
  return {.name = std::string(named.name),
          .mode = named.mode,
          .cache = named.cache,
          .fills = {},
          .system = nullptr};
}

std::vector<std::string> names_of_named() {
  std::vector<std::string> names;
  for (const NamedRegime& one : named_regimes()) names.emplace_back(one.name);
  return names;
}

class RegimeReader {
 public:
  RegimeReader(const Experiment& experiment, const std::filesystem::path& folder, Reporter& reporter)
      : experiment_(experiment), folder_(folder), reporter_(reporter) {}

  void read(const Json& place) {
    std::optional<Regime> regime = place.as_text() != nullptr ? read_name(place) : read_object(place);
    if (!regime || is_there_twice(*regime, place)) return;
    regimes_.push_back(std::move(*regime));
  }

  std::vector<Regime> take() { return std::move(regimes_); }

 private:
  std::optional<Regime> read_name(const Json& place) {
    if (const NamedRegime* const named = find_named(*place.as_text())) return made_of(*named);
    const std::string near = nearest(*place.as_text(), names_of_named());
    reporter_.report(place.pointer(), fmt::format("unknown regime '{}'", *place.as_text()),
                     near.empty() ? fmt::format("one of {}, or an object with a name of its own",
                                                quoted_list(names_of_named()))
                                  : fmt::format("did you mean '{}'?", near));
    return std::nullopt;
  }

  // What else is wrong with it is told, too.
  std::optional<Regime> read_object(const Json& place) {
    const Json name = place.find("name");
    if (name.as_text() == nullptr) return std::nullopt;
    Regime regime{.name = *name.as_text(),
                  .mode = experiment_.measure.mode,
                  .cache = experiment_.measure.cache,
                  .fills = {},
                  .system = nullptr};
    const std::size_t before = reporter_.diagnostics().size();
    check_name(name);
    if (const std::string* mode = place.find("mode").as_text())
      regime.mode = find_enum<TimingMode>(*mode).value_or(regime.mode);
    if (const std::string* cache = place.find("cache").as_text())
      regime.cache = find_enum<CacheState>(*cache).value_or(regime.cache);
    if (const std::string why = why_not_together(regime.mode, regime.cache); !why.empty())
      reporter_.report(place.pointer(), why, "use the mode 'isolated', or the cache 'rotate'");
    for (const auto& [buffer, fill] : place.find("fills").members()) read_fill_of(buffer, fill, regime);
    if (reporter_.diagnostics().size() != before) return std::nullopt;
    if (!regime.fills.empty()) fill_system(place.find("fills"), regime);
    return regime;
  }

  void check_name(const Json& place) {
    const std::string& name = *place.as_text();
    if (find_named(name) != nullptr || name == kOwnRegime)
      return reporter_.report(place.pointer(), fmt::format("'{}' is a regime of its own", name),
                              "give this one another name");
    if (const std::string why = why_not_a_name(name); !why.empty())
      reporter_.report(place.pointer(), fmt::format("the regime name '{}' {}", name, why));
  }

  void read_fill_of(const std::string& buffer, const Json& place, Regime& regime) {
    const auto& buffers = experiment_.system.buffers;
    const auto found = buffers.find(buffer);
    if (found == buffers.end()) {
      std::vector<std::string> known;
      for (const auto& entry : buffers)
        if (!entry.second.output_only) known.push_back(entry.first);
      return reporter_.report_unknown(place.pointer(), "buffer", buffer, known);
    }
    if (found->second.output_only)
      return reporter_.report(place.pointer(),
                              fmt::format("the buffer '{}' is 'output_only', so nothing fills it", buffer));
    regime.fills.emplace(buffer, read_fill(place, folder_, names_in_scope(experiment_.system), reporter_));
  }

  void fill_system(const Json& fills, Regime& regime) {
    if (!experiment_.system.reference.stored.empty())
      return reporter_.report(fills.pointer(),
                              "the reference's results are stored, and of the inputs of the manifest");
    System system = experiment_.system;
    system.inputs = regime.name;
    for (const auto& [buffer, fill] : regime.fills) system.buffers.at(buffer).fill = fill;
    for (const auto& [buffer, fill] : regime.fills) read_maker(buffer, fills.find(buffer), system, reporter_);
    name_parameters_of_fills(system);
    for (const auto& [buffer, fill] : regime.fills)
      if (const std::optional<Values> scope = scope_of_largest(system.buffers.at(buffer)))
        check_fill(buffer, system, *scope, fills.find(buffer).pointer(), reporter_);
    regime.system = std::make_shared<const System>(std::move(system));
    if (!has_own_inputs(regime)) {
      regime.fills.clear();
      regime.system = nullptr;
    }
  }

  // Not so where the fills are those of the manifest.
  [[nodiscard]] bool has_own_inputs(const Regime& regime) const {
    FieldHasher own, manifest;
    add_buffers(own, *regime.system);
    add_buffers(manifest, experiment_.system);
    return own.digest() != manifest.digest();
  }

  // Of the values that the experiment has for problem quantities and parameters, the first ones of too many, those that
  // make the buffer largest.
  [[nodiscard]] std::optional<Values> scope_of_largest(const BufferSpec& buffer) const {
    constexpr std::size_t kMostTried = 10'000;
    std::optional<Values> largest;
    std::int64_t most = 0;
    for (const Case& one : experiment_.cases) {
      const std::vector<const Parameter*> named = named_by(buffer, one);
      for (Values scope : scopes_of(one)) {
        std::vector<std::size_t> digits(named.size(), 0);
        for (std::size_t tried = 0; tried < kMostTried; ++tried) {
          for (std::size_t i = 0; i < named.size(); ++i) scope[named[i]->name] = named[i]->values[digits[i]];
          const std::int64_t count = count_of(buffer, scope);
          if (count > most) largest = scope;
          most = std::max(most, count);
          if (!advance(digits, named)) break;
        }
      }
    }
    return largest;
  }

  // The defaults, with each of the sizes where they are listed.
  [[nodiscard]] std::vector<Values> scopes_of(const Case& of) const {
    const Values defaults = default_scope(experiment_.system, *experiment_.system.find_variant(of.variant));
    if (experiment_.sizes.empty()) return {defaults};
    std::vector<Values> scopes;
    for (const ProblemSize& size : experiment_.sizes) {
      scopes.push_back(size.problem);
      scopes.back().insert(defaults.begin(), defaults.end());
    }
    return scopes;
  }

  [[nodiscard]] std::vector<const Parameter*> named_by(const BufferSpec& buffer, const Case& of) const {
    const std::vector<std::string>& names = buffer.count.names();
    std::vector<const Parameter*> named;
    for (const auto* list : {&experiment_.problem, &of.parameters})
      for (const Parameter& each : *list)
        if (std::ranges::find(names, each.name) != names.end() && !each.values.empty())
          named.push_back(&each);
    return named;
  }

  // 0: it cannot be evaluated, which is reported where the buffer is.
  static std::int64_t count_of(const BufferSpec& buffer, const Values& scope) {
    try {
      return buffer.count.evaluate_int(scope);
    } catch (const ExpressionError&) {
      return 0;
    }
  }

  // To the next combination; false after the last.
  static bool advance(std::vector<std::size_t>& digits, const std::vector<const Parameter*>& of) {
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (++digits[i] < of[i]->values.size()) return true;
      digits[i] = 0;
    }
    return false;
  }

  bool is_there_twice(const Regime& regime, const Json& place) {
    const auto named = std::ranges::find(regimes_, regime.name, &Regime::name);
    const auto alike =
        std::ranges::find_if(regimes_, [&](const Regime& one) { return is_alike(one, regime); });
    if (named != regimes_.end())
      reporter_.report(place.pointer(), fmt::format("the regime '{}' is given twice", regime.name));
    else if (alike != regimes_.end())
      reporter_.report(place.pointer(),
                       fmt::format("the regime '{}' is the same as '{}'", regime.name, alike->name),
                       "both measure " + describe(regime));
    return named != regimes_.end() || alike != regimes_.end();
  }

  const Experiment& experiment_;
  const std::filesystem::path& folder_;
  Reporter& reporter_;
  std::vector<Regime> regimes_;
};

}  // namespace

std::vector<Regime> read_regimes(const Json& list, const Experiment& experiment,
                                 const std::filesystem::path& folder, Reporter& reporter) {
  RegimeReader reader(experiment, folder, reporter);
  for (const Json& place : list.items()) reader.read(place);
  return reader.take();
}

std::vector<Regime> regimes_named(const std::vector<std::string>& names, const Experiment& experiment) {
  std::vector<std::string> known = names_of_named();
  for (const Regime& one : experiment.regimes)
    if (find_named(one.name) == nullptr) known.push_back(one.name);
  std::vector<Regime> regimes;
  std::set<std::string> given;
  for (const std::string& name : names) {
    if (!given.insert(name).second)
      throw Error(Diagnostic{.cause = fmt::format("--regimes names '{}' twice", name)});
    const auto own = std::ranges::find(experiment.regimes, name, &Regime::name);
    const NamedRegime* const named = find_named(name);
    if (own != experiment.regimes.end()) {
      regimes.push_back(*own);
    } else if (named != nullptr) {
      regimes.push_back(made_of(*named));
    } else {
      const std::string near = nearest(name, known);
      throw Error(Diagnostic{.cause = fmt::format("{} has no regime '{}'", experiment.name, name),
                             .hint = near.empty() ? fmt::format("there are {}", quoted_list(known))
                                                  : fmt::format("did you mean '{}'?", near)});
    }
  }
  return regimes;
}

}  // namespace tailwave
