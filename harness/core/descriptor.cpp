#include "core/descriptor.h"

#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace tailwave {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  close();
}

void Descriptor::shut_down() noexcept {
  if (number_ >= 0) shutdown(number_, SHUT_RDWR);
  close();
}

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

}  // namespace tailwave
