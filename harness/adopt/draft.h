#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adopt/element_names.h"
#include "adopt/expanded_macros.h"
#include "adopt/host_passed.h"
#include "adopt/host_text.h"
#include "adopt/kernel_body.h"
#include "adopt/kernel_text.h"
#include "adopt/macros.h"
#include "adopt/polynomial.h"
#include "adopt/term_value.h"
#include "core/value.h"

namespace tailwave {

// What a manifest will say, while it is being found out.

struct DraftQuantity {
  std::string name;
  ScalarType type = ScalarType::int32;
  Value value;
  bool is_guess = false;                              // the source has no value for it
  bool is_size = false;                               // of a grid or a buffer
  std::optional<std::int64_t> on_cpu = std::nullopt;  // a smaller one, for the CPU device
  bool is_macro = false;                              // the code knows it as a macro
  bool is_kept = false;  // what others have to do with it is not known: no other size is tried
};

struct DraftParameter {
  std::string name;
  Value value;
  std::vector<std::int64_t> tried;  // none: not varied
  bool of_blocks = false;           // threads of a block in a direction
};

struct DraftBuffer {
  enum class Fill { uniform, zero, indices, value, generated, none } fill = Fill::uniform;
  std::string name;
  ElementType type;
  std::int64_t scalars = 1;  // of type that a struct has which it is an array of
  Polynomial count;          // elements of type
  bool count_is_guess = false;
  Polynomial below;     // indices: of what they are
  Polynomial value;     // where all elements are that
  std::string element;  // where they are generated: over their number i
  bool is_compared = false;
  bool is_read = false;
  std::set<std::string> results_by;  // parameters that say how many results there are
  std::string host_name;             // the variable of the host's code that has its memory; empty: none
  std::string passed;                // what the host's code passes for it; empty: nobody knows
  std::size_t host_place = 0;        // where the variable has that name
  std::size_t allocated_at = 0;      // 0: nobody knows where
  std::string symbol;  // of __constant__ memory that it is copied to; empty: kernels get a pointer
};

// A number of a template that the host's code chooses from several.
struct SwitchedNumber {
  std::vector<std::int64_t> values;
  std::string variable;  // of the host's code, that has the number; empty: none
};

struct DraftLaunch {
  const KernelText* kernel = nullptr;
  const HostLaunch* host = nullptr;        // null: the source has none that can be read
  std::vector<OutlineParameter> pointers;  // of the kernel, members of structs ("box.points") among them
  KernelBody body;
  std::map<std::string, Polynomial> known;     // what names of the kernel's code mean
  std::map<std::string, std::string> types;    // what its template's types are
  std::map<std::string, std::string> buffers;  // by pointer
  std::vector<std::string> template_arguments;
  std::array<Polynomial, 3> block{1, 1, 1}, grid{1, 1, 1};
  bool is_as_launched = false;                     // all sizes are those of the host's code
  std::map<std::size_t, SwitchedNumber> switched;  // by the place among the template's arguments
  std::string shared_bytes;
  std::vector<std::string> conditions;  // that have to hold, in the manifest's words
  nlohmann::ordered_json arguments = nlohmann::ordered_json::array();
};

// whole % by == 0, so that (whole // by) * by is whole.
struct DraftDivision {
  Polynomial whole, by;
  std::string condition, quotient;  // as the manifest has them
  bool operator==(const DraftDivision&) const = default;
};

// A term of the host's code, where it stands, and what HostText::own_name() calls the variable that is declared with it;
// empty: none.
struct HostTerm {
  CTerm term;
  std::size_t at = 0;
  std::string variable;
};

// A quantity that the file computes from others in a way that cannot be read.
struct DraftUnrelated {
  std::string quantity;
  HostTerm source;
};

// What is said to the person: what, and where in the files to change it.
struct DraftGuess {
  std::string what, where;
};

// Whether people call a number like that which says how much one thread does: ITEMS, UNROLL, WORK_PER_THREAD.
bool counts_items(const std::string& name_in_capitals);
std::vector<std::int64_t> items_to_try(std::int64_t with);

struct Draft {
  // `headers` are the texts of the file's own ones.
  Draft(std::string text, const std::string& headers)
      : source(std::move(text)),
        declarations(headers + source),
        code(with_expanded_macros(source)),
        host(code, headers),
        aliases(type_aliases(declarations)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() = default;

  const std::string source;        // as it will be copied
  const std::string declarations;  // the same behind its headers: what types are
  const std::string code;          // as it is read: all offsets but those of macros are of this
  HostText host;
  TypeAliases aliases;
  std::vector<MacroText> macros;
  std::set<std::string> constants;  // macros that stay what the source says
  std::vector<KernelText> kernels;  // of the file
  std::vector<DraftLaunch> launches;
  bool alternatives = false;  // the launches compute the same, each one by itself
  std::vector<DraftQuantity> quantities;
  std::vector<DraftParameter> parameters;
  std::vector<DraftBuffer> buffers;
  std::map<std::string, Polynomial> host_names;  // what variables of the host's code are
  std::vector<MacroText> guarded;                // lines that get a guard
  std::vector<DraftDivision> divisible;          // what has to be without a remainder
  std::vector<DraftUnrelated> unrelated;
  int directions = 1;  // of what the problem's elements are arranged in
  std::vector<std::pair<std::string, Polynomial>> verified_sizes;  // of another problem, by quantity
  std::vector<DraftGuess> guesses;
  std::vector<DraftGuess> by_hand;

  [[nodiscard]] const MacroText* macro(const std::string& name) const;
  DraftQuantity* quantity(const std::string& name);
  DraftParameter* parameter(const std::string& name);
  DraftBuffer* buffer(const std::string& name);
  // A name for a quantity, parameter or buffer, like that one and not taken.
  [[nodiscard]] std::string free_name(const std::string& wanted, bool of_buffer = false) const;
  // Whether the parameter reaches a launch: its sizes, its arguments, or the code that it runs.
  [[nodiscard]] bool is_used(const DraftParameter& parameter, const DraftLaunch& launch) const;
  // Whether it is a variable at namespace scope that code of kernels has by its name: no other value would reach them.
  [[nodiscard]] bool is_constant_of_code(const std::string& name) const;
  // What a variable of the host's code is, at a place and in the functions that pass it there.
  void name_variable(const std::string& name, std::size_t place, const Polynomial& value);
  // Adds a parameter, or finds it.
  DraftParameter& add_parameter(const std::string& name, Value value);
  // The macro as a parameter, where it can be one; its line gets a guard if it lacks it.
  DraftParameter* adopt_macro(const std::string& name);
  void guess(const std::string& what, const std::string& where);
  // Of a value or what a pointer leads to, with types of the template and of the file followed; empty: it is no element's.
  [[nodiscard]] std::optional<ElementType> type_of(const DraftLaunch& launch,
                                                   const OutlineParameter& parameter) const;
  // Whether it is a number's type: of C++, of the file, or of a template that is launched.
  [[nodiscard]] bool is_scalar(const std::string& type) const;
  // A scalar among a kernel's arguments: a quantity's name where that has the type.
  [[nodiscard]] nlohmann::ordered_json argument(const Polynomial& value, ScalarType type) const;
  // With quotients multiplied out again, where they are known to have no remainder.
  [[nodiscard]] Polynomial multiplied_out(const Polynomial& value) const;
  // Of all quantities and parameters.
  [[nodiscard]] Values defaults() const;
};

// What names mean in the host's code around a launch. `makes_sizes`: a variable that is a number becomes a quantity of the
// problem.
class HostScope : public NameMeanings {
 public:
  HostScope(Draft& draft, std::size_t place, bool makes_sizes, int depth = 0)
      : draft_(draft), place_(place), makes_sizes_(makes_sizes), depth_(depth) {}

  std::optional<Polynomial> meaning(const std::string& name) override;
  bool is_type(const std::string& name) override { return draft_.is_scalar(name); }
  std::optional<CTerm> returned_by(const CTerm& call) override;
  // What a variable or a member of one ("block.x") is declared with, assigned or, as a parameter of a function, passed.
  [[nodiscard]] std::optional<CTerm> definition_of(const std::string& name) const;

 private:
  std::optional<Polynomial> size_of(const std::string& type);
  std::optional<Polynomial> value_of(const std::string& name);
  [[nodiscard]] std::optional<CTerm> listed_member(const std::string& variable,
                                                   const std::string& member) const;

  [[nodiscard]] std::optional<CTerm> element(const std::string& name) const;
  [[nodiscard]] std::optional<CTerm> default_member(const std::string& variable,
                                                    const std::string& member) const;

  Draft& draft_;
  std::size_t place_;
  bool makes_sizes_;
  int depth_;
};

}  // namespace tailwave
