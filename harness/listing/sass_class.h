#pragma once

#include <string_view>

#include "listing/listing.h"

namespace tailwave {

// Of an instruction's name with its modifiers, "LDG.E.64", for sm_50 to sm_121, by the tables of NVIDIA's CUDA Binary
// Utilities, "Instruction Set Reference". What these do not have is `other`. Instructions of the uniform datapath
// count as those of threads.
InstructionClass class_of_sass(std::string_view opcode);

}  // namespace tailwave
