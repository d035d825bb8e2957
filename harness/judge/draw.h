#pragma once

#include <cstdint>

#include "spec/system.h"

namespace tailwave {

// A number for a session's draw that nobody can guess, below 2^53, so that JSON has it exactly.
std::uint64_t random_session_seed();

// Combines the seeds of the system's random inputs with a session's, so that no candidate can have been made for them.
// Inputs that are constant, generated or read from a file remain what they are.
void draw_inputs_of_session(System& system, std::uint64_t session_seed);

}  // namespace tailwave
