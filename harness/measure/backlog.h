#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace tailwave {

// Work on results that needs no device, put off until the process would only wait for one. It is done in the order in
// which it came; what it refers to has to live until then. What a piece throws comes out of the call that did it.
class Backlog {
 public:
  void add(std::function<void()> work) { waiting_.push_back(std::move(work)); }

  // The oldest piece, while a device works; false when there is none.
  bool do_one() {
    if (waiting_.empty()) return false;
    hidden_ = true;
    const Reset reset{hidden_};
    do_oldest();
    return true;
  }

  // What was added before a moment at which added() was `until`.
  void finish(std::size_t until) {
    while (done_ < until) do_oldest();
  }
  void finish() { finish(added()); }

  void clear() {
    done_ += waiting_.size();
    waiting_.clear();
  }

  [[nodiscard]] std::size_t added() const { return done_ + waiting_.size(); }  // pieces so far
  // Whether the piece at hand costs the run no time of its own.
  [[nodiscard]] bool hidden() const { return hidden_; }

 private:
  struct Reset {
    bool& flag;
    ~Reset() { flag = false; }
  };

  void do_oldest() {
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    ++done_;
    work();
  }

  std::deque<std::function<void()>> waiting_;
  std::size_t done_ = 0;
  bool hidden_ = false;
};

}  // namespace tailwave
