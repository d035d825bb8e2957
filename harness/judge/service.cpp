#include "judge/service.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/stopwatch.h"
#include "json/parser.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

// The member, or null where it is none that an answer can have.
OrderedJson id_of(const Json& request) {
  const Json id = request.find("id");
  constexpr std::size_t kLongest = 1000;
  if (const std::string* text = id.as_text(); text != nullptr && text->size() <= kLongest) return *text;
  if (id.is_number()) return id.json();
  return nullptr;
}

void check_id(const Json& request) {
  const Json id = request.find("id");
  if (id && id_of(request).is_null()) id.refuse("expected a string of at most 1000 bytes or a number");
}

class Service {
 public:
  Service(Judge& judge, LineClients& clients, const ServiceSettings& settings)
      : judge_(judge), clients_(clients), settings_(settings) {}

  void run() {
    while (!is_over()) {
      clients_.transfer();
      take_requests();
      judge_.advance();
      answer_all();
      clients_.transfer();
      if (!stopped_at_ && settings_.stop_requested()) stop();
      if (!is_over()) wait();
    }
  }

 private:
  struct Asked {
    std::uint64_t client = 0;
    OrderedJson id;
  };

  [[nodiscard]] bool is_over() const {
    if (!judge_.is_idle()) return false;
    const bool has_waited = stopped_at_ && seconds_since(*stopped_at_) > kGoodbyeS;
    return clients_.is_over() || has_waited;
  }

  void stop() {
    stopped_at_ = std::chrono::steady_clock::now();
    clients_.end_input();
    judge_.stop();
    answer_all();
  }

  void take_requests() {
    while (judge_.has_room()) {
      std::optional<LineClients::Line> line = clients_.next();
      if (!line) return;
      Asked asked{line->client, nullptr};
      try {
        take(*line, asked);
      } catch (const std::exception& error) {
        refuse(asked, error.what());
      }
    }
  }

  void take(const LineClients::Line& line, Asked& asked) {
    if (line.is_too_long)
      throw Error(fmt::format("request: a line of more than {} MiB", LineClients::kMostLineBytes >> 20U));
    const Json request = require_json(line.text, "request");
    asked.id = id_of(request);
    check_id(request);
    asked_.emplace(judge_.take(read_request(request, settings_.defaults)), asked);
  }

  void answer_all() {
    while (const std::optional<JudgeAnswer> answer = judge_.next_answer()) {
      const Asked asked = std::move(asked_.extract(answer->number).mapped());
      if (!answer->judgement) {
        refuse(asked, answer->error);
        continue;
      }
      try {
        OrderedJson verdict{{"id", asked.id}};
        verdict.update(settings_.verdict(*answer->judgement));
        send(asked, verdict);
      } catch (const std::exception& error) {  // it can be kept nowhere, or its samples are no times
        refuse(asked, error.what());
      }
    }
  }

  void refuse(const Asked& asked, const std::string& why) { send(asked, {{"id", asked.id}, {"error", why}}); }

  void send(const Asked& asked, const OrderedJson& answer) {
    clients_.answer(asked.client, one_line(answer));
  }

  void wait() {
    constexpr double kLongestS = 0.5;  // in which nobody looks whether a stop is requested
    std::vector<pollfd> all = clients_.descriptors();
    std::ranges::copy(judge_.descriptors(), std::back_inserter(all));
    const double wait_s = std::min(kLongestS, judge_.due_s());
    poll(all.data(), all.size(), static_cast<int>(std::ceil(wait_s * 1e3)));
  }

  Judge& judge_;
  LineClients& clients_;
  const ServiceSettings& settings_;
  std::map<std::uint64_t, Asked> asked_;
  std::optional<std::chrono::steady_clock::time_point> stopped_at_;
};

}  // namespace

std::string one_line(const OrderedJson& answer) {
  return answer.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void serve(Judge& judge, LineClients& clients, const ServiceSettings& settings) {
  Service(judge, clients, settings).run();
}

}  // namespace tailwave
