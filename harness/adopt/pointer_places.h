#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adopt/kernel_body.h"

namespace tailwave {

inline constexpr std::array<std::string_view, 10> kCompoundAssignments{
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

struct PointerPlace {
  std::string pointer;         // of the kernel
  std::optional<CTerm> index;  // empty: it cannot be told
  int scale = 1;               // elements of the pointer in one of what a cast makes of it
};

// Where a kernel's pointers lead, and locals that are made of them.
class PointerPlaces {
 public:
  // As those of PointerUses.
  PointerPlaces(LexemeSpan lexemes, const std::vector<OutlineParameter>& pointers, const KernelBody& body,
                const TypeAliases& aliases);

  [[nodiscard]] bool is_pointer(const std::string& name) const { return places_.contains(name); }
  [[nodiscard]] const PointerPlace& at(const std::string& name) const { return places_.at(name); }
  // Those that are members of what has that name: "box.points" of "box".
  [[nodiscard]] std::vector<std::string> members_of(const std::string& name) const;
  // Of a term of pointers: x, x + i, &x[i], (float4*)x.
  [[nodiscard]] std::optional<PointerPlace> place_of(const CTerm& term) const;
  // Pointers of the kernel whose memory a name leads to besides, because they are assigned to it.
  [[nodiscard]] std::set<std::string> others(const std::string& name) const;

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const;
  void add_locals();
  [[nodiscard]] std::optional<CTerm> assigned_at(std::size_t at) const;
  [[nodiscard]] bool moves(const std::string& name) const;
  [[nodiscard]] bool is_whole_parameter(const std::string& name, int depth) const;
  void add_assigned();
  void add_pointers_of(const CTerm& term, std::set<std::string>& pointers) const;
  [[nodiscard]] std::optional<PointerPlace> moved(const CTerm& pointer, const CTerm& by) const;
  [[nodiscard]] std::optional<PointerPlace> cast(const CTerm& term) const;

  LexemeSpan lexemes_;
  const KernelBody& body_;
  const TypeAliases& aliases_;
  std::map<std::string, int> element_bytes_;    // by parameter
  std::map<std::string, PointerPlace> places_;  // by parameter or local
  std::map<std::string, std::set<std::string>> assigned_;
};

}  // namespace tailwave
