#pragma once

// Compiled before the source of a host variant: makes table entries of its functions.

#include <stdio.h>

#include <exception>

#include "tailwave_abi.h"

namespace tailwave_cpu {

template <auto function, class Result, class... Parameters, size_t... indices>
bool call(void** arguments, char* message, size_t message_size, Result (*)(Parameters...),
          Indices<indices...>) {
  try {
    static_cast<void>(function(*static_cast<typename Decayed<Parameters>::Type*>(arguments[indices])...));
    return true;
  } catch (const std::exception& error) {
    snprintf(message, message_size, "%s", error.what());
  } catch (...) {
    snprintf(message, message_size, "an exception that is no std::exception");
  }
  return false;
}

template <auto function, class Result, class... Parameters>
constexpr Entry host_entry(const char* name, Result (*)(Parameters...)) {
  using Types = Signature<Parameters...>;
  return {name, Types::arguments, Types::count, nullptr,
          [](void** arguments, char* message, size_t message_size) {
            return call<function>(arguments, message, message_size, function,
                                  typename MakeIndices<sizeof...(Parameters)>::Type{});
          }};
}

}  // namespace tailwave_cpu

// Where a function of a library variant has to queue its work: a CUstream, which is a cudaStream_t, too.
inline void* tailwave_stream() {
  return tailwave_cpu::stream;
}
