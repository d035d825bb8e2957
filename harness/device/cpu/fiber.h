#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "compile/cpu/include/tailwave_abi.h"
#include "device/cpu/fiber_stack.h"
#include "device/cpu/sanitizer.h"

namespace tailwave {

// A flow of control: one with a stack of its own, or the one that a thread of the operating system came with.
// A fiber must always be resumed on the thread that started it.
class Flow : public tailwave_cpu::Flow {
 public:
  Flow() : tailwave_cpu::Flow{} {}
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  // Leaves `from`, which must be the running flow, and goes on where this one was left. Returns when someone
  // resumes `from`.
  //
  // Inlined, as its callers should be: a jump between stacks leaves the processor's prediction of return addresses
  // one off, so that every return between here and the kernel costs as much as the jump.
  [[gnu::always_inline]] void resume_from(Flow& from) {
    from.target = this;
    sanitizer::start_switch(&from.sanitizer_state_, stack_bottom_, stack_size_);
    arrive(boost::context::detail::jump_fcontext(context, static_cast<tailwave_cpu::Flow*>(&from)), from);
  }

 protected:
  static Flow& of(boost::context::detail::transfer_t transfer) {
    return static_cast<Flow&>(*static_cast<tailwave_cpu::Flow*>(transfer.data));
  }

  // To be called first after a jump.
  [[gnu::always_inline]] static void arrive(boost::context::detail::transfer_t transfer, Flow& here) {
    Flow& from = of(transfer);
    from.context = transfer.fctx;
    sanitizer::finish_switch(here.sanitizer_state_, &from.stack_bottom_, &from.stack_size_);
  }

  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
  void* sanitizer_state_ = nullptr;
};

// A flow with its own stack that runs `body` when first resumed. The body must never return; a fiber that is
// destroyed, or restarted, while suspended is abandoned: what is on its stack is not destroyed.
class Fiber : public Flow {
 public:
  using Body = void (*)(Fiber&, void* owner);

  // `colour` shifts the stack's beginning, so that the busiest cache lines of many fibers do not share a set.
  // Throws Failure(out_of_memory).
  Fiber(Body body, void* owner, unsigned colour);

  // Abandons what it was doing; when next resumed it begins anew.
  void restart();

  // For the owner: a ring of fibers that take turns.
  [[nodiscard]] Fiber& next_fiber() const { return static_cast<Fiber&>(*next); }
  Fiber* previous = nullptr;

 private:
  static void enter(boost::context::detail::transfer_t transfer);

  FiberStack stack_;
  Body body_;
  void* owner_;
  std::byte* start_;
};

}  // namespace tailwave
