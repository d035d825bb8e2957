#include "spec/t1/old_keys.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace tailwave {
namespace {

struct OldKey {
  std::string_view was, is;
};

constexpr std::array<OldKey, 6> kOfFile{{{"configuration_space", "ConfigurationSpace"},
                                         {"configurationSpace", "ConfigurationSpace"},
                                         {"kernelSpecification", "KernelSpecification"},
                                         {"kernel_specification", "KernelSpecification"},
                                         {"function_specification", "KernelSpecification"},
                                         {"general", "General"}}};
constexpr std::array<OldKey, 5> kInSpace{{{"tuning_parameters", "TuningParameters"},
                                          {"tuningParameters", "TuningParameters"},
                                          {"constraints", "Conditions"},
                                          {"Constraints", "Conditions"},
                                          {"conditions", "Conditions"}}};
constexpr std::array<OldKey, 4> kOfParameter{
    {{"name", "Name"}, {"type", "Type"}, {"values", "Values"}, {"default", "Default"}}};
constexpr std::array<OldKey, 12> kOfKernel{{{"language", "Language"},
                                            {"compilerOptions", "CompilerOptions"},
                                            {"kernelName", "KernelName"},
                                            {"kernelFile", "KernelFile"},
                                            {"blockSize", "LocalSize"},
                                            {"gridSize", "GlobalSize"},
                                            {"localSize", "LocalSize"},
                                            {"globalSize", "GlobalSize"},
                                            {"sharedMemory", "SharedMemory"},
                                            {"problemSize", "ProblemSize"},
                                            {"stream", "Stream"},
                                            {"arguments", "Arguments"}}};
constexpr std::array<OldKey, 11> kOfArgument{{{"name", "Name"},
                                              {"type", "Type"},
                                              {"length", "Size"},
                                              {"size", "Size"},
                                              {"memoryType", "MemoryType"},
                                              {"accessType", "AccessType"},
                                              {"fillType", "FillType"},
                                              {"fillValue", "FillValue"},
                                              {"value", "FillValue"},
                                              {"path", "DataSource"},
                                              {"output", "Output"}}};

bool is_nothing(const Json& place) {
  if (place.is_object()) return place.members().empty();
  return place.type() == "null" || (place.is_array() && place.items().empty());
}

// Of places of one kind, all of which may have the keys.
void report_keys(const std::vector<Json>& places, std::span<const OldKey> keys, Reporter& errors,
                 Reporter& warnings) {
  for (const OldKey& key : keys) {
    std::vector<Json> found;
    for (const Json& place : places)
      if (const Json member = place.find(key.was)) found.push_back(member);
    if (found.empty()) continue;
    const bool lost = !std::all_of(found.begin(), found.end(), is_nothing);
    const std::string more = found.size() == 1 ? "" : "; " + std::to_string(found.size()) + " places have it";
    (lost ? errors : warnings)
        .report(found.front().pointer(),
                "'" + std::string(key.was) + "' is a key of a draft of T1, which is not read" + more,
                "it is '" + std::string(key.is) + "' since T1 1.0");
  }
}

// What is there under the key, or under one that became it.
std::vector<Json> under(const std::vector<Json>& places, std::string_view key, std::span<const OldKey> keys) {
  std::vector<Json> found;
  for (const Json& place : places) {
    if (const Json member = place.find(key)) found.push_back(member);
    for (const OldKey& old : keys)
      if (const Json member = old.is == key ? place.find(old.was) : Json()) found.push_back(member);
  }
  return found;
}

std::vector<Json> items_of(const std::vector<Json>& lists) {
  std::vector<Json> all;
  for (const Json& list : lists)
    for (const Json& item : list.items()) all.push_back(item);
  return all;
}

}  // namespace

void report_old_t1_keys(const Json& root, Reporter& errors, Reporter& warnings) {
  report_keys({root}, kOfFile, errors, warnings);
  const std::vector<Json> spaces = under({root}, "ConfigurationSpace", kOfFile);
  report_keys(spaces, kInSpace, errors, warnings);
  report_keys(items_of(under(spaces, "TuningParameters", kInSpace)), kOfParameter, errors, warnings);
  const std::vector<Json> kernels = under({root}, "KernelSpecification", kOfFile);
  report_keys(kernels, kOfKernel, errors, warnings);
  report_keys(items_of(under(kernels, "Arguments", kOfKernel)), kOfArgument, errors, warnings);
}

bool has_t1_keys(const Json& root) {
  if (root.find("ConfigurationSpace") || root.find("KernelSpecification")) return true;
  return std::any_of(kOfFile.begin(), kOfFile.end(),
                     [&](const OldKey& key) { return key.is != "General" && root.find(key.was); });
}

}  // namespace tailwave
