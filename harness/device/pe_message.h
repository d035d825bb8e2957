#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/executor.h"
#include "device/wire.h"

namespace tailwave {

// What the process that works with processing elements (device/pes_executor.h) asks each of them, alike, and how it
// answers: an Executor's functions, with buffers and programs by numbers that the asking one gives.
enum class PeRequest {
  load,
  unload,  // is not answered, nor is `free`
  blocks_per_sm,
  active_clusters,
  granted_sms,
  allocate,
  free,
  upload,
  restore,
  read,
  repeat,
  record,   // what the GPU does from here on,
  recorded  // to here, which is the answer
};
template <>
struct EnumNames<PeRequest> {
  static constexpr std::string_view noun = "request";
  static constexpr std::array<std::string_view, 13> names{
      "load",   "unload",  "blocks_per_sm", "active_clusters", "granted_sms", "allocate", "free",
      "upload", "restore", "read",          "repeat",          "record",      "recorded"};
};

// How an answer begins. Behind a failure are its outcome and text, behind an error its text.
enum class PeAnswer { result, failure, error };
template <>
struct EnumNames<PeAnswer> {
  static constexpr std::string_view noun = "answer";
  static constexpr std::array<std::string_view, 3> names{"result", "failure", "error"};
};

// A buffer's number, from 1 on; 0: none. `find` gives null for 0.
using NumberBuffer = std::function<std::uint64_t(const Buffer*)>;
using FindNumbered = std::function<Buffer*(std::uint64_t)>;

void put(Packet& packet, const Launch& launch, const NumberBuffer& number);
Launch take_launch(Packet& packet, const FindNumbered& find);
void put(Packet& packet, const Restoration& one, const NumberBuffer& number);
Restoration take_restoration(Packet& packet, const FindNumbered& find);

template <class One>
void put_all(Packet& packet, std::span<const One> all, const NumberBuffer& number) {
  packet << all.size();
  for (const One& one : all) put(packet, one, number);
}

template <class Take>
auto take_all(Packet& packet, Take take_one, const FindNumbered& find) {
  std::vector<std::invoke_result_t<Take, Packet&, const FindNumbered&>> all;
  for (std::size_t count = packet.take_count(); count > 0; --count) all.push_back(take_one(packet, find));
  return all;
}

Packet& operator<<(Packet& packet, const RunOptions& options);
Packet& operator>>(Packet& packet, RunOptions& options);
Packet& operator<<(Packet& packet, const RunResult& result);
Packet& operator>>(Packet& packet, RunResult& result);

}  // namespace tailwave
