#include "capture/injected/snapshot.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "capture/injected/api.h"

namespace tailwave::injected {
namespace {

constexpr std::size_t kWord = sizeof(CUdeviceptr);

CUdeviceptr word_at(const std::string& bytes, std::size_t place) {
  CUdeviceptr word = 0;
  std::memcpy(&word, bytes.data() + place, kWord);
  return word;
}

// The allocation that an address is in; none for anything else.
std::optional<Allocation> allocation_of(CUdeviceptr address) {
  CUmemorytype type{};
  int managed = 0;
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  std::array asked{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, asked.size()> answers{&type, &managed, &start, &bytes};
  const CUresult result =
      Api::here().cuPointerGetAttributes(asked.size(), asked.data(), answers.data(), address);
  if (result != CUDA_SUCCESS || bytes == 0 || start == 0) return std::nullopt;
  const char* const memory = managed != 0 ? "managed" : type == CU_MEMORYTYPE_HOST ? "pinned" : "device";
  return Allocation{start, bytes, memory};
}

bool is_texture(const std::string& bytes) {
  constexpr CUdeviceptr kMostHandles = 1ULL << 32U;
  if (bytes.size() != sizeof(CUtexObject)) return false;
  const CUdeviceptr handle = word_at(bytes, 0);
  CUDA_RESOURCE_DESC description{};
  return handle != 0 && handle < kMostHandles &&
         Api::here().cuTexObjectGetResourceDesc(&description, handle) == CUDA_SUCCESS;
}

std::size_t place_of(std::vector<Allocation>& all, const Allocation& one) {
  const auto same =
      std::ranges::find_if(all, [&](const Allocation& other) { return other.address == one.address; });
  if (same != all.end()) return static_cast<std::size_t>(same - all.begin());
  all.push_back(one);
  return all.size() - 1;
}

// Of a variable of the module; its address is 0 where the driver does not give it.
CUdeviceptr address_of(CUmodule module, const ImageVariable& variable) {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult result = Api::here().cuModuleGetGlobal(&address, &bytes, module, variable.name.c_str());
  return result == CUDA_SUCCESS && bytes == variable.bytes ? address : 0;
}

std::string read_memory(CUdeviceptr address, std::size_t bytes) {
  std::string contents(bytes, '\0');
  require(Api::here().cuMemcpyDtoH(contents.data(), address, bytes), "cuMemcpyDtoH");
  return contents;
}

}  // namespace

void require(CUresult result, const char* doing) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  Api::here().cuGetErrorString(result, &text);
  throw std::runtime_error(std::string(doing) + ": " + (text == nullptr ? "unknown error" : text));
}

Reach reach_of(const Launch& launch) {
  Reach reach;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const std::string& bytes = launch.parameters[i].bytes;
    bool points = false;
    for (std::size_t at = 0; at + kWord <= bytes.size(); at += kWord) {
      const CUdeviceptr word = word_at(bytes, at);
      const std::optional<Allocation> found = word == 0 ? std::nullopt : allocation_of(word);
      if (!found) continue;
      points = true;
      const std::size_t place = place_of(reach.allocations, *found);
      reach.pointers.push_back({i, at, place, static_cast<std::size_t>(word - found->address)});
    }
    if (!points && is_texture(bytes))
      reach.notes.push_back("argument " + std::to_string(i + 1) +
                            " may be a texture object, whose memory is not captured");
  }
  return reach;
}

Contents read_contents(const Reach& reach, CUmodule module, const std::vector<ImageVariable>& variables) {
  Contents contents;
  for (const Allocation& one : reach.allocations)
    contents.allocations.push_back(read_memory(one.address, one.bytes));
  for (const ImageVariable& one : variables) {
    const CUdeviceptr address = address_of(module, one);
    contents.variables.push_back(address == 0 ? "" : read_memory(address, one.bytes));
  }
  return contents;
}

void put_back(const Reach& reach, CUmodule module, const std::vector<ImageVariable>& variables,
              const Contents& before, const Contents& after) {
  const auto write = [](CUdeviceptr address, const std::string& old, const std::string& now) {
    const bool is_known = old.size() == now.size();
    const auto first =
        is_known ? static_cast<std::size_t>(std::ranges::mismatch(old, now).in1 - old.begin()) : 0;
    std::size_t end = old.size();
    while (is_known && end > first && old[end - 1] == now[end - 1]) --end;
    if (end > first)
      require(Api::here().cuMemcpyHtoD(address + first, old.data() + first, end - first), "cuMemcpyHtoD");
  };
  for (std::size_t i = 0; i < reach.allocations.size(); ++i)
    write(reach.allocations[i].address, before.allocations[i], after.allocations[i]);
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (const CUdeviceptr address = address_of(module, variables[i]); address != 0)
      write(address, before.variables[i], after.variables[i]);
}

// Addresses of one process lie near each other, so that few other words look like one.
InnerPointers inner_pointers(const std::string& contents, const Reach& reach) {
  constexpr unsigned kNear = 36;  // bits
  constexpr std::size_t kMostAsked = 1000;
  InnerPointers found;
  std::size_t asked = 0;
  for (std::size_t at = 0; at + kWord <= contents.size() && asked < kMostAsked; at += kWord) {
    const CUdeviceptr word = word_at(contents, at);
    const bool is_near = std::ranges::any_of(
        reach.allocations, [&](const Allocation& one) { return word >> kNear == one.address >> kNear; });
    if (!is_near) continue;
    ++asked;
    if (!allocation_of(word)) continue;
    if (found.count++ == 0) found.first = at;
  }
  return found;
}

}  // namespace tailwave::injected
