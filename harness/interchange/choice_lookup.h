#pragma once

#include <string_view>

namespace tailwave {

// What is the same in every header that has choose() (choice_header.h), as C++17.

extern const std::string_view kChoiceStruct;     // what choose() returns
extern const std::string_view kNumberOfVariant;  // inside namespace detail
extern const std::string_view kFits;             // whether a configuration is made for a problem
extern const std::string_view kOverhang;         // a ratio of blocks; inside namespace detail
extern const std::string_view kChoiceTables;     // types of the tables; inside namespace detail
extern const std::string_view kChoose;           // the rest of namespace detail, and choose()

}  // namespace tailwave
