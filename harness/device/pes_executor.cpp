#include "device/pes_executor.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/outcome.h"
#include "core/stopwatch.h"
#include "device/packing.h"

namespace tailwave {
namespace {

constexpr double kLongestOpeningS = 60, kLongestDataS = 600, kLongestQuestionS = 60;
constexpr double kGraceS = 1;     // beyond what a run may take
constexpr double kOthersS = 0.1;  // that others may take to fail likewise
constexpr double kLongestEndingS = 10;

class PesBuffer final : public Buffer {
 public:
  PesBuffer(PesExecutor& owner, std::uint64_t number, std::size_t size_bytes)
      : owner_(owner), number_(number), size_bytes_(size_bytes) {}
  ~PesBuffer() override { owner_.forget(PeRequest::free, number_); }
  PesBuffer(const PesBuffer&) = delete;
  PesBuffer& operator=(const PesBuffer&) = delete;
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  PesExecutor& owner_;
  std::uint64_t number_;
  std::size_t size_bytes_;
};

class PesProgram final : public Program {
 public:
  PesProgram(PesExecutor& owner, std::uint64_t number) : owner_(owner), number_(number) {}
  ~PesProgram() override { owner_.forget(PeRequest::unload, number_); }
  PesProgram(const PesProgram&) = delete;
  PesProgram& operator=(const PesProgram&) = delete;
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  PesExecutor& owner_;
  std::uint64_t number_;
};

std::uint64_t number_of(const Buffer* buffer) {
  return buffer == nullptr ? 0 : dynamic_cast<const PesBuffer&>(*buffer).number();
}

std::uint64_t number_of(const Program& program) {
  return dynamic_cast<const PesProgram&>(program).number();
}

std::vector<std::uint64_t> numbers_of(const std::vector<const Buffer*>& buffers) {
  std::vector<std::uint64_t> numbers;
  for (const Buffer* buffer : buffers) numbers.push_back(number_of(buffer));
  return numbers;
}

std::vector<Launch> launches_of(int pe, std::span<const Launch> launches) {
  std::vector<Launch> own;
  std::copy_if(launches.begin(), launches.end(), std::back_inserter(own),
               [&](const Launch& launch) { return launch.pe == pe; });
  return own;
}

// The slowest one's times are those of all.
void join(std::vector<RunResult>& all, const std::vector<RunResult>& others) {
  if (all.size() != others.size()) throw std::out_of_range("other numbers of runs");
  for (std::size_t i = 0; i < all.size(); ++i) all[i].time_ns = std::max(all[i].time_ns, others[i].time_ns);
}

}  // namespace

PesExecutor::PesExecutor(DeviceDescription description, int gpus, PeEntry entry)
    : description_(std::move(description)), entry_(std::move(entry)) {
  for (int gpu = 0; gpu < gpus; ++gpu)
    processes_.push_back(
        std::make_unique<WorkerProcess>([this](int socket) { serve_as_pe(socket, entry_); }));
}

PesExecutor::~PesExecutor() {
  end_all();
}

void PesExecutor::use_pes(int pes) {
  end_all();
  trouble_.reset();
  if (std::cmp_greater(pes, processes_.size()))
    throw Failure(Outcome::unavailable,
                  fmt::format("{} processing elements need a GPU each, and there {} {} from the run's own on",
                              pes, processes_.size() == 1 ? "is" : "are", processes_.size()));
  if (pes > 0) start(pes);
}

void PesExecutor::start(int pes) {
  pes_ = pes;
  std::vector<int> all;
  for (int pe = 0; pe < pes; ++pe) {
    all.push_back(pe);
    process(pe).start();
    Packet begin;
    tell(pe, begin << pe << pes);
  }
  Packet invitation;
  invitation << take<std::string>(answers_of({0}, kLongestOpeningS).front());
  for (const int pe : all) tell(pe, invitation);
  answers_of(all, kLongestOpeningS);
}

std::unique_ptr<Program> PesExecutor::load(const Artifact& artifact) {
  const std::uint64_t number = ++last_number_;
  Packet request;
  ask_all(request << PeRequest::load << number << artifact, kLongestQuestionS);
  return std::make_unique<PesProgram>(*this, number);
}

std::vector<std::optional<int>> PesExecutor::blocks_per_sm(Program& program,
                                                           std::span<const Launch> launches) {
  return ask_of_launches(PeRequest::blocks_per_sm, program, launches);
}

std::vector<std::optional<int>> PesExecutor::active_clusters(Program& program,
                                                             std::span<const Launch> launches) {
  return ask_of_launches(PeRequest::active_clusters, program, launches);
}

std::vector<std::optional<int>> PesExecutor::ask_of_launches(PeRequest what, Program& program,
                                                             std::span<const Launch> launches) {
  Packet request;
  request << what << number_of(program);
  put_all(request, launches, [](const Buffer* buffer) { return number_of(buffer); });
  Packet answer = ask_first(request, kLongestQuestionS);
  return take<std::vector<std::optional<int>>>(answer);
}

// In a green context no processing element runs.
std::vector<std::optional<int>> PesExecutor::granted_sms(std::span<const Launch> launches) {
  for (const Launch& launch : launches)
    if (launch.sms > 0)
      throw Failure(Outcome::unavailable,
                    fmt::format("'{}' is to have {} SMs: processing elements have all of their "
                                "GPUs",
                                launch.kernel, launch.sms));
  return std::vector<std::optional<int>>(launches.size());
}

std::unique_ptr<Buffer> PesExecutor::allocate_at(const Placement& place, std::size_t size_bytes) {
  if (place.gpu != 0)
    throw Failure(Outcome::launch_failed,
                  fmt::format("a buffer is to lie on GPU {}: each processing element has its "
                              "own",
                              place.gpu));
  const std::uint64_t number = ++last_number_;
  Packet request;
  ask_all(request << PeRequest::allocate << number << place.memory << place.before << size_bytes,
          kLongestDataS);
  return std::make_unique<PesBuffer>(*this, number, size_bytes);
}

void PesExecutor::forget(PeRequest what, std::uint64_t number) noexcept {
  try {
    Packet request;
    request << what << number;
    for (int pe = 0; pe < pes_; ++pe) send(process(pe).socket(), request);
  } catch (const std::exception&) {
    return;  // the next one that asks meets that again
  }
}

void PesExecutor::upload(Buffer& buffer, const Produce& produce) {
  constexpr std::size_t kPiece = std::size_t{1} << 24;
  const Blob contents = Blob::shared(buffer.size_bytes());
  const std::span<std::byte> bytes = contents.writable();
  for (std::size_t offset = 0; offset < bytes.size(); offset += kPiece)
    produce(offset, bytes.subspan(offset, std::min(kPiece, bytes.size() - offset)));
  Packet request;
  ask_all(request << PeRequest::upload << number_of(&buffer) << contents, kLongestDataS);
}

void PesExecutor::restore(std::span<const Restoration> restored) {
  Packet request;
  request << PeRequest::restore;
  put_all(request, restored, [](const Buffer* buffer) { return number_of(buffer); });
  ask_all(request, kLongestDataS);
}

std::vector<std::string> PesExecutor::read(const Reading& reading) {
  require_alive();
  std::vector<const Buffer*> contents;
  for (const auto& [from, to] : reading.contents) contents.push_back(from);
  std::vector<Packet> requests(static_cast<std::size_t>(pes_));
  for (Packet& request : requests) {
    const bool is_first = &request == &requests.front();
    request << PeRequest::read << numbers_of(reading.guarded)
            << numbers_of(is_first ? contents : std::vector<const Buffer*>{});
  }
  std::vector<Packet> answers = ask_each(requests, kLongestDataS);
  std::vector<std::string> damage(reading.guarded.size());
  for (int pe = pes_ - 1; pe >= 0; --pe) {
    const auto own = take<std::vector<std::string>>(answers[static_cast<std::size_t>(pe)]);
    for (std::size_t i = 0; i < damage.size(); ++i)
      if (!own.at(i).empty()) damage[i] = fmt::format("PE {}: {}", pe, own[i]);
  }
  const auto blobs = take<std::vector<Blob>>(answers.front());
  for (std::size_t i = 0; i < reading.contents.size(); ++i) {
    const std::span<std::byte> to = reading.contents[i].second;
    require_same_size(blobs.at(i).bytes().size(), to.size());
    std::copy(blobs[i].bytes().begin(), blobs[i].bytes().end(), to.begin());
  }
  return damage;
}

std::vector<RunResult> PesExecutor::repeat(Program& program, const FreshStart& start,
                                           std::span<const Launch> launches, const RunOptions& options,
                                           int times) {
  require_alive();
  if (options.graph)
    throw Failure(Outcome::unavailable, "a graph cannot hold what processing elements do together");
  const NumberBuffer number = [](const Buffer* buffer) { return number_of(buffer); };
  std::vector<Packet> requests(static_cast<std::size_t>(pes_));
  for (int pe = 0; pe < pes_; ++pe) {
    Packet& request = requests[static_cast<std::size_t>(pe)];
    const std::vector<Launch> prepare = launches_of(pe, start.prepare), own = launches_of(pe, launches);
    request << PeRequest::repeat << number_of(program);
    put_all(request, std::span(start.restored), number);
    put_all(request, std::span(prepare), number);
    request << start.others << start.other_draws;
    put_all(request, std::span(own), number);
    request << options << times << deadline_s_;
  }
  const double limit_s =
      deadline_s_ > 0 ? times * (start.prepare.empty() ? 1 : 2) * deadline_s_ + kGraceS : 0;
  std::vector<Packet> answers = ask_each(requests, limit_s);
  auto results = take<std::vector<RunResult>>(answers.front());
  for (std::size_t pe = 1; pe < answers.size(); ++pe)
    join(results, take<std::vector<RunResult>>(answers[pe]));
  return results;
}

std::vector<Activity> PesExecutor::record(const std::function<void()>& work) {
  Packet begin, end;
  ask_all(begin << PeRequest::record, kLongestQuestionS);
  try {
    work();
  } catch (...) {
    end_by_force();  // they record still
    throw;
  }
  std::vector<Activity> all;
  std::vector<Packet> answers = ask_all(end << PeRequest::recorded, kLongestDataS);
  for (std::size_t pe = 0; pe < answers.size(); ++pe) {
    for (Activity& one : take<std::vector<Activity>>(answers[pe])) {
      one.gpu = static_cast<int>(pe);
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::vector<Packet> PesExecutor::ask_all(const Packet& request, double limit_s) {
  require_alive();
  std::vector<int> all;
  for (int pe = 0; pe < pes_; ++pe) {
    tell(pe, request);
    all.push_back(pe);
  }
  return answers_of(all, limit_s);
}

std::vector<Packet> PesExecutor::ask_each(const std::vector<Packet>& requests, double limit_s) {
  std::vector<int> all;
  for (int pe = 0; pe < pes_; ++pe) {
    tell(pe, requests[static_cast<std::size_t>(pe)]);
    all.push_back(pe);
  }
  return answers_of(all, limit_s);
}

Packet PesExecutor::ask_first(const Packet& request, double limit_s) {
  require_alive();
  tell(0, request);
  return std::move(answers_of({0}, limit_s).front());
}

void PesExecutor::tell(int pe, const Packet& request) {
  try {
    send(process(pe).socket(), request);
  } catch (const ConnectionLost&) {
    fail(death_of(pe));
  }
}

std::vector<Packet> PesExecutor::answers_of(const std::vector<int>& asked, double limit_s) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Packet> answers(asked.size());
  std::vector<std::optional<Trouble>> troubles(asked.size());
  std::vector<pollfd> waiting;
  for (const int pe : asked) waiting.push_back({process(pe).socket(), POLLIN, 0});
  double end_s = limit_s;  // 0: never
  for (std::size_t missing = asked.size(); missing > 0;) {
    const double left_s = end_s - seconds_since(begin);
    if (end_s > 0 && left_s <= 0) break;
    const int wait_ms = end_s > 0 ? static_cast<int>(left_s * 1e3) + 1 : -1;
    if (poll(waiting.data(), waiting.size(), wait_ms) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      waiting[i].fd = -1;
      --missing;
      troubles[i] = take_answer(asked[i], answers[i]);
      if (troubles[i]) end_s = seconds_since(begin) + kOthersS;
    }
  }
  const auto failed =
      std::find_if(troubles.begin(), troubles.end(), [](const auto& one) { return one.has_value(); });
  const auto is_full = [](const auto& one) { return one && one->outcome == Outcome::out_of_memory; };
  if (failed != troubles.end() && std::all_of(troubles.begin(), troubles.end(), is_full))
    throw Failure((*failed)->outcome, (*failed)->text);
  if (failed != troubles.end()) fail(**failed);
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (waiting[i].fd >= 0)
      fail({Outcome::timeout, fmt::format("PE {}: no answer within {:g} s", asked[i], limit_s)});
  return answers;
}

std::optional<PesExecutor::Trouble> PesExecutor::take_answer(int pe, Packet& answer) {
  constexpr double kRestS = 60;  // of an answer of which a part is there
  try {
    std::optional<Packet> received = receive(process(pe).socket(), {.first_s = kRestS, .rest_s = kRestS});
    if (!received) return Trouble{Outcome::timeout, fmt::format("PE {}: no answer", pe)};
    answer = std::move(*received);
    const auto kind = take<PeAnswer>(answer);
    if (kind == PeAnswer::result) return std::nullopt;
    const Outcome outcome = kind == PeAnswer::failure ? take<Outcome>(answer) : Outcome::crashed;
    return Trouble{outcome, fmt::format("PE {}: {}", pe, take<std::string>(answer))};
  } catch (const ConnectionLost&) {
    return death_of(pe);
  } catch (const std::out_of_range&) {
    return Trouble{Outcome::crashed, fmt::format("PE {}: an answer that is none", pe)};
  }
}

PesExecutor::Trouble PesExecutor::death_of(int pe) {
  return {Outcome::crashed, fmt::format("PE {}: its process {}", pe, process(pe).end(kGraceS))};
}

void PesExecutor::fail(Trouble trouble) {
  end_by_force();
  trouble_ = std::move(trouble);
  throw Failure(trouble_->outcome, trouble_->text);
}

void PesExecutor::require_alive() const {
  if (trouble_) throw Failure(trouble_->outcome, trouble_->text);
  if (pes_ == 0) throw std::logic_error("no processing elements were asked for");
}

// All at once: each waits for the others as it ends.
void PesExecutor::end_all() noexcept {
  for (int pe = 0; pe < pes_; ++pe) shutdown(process(pe).socket(), SHUT_RDWR);
  const int pes = std::exchange(pes_, 0);
  for (int pe = 0; pe < pes; ++pe) process(pe).end(kLongestEndingS);
}

void PesExecutor::end_by_force() noexcept {
  for (int pe = 0; pe < pes_; ++pe) process(pe).kill();
  const int pes = std::exchange(pes_, 0);
  for (int pe = 0; pe < pes; ++pe) process(pe).end(kLongestEndingS);
}

}  // namespace tailwave
