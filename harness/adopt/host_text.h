#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adopt/c_term.h"
#include "adopt/changed_variables.h"
#include "adopt/host_functions.h"
#include "adopt/host_launches.h"
#include "adopt/lexemes.h"

namespace tailwave {

// What the host's code in a file says of the launches of its kernels.
class HostText {
 public:
  // The source has to outlive it; of its `headers` it has the macros.
  explicit HostText(std::string_view source, std::string_view headers = "");

  [[nodiscard]] const std::vector<HostLaunch>& launches() const { return launches_; }
  [[nodiscard]] const std::vector<UnreadLaunch>& unread() const { return unread_; }
  [[nodiscard]] LexemeSpan lexemes() const { return all_; }
  [[nodiscard]] const HostFunctions& functions() const { return functions_; }

  // What a name is declared with, assigned or #defined as, for code at `place`: the last one above it in the same
  // function that needs no arguments of the program, else at namespace scope; nothing where it is changed behind that
  // (ChangedVariables). "dim3 block(16, 16)" is a call of dim3. Members have their whole name: "box.width".
  [[nodiscard]] std::optional<CTerm> definition(const std::string& name, std::size_t place) const;
  // The same, where members may be given later than the whole: dim3(8, 4) of "dim3 block; block.x = 8; block.y = 4;".
  [[nodiscard]] std::optional<CTerm> sizes(const std::string& variable, std::size_t place) const;
  // Whether it is a variable without a value to run with: what the program's arguments say, or what it reads.
  [[nodiscard]] bool is_open(const std::string& name, std::size_t place) const;
  // The values between the braces that a variable is declared with or assigned: of "Box box{4, 5};", ".x = 4" as it stands.
  [[nodiscard]] std::vector<LexemeSpan> list_of(const std::string& name, std::size_t place) const;
  // The words of the type of a variable that is declared there: "float*".
  [[nodiscard]] std::string type_of(const std::string& name, std::size_t place) const;
  // Whether it is a lambda, or a variable that is declared with one.
  [[nodiscard]] bool is_lambda(LexemeSpan argument) const;
  struct Located {
    CTerm term;
    std::size_t at = 0;
  };
  // A name that no variable of another function has which is declared with something else: "n", "n@2".
  [[nodiscard]] std::string own_name(const std::string& name, std::size_t place) const;
  // The bytes of the memory that cudaMalloc() and its like get for a pointer, and where: in the same function, else anywhere.
  [[nodiscard]] std::optional<Located> bytes_of(const std::string& pointer, std::size_t place) const;
  // Of a vector, be it std's or thrust's.
  [[nodiscard]] std::optional<Located> elements_of(const std::string& vector, std::size_t place) const;

  // The variable that a name is: a parameter of a function is what the first call of that passes, as far as that is a variable.
  struct Variable {
    std::string name;
    std::size_t place = 0;
  };
  [[nodiscard]] Variable origin_of(const std::string& name, std::size_t place) const;
  // What is passed for a parameter that has no value of its own.
  [[nodiscard]] std::optional<Located> passed_for(const std::string& name, std::size_t place) const;

 private:
  struct Definition {
    std::size_t at = 0;
    std::size_t function = 0;  // which of them it stands in; 0: none
    std::string type;
    std::optional<CTerm> value;
    std::vector<LexemeSpan> list;
    bool of_user = false;  // as a program's arguments say
  };

  static bool has_any_value(const Definition& one) {
    return !one.of_user && (one.value || !one.list.empty());
  }
  void read_macros(std::string_view source, std::optional<std::size_t> at = {});
  void read_enumerators(std::size_t word);
  [[nodiscard]] std::optional<HostFunctions::Passed> argument_for(const std::string& name,
                                                                  std::size_t place) const;
  [[nodiscard]] std::size_t type_of_constructed(std::size_t name) const;
  void read_definition(std::size_t name);
  void read_array(std::size_t name, Definition one);
  void read_allocation(std::size_t call);
  std::optional<CTerm> pitched_bytes(std::size_t call, const std::vector<LexemeSpan>& arguments);
  void read_vector(std::size_t word);
  void read_elements(std::size_t name, LexemeSpan given);
  [[nodiscard]] bool is_changed(const std::string& name, const Definition& one, std::size_t place) const;
  [[nodiscard]] const Definition* find(const std::string& name, std::size_t place) const;

  Lexemes lexemes_;
  LexemeSpan all_;
  HostFunctions functions_;
  ChangedVariables changed_;
  std::map<std::string, std::vector<Definition>> definitions_;
  using LocatedByName = std::map<std::string, std::vector<Located>>;
  [[nodiscard]] std::optional<Located> nearest(const LocatedByName& all, const std::string& name,
                                               std::size_t place) const;
  LocatedByName bytes_, elements_;
  std::vector<HostLaunch> launches_;
  std::vector<UnreadLaunch> unread_;
};

}  // namespace tailwave
