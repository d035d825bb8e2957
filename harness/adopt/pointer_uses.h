#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "adopt/kernel_body.h"
#include "adopt/pointer_places.h"

namespace tailwave {

// Finds in a body what is read and written through the kernel's pointers and through locals that are made of them
// ("const float* row = in + r * n").
class PointerUses {
 public:
  // `lexemes` of the body, with members that are pointers as one each; all have to outlive it. `body` has its locals by then.
  PointerUses(LexemeSpan lexemes, const std::vector<OutlineParameter>& pointers, const KernelBody& body,
              const TypeAliases& aliases);

  [[nodiscard]] std::vector<MemoryAccess> accesses();
  // As KernelBody::indexed_by, of these and of the body's shared arrays.
  [[nodiscard]] std::map<std::string, std::set<std::string>> indexed_by(
      const std::vector<MemoryAccess>& accesses) const;

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const;
  static MemoryAccess access(const PointerPlace& place, std::optional<CTerm> index);
  [[nodiscard]] bool is_whole_struct(std::size_t at) const;
  void read_use(std::size_t at);
  void read_grouped(std::size_t at, std::size_t open);
  void read_element(std::size_t at);
  bool read_dereference(std::size_t at);
  void read_argument(std::size_t at);
  void add(MemoryAccess access, std::size_t begin, std::size_t behind);
  [[nodiscard]] std::size_t bracket_around(std::size_t at) const;
  [[nodiscard]] bool ends_condition(std::size_t at) const;
  void add_index_pointers(const CTerm& term, int depth, std::set<std::string>& pointers) const;

  LexemeSpan lexemes_;
  const KernelBody& body_;
  PointerPlaces places_;
  std::vector<MemoryAccess> found_;
};

}  // namespace tailwave
