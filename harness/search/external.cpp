#include "search/external.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/line_program.h"
#include "json/parser.h"
#include "search/configuration_lines.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostRefused = 1000;  // in a row
constexpr std::chrono::seconds kGrace{1};   // between "done" and the end

class External : public Strategy {
 public:
  External(SearchProblem problem, std::string command, double deadline_s)
      : problem_(std::move(problem)),
        command_(std::move(command)),
        deadline_(deadline_s),
        program_(command_) {
    send({{"space", search::space_json(problem_)}});
  }
  External(const External&) = delete;
  External& operator=(const External&) = delete;
  ~External() override {
    if (has_failed_) return;
    try {
      send({{"done", told_}});
      if (!is_to_stop()) program_.finish(kGrace);
    } catch (const std::exception&) {
      program_.end();  // without memory there is nothing more to be said
    }
  }

  void ask(std::size_t most, std::vector<Point>& points) override {
    const std::size_t before = points.size();
    for (;;) {
      send({{"ask", most}});
      const std::optional<Json> answer = listen();
      if (!answer) return;
      const std::vector<Json> configurations = answer->items();
      for (const Json& one : configurations) take(one, before + most, points);
      if (points.size() > before || configurations.empty()) return;
    }
  }

  void tell(Point point, double cost) override {
    ++told_;
    nlohmann::ordered_json line{{"tell", search::configuration_json(*problem_.space, point)},
                                {"cost", nullptr}};
    if (cost != kFailed) line["cost"] = cost;
    if (problem_.knowledge && problem_.knowledge->facts && !problem_.knowledge->names.empty())
      line["features"] = problem_.knowledge->facts(point).features;
    send(line);
  }

 private:
  void send(const nlohmann::ordered_json& line) {
    program_.send(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }

  [[nodiscard]] bool is_to_stop() const { return problem_.stop_requested && problem_.stop_requested(); }

  // None: it was to stop.
  std::optional<Json> listen() {
    std::string line;
    switch (program_.hear(line, deadline_, [&] { return is_to_stop(); })) {
      case LineProgram::Heard::stopped:
        return std::nullopt;
      case LineProgram::Heard::ended:
        fail(StrategyFault::ended, fmt::format("ended with {} when it was asked", program_.how_it_ended()));
      case LineProgram::Heard::too_late:
        fail(StrategyFault::deadline, fmt::format("gave no answer within {:g} s", deadline_.count()),
             "--option deadline_s=600 gives it more time; output has to be flushed after each line");
      case LineProgram::Heard::too_long:
        fail(StrategyFault::no_json, fmt::format("answered with more than {} MiB and no end of a line",
                                                 LineProgram::kLongestLine >> 20U));
      case LineProgram::Heard::line:
        break;
    }
    ParsedJson parsed = parse_json(line, "");
    if (!parsed.json || !parsed.diagnostics.empty())
      fail(StrategyFault::no_json, "answered what is no JSON: " + shown(line));
    if (!parsed.json->is_array())
      fail(StrategyFault::no_list, "answered what is no list of configurations: " + shown(line));
    return std::move(parsed.json);
  }

  void take(const Json& configuration, std::size_t most, std::vector<Point>& points) {
    std::variant<Point, std::string> found = search::point_of(problem_, configuration);
    if (const Point* point = std::get_if<Point>(&found); point && points.size() < most) {
      refused_ = 0;
      points.push_back(*point);
      return;
    }
    const auto* why = std::get_if<std::string>(&found);
    refuse(configuration, why ? *why : "is one more than was asked for");
  }

  void refuse(const Json& configuration, const std::string& why) {
    send({{"refused", configuration.json()}, {"why", why}});
    if (++refused_ < kMostRefused) return;
    fail(StrategyFault::refused,
         fmt::format("answered with {} invalid configurations in a row, the last one {}: {}", refused_,
                     shown(configuration.dump()), why));
  }

  static std::string shown(const std::string& text) {
    constexpr std::size_t kMostShown = 200;
    return text.size() <= kMostShown ? text : text.substr(0, kMostShown) + "...";
  }

  [[noreturn]] void fail(
      StrategyFault fault, const std::string& cause,
      const std::string& hint = "docs/searching.md, \"Your own search\", shows the lines that are due") {
    has_failed_ = true;
    program_.end();
    const std::string& said = program_.last_error();
    throw StrategyFailure(fault,
                          {.file = std::string(kExternal) + command_,
                           .cause = cause,
                           .excerpt = said.empty() ? "it wrote nothing to stderr" : "its last words: " + said,
                           .hint = hint});
  }

  SearchProblem problem_;
  std::string command_;
  std::chrono::duration<double> deadline_;
  LineProgram program_;
  std::size_t told_ = 0, refused_ = 0;
  bool has_failed_ = false;
};

}  // namespace

StrategyKind external_strategy(const std::string& command) {
  return {
      .name = std::string(kExternal) + command,
      .description = "a program of your own, started by /bin/sh, that answers with configurations in JSON",
      .source = "",
      .hyperparameters = {{"deadline_s", 60, 0.01, 86400, "seconds in which it has to answer"}},
      .make = [command](const SearchProblem& problem, const StrategyOptions& options) {
        return std::make_unique<External>(problem, command, options.at("deadline_s"));
      }};
}

}  // namespace tailwave
