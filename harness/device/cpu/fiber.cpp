#include "device/cpu/fiber.h"

namespace tailwave {
namespace context = boost::context::detail;

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
  context_ =
      context::make_fcontext(start_, static_cast<std::size_t>(start_ - stack_.bottom()), &Fiber::enter);
}

void Fiber::enter(context::transfer_t transfer) {
  auto& self = static_cast<Fiber&>(*static_cast<Passage*>(transfer.data)->to);
  arrive(transfer, self);
  self.body_(self, self.owner_);
}

}  // namespace tailwave
