#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// Reads and validates a manifest. Everything wrong is appended to `diagnostics`; the result is empty exactly
// when something was.
std::optional<System> load_system(const std::filesystem::path& file, Diagnostics& diagnostics);

// What a manifest says, as far as it can be read: variants have their names and parameters even where the rest
// is bad, so that an experiment can be checked against them. Empty when the file is no manifest at all.
std::optional<System> read_system(const std::filesystem::path& file, Diagnostics& diagnostics);

// Reads the parts of a manifest that `root` has into a system, whose name and folders are there: problem, buffers,
// variants, reference, and what is said of them. Of what the system has already only the keys that are there change.
void read_system_parts(const Json& root, System& system, Reporter& reporter);

// By its name; reported, and empty, for what is none.
std::optional<ElementType> read_element_type(const Json& place, Reporter& reporter);

// A number of that type: integers in range; any number for the real types, as a double. Reported, and empty, for what
// is none.
std::optional<Value> read_quantity(ScalarType type, const Json& place, Reporter& reporter);
std::optional<Value> quantity_of(ScalarType type, const Value& value, const std::string& pointer,
                                 Reporter& reporter);

// Whether it has neither a line break nor another control character, with which it would be more than a value where it is
// written into a source.
bool is_one_line(std::string_view text);
// Whether `place` is no text that is not; reported where it is.
bool check_one_line(const Json& place, Reporter& reporter);

// The scalar at `place` as a value of a parameter with that default: of the same kind, an integer also for a
// real number; a text of one line.
std::optional<Value> read_parameter_value(const Value& default_value, const Json& place, Reporter& reporter);

std::vector<std::string> problem_names(const System& system);
std::vector<std::string> variant_names(const System& system);
// Names that expressions of the variant may use: problem and parameters.
std::vector<std::string> names_in_scope(const System& system, const VariantSpec& variant);
// The same of all variants together.
std::vector<std::string> names_in_scope(const System& system);

}  // namespace tailwave
