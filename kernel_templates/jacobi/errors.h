#pragma once

// How many errors of a loop are kept, for host variants and kernels: one an iteration, and those that the study prints.

constexpr int kMostErrors = 1000;
constexpr int kPrintedErrors = 6;
constexpr int kPrintedEvery = 10;
