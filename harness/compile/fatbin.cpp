#include "compile/fatbin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>

#include "core/error.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr std::uint64_t kMostUnpackedBytes = std::uint64_t{1} << 30;

// What a container and an image begin with.
struct ContainerHead {
  std::uint32_t magic;
  std::uint16_t version, head_bytes;
  std::uint64_t rest_bytes;
};
static_assert(sizeof(ContainerHead) == 16);

struct ImageHead {
  std::uint16_t kind, version;
  std::uint32_t head_bytes;
  std::uint64_t bytes;         // with what fills them up
  std::uint32_t packed_bytes;  // 0: not packed
  std::uint32_t more_options;
  std::uint16_t minor, major;
  std::uint32_t target, name, name_bytes;
  std::uint64_t flags, reserved, unpacked_bytes;
};
static_assert(sizeof(ImageHead) == 64);

constexpr std::uint64_t kPackedByLz4 = 0x2000, kPackedByZstd = 0x8000;
constexpr std::uint64_t kForThisTargetAlone = 0x100000, kForItsFamily = 0x200000;

[[noreturn]] void damaged_fatbin(const char* what) {
  throw Error(fmt::format("damaged fatbin: {}", what));
}

template <class Head>
Head head_at(std::string_view bytes) {
  if (bytes.size() < sizeof(Head)) damaged_fatbin("it ends too early");
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

FatbinImage image_of(const ImageHead& head, std::string_view bytes) {
  FatbinImage image;
  if (head.kind == 1) image.kind = FatbinImage::Kind::ptx;
  if (head.kind == 2) image.kind = FatbinImage::Kind::cubin;
  image.target = static_cast<int>(head.target);
  if ((head.flags & kForThisTargetAlone) != 0) image.suffix = 'a';
  if ((head.flags & kForItsFamily) != 0) image.suffix = 'f';
  if ((head.flags & kPackedByLz4) != 0) image.packing = FatbinImage::Packing::lz4;
  if ((head.flags & kPackedByZstd) != 0) image.packing = FatbinImage::Packing::zstd;
  const bool is_packed = image.packing != FatbinImage::Packing::none;
  if (head.packed_bytes > bytes.size()) damaged_fatbin("an image is longer than its place");
  image.packed = is_packed ? bytes.substr(0, head.packed_bytes) : bytes;
  image.size = is_packed ? head.unpacked_bytes : bytes.size();
  return image;
}

// The images of one container, which `bytes` begin with; takes it away from them.
void read_container(std::string_view& bytes, std::vector<FatbinImage>& images) {
  const auto container = head_at<ContainerHead>(bytes);
  if (container.magic != kFatbinMagic)
    throw Error("not a fatbin: another file, or an object of the host with one inside");
  if (container.head_bytes < sizeof container || container.head_bytes > bytes.size() ||
      container.rest_bytes > bytes.size() - container.head_bytes)
    damaged_fatbin("it ends too early");
  std::string_view rest = bytes.substr(container.head_bytes, container.rest_bytes);
  bytes.remove_prefix(container.head_bytes + container.rest_bytes);
  while (!rest.empty()) {
    const auto head = head_at<ImageHead>(rest);
    if (head.head_bytes < sizeof head || head.head_bytes > rest.size() ||
        head.bytes > rest.size() - head.head_bytes)
      damaged_fatbin("an image lies outside the file");
    images.push_back(image_of(head, rest.substr(head.head_bytes, head.bytes)));
    rest.remove_prefix(head.head_bytes + head.bytes);
  }
}

// A block of LZ4 (lz4_Block_format.md of the LZ4 project): runs of literal bytes, each but the last followed by a copy of
// what was unpacked so many bytes before.
class Lz4Block {
 public:
  Lz4Block(std::string_view packed, std::size_t size) : packed_(packed), size_(size) { text_.reserve(size); }

  std::string unpack() {
    constexpr std::size_t kShortestCopy = 4;
    while (text_.size() < size_) {
      const unsigned token = byte();
      literals(length(token >> 4U));
      if (text_.size() == size_) break;
      const std::size_t low = byte();
      const std::size_t distance = low | std::size_t{byte()} << 8U;
      copy(distance, length(token & 15U) + kShortestCopy);
    }
    return std::move(text_);
  }

 private:
  std::uint8_t byte() {
    if (packed_.empty()) damaged_fatbin("its packed code ends too early");
    const auto value = static_cast<std::uint8_t>(packed_.front());
    packed_.remove_prefix(1);
    return value;
  }
  // 15 and 255 mean that there is more.
  std::size_t length(std::size_t count) {
    if (count < 15) return count;
    for (std::uint8_t more = 255; more == 255;) count += more = byte();
    return count;
  }
  void require_room(std::size_t count) {
    if (count > size_ - text_.size()) damaged_fatbin("its packed code is longer than it says");
  }
  void literals(std::size_t count) {
    if (count > packed_.size()) damaged_fatbin("its packed code ends too early");
    require_room(count);
    text_.append(packed_.substr(0, count));
    packed_.remove_prefix(count);
  }
  void copy(std::size_t distance, std::size_t count) {
    if (distance == 0 || distance > text_.size()) damaged_fatbin("its packed code points outside itself");
    require_room(count);
    for (std::size_t i = 0; i < count; ++i) text_ += text_[text_.size() - distance];
  }

  std::string_view packed_;
  std::size_t size_;
  std::string text_;
};

struct CloseZstd {
  void operator()(void* library) const noexcept { dlclose(library); }
};

// By the system's libzstd, which is loaded when it is needed.
std::string unpack_zstd(std::string_view packed, std::size_t size) {
  const std::unique_ptr<void, CloseZstd> library(
      dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
  std::size_t (*decompress)(void*, std::size_t, const void*, std::size_t) = nullptr;
  if (library) decompress = reinterpret_cast<decltype(decompress)>(dlsym(library.get(), "ZSTD_decompress"));
  if (decompress == nullptr)
    throw Failure(
        Outcome::unavailable,
        "its code is packed by zstd, and libzstd.so.1 is not there: install libzstd, or make the file with "
        "nvcc -fatbin --no-compress");
  std::string text(size, '\0');
  // What is an error is a number above any length.
  if (decompress(text.data(), text.size(), packed.data(), packed.size()) != size)
    damaged_fatbin("its packed code cannot be unpacked");
  return text;
}

}  // namespace

std::string FatbinImage::name() const {
  std::string text = fmt::format("{}{}", kind == Kind::cubin ? "sm_" : "compute_", target);
  if (suffix != '\0') text += suffix;
  return kind == Kind::other ? "other code for " + text : text;
}

bool FatbinImage::runs_on(int capability) const {
  if (kind == Kind::other) return false;
  if (suffix == 'a') return target == capability;
  const bool one_generation = target / 10 == capability / 10;
  return target <= capability && (one_generation || (kind == Kind::ptx && suffix != 'f'));
}

std::vector<FatbinImage> read_fatbin(std::string_view bytes) {
  std::vector<FatbinImage> images;
  do {
    read_container(bytes, images);
  } while (!bytes.empty());
  return images;
}

const FatbinImage* best_image(const std::vector<FatbinImage>& images, int capability) {
  const auto rank = [](const FatbinImage& image) {
    return std::tuple{image.kind == FatbinImage::Kind::cubin, image.target, image.suffix == 'a',
                      image.suffix == 'f'};
  };
  const FatbinImage* best = nullptr;
  for (const FatbinImage& image : images)
    if (image.runs_on(capability) && (best == nullptr || rank(image) > rank(*best))) best = &image;
  return best;
}

std::string unpacked(const FatbinImage& image) {
  if (image.size > kMostUnpackedBytes) damaged_fatbin("an image of more than 1 GiB");
  const auto size = static_cast<std::size_t>(image.size);
  switch (image.packing) {
    case FatbinImage::Packing::lz4:
      return Lz4Block(image.packed, size).unpack();
    case FatbinImage::Packing::zstd:
      return unpack_zstd(image.packed, size);
    case FatbinImage::Packing::none:
      break;
  }
  return std::string(image.packed);
}

}  // namespace tailwave
