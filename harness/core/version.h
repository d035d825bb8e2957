#pragma once

namespace tailwave {

// As git described the sources when the build was configured: "0.2.0", "0.2.0+g83c725f.dirty" (cmake/version.cmake).
const char* program_version();
// 12 digits; "" where it was not known.
const char* program_commit();

}  // namespace tailwave
