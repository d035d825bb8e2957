#pragma once

#include "core/error.h"
#include "spec/system.h"

namespace tailwave {

// What in a manifest probably does not fit its sources, found without a compiler: a kernel or function that is not
// there, arguments that differ from its parameters in number or type, a result that all its launches take as a
// pointer to const, names in capitals that nothing defines, parameters that nothing reads, buffers that nothing
// takes, functions that fill buffers of another type, and tolerances below what rounding does. Warnings, since only a compiler knows. A source that cannot be read,
// or that includes what is outside the system's folder, is one too.
Diagnostics check_sources(const System& system);

// Throws Error where a function that fills a buffer (System::makers) is not there, or has a parameter of another size than
// what it is given: what it would fill would be no values.
void require_fitting_maker(const System& system, const VariantSpec& maker);

}  // namespace tailwave
