#pragma once

#include <string>
#include <string_view>

namespace tailwave {

// Why a name cannot be one that a preprocessor defines and that expressions use: not an identifier, a C++
// keyword, a word or function of expressions, or reserved for the compiler or for tailwave. Empty: it can.
std::string why_not_a_parameter_name(std::string_view name);

// The same for a system, variant, buffer or experiment: letters, digits, '_' and '-', no digit or '-' first.
std::string why_not_a_name(std::string_view name);

// The same for a kernel: an identifier, perhaps in namespaces ("a::b") and with template arguments ("f<4>").
std::string why_not_a_kernel(std::string_view name);

// The same for an extern "C" function.
std::string why_not_a_function(std::string_view name);

}  // namespace tailwave
