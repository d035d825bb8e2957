#include "device/blob.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/error.h"

namespace tailwave {
namespace {

[[noreturn]] void fail(const char* doing, std::size_t size_bytes) {
  throw Error(
      fmt::format("{} {} bytes of memory with another process: {}", doing, size_bytes, std::strerror(errno)));
}

// What is only read is mapped as private: before Linux 6.7 a shared mapping that cannot be written keeps memory from
// being sealed, and sealed memory from being mapped, like one that can.
// `place`: of a mapping that this one takes the place of; null: anywhere.
std::span<std::byte> map(int descriptor, std::size_t size_bytes, int protection, void* place = nullptr) {
  if (size_bytes == 0) return {};
  const int kind =
      ((protection & PROT_WRITE) != 0 ? MAP_SHARED : MAP_PRIVATE) | (place != nullptr ? MAP_FIXED : 0);
  void* const start = mmap(place, size_bytes, protection, kind, descriptor, 0);
  if (start == MAP_FAILED) fail("sharing", size_bytes);
  return {static_cast<std::byte*>(start), size_bytes};
}

}  // namespace

struct Blob::Memory {
  Memory() = default;
  ~Memory() { unmap(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void unmap() {
    if (!mapped.empty()) munmap(mapped.data(), mapped.size());
    mapped = {};
  }

  std::vector<std::byte> own;
  Descriptor descriptor;
  std::span<std::byte> mapped;
  bool writable = true;
};

Blob::Blob(std::vector<std::byte> bytes) : memory_(std::make_shared<Memory>()) {
  memory_->own = std::move(bytes);
  bytes_ = memory_->own;
}

Blob Blob::shared(std::size_t size_bytes) {
  Blob blob;
  blob.memory_ = std::make_shared<Memory>();
  Memory& memory = *blob.memory_;
  memory.descriptor = Descriptor(memfd_create("tailwave", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.descriptor.number() < 0 ||
      ftruncate(memory.descriptor.number(), static_cast<off_t>(size_bytes)) != 0)
    fail("sharing", size_bytes);
  memory.mapped = map(memory.descriptor.number(), size_bytes, PROT_READ | PROT_WRITE);
  blob.bytes_ = memory.mapped;
  return blob;
}

Blob Blob::received(Descriptor descriptor, std::size_t size_bytes) {
  const int number = descriptor.number();
  // Before its size is looked at, so that nobody can take away what is mapped.
  const bool fixed = fcntl(number, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0;
  struct stat status {};
  if (!fixed || fstat(number, &status) != 0 || std::cmp_not_equal(status.st_size, size_bytes))
    throw Error(fmt::format("another process handed over no {} bytes of memory", size_bytes));
  Blob blob;
  blob.memory_ = std::make_shared<Memory>();
  Memory& memory = *blob.memory_;
  memory.writable = false;
  memory.descriptor = std::move(descriptor);
  memory.mapped = map(number, size_bytes, PROT_READ);
  blob.bytes_ = memory.mapped;
  if (fcntl(number, F_ADD_SEALS, F_SEAL_WRITE) == 0) return blob;
  memory.own.assign(memory.mapped.begin(), memory.mapped.end());
  memory.unmap();
  memory.descriptor.close();
  blob.bytes_ = memory.own;
  return blob;
}

std::span<std::byte> Blob::writable() const {
  if (memory_ == nullptr) return {};
  if (!memory_->writable) throw std::logic_error("bytes that were handed over are written to");
  return memory_->mapped.empty() ? std::span(memory_->own) : memory_->mapped;
}

int Blob::descriptor() const {
  return memory_ == nullptr ? -1 : memory_->descriptor.number();
}

void Blob::hand_over() {
  if (descriptor() < 0 || !memory_->writable) return;
  memory_->writable = false;
  // Where it was: copies of this Blob know the address.
  const std::span<std::byte> mapped = std::exchange(memory_->mapped, {});
  memory_->mapped = map(descriptor(), mapped.size(), PROT_READ, mapped.data());
}

}  // namespace tailwave
