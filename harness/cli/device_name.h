#pragma once

#include <string>
#include <vector>

#include "core/error.h"

namespace tailwave {

// The number in "cuda:1". Throws Error (bad usage) for what is no such name; of a GPU that can be planned for (h200,
// sm_90) it says what takes that name, and what this machine has to run on.
int parse_ordinal(const std::string& device);

// Those of "cuda:0,cuda:2", and of "cuda:all" all that are here. Throws Error likewise, and where one is named twice.
std::vector<int> parse_ordinals(const std::string& devices);

// What --device takes on whichever machine: auto, cpu, cuda:N, several of these, cuda:all. Throws Error likewise.
void require_device_name(const std::string& devices);

// The same GPUs, those of each model together: "cuda:0,cuda:2", "cuda:1". What names one device stays as it is.
std::vector<std::string> devices_by_model(const std::string& devices);

// Why a device named like that could not be opened, as the driver says, and what can be done without it.
Error cannot_open(const std::string& device, const std::string& why);

}  // namespace tailwave
