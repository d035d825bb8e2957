#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

// Experiments of this repository, cut to sizes that the CPU device ends within seconds.
struct SystemRun {
  const char* name;
  const char* spec;
  const char* filter;
  const char* expected = "";  // what ends otherwise than correct: "variant outcome", by name
  // Also with sanitizers, which take long: one or two of each system.
  bool sanitized = false;
};

std::ostream& operator<<(std::ostream& stream, const SystemRun& run) {
  return stream << run.name;
}

// In a project that is a copy of this repository's.
class CopiedProject : public ProjectFixture {
 protected:
  CopiedProject() {
    // In place of the fixture's own.
    for (const char* const folder : {"kernel_templates", "experiments"}) fs::remove_all(project_ / folder);
    for (const char* const folder : {"kernel_templates", "experiments"})
      fs::copy(fs::path(TAILWAVE_SOURCE_DIR) / folder, project_ / folder, fs::copy_options::recursive);
  }
  // Its path, changed so.
  [[nodiscard]] std::string changed(const std::string& spec,
                                    const std::function<void(nlohmann::ordered_json&)>& change) const {
    const std::string path = "experiments/" + spec;
    nlohmann::ordered_json experiment = nlohmann::ordered_json::parse(std::ifstream(project_ / path));
    change(experiment);
    write(path, experiment.dump());
    return path;
  }
};

class SystemsTest : public CopiedProject, public testing::WithParamInterface<SystemRun> {};

// How a variant ends does not depend on how many samples there are.
void take_one_sample(nlohmann::ordered_json& experiment) {
  for (const auto& [name, value] :
       {std::pair{"samples", 1}, {"max_samples", 1}, {"warmup", 0}, {"repetitions", 1}})
    experiment["measure"][name] = value;
  experiment["measure"].erase("give_up");  // slow is not wrong
}

TEST_P(SystemsTest, EndsAsItShouldInEveryVariant) {
  const SystemRun& run = GetParam();
  if (kSanitized && !run.sanitized) GTEST_SKIP() << "with sanitizers others of its system run";
  const CommandResult result =
      tailwave({"run", changed(run.spec, take_one_sample), "--device", "cpu", "--filter", run.filter});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_NE(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "0") << result.err;
  EXPECT_EQ(scalar("SELECT coalesce(group_concat(DISTINCT variant || ' ' || outcome), '') FROM (SELECT "
                   "variant, outcome "
                   "FROM trial JOIN configuration ON configuration.id = configuration_id "
                   "WHERE outcome NOT IN ('correct', 'skipped_identical') ORDER BY 1)"),
            run.expected)
      << scalar(
             "SELECT coalesce(group_concat(name || ': ' || detail, char(10)), '') FROM trial "
             "JOIN configuration ON configuration.id = configuration_id "
             "WHERE outcome NOT IN ('correct', 'skipped_identical')")
      << "\n"
      << result.out;
}

INSTANTIATE_TEST_SUITE_P(
    Systems, SystemsTest,
    testing::Values(
        SystemRun{"nbody_by_every_schedule", "nbody/remainder.json", "/scheduled/.*BLOCK_STRIDE:3/.*/N:4097$",
                  "", true},
        SystemRun{"particles_by_every_schedule", "particles/remainder.json",
                  "/scheduled_cells/.*BLOCK_SIZE:32/.*/N:(33|1000)/"},
        SystemRun{"nbody_force_law_first", "nbody_force_law/variants.json", "/gpu5_repaired/.*/N:2048/"},
        SystemRun{"nbody_force_law_remainder", "nbody_force_law/remainder.json", "/N:(1023|1500)/"},
        SystemRun{"nbody_force_law_one_stream", "nbody_force_law/streams.json",
                  "/v5_(rsqrt|repaired)_one_stream/.*/N:1500/", "", true},
        SystemRun{"nbody_force_law_as_published", "nbody_force_law/as_published.json",
                  "/BLOCK_SIZE:128/.*/N:2048/",
                  "gpu5_as_published wrong_result,v3_as_published wrong_result,v5_as_published "
                  "wrong_result"},
        SystemRun{"jacobi_until_it_is_small", "jacobi/convergence.json", "."},
        SystemRun{"jacobi_with_cub", "jacobi/reduction.json", "/(atomic|cub_block_reduce)/",
                  "cub_block_reduce unavailable"},
        SystemRun{"jacobi_by_nvshmem", "jacobi/nvshmem.json",
                  "/(nvshmem.*|cub_block_reduce|multi_gpu/.*GPUS:1)/",
                  "cub_block_reduce unavailable,nvshmem_as_published unavailable,nvshmem_atomic_as_published "
                  "unavailable,nvshmem_atomic_repaired unavailable,nvshmem_repaired unavailable"},
        SystemRun{"jacobi_in_parts", "jacobi/multi_gpu.json", ".", "", true},
        SystemRun{"particles_in_every_edition", "particles/editions.json", ".",
                  "fused_as_published wrong_result,lists_as_published wrong_result,"
                  "shared_as_published crashed"},
        SystemRun{"particles_as_we_first_had_them_broken", "particles/broken.json",
                  "/(shared_unset_pointer|fused_block_barriers|fused_repaired)/.*N:130/",
                  "fused_block_barriers wrong_result,shared_unset_pointer crashed"},
        SystemRun{"particles_as_printed_in_incomplete_blocks", "particles/remainder.json",
                  "/(serial|serial_lists|gpu|gpu1|gpu1_move_1d|gpu1_force_1d|shared_repaired|"
                  "fused_repaired|lists_repaired)/.*/N:(1|33|129)/"},
        // To the last bit after 1000 steps, but with the array in another order.
        SystemRun{"particles_in_another_order", "particles/order_of_additions.json",
                  "/(serial_halves|serial_lists|gpu/ARITHMETIC:plain)/.*STEPS:1000$",
                  "serial_halves wrong_result"},
        SystemRun{"particles_with_full_lists", "particles/neighbour_list.json",
                  "/neighbours/.*LIST_LENGTH:(4/RADIUS:3|32/RADIUS:2)/REBUILD:1/", "neighbours wrong_result",
                  true},
        SystemRun{"particles_keep_their_distance", "particles/physical.json",
                  "/(cpu|basic|cells|gpu|serial)/", "", true},
        SystemRun{"plasma_with_all_trigonometry", "plasma/variants.json", "."},
        SystemRun{"plasma_from_all_memories", "plasma/remainder.json",
                  "MEMORY:(shared|constant)/.*TRIG:rotation/", "", true},
        SystemRun{"plasma_stays_bounded", "plasma/physical.json", "TRIG:rotation"},
        SystemRun{"gemm_in_float32", "gemm/tuning_fp32.json", "STAGES:2|/(tiled|registers)/"},
        SystemRun{"gemm_in_half", "gemm/tuning_half.json", "/(mma|split_k|stream_k)/.*STAGES:2/", "", true},
        SystemRun{"gemm_beside_a_library", "gemm/library_half.json", "/(cublaslt/CANDIDATE:0|mma)/",
                  "cublaslt unavailable"},
        SystemRun{"softmax", "softmax/tuning.json", "COLUMNS:256/", "", true},
        SystemRun{"layer_norm", "layer_norm/tuning.json", "WEIGHTS:late.*COLUMNS:256/", "", true},
        SystemRun{"transpose", "transpose/tuning.json", ".", "", true},
        SystemRun{"scan", "scan/tuning.json", ".", "cub unavailable", true},
        SystemRun{"histogram", "histogram/tuning.json", ".", "cub unavailable", true},
        SystemRun{"attention", "attention/tuning.json", "Q_IN_REGISTERS:true/.*/CAUSAL:1/.*/HEAD_DIM:64/", "",
                  true},
        SystemRun{"attention_of_few_queries", "attention/decoding.json", "BQ:16/.*SPLITS:16/.*LENGTH_Q:13/"},
        SystemRun{"attention_in_every_variant", "attention/variants.json", "CAUSAL:1/.*HEAD_DIM:64/"},
        SystemRun{"conv2d", "conv2d/tuning.json", "STRIDE:2/", "", true},
        SystemRun{"conv2d_in_half", "conv2d/tuning_half.json", "/implicit_gemm_mma/.*STRIDE:2/"},
        SystemRun{"conv2d_beside_a_library", "conv2d/library_fp32.json", ".", "cudnn unavailable"},
        SystemRun{"stencil", "stencil/tuning.json", "RADIUS:1/", "", true},
        SystemRun{"spmv", "spmv/tuning.json", "STRUCTURE:2/", "", true},
        SystemRun{"radix_sort", "radix_sort/tuning.json", "KEY_BITS:10/", "", true}),
    [](const auto& run) { return std::string(run.param.name); });

// The barrier that is missing between forces and move, in one block.
class RacesOfSystems : public CopiedProject {};

TEST_F(RacesOfSystems, AreNamedInAnEditionAsPublished) {
  const std::string spec = changed("particles/broken.json", [](nlohmann::ordered_json& experiment) {
    auto& cases = experiment["cases"];
    for (std::size_t i = cases.size(); i-- > 0;) {
      const std::string variant = cases[i]["variant"];
      const bool is_asked = variant.ends_with("_repaired") || variant.ends_with("d_as_published");
      if (!is_asked) cases.erase(i);
    }
  });
  const CommandResult result = tailwave({"check", "--races", spec});
  if (result.err.find("races cannot be looked for") != std::string::npos) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_status, 1) << result.err;  // one crashes at once
  const std::string& out = result.out;
  const std::size_t begin = out.find("particles/fused_as_published/");
  ASSERT_NE(begin, std::string::npos) << out;
  const std::string races = out.substr(begin, out.find("\nparticles/", begin) - begin);
  EXPECT_NE(races.find("races, which its manifest knows: no barrier between forces and move"),
            std::string::npos);
  EXPECT_NE(races.find("(block 0, thread 1) after write at"), std::string::npos) << races;
  EXPECT_NE(out.find("shared_as_published.cu:9"), std::string::npos) << out;
  for (const char* repaired : {"shared_repaired", "fused_repaired", "lists_repaired"}) {
    const std::size_t at = out.find(std::string("particles/") + repaired + "/");
    ASSERT_NE(at, std::string::npos) << repaired;
    EXPECT_NE(out.substr(at, out.find('\n', at) - at).find(": no races"), std::string::npos) << out;
  }
}

// A source cannot include files of another system.
TEST(SharedHeaders, AreTheSameInEverySystem) {
  const fs::path systems = fs::path(TAILWAVE_SOURCE_DIR) / "kernel_templates";
  for (const auto& [one, other] : {std::pair{"nbody/schedule.cuh", "particles/schedule.cuh"},
                                   {"gemm/mma.cuh", "attention/mma.cuh"},
                                   {"gemm/copy.cuh", "attention/copy.cuh"},
                                   {"gemm/copy.cuh", "scan/copy.cuh"},
                                   {"gemm/copy.cuh", "layer_norm/copy.cuh"},
                                   {"gemm/copy.cuh", "softmax/copy.cuh"},
                                   {"gemm/wgmma.cuh", "attention/wgmma.cuh"},
                                   {"gemm/wgmma_products.cuh", "attention/wgmma_products.cuh"},
                                   {"gemm/mma.cuh", "conv2d/mma.cuh"},
                                   {"gemm/copy.cuh", "conv2d/copy.cuh"},
                                   {"gemm/wgmma.cuh", "conv2d/wgmma.cuh"},
                                   {"gemm/wgmma_products.cuh", "conv2d/wgmma_products.cuh"},
                                   {"softmax/wide_rows.cuh", "layer_norm/wide_rows.cuh"},
                                   {"softmax/staged_rows.cuh", "layer_norm/staged_rows.cuh"},
                                   {"softmax/turns.cuh", "layer_norm/turns.cuh"},
                                   {"softmax/meeting.cuh", "layer_norm/meeting.cuh"},
                                   {"scan/library.cuh", "histogram/library.cuh"},
                                   {"scan/library.cuh", "radix_sort/library.cuh"},
                                   {"softmax/elements.h", "layer_norm/elements.h"}})
    EXPECT_EQ(text_of(systems / one), text_of(systems / other)) << one;
}

struct Target {
  const char* system;
  const char* architecture;
};

std::ostream& operator<<(std::ostream& stream, const Target& target) {
  return stream << target.system << " for " << target.architecture;
}

// What cannot run here compiles at least.
class TemplatesTest : public ProjectFixture, public testing::WithParamInterface<Target> {
 protected:
  // An experiment with every cuda variant of the system, all with their defaults.
  std::string spec_of_all_variants() const {
    const auto& [system, architecture] = GetParam();
    const fs::path systems = fs::path(TAILWAVE_SOURCE_DIR) / "kernel_templates";
    fs::remove_all(project_ / "kernel_templates");
    fs::copy(systems, project_ / "kernel_templates", fs::copy_options::recursive);
    const nlohmann::json manifest = nlohmann::json::parse(std::ifstream(systems / system / "system.json"));
    nlohmann::json cases = nlohmann::json::array();
    for (const auto& [name, variant] : manifest.at("variants").items())
      if (variant.at("target") == "cuda") cases.push_back({{"variant", name}});
    nlohmann::json spec = {{"schema_version", 1},     {"name", "all"},  {"system", system},
                           {"question", "Compiles?"}, {"cases", cases}, {"metric", {{"name", "time"}}}};
    if (manifest.at("problem").contains("HALF")) spec["problem"] = {{"HALF", {0, 1}}};
    write(std::string("experiments/") + system + "/all.json", spec.dump());
    return std::string("experiments/") + system + "/all.json";
  }
};

TEST_P(TemplatesTest, AllCompile) {
  const std::string spec = spec_of_all_variants();
  const CommandResult result =
      tailwave({"plan", spec, "--target", GetParam().architecture, "--format", "json"});
  if (result.err.find("NVRTC not found") != std::string::npos ||
      result.err.find("NVRTC is not available") != std::string::npos)
    GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_status, 0) << result.err;
  for (const nlohmann::json& row : nlohmann::json::parse(result.out)) {
    EXPECT_NE(row.at("outcome"), "compile_error") << row.dump();
    const bool needs_more = row.at("outcome") == "unavailable";  // NVSHMEM, which is no part of the toolkit
    EXPECT_TRUE(needs_more || row.at("registers") != nullptr) << row.dump();
  }
}

std::vector<Target> all_targets() {
  std::vector<Target> targets;
  for (const char* system : {"nbody", "nbody_force_law", "particles", "plasma", "jacobi"})
    for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"})
      targets.push_back({system, architecture});
  for (const char* system : {"transpose", "histogram", "stencil", "spmv", "radix_sort"})
    for (const char* architecture : {"sm_80", "sm_90"}) targets.push_back({system, architecture});
  // Clusters, wgmma, TMA and bulk copies are of this one.
  for (const char* system : {"gemm", "softmax", "layer_norm", "scan", "attention", "conv2d"})
    targets.push_back({system, "sm_90"});
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Systems, TemplatesTest, testing::ValuesIn(all_targets()), [](const auto& target) {
  return std::string(target.param.system) + "_" + target.param.architecture;
});

}  // namespace
}  // namespace tailwave
