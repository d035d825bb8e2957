#include "device/cpu/fiber.h"

namespace tailwave {

Fiber::Fiber(Body body, void* owner, unsigned colour) : body_(body), owner_(owner) {
  constexpr unsigned kColours = 32, kColourBytes = 128;
  start_ = stack_.top() - std::size_t{colour % kColours} * kColourBytes;
  restart();
}

void Fiber::restart() {
  sanitizer::unpoison(stack_.bottom(), FiberStack::size());
  stack_bottom_ = stack_.bottom();
  stack_size_ = FiberStack::size();
  sanitizer_state_ = nullptr;
  context = boost::context::detail::make_fcontext(start_, static_cast<std::size_t>(start_ - stack_.bottom()),
                                                  &Fiber::enter);
}

void Fiber::enter(boost::context::detail::transfer_t transfer) {
  auto& self = static_cast<Fiber&>(*of(transfer).target);
  arrive(transfer, self);
  self.body_(self, self.owner_);
}

}  // namespace tailwave
