#include "store/importance_function.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/importance.h"
#include "store/aggregate.h"

namespace tailwave {
namespace {

using SettingJson = nlohmann::json;  // a number or a text; numbers sort before texts

struct GivenPoint {
  double y = 0;
  std::map<std::string, SettingJson> settings;
};

struct GivenSpace {
  std::map<std::int64_t, GivenPoint>
      points;  // by trial, so that the answer does not depend on the order of the rows
  bool with_pairs = true;
};

SettingJson setting_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return sqlite3_value_int64(value);
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    default:
      break;
  }
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? "" : text;
}

void collect_setting(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  for (int i = 0; i < 4; ++i)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;
  const double y = sqlite3_value_double(values[3]);
  if (!std::isfinite(y)) return;
  add_row<GivenSpace>(context, [&](GivenSpace& space) {
    GivenPoint& point = space.points[sqlite3_value_int64(values[0])];
    point.y = y;
    point.settings[reinterpret_cast<const char*>(sqlite3_value_text(values[1]))] = setting_of(values[2]);
    space.with_pairs = sqlite3_value_int(values[4]) != 0;
  });
}

// Those that all points have.
std::vector<std::string> names_of(const GivenSpace& space) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [trial, point] : space.points)
    for (const auto& [name, setting] : point.settings) ++counts[name];
  std::vector<std::string> names;
  for (const auto& [name, count] : counts)
    if (count == space.points.size()) names.push_back(name);
  return names;
}

std::string as_text(const SettingJson& setting) {
  return setting.is_string() ? setting.get<std::string>() : setting.dump();
}

SettingJson effects_json(const GivenSpace& space) {
  const std::vector<std::string> names = names_of(space);
  std::vector<std::vector<SettingJson>> settings;
  for (const std::string& name : names) {
    std::set<SettingJson> all;
    for (const auto& [trial, point] : space.points) all.insert(point.settings.at(name));
    settings.emplace_back(all.begin(), all.end());
  }
  std::vector<MeasuredPoint> points;
  const GivenPoint* best = nullptr;
  for (const auto& [trial, point] : space.points) {
    if (best == nullptr || point.y < best->y) best = &point;
    MeasuredPoint& one = points.emplace_back();
    one.y = point.y;
    for (std::size_t i = 0; i < names.size(); ++i)
      one.levels.push_back(static_cast<std::size_t>(
          std::ranges::lower_bound(settings[i], point.settings.at(names[i])) - settings[i].begin()));
  }
  const Importance importance = importance_of(points, space.with_pairs);
  SettingJson rows = SettingJson::array();
  for (const Effect& effect : importance.effects) {
    const SettingJson& first = settings[effect.parameter].at(effect.best.front());
    SettingJson row{{"parameter", names[effect.parameter]},
                    {"values", effect.settings},
                    {"share", effect.share},
                    {"best", first}};
    if (effect.with) {
      row["with"] = names[*effect.with];
      row["best"] = as_text(first) + ", " + as_text(settings[*effect.with].at(effect.best.back()));
    } else {
      row["alone"] = effect.alone;
      row["of_best"] = best->settings.at(names[effect.parameter]);
      row["worst_over_best"] = std::exp(effect.range);
    }
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) rows.push_back({{"share", importance.rest}});
  return rows;
}

void finish_settings(sqlite3_context* context) {
  finish_group<GivenSpace>(context, [&](const GivenSpace& space) {
    const std::string text = effects_json(space).dump(-1, ' ', false, SettingJson::error_handler_t::replace);
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  });
}

}  // namespace

void add_importance_function(sqlite3* database) {
  const int result = sqlite3_create_function_v2(database, "parameter_effects", 5,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                                nullptr, nullptr, collect_setting, finish_settings, nullptr);
  if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
}

}  // namespace tailwave
