#include "measure/worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "core/error.h"
#include "core/stopwatch.h"
#include "device/packing.h"
#include "measure/worker_server.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostBytes = 1 << 28;  // of an answer; what is large travels beside it

std::string kernels_of(const Repetition& repetition) {
  std::vector<std::string> names;
  for (const LaunchSpec& launch :
       repetition.system->find_variant(repetition.configuration.variant)->launches) {
    if (launch.is_kernel() && std::find(names.begin(), names.end(), launch.kernel) == names.end())
      names.push_back(launch.kernel);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Printed joined(Printed printed, const Printed& more) {
  const std::size_t room = kMostPrinted - std::min(printed.text.size(), kMostPrinted);
  const std::size_t taken = printed.left_out > 0 ? 0 : std::min(more.text.size(), room);
  printed.text += more.text.substr(0, taken);
  printed.left_out += more.left_out + (more.text.size() - taken);
  return printed;
}

bool is_overdue(const Watch::Reading& reading, double by_s) {
  return reading.doing != Watch::Doing::nothing && reading.seconds > reading.limit_s + by_s;
}

// Whether times can be true of what took so long as a whole; a NaN cannot.
bool can_be_true(const PhaseTimes& phases, double elapsed_s) {
  constexpr double kTickS = 0.01;
  return phases.load >= 0 && phases.verify >= 0 && phases.measure >= 0 &&
         phases.load + phases.verify + phases.measure <= elapsed_s + kTickS;
}

}  // namespace

ProcessWorker::ProcessWorker(WorkerSetup setup)
    : setup_(std::move(setup)),
      watch_(*new (memory_.bytes().data()) Watch),
      process_([setup = setup_, &watch = watch_, &turn = turn_,
                &printed = printed_](int socket) { serve_worker(socket, setup, watch, turn, printed); },
               &printed_),
      description_(setup_.description) {
  if (description_.name.empty()) start();
}

void ProcessWorker::start() {
  if (running_) return;
  // One that is killed from outside while it opens the device costs nothing; two are no accident.
  if (!try_to_start() && !try_to_start()) {
    const std::string death = process_.end();
    throw LostDevice(*this, "the device's worker process cannot be started: it " + death +
                                shown_below(", and printed", printed_.take()));
  }
}

void ProcessWorker::hear(const std::string& by) {
  const std::string text = shown_below("printed by " + by, printed_.take());
  if (text.empty()) return;
  if (setup_.hear)
    setup_.hear(text + "\n");
  else
    fmt::print(stderr, "{}\n", text);
}

void ProcessWorker::start_ahead() {
  if (running_ || is_ahead_) return;
  watch_.begin(Watch::Doing::host_work, kLongestCallS);
  process_.start();
  is_ahead_ = true;
}

bool ProcessWorker::try_to_start() {
  start_ahead();
  is_ahead_ = false;
  sent_ = 0;
  std::optional<Packet> hello;
  try {
    hello = receive(process_.socket(),
                    {.first_s = kLongestCallS, .rest_s = setup_.message_s, .most_bytes = kMostBytes});
  } catch (const ConnectionLost&) {
    return false;
  }
  if (!hello) {
    process_.kill();
    return false;
  }
  hear("what opens the device");
  const auto kind = take<WorkerAnswer>(*hello);
  if (take<bool>(*hello); kind != WorkerAnswer::result) throw LostDevice(*this, take<std::string>(*hello));
  auto description = take<DeviceDescription>(*hello);
  // Where one is gone the driver counts the others anew.
  if (!description_.uuid.empty() && description.uuid != description_.uuid) {
    process_.kill();
    throw LostDevice(*this, fmt::format("{} is not there any more, and {} in its place", description_.uuid,
                                        description.uuid.empty() ? "another device" : description.uuid));
  }
  const auto obstacle = take<std::string>(*hello);
  if (!obstacle.empty() && !std::exchange(has_told_obstacle_, true))
    setup_.tell(
        fmt::format("runs at the same time may disturb times here, since the device cannot be held: {}; name "
                    "another folder with $TAILWAVE_LEASES",
                    obstacle));
  if (description_.name.empty()) description_ = std::move(description);
  running_ = true;
  return true;
}

void ProcessWorker::send_waiting() {
  const std::size_t most = std::min(under_way_.size(), most_under_way());
  start();
  for (; sent_ < most; ++sent_) {
    Packet request;
    request << WorkerRequest::repetition;
    put(request, under_way_[sent_], setup_.systems);
    if (sent_ == 0) begun_ = std::chrono::steady_clock::now();
    if (!(sent_ == 0 ? send_to_idle(request) : try_to_send(request))) return;
  }
}

bool ProcessWorker::try_to_send(const Packet& request) {
  try {
    send(process_.socket(), request);
    return true;
  } catch (const ConnectionLost&) {
    return false;
  }
}

bool ProcessWorker::send_to_idle(const Packet& request) {
  start();
  turn_.forget();
  if (try_to_send(request)) return true;
  end_process();
  start();
  return try_to_send(request);
}

void ProcessWorker::begin(Repetition repetition) {
  complete(repetition);
  under_way_.push_back(std::move(repetition));
  if (is_open()) send_waiting();
}

bool ProcessWorker::is_open() {
  start_ahead();
  return running_ || readable(process_.socket());
}

RepetitionResult ProcessWorker::finish() {
  if (under_way_.empty()) throw std::logic_error("no repetition is under way");
  send_waiting();
  RepetitionResult result;
  try {
    const std::string kernels = kernels_of(under_way_.front());
    Packet answer = receive_answer(kernels);
    bool usable = false;
    try {
      const auto kind = take<WorkerAnswer>(answer);
      answer >> usable;
      if (kind != WorkerAnswer::result || take<std::uint64_t>(answer) != under_way_.front().number)
        throw std::out_of_range("another answer");
      answer >> result;
    } catch (const std::exception&) {
      throw garbled(kernels);
    }
    const std::string death = end_if_over(usable);
    if (!running_) result.printed = joined(std::move(result.printed), printed_.take());
    if (!death.empty() && result.outcome == Outcome::correct) {
      result.outcome = Outcome::crashed;
      result.detail =
          "after all executions, when its memory was released, the device's worker process " + death;
    }
    if (const std::string why = doubt(result); !why.empty()) {
      result.phases = {};
      if (result.outcome == Outcome::correct) {
        result.outcome = Outcome::crashed;
        result.detail = why;
      }
    }
  } catch (const Failure& failure) {
    result = {};
    result.outcome = failure.outcome();
    result.detail = failure.what();
    result.printed = printed_.take();
  }
  under_way_.pop_front();
  if (running_) --sent_;
  try {
    if (!under_way_.empty() && is_open()) send_waiting();
  } catch (const Error&) {
    // There is no new process. The next call meets that again; this result is one.
  }
  return result;
}

Packet ProcessWorker::call(const std::string& task, const Packet& request) {
  if (!under_way_.empty()) throw std::logic_error("a task is called while a repetition is under way");
  Packet whole;
  whole << WorkerRequest::task << task;
  whole.append(request);
  send_to_idle(whole);
  Packet answer;
  try {
    answer = receive_answer(task);
  } catch (const Failure&) {
    hear("'" + task + "'");
    throw;
  }
  hear("'" + task + "'");
  auto kind = WorkerAnswer::result;
  bool usable = false;
  auto outcome = Outcome::crashed;
  std::string text;
  try {
    answer >> kind >> usable;
    if (kind == WorkerAnswer::failure) answer >> outcome;
    if (kind != WorkerAnswer::result) answer >> text;
  } catch (const std::out_of_range&) {
    throw garbled(task);
  }
  end_if_over(usable);
  if (kind == WorkerAnswer::result) return answer;
  if (kind == WorkerAnswer::error) throw Error(text);
  throw Failure(outcome, text);
}

bool ProcessWorker::is_done() {
  if (is_ahead_ && readable(process_.socket())) {
    try {
      send_waiting();  // its first words were that it is open
    } catch (const Error&) {
      return true;  // finish() meets that again
    }
  }
  if ((!running_ && !is_ahead_) || readable(process_.socket())) return true;
  const Watch::Reading reading = watch_.read();
  return is_overdue(reading, setup_.overdue_s) || !doubt(reading).empty();
}

Packet ProcessWorker::receive_answer(const std::string& kernels) {
  constexpr double kTurnS = 0.1, kTellEveryS = 0.5;
  const auto start = std::chrono::steady_clock::now();
  std::optional<double> cancelled_at_s;
  double told_s = 0;
  bool was_over = false;
  for (bool first = true;; first = false) {
    // Nothing here may use a core that a kernel on the CPU could use.
    const bool awake = first && description_.kind == DeviceKind::cuda;
    try {
      std::optional<Packet> answer =
          receive(process_.socket(),
                  {.first_s = kTurnS, .rest_s = setup_.message_s, .most_bytes = kMostBytes, .awake = awake});
      if (answer) return *std::move(answer);
    } catch (const BrokenMessage&) {
      throw garbled(kernels);
    } catch (const ConnectionLost&) {
      throw lost(kernels);
    }
    const double now_s = seconds_since(start);
    const Watch::Reading reading = watch_.read();
    if (const std::string why = doubt(reading); !why.empty())
      throw stopped(fmt::format("the device's worker process {}: it was killed", why));
    const bool waits = reading.doing == Watch::Doing::waiting;
    if (!cancelled_at_s && cancelled_()) cancelled_at_s = now_s;
    if (cancelled_at_s && (waits || now_s - *cancelled_at_s > setup_.cancel_grace_s)) {
      abandon();
      throw Cancelled();
    }
    if (waits && reading.seconds >= setup_.tell_wait_s) tell_whom_it_waits_for();
    if (waiting_ && !waits && now_s - told_s >= kTellEveryS) {
      told_s = now_s;
      if (const std::string why = waiting_(reading); !why.empty()) throw stopped(why);
    }
    // Once is no proof: its parts are read one after another. A process that was idle has not seen the request yet.
    const bool idle = reading.doing == Watch::Doing::nothing;
    const bool is_over =
        idle ? now_s > kLongestCallS + setup_.overdue_s : is_overdue(reading, setup_.overdue_s);
    if (is_over && was_over) throw overdue(kernels, reading);
    was_over = is_over;
  }
}

void ProcessWorker::tell_whom_it_waits_for() {
  const std::string holder = lease_holder(setup_.leases, lease_name(description_));
  if (holder.starts_with(fmt::format("process {} ", getpid()))) return;  // another worker of this run
  if (told_holders_.insert(holder).second)
    setup_.tell(fmt::format("waiting for {}, which {} measures on", description_.name, holder));
}

Failure ProcessWorker::lost(const std::string& kernels) {
  running_ = false;
  const bool in_kernels = watch_.read().doing == Watch::Doing::kernels;
  // It has closed the socket: it is dying, or something else runs in its place.
  const std::string death = process_.end(setup_.overdue_s);
  return {Outcome::crashed,
          (in_kernels ? kernels + ": " : std::string()) + "the device's worker process " + death};
}

Failure ProcessWorker::garbled(const std::string& kernels) {
  const bool in_kernels = watch_.read().doing == Watch::Doing::kernels;
  end_by_force();
  return {Outcome::crashed, (in_kernels ? kernels + ": " : std::string()) +
                                "the device's worker process gave an answer that is none; it was killed"};
}

std::string ProcessWorker::doubt(const Watch::Reading& reading) const {
  const auto told_at = setup_.isolated ? turn_.told_at() : std::nullopt;
  if (!told_at) return "";
  if (reading.doing == Watch::Doing::waiting) return "says that it waits for its turn, which has begun";
  if (under_way_.empty()) return "";
  // Inputs are made, samples taken, and a few calls of the device beside them each have the deadline.
  constexpr int kOtherCalls = 16;
  const MeasureSettings& settings = under_way_.front().settings;
  const double most_s =
      kLongestInputsS + settings.time_cap_s + (settings.warmup + kOtherCalls) * 2 * settings.deadline_s;
  if (seconds_since(*told_at) <= most_s) return "";
  return fmt::format("has worked for {:.3g} s, which is more than all its deadlines together",
                     seconds_since(*told_at));
}

Failure ProcessWorker::overdue(const std::string& kernels, const Watch::Reading& reading) {
  const bool in_kernels = reading.doing == Watch::Doing::kernels;
  const double limit_s = reading.doing == Watch::Doing::nothing ? kLongestCallS : reading.limit_s;
  return stopped(fmt::format("{}not ended after {:g} s; its process was killed",
                             in_kernels ? kernels + ": " : "", limit_s));
}

Failure ProcessWorker::stopped(const std::string& why) {
  end_by_force();
  return {Outcome::timeout, why};
}

std::string ProcessWorker::doubt(const RepetitionResult& result) const {
  if (!setup_.isolated) return "";
  if (process_.left_others()) return "it left processes behind, which were ended";
  const double elapsed_s = seconds_since(begun_);
  double sampled_s = 0;
  for (const Sample& sample : result.samples) {
    if (!(sample.time_ns > 0))
      return fmt::format("an execution took {:g} ns, says the clock of its process, which cannot be true",
                         sample.time_ns);
    sampled_s += sample.time_ns * sample.executions * 1e-9;
  }
  if (sampled_s <= elapsed_s && can_be_true(result.phases, elapsed_s)) return "";
  return fmt::format(
      "the device's worker process took {:.3g} s as a whole, and says that its samples took {:.3g} s of it, "
      "loading, verifying and measuring {:.3g}, {:.3g} and {:.3g} s: its clock is not to be believed",
      elapsed_s, sampled_s, result.phases.load, result.phases.verify, result.phases.measure);
}

std::string ProcessWorker::end_if_over(bool usable) {
  if (usable && !setup_.isolated) return "";
  const std::string death = end_process();
  return death == "exited with status 0" ? "" : death;
}

std::string ProcessWorker::end_process() {
  if (is_ahead_) end_by_force();
  if (!std::exchange(running_, false)) return "";
  return process_.end(kEndLimitS);
}

void ProcessWorker::end_by_force() {
  const bool was_ahead = std::exchange(is_ahead_, false);
  if (!std::exchange(running_, false) && !was_ahead) return;
  process_.kill();
  process_.end(kEndLimitS);
}

void ProcessWorker::abandon() {
  under_way_.clear();
  end_by_force();
}

}  // namespace tailwave
