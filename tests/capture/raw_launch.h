#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace tailwave::samples {

inline void write_file(const std::filesystem::path& file, const std::string& contents) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << contents;
}

// As the injected library writes a launch of `void blur<2>(View, float const*, int, float)`: View is a struct with a pointer
// into the first allocation, the second is written.
inline void write_raw_launch(const std::filesystem::path& folder) {
  write_file(folder / "code.cubin", "machine code");
  write_file(folder / "memory0.before", "abcdefghijklmnop");
  write_file(folder / "memory1.before", std::string(8, '\0'));
  write_file(folder / "memory1.after", std::string(8, '\1'));
  write_file(folder / "variable0.before", "wxyz");
  write_file(folder / "variable0.after", "wxya");
  write_file(folder / "launch.json", R"json({"device": "NVIDIA H200", "kernel": "_Z4blurILi2EEv4ViewPKfif",
    "grid": [126, 375, 1], "block": [32, 8, 1], "dynamic_shared_bytes": 16, "cooperative": false,
    "cluster": [2, 1, 1], "from": "launch", "code_candidates": 2,
    "parameters": [{"offset": 0, "bytes": "01000000000000000402000000000000aabbccdd00000000"},
      {"offset": 24, "bytes": "0000000000000000"}, {"offset": 32, "bytes": "feffffff"}, {"offset": 36, "bytes": "0000c03f"}],
    "pointers": [{"parameter": 0, "at": 8, "allocation": 0, "offset": 4},
      {"parameter": 1, "at": 0, "allocation": 1, "offset": 0}],
    "allocations": [{"bytes": 16, "memory": "managed", "before": "memory0.before", "inner_pointers": {"count": 3, "first": 8}},
      {"bytes": 8, "memory": "device", "before": "memory1.before", "after": "memory1.after"}],
    "variables": [{"name": "calls", "bytes": 4, "before": "variable0.before", "after": "variable0.after"}],
    "notes": ["argument 3 may be a texture object, whose memory is not captured"]}
)json");
}

// As it writes how long kernels took.
inline void write_raw_times(const std::filesystem::path& file) {
  write_file(file, R"json([
{"kernel": "_Z4blurILi2EEv4ViewPKfif", "grid": [126, 375, 1], "block": [32, 8, 1], "dynamic_shared_bytes": 16, "launches": 3, "total_ns": 165000, "first_ns": [56000, 54000, 55000]},
{"kernel": "_Z4blurILi2EEv4ViewPKfif", "grid": [126, 188, 1], "block": [32, 8, 1], "dynamic_shared_bytes": 16, "launches": 1, "total_ns": 30000, "first_ns": [30000]},
{"kernel": "scale", "grid": [4, 1, 1], "block": [256, 1, 1], "dynamic_shared_bytes": 0, "launches": 2, "total_ns": 5000, "first_ns": [2500, 2500]}
])json");
}

}  // namespace tailwave::samples
