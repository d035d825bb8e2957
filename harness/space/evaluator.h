#pragma once

#include <span>
#include <vector>

#include "space/operand.h"
#include "space/program.h"

namespace tailwave {

// The program's value with names[i] having name_values[i], which is no list. Throws ExpressionError. The result
// may refer to text of the program or of the operands.
Operand run_program(const ExpressionProgram& program, std::span<const Operand> name_values);

// The same of a program whose value is a list of single values.
std::vector<Value> run_list_program(const ExpressionProgram& program, std::span<const Operand> name_values);

}  // namespace tailwave
