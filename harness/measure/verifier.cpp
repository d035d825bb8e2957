#include "measure/verifier.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <new>

#include "core/error.h"
#include "core/stopwatch.h"
#include "device/shared_memory.h"
#include "device/wire.h"

namespace tailwave {

namespace {

// What the verifier is told by the coordinator, and by workers.
enum class Order : unsigned char { open, keep, keep_only, expect };
enum class Wish : unsigned char { examine, forget };

// One packet a message, so that what a worker left half said is nobody's beginning.
bool send_message(int socket, const Packet& packet) {
  ssize_t sent = -1;
  do {
    sent = ::send(socket, packet.bytes().data(), packet.bytes().size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return std::cmp_equal(sent, packet.bytes().size());
}

std::optional<Packet> receive_message(int socket, double limit_s) {
  constexpr std::size_t kMost = std::size_t{1} << 17;
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const double left_s = limit_s - seconds_since(start);
    pollfd wanted{socket, POLLIN, 0};
    const int ready = poll(&wanted, 1, std::max(0, static_cast<int>(left_s * 1e3)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    Bytes bytes(kMost);
    const ssize_t received = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (received < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (received <= 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(received));
    return Packet(std::move(bytes), {});
  }
}

}  // namespace

// The way between workers and the verifier.
struct Verifier::Link {
  Descriptor verifier, workers;
  SharedMemory memory{sizeof(std::atomic<pid_t>)};
  std::atomic<pid_t>& process{*new (memory.bytes().data())
                                  std::atomic<pid_t>(0)};  // the verifier's; 0: there is none

  Link() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw Error(fmt::format("creating a pair of sockets: {}", std::strerror(errno)));
    verifier = Descriptor(ends[0]);
    workers = Descriptor(ends[1]);
  }
};

namespace {

// The worker's end of the way to the verifier.
class LinkedExaminer final : public Examiner {
 public:
  LinkedExaminer(int socket, const std::atomic<pid_t>& process) : socket_(socket), process_(process) {}

  Answer examine(std::uint64_t number, std::size_t look, const std::vector<Shared>& buffers) override {
    const std::uint64_t id = new_id();
    Packet wish;
    wish << Wish::examine << id << number << look << buffers.size();
    for (const Shared& one : buffers) {
      wish << one.buffer << one.size_bytes << one.handle.size();
      wish.append(one.handle);
    }
    return ask(wish, id);
  }

  void forget() override {
    const std::uint64_t id = new_id();
    Packet wish;
    ask(wish << Wish::forget << id, id);
  }

 private:
  // Of a wish: answers to others, of an earlier worker too, may still lie there.
  std::uint64_t new_id() {
    constexpr unsigned kBits = 32;
    return (static_cast<std::uint64_t>(getpid()) << kBits) + ++wishes_;
  }

  Answer ask(const Packet& wish, std::uint64_t id) const {
    constexpr double kTurnS = 0.2;
    const pid_t asked = process_;
    if (!is_there() || !send_message(socket_, wish)) return Answer::cannot_look;
    const auto start = std::chrono::steady_clock::now();
    while (seconds_since(start) < Examiner::kLongestS) {
      std::optional<Packet> answer = receive_message(socket_, kTurnS);
      if (!answer && (!is_there() || process_ != asked)) break;
      if (answer && take<std::uint64_t>(*answer) == id) return take<Answer>(*answer);
    }
    return Answer::cannot_look;
  }

  // The socket does not tell: the process that starts verifiers has a copy of its other end. A worker that is confined
  // may not send signals there, and learns by that that it is there.
  [[nodiscard]] bool is_there() const {
    const pid_t process = process_;
    return process > 0 && (kill(process, 0) == 0 || errno == EPERM);
  }

  int socket_;
  const std::atomic<pid_t>& process_;
  std::uint64_t wishes_ = 0;
};

// The verifier's process.
class Examination {
 public:
  Examination(int coordinator, int workers, const ComparerFactory& factory)
      : coordinator_(coordinator), workers_(workers), factory_(factory) {}

  // Until the coordinator closes its socket, which throws ConnectionLost.
  void serve() {
    for (;;) {
      std::array<pollfd, 2> wanted{pollfd{coordinator_, POLLIN, 0}, pollfd{workers_, POLLIN, 0}};
      if (poll(wanted.data(), wanted.size(), -1) < 0) continue;
      // What the coordinator expects was said before the worker began.
      while (readable(coordinator_)) follow(*receive(coordinator_));
      if (wanted[1].revents == 0) continue;
      if (std::optional<Packet> wish = receive_message(workers_, 0)) answer(*wish);
    }
  }

 private:
  void follow(Packet order) {
    switch (take<Order>(order)) {
      case Order::open:
        return open(order);
      case Order::keep: {
        const auto key = take<std::string>(order);
        const Blob contents = order.take_blob();
        return attempt([&] {
          if (comparer_) keep(key, contents.bytes());
        });
      }
      case Order::keep_only: {
        auto keys = take<std::vector<std::string>>(order);
        order >> of_this_problem_;
        std::ranges::copy(of_this_problem_, std::back_inserter(keys));
        return attempt([&] {
          if (comparer_) comparer_->keep_only(keys);
        });
      }
      case Order::expect: {
        const auto number = take<std::uint64_t>(order);
        constexpr std::size_t kMostKept = 16;  // repetitions, of which two may be under way
        while (expected_.size() >= kMostKept) expected_.erase(expected_.begin());
        order >> expected_[number];
        return;
      }
    }
  }

  // Where there is no room, without what earlier problems expected: results that are compared with that go to the host.
  void keep(const std::string& key, std::span<const std::byte> contents) {
    try {
      return comparer_->keep(key, contents);
    } catch (const Failure& failure) {
      if (failure.outcome() != Outcome::out_of_memory) throw;
    }
    comparer_->keep_only(of_this_problem_);
    comparer_->keep(key, contents);
  }

  void open(Packet& order) {
    std::vector<Comparer::Kind> kinds(order.take_count());
    for (auto& [norm, type] : kinds) order >> norm >> type;
    attempt([&] {
      comparer_ = factory_();
      comparer_->prepare(kinds);
    });
  }

  // What goes wrong here lets the worker bring its results to the host.
  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const std::exception& error) {
      trouble_ = error.what();
      Packet verdict;
      send(coordinator_, verdict << trouble_);
    }
  }

  void answer(Packet& wish) {
    const auto kind = take<Wish>(wish);
    const auto id = take<std::uint64_t>(wish);
    Examiner::Answer result = Examiner::Answer::cannot_look;
    if (kind == Wish::forget) {
      attempt([&] {
        if (comparer_) comparer_->forget();
      });
    } else {
      try {
        result = examine(wish);
      } catch (const Failure&) {
        // The worker may have died meanwhile; if not it brings its results to the host.
      } catch (const std::out_of_range&) {
        // Of an examination that nobody expects.
      }
    }
    Packet answer;
    send_message(workers_, answer << id << result);
  }

  Examiner::Answer examine(Packet& wish) {
    const auto number = take<std::uint64_t>(wish);
    const auto look = take<std::size_t>(wish);
    const auto expected = expected_.find(number);
    if (!comparer_ || !trouble_.empty() || expected == expected_.end()) return Examiner::Answer::cannot_look;
    std::vector<std::string> names;
    std::vector<Comparer::Pair> pairs;
    for (std::size_t count = wish.take_count(); count > 0; --count) {
      const std::string& name = names.emplace_back(take<std::string>(wish));
      Comparer::Pair& pair = pairs.emplace_back();
      wish >> pair.size_bytes;
      const auto handle = wish.take(wish.take_count());
      pair.handle.assign(handle.begin(), handle.end());
      const auto& all = expected->second.at(look);
      const auto of =
          std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.buffer == name; });
      if (of == all.end()) return Examiner::Answer::cannot_look;
      pair.type = of->type;
      pair.comparison = of->comparison;
      pair.expected = of->key;
    }
    const std::vector<Comparer::Found> found = comparer_->compare(pairs);
    Verifier::Found told;
    bool passed = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      Verification verification = found[i].verification;
      verification.buffer = names[i];
      passed = passed && verification.passed && found[i].damage.empty();
      told.verifications.push_back(std::move(verification));
      if (told.damage.empty() && !found[i].damage.empty())
        told.damage = fmt::format("guard words of buffer '{}' overwritten: {}", names[i], found[i].damage);
    }
    // The verdict goes to the coordinator itself; the worker only learns whether it is worth going on.
    Packet verdict;
    send(coordinator_, verdict << std::string() << number << look << told.verifications << told.damage);
    return passed ? Examiner::Answer::passed : Examiner::Answer::failed;
  }

  int coordinator_, workers_;
  const ComparerFactory& factory_;
  std::unique_ptr<Comparer> comparer_;
  std::vector<std::string> of_this_problem_;  // keys
  std::string trouble_;                       // why nothing can be compared here any more
  std::map<std::uint64_t, std::vector<std::vector<Expectation>>> expected_;
};

}  // namespace

Verifier::Verifier(ComparerFactory factory)
    : link_(std::make_shared<Link>()), process_([factory = std::move(factory), link = link_](int socket) {
        try {
          Examination(socket, link->verifier.number(), factory).serve();
        } catch (const std::exception&) {
          return;  // the coordinator is gone
        }
      }) {}

std::function<std::unique_ptr<Examiner>()> Verifier::examiner() const {
  return [link = link_] { return std::make_unique<LinkedExaminer>(link->workers.number(), link->process); };
}

bool Verifier::start(const std::vector<Comparer::Kind>& kinds) {
  if (running_) return true;
  if (!obstacle_.empty()) return false;
  try {
    process_.start();
    link_->process = process_.worker();
    Packet order;
    order << Order::open << kinds.size();
    for (const auto& [norm, type] : kinds) order << norm << type;
    send(process_.socket(), order);
    running_ = true;
  } catch (const std::exception& error) {
    obstacle_ = error.what();
  }
  known_.clear();
  return running_;
}

const std::string& Verifier::obstacle() {
  if (running_) receive_found();
  return obstacle_;
}

bool Verifier::expect(std::uint64_t number, const std::vector<std::vector<Expectation>>& looks,
                      const Contents& contents) {
  std::vector<Comparer::Kind> kinds;
  for (const auto& look : looks)
    for (const Expectation& one : look) kinds.emplace_back(one.comparison.norm, one.type);
  if (!obstacle().empty() || !start(kinds)) return false;
  try {
    bring(contents);
    Packet order;
    send(process_.socket(), order << Order::expect << number << looks);
  } catch (const ConnectionLost&) {
    lose();
    return false;  // this once the host compares
  }
  return true;
}

void Verifier::bring(const Contents& contents) {
  std::vector<std::string> unknown;
  std::size_t bytes = 0;
  for (const auto& [key, blob] : contents) {
    const auto found = std::ranges::find(known_, key, &Known::key);
    if (found == known_.end())
      unknown.push_back(key);
    else
      known_.splice(known_.begin(), known_, found);
    bytes += blob.bytes().size();
  }
  if (unknown.empty()) return;
  std::erase_if(known_, [&](const Known& one) {
    return !contents.contains(one.key) && (bytes += one.size_bytes) > most_bytes_;
  });
  std::vector<std::string> earlier, of_this_problem;
  for (const Known& one : known_)
    if (!contents.contains(one.key)) earlier.push_back(one.key);
  for (const auto& [key, blob] : contents) of_this_problem.push_back(key);
  Packet only;
  send(process_.socket(), only << Order::keep_only << earlier << of_this_problem);
  for (const std::string& key : unknown) {
    const Blob& blob = contents.at(key);
    Packet keep;
    keep << Order::keep << key;
    keep.put(blob);
    send(process_.socket(), keep);
    known_.push_front({key, blob.bytes().size()});
  }
}

std::optional<Verifier::Found> Verifier::take(std::uint64_t number, std::size_t look) {
  const std::pair place(number, look);
  const bool was_running = running_;
  if (running_) receive_found();  // a verdict comes before the worker learns that it is there
  const auto found = found_.find(place);
  if (found == found_.end() && was_running && !running_)
    throw Failure(Outcome::crashed, "the process that compares results on the device was lost");
  if (found == found_.end()) return std::nullopt;
  std::optional<Found> result = std::move(found->second);
  // What is older was of repetitions that were abandoned.
  found_.erase(found_.begin(), std::next(found));
  return result;
}

void Verifier::receive_found() {
  try {
    while (readable(process_.socket())) {
      std::optional<Packet> packet = receive(process_.socket(), {.rest_s = Examiner::kLongestS});
      if (const auto trouble = tailwave::take<std::string>(*packet); !trouble.empty()) {
        obstacle_ = trouble;
        continue;
      }
      const auto number = tailwave::take<std::uint64_t>(*packet);
      const auto look = tailwave::take<std::size_t>(*packet);
      Found& found = found_[{number, look}];
      *packet >> found.verifications >> found.damage;
    }
  } catch (const ConnectionLost&) {
    lose();
  }
}

void Verifier::lose() {
  running_ = false;
  link_->process = 0;
  process_.kill();
  process_.end(1);
}

}  // namespace tailwave
