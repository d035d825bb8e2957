#pragma once

#include <string>
#include <string_view>

namespace tailwave {

// The time in seconds of one execution that a program reports in what it prints: of its lines that begin with '{', which
// are JSON objects {"time_s": SECONDS} and nothing else, the median. Other lines are for people. `program` is what messages
// call it, `ran_s` the time that its process took, which all that it reports has to fit into.
//
// Throws Failure(crashed): there is no such line, a line is not as it has to be ("line 3: ..."), a time is not above 0, or
// there is more of it than the process took.
double reported_time_s(std::string_view output, const std::string& program, double ran_s);

}  // namespace tailwave
