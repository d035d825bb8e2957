#pragma once

#include <span>

#include "space/operand.h"
#include "space/program.h"

namespace tailwave {

// The program's value with names[i] having name_values[i]. Throws ExpressionError. The result may refer to
// text of the program or of the operands.
Operand run_program(const ExpressionProgram& program, std::span<const Operand> name_values);

}  // namespace tailwave
