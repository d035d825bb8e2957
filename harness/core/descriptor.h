#pragma once

namespace tailwave {

// A file descriptor that is closed when it goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }
  void close() noexcept;
  // Of a socket: the other side sees its end even where another process has a copy of it.
  void shut_down() noexcept;

 private:
  int number_ = -1;
};

}  // namespace tailwave
