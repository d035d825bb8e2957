#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "judge/judge.h"
#include "judge/line_clients.h"

namespace tailwave {

// What a service needs to know to answer.
struct ServiceSettings {
  JudgeDefaults defaults;
  // The JSON of a judgement, without the id; told of each one before it is answered.
  std::function<nlohmann::ordered_json(const JudgedCandidate&)> verdict;
  std::function<bool()> stop_requested = [] { return false; };
};

// Judges what the clients ask for until their input ends and all is answered. When a stop is requested, what is under
// way on the device is finished, all else is answered with an error, and clients have kGoodbyeS to read that. A request
// is one JSON object in one line (read_request()) with an "id", a string or number that its answer has, too; a request
// that cannot be understood is answered with {"id": ..., "error": ...}.
void serve(Judge& judge, LineClients& clients, const ServiceSettings& settings);

inline constexpr double kGoodbyeS = 2;

// As it stands in an answer: without line ends; bytes that are not UTF-8, as a compiler may quote them, are replaced.
std::string one_line(const nlohmann::ordered_json& answer);

}  // namespace tailwave
