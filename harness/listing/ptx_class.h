#pragma once

#include <string_view>

#include "listing/listing.h"

namespace tailwave {

// Of a PTX instruction's name with its modifiers, "ld.global.f32", by the PTX ISA. Arithmetic is of the type that it
// names last; a division or a root that is rounded correctly is of its type, one that is `.approx` a special function.
InstructionClass class_of_ptx(std::string_view opcode);

}  // namespace tailwave
