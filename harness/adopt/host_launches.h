#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "adopt/lexemes.h"

namespace tailwave {

// kernel<template_arguments><<<grid, block, shared>>>(arguments), or what cudaLaunchKernel() and its like are passed. Terms are empty where they cannot be read.
struct HostLaunch {
  std::string kernel;
  std::vector<std::string> template_arguments;
  LexemeSpan grid, block, shared;
  std::vector<LexemeSpan> arguments;
  std::vector<LexemeSpan> loops;  // all of them, from the outermost on
  LexemeSpan loop;                // "for (int i = 0; i < steps; ++i)" around it; empty: none
  bool loop_swaps = false;        // and what it does besides: std::swap(a, b)
  std::size_t at = 0;             // in the source
  bool is_cooperative = false;
  std::string as_text;  // all of it, to tell launches apart
};

// A call that launches a kernel, of which that or the arguments cannot be told.
struct UnreadLaunch {
  std::string function;
  std::size_t at = 0;
};

// All of a source, in order.
std::vector<HostLaunch> launches_in(LexemeSpan all, std::vector<UnreadLaunch>& unread);

}  // namespace tailwave
