#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// One form of a program's code in a fatbin: what it is for, and its bytes as they lie there.
struct FatbinImage {
  enum class Kind { ptx, cubin, other } kind = Kind::other;  // other: LTO code, ...
  int target = 0;                                            // 90 for sm_90
  char suffix = '\0';  // 'a': for this target alone (sm_90a); 'f': for those of its family
  enum class Packing { none, lz4, zstd } packing = Packing::none;
  std::string_view packed;
  std::uint64_t size = 0;  // of what was packed

  // "sm_90a", for PTX "compute_90".
  [[nodiscard]] std::string name() const;
  // Whether a GPU of this compute capability (90) runs it, PTX after it is assembled.
  [[nodiscard]] bool runs_on(int capability) const;
};

// The images of a fatbin, as `nvcc -fatbin` writes one, in their order; they point into `bytes`. Throws Error for anything
// else and for a damaged file; never reads outside `bytes`.
//
// NVIDIA does not document the format; tests/compile looks at what nvcc makes in each of its modes. A container has a head of
// 16 bytes (magic, version, length of the head, length of the rest) and then images, each with a head that tells its own length,
// that of what follows, kind, target and flags, all little-endian. PTX is packed by zstd or, from older compilers, as a block of LZ4.
std::vector<FatbinImage> read_fatbin(std::string_view bytes);

// The one that is best for a GPU of this compute capability: machine code before PTX, then the nearest target, then what is
// made for it alone. Null: it runs none.
const FatbinImage* best_image(const std::vector<FatbinImage>& images, int capability);

// Its PTX or cubin. Throws Error for damaged data, Failure(unavailable) where libzstd is needed and not there.
std::string unpacked(const FatbinImage& image);

}  // namespace tailwave
