#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "spec/reporter.h"
#include "spec/source_outline.h"
#include "spec/system.h"

namespace tailwave {

// Whether the place, a text, names a buffer; reported where it does not.
bool require_buffer(const Json& place, const System& system, Reporter& reporter);

// Reads the arguments of one launch: names, values with a type, pointers into buffers,
// choices of buffers, bytes, structs, textures and tensor maps. `known` names may stand in
// their expressions, and `defaults` are values of them; not `taken`: the launch does not take place with these, and its
// values are not looked at. All of them have to outlive the reader.
class ArgumentReader {
 public:
  ArgumentReader(const System& system, const std::vector<std::string>& known, const Values& defaults,
                 bool taken, Reporter& reporter)
      : system_(system), known_(known), defaults_(defaults), taken_(taken), reporter_(reporter) {}

  // Empty, and the reason reported, for what is none.
  std::optional<Argument> read(const Json& place);

  // Those of a function whose parameters are called like them; a value has its parameter's type. `pointer`: of the launch.
  std::vector<Argument> read_by_name(const std::vector<OutlineParameter>& parameters,
                                     const std::string& pointer);

 private:
  std::optional<Argument> read_scalar(const Json& place, ScalarType type);
  std::optional<Argument> read_vector(const Json& place, const ElementType& type);
  std::optional<Argument> read_struct(const Json& place);
  template <class Read>
  std::optional<Argument> read_fields(const std::vector<Json>& places, std::size_t alignment, Read read);
  std::optional<Argument> read_choice(const Json& place);
  std::optional<Argument> read_pointer(const Json& place);
  std::optional<Argument> read_bytes(const Json& place);
  std::optional<Argument> named_argument(const std::string& name, const std::string& pointer);
  void report_unknown_argument(const std::string& name, const std::string& pointer);
  void check_argument(const Expression& expression, ScalarType type, const std::string& pointer);

  const System& system_;
  const std::vector<std::string>& known_;
  const Values& defaults_;
  bool taken_;
  Reporter& reporter_;
};

}  // namespace tailwave
