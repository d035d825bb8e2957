#pragma once

#include <string>

namespace tailwave {

// Vega, Vega-Lite and Vega-Embed as one classic script with their licences (analysis/charts/bundle.py): what a page needs
// to draw its charts. "" in a program that was built where PyPI could not be reached.
const std::string& chart_script();

}  // namespace tailwave
