#include "faults/project.h"

#include <fstream>
#include <string>

namespace tailwave::faults {
namespace {

constexpr const char* kManifest = R"json({
  "schema_version": 1, "name": "scale", "title": "Twice a vector",
  "problem": { "N": {"type": "int", "default": 500} },
  "buffers": {
    "input":  {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 1}},
    "output": {"type": "float32", "count": "N", "output_only": true} },
  "reference": { "variant": "plain", "compare": {"output": {"norm": "exact", "tolerance": 0}} },
  "variants": {
    "plain":  { "target": "host", "source": "plain.cpp",
                "launches": [ {"function": "scale", "args": ["output", "input", "N"]} ] },
    "host":   { "target": "host", "source": "host.cpp", "parameters": {"STEP": 1},
                "launches": [ {"function": "scale", "args": ["output", "input", "N"]} ] },
    "kernel": { "target": "cuda", "source": "kernel.cu", "parameters": {"BLOCK": 32},
                "launches": [ {"kernel": "scale", "grid": "ceil_div(N, BLOCK)", "block": "BLOCK",
                               "args": ["output", "input", "N"]} ] }
  }
})json";

constexpr const char* kPlain = R"cpp(extern "C" void scale(float* output, const float* input, int n) {
                                       for (int i = 0; i < n; ++i) output[i] = 2 * input[i];
                                     }
)cpp";

constexpr const char* kHost = R"cpp(extern "C" void scale(float* output, const float* input, int n) {
                                      for (int first = 0; first < STEP; ++first)
                                        for (int i = first; i < n; i += STEP) output[i] = 2 * input[i];
                                    }
)cpp";

constexpr const char* kKernel = R"cuda(__global__ void scale(float* output, const float* input, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) output[i] = 2 * input[i];
}
)cuda";

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

void write_project(const std::filesystem::path& folder, bool with_kernels) {
  const std::filesystem::path system = folder / "kernel_templates/scale";
  write(system / "system.json", kManifest);
  write(system / "plain.cpp", kPlain);
  write(system / "host.cpp", kHost);
  write(system / "kernel.cu", kKernel);
  const std::string cases = with_kernels
                                ? R"({"variant": "host", "parameters": {"STEP": [1, 2, 3]}},
                        {"variant": "kernel", "parameters": {"BLOCK": [32, 64, 128]}})"
                                : R"({"variant": "host", "parameters": {"STEP": [1, 2, 3, 4, 5, 6]}})";
  write(folder / kSpec,
        R"({ "schema_version": 1, "name": "all", "system": "scale", "question": "What is lost?",
             "cases": [)" +
            cases +
            R"(], "metric": {"name": "time"},
             "measure": {"samples": 3, "repetitions": 3, "deadline_s": 5, "build_deadline_s": 20} })");
}

}  // namespace tailwave::faults
