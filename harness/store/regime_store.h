#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/configuration.h"
#include "core/device.h"
#include "core/enum_names.h"
#include "core/members.h"
#include "core/standing.h"
#include "core/trial.h"
#include "spec/timing_mode.h"
#include "store/database.h"

namespace tailwave {

// Runs that measure the best configurations of an experiment again, each in several regimes (spec/regime.h).

struct RegimeRecord {
  int position = 0;
  std::string name;
  TimingMode mode = TimingMode::isolated;
  CacheState cache = CacheState::hot;
  Values fills;      // buffer -> what it begins with, in words
  bool own = false;  // as the experiment itself measures

  static constexpr auto members() {
    return std::tuple{member("position", &RegimeRecord::position), member("name", &RegimeRecord::name),
                      member("mode", &RegimeRecord::mode),         member("cache", &RegimeRecord::cache),
                      member("fills", &RegimeRecord::fills),       member("own", &RegimeRecord::own)};
  }
};

// Why a configuration is measured in regimes; see tune/regime_finalists.h.
enum class FinalistReason { winner, standard, variant, tied, near, next };

template <>
struct EnumNames<FinalistReason> {
  static constexpr std::string_view noun = "reason of a finalist";
  static constexpr std::array<std::string_view, 6> names{"winner", "default", "variant",
                                                         "tied",   "near",    "next"};
};

struct FinalistRecord {
  std::int64_t place = 1;  // among the experiment's correct configurations of its problem
  FinalistReason reason = FinalistReason::winner;

  static constexpr auto members() {
    return std::tuple{member("place", &FinalistRecord::place), member("reason", &FinalistRecord::reason)};
  }
};

struct Finalist {
  Configuration configuration;
  FinalistRecord record;
};

// Inside the caller's transaction.
void insert_regime(Database& database, std::int64_t run, const RegimeRecord& regime);
void insert_finalist(Database& database, std::int64_t run, const Finalist& finalist);

// The finalists of one problem with their trials in all regimes of the run, which ran on `device`: in one transaction,
// so that a problem is whole or not there. Removes what keep_unfinished() kept of these.
void add_finalists(Database& database, std::int64_t run, const DeviceDescription& device,
                   const std::vector<Finalist>& finalists, const std::vector<Trial>& trials);

// Of a trial, what the identity of a regime's trial is compared with.
struct StoredRegimeTrial {
  std::string regime, configuration, key;
  Outcome outcome = Outcome::correct;
  std::string detail;
};
// Those of the latest run, measured here, that has finalists of this problem; empty: there is none.
struct StoredRegimes {
  std::int64_t run = 0;
  std::vector<StoredRegimeTrial> trials;
};
std::optional<StoredRegimes> latest_regimes(Database& database, const std::string& system,
                                            const std::string& experiment, const DeviceDescription& device,
                                            const Values& problem);

// A correct configuration of an experiment on a device, beside the best of its problem (view ranked_trial).
struct RankedTrial {
  Configuration configuration;
  std::int64_t place = 1;
  double ratio = 1;  // of its cost to that of the best
  Standing standing = Standing::unclear;
};
// By problem and place. Host variants are ranked among themselves.
std::vector<RankedTrial> ranked_trials(Database& database, const std::string& system,
                                       const std::string& experiment, const DeviceDescription& device);

// Configurations whose code was measured under another name, by their own name, with that one.
std::map<std::string, std::string> names_of_identical(Database& database, const std::string& system,
                                                      const std::string& experiment,
                                                      const DeviceDescription& device);

}  // namespace tailwave
