#pragma once

#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "core/trial.h"

namespace tailwave {

// What ptxas -v says in a program's log of each kernel, by symbol. max_threads is not in the report.
inline std::map<std::string, KernelResources> parse_ptxas_report(const std::string& log) {
  static const std::regex entry("Compiling entry function '([^']+)'");
  static const std::regex function("Function properties for (\\S+)");
  static const std::regex frame("(\\d+) bytes stack frame, (\\d+) bytes spill stores");
  static const std::regex used("Used (\\d+) registers, used (\\d+) barriers");
  static const std::regex stack("(\\d+) bytes cumulative stack size");
  static const std::regex shared("(\\d+) bytes smem");
  std::map<std::string, KernelResources> kernels;
  std::string kernel, described;
  std::istringstream lines(log);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, entry)) {
      kernel = match[1];
      kernels[kernel].kernel = kernel;
    } else if (std::regex_search(line, match, function)) {
      described = match[1];
    } else if (std::regex_search(line, match, frame) && described == kernel) {
      kernels[kernel].stack_bytes = std::stoi(match[1]);
      kernels[kernel].spill_bytes = std::stoi(match[2]);
    } else if (std::regex_search(line, match, used)) {
      kernels[kernel].registers = std::stoi(match[1]);
      kernels[kernel].barriers = std::stoi(match[2]);
      if (std::regex_search(line, match, stack)) kernels[kernel].stack_bytes = std::stoi(match[1]);
      if (std::regex_search(line, match, shared)) kernels[kernel].static_shared_bytes = std::stoi(match[1]);
    }
  }
  return kernels;
}

}  // namespace tailwave
