#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "compile/cache.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "interchange/import.h"
#include "json/compressed_file.h"
#include "json/parser.h"
#include "store/database.h"
#include "target.h"

namespace tailwave::fuzz {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& file, std::string_view text) {
  fs::remove(file);  // some file systems wait for the disk when a file is written over
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

// Whatever the file is, a refused one leaves nothing, and one that was taken is not taken twice.
class Imports : public Subject {
 public:
  std::string feed(const std::string& input) override {
    if (!database_) database_.emplace(kInMemory, Database::Mode::read_write);
    const fs::path file = folder_.path() / "results.json";
    write_file(file, input);
    try {
      import_recorded(*database_, file);
    } catch (const Error& error) {
      if (!is_empty())
        throw std::logic_error(std::string("refused, but something was added: ") + error.what());
      return error.what();
    }
    const ImportSummary again = import_recorded(*database_, file);
    if (again.trials_added != 0) throw std::logic_error("imported twice, added twice");
    database_.reset();
    return "";
  }

 private:
  [[nodiscard]] bool is_empty() {
    constexpr const char* kRows =
        "SELECT EXISTS (SELECT 1 FROM device) + EXISTS (SELECT 1 FROM run) + EXISTS (SELECT 1 FROM trial) + "
        "EXISTS (SELECT 1 FROM configuration) + EXISTS (SELECT 1 FROM trace) + EXISTS (SELECT 1 FROM grid_curve)";
    Statement count = database_->prepare(kRows);
    return count.step() && count.integer(0) == 0;
  }

  TemporaryFolder folder_;
  std::optional<Database> database_;
};

class JsonTexts : public Subject {
 public:
  std::string feed(const std::string& input) override {
    try {
      const std::string text = require_json(input, "file.json").dump();
      if (require_json(text, "file.json").dump() != text)
        throw std::logic_error("what is written is read as something else");
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
};

class Compressed : public Subject {
 public:
  std::string feed(const std::string& input) override {
    constexpr std::size_t kMost = std::size_t{1} << 22;
    const fs::path file = folder_.path() / "file.gz";
    write_file(file, input);
    try {
      if (read_decompressed(file, kMost).size() > kMost)
        throw std::logic_error("more than the most came out");
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kKey = "00112233445566778899aabbccddeeff";

Artifact stored_artifact(const ArtifactCache& cache) {
  Artifact artifact;
  artifact.record.key = kKey;
  artifact.kind = Artifact::Kind::cubin;
  artifact.symbols = {{"step<4>", "_Z4stepILi4EEvv"}};
  artifact.resources = {{.kernel = "_Z4stepILi4EEvv", .registers = 32}};
  artifact.variables = {"constants"};
  cache.store(artifact, "code");
  return artifact;
}

// The record of an artifact in the cache: what cannot be read counts as absent.
class CacheRecords : public Subject {
 public:
  CacheRecords() : cache_(folder_.path() / "cache") {
    record_ = stored_artifact(cache_).file.parent_path() / "record.json";
  }
  std::string feed(const std::string& input) override {
    write_file(record_, input);
    return cache_.find(kKey) ? "" : "absent";
  }

 private:
  TemporaryFolder folder_;
  ArtifactCache cache_;
  fs::path record_;
};

Target import_target(std::string_view name, std::vector<std::string> words,
                     std::vector<Target::Source> sources) {
  return {name,
          {Form::json, std::move(words)},
          std::move(sources),
          [] { return std::make_unique<Imports>(); },
          {}};
}

}  // namespace

std::vector<Target> result_targets() {
  return {
      import_target(
          "recordings",
          {"version",       "experiment", "device",  "devices", "runs",       "run",      "trials",
           "samples",       "time_ns",    "dropped", "outcome", "correct",    "launches", "position",
           "verifications", "limits",     "search",  "steps",   "leaders_of", "build",    "configuration",
           "parameters",    "problem",    "variant", "inf",     "regime",     "regimes",  "finalists"},
          {{"results/h200/nbody/waves.json", ""},
           {"results/h200/nbody/scaling_cpu.json", ""},
           {"results/h200/nbody/tuning.json", ""},
           {"results/h200/particles/broken.json", ""},
           {"results/h200/jacobi/multi_gpu.json", ""},
           {"results/h200/plasma/residency.json", ""}}),
      import_target("observations",
                    {"traces", "curves", "samples", "blocks", "launches", "predictions", "model", "time_ns",
                     "grid", "device", "configuration"},
                    {{"results", ".observed.json"}}),
      import_target("t4",
                    {"schema_version", "1.0.0", "metadata", "results", "configuration", "times", "invalidity",
                     "correct", "correctness", "measurements", "name", "value", "unit", "objectives",
                     "timestamp", "compile", "runtime", "constraints"},
                    {{"tests/data/tuners/convolution_milo-A4000-T4.json", ""}}),
      import_target(
          "cachefiles",
          {"device_name", "kernel_name", "problem_size", "tune_params_keys", "tune_params", "objective",
           "cache", "time", "times", "InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig",
           "__error__", "verification_time", "compile_time", "timestamp", "GFLOP/s"},
          {{"tests/data/tuners/convolution_milo-A4000.json", ""},
           {"tests/data/tuners/pnpoly-RTX_2080_Ti.json", ""}}),
      {"json",
       {Form::text,
        {"{", "}", "[", "]", ",", ":", "\"", "\\u0000", "\\ud800", "\\udc00", "null", "true", "NaN",
         "Infinity", "//", "{\"a\":", "1e309", "\xef\xbb\xbf"}},
       {{"experiments/nbody", ".json"}, {"tests/data/spec", ".json"}},
       [] { return std::make_unique<JsonTexts>(); },
       {}},
      {"compressed", {Form::binary, {"\x1f\x8b"}}, {}, [] { return std::make_unique<Compressed>(); }, {}},
      {"cache_records",
       {Form::json, {"kind", "symbols", "resources", "variables", "inputs", "record", "registers", "kernel"}},
       {},
       [] { return std::make_unique<CacheRecords>(); },
       [] {
         const TemporaryFolder folder;
         const ArtifactCache cache(folder.path() / "cache");
         const fs::path record = stored_artifact(cache).file.parent_path() / "record.json";
         std::ifstream stream(record, std::ios::binary);
         return std::vector<std::string>{
             {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}};
       }},
  };
}

}  // namespace tailwave::fuzz
