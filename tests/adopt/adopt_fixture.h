#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adopt/adopt.h"
#include "compile/source_check.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "spec/experiment_reader.h"

namespace tailwave {

// A project that an adopted system is written into, and read again as commands read it.
class AdoptTest : public testing::Test {
 protected:
  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << text;
  }

  void adopt_file(const std::filesystem::path& file, const std::vector<std::string>& kernels = {},
                  bool host = false) {
    adopted_ = adopt({.source = file, .kernels = kernels, .name = "mine", .host_reference = host});
    for (const AdoptedFile& each : adopted_.files) write(each.path, each.text);
    manifest_ = nlohmann::json::parse(text_of("kernel_templates/mine/system.json"));
    experiment_ = nlohmann::json::parse(text_of("experiments/mine/mine.json"));
    const Experiment experiment = load_experiment(folder_.path() / "experiments/mine/mine.json");
    EXPECT_THAT(check_sources(experiment.system), testing::IsEmpty());
    EXPECT_THAT(experiment.warnings, testing::IsEmpty());
  }
  void adopt_text(const std::string& text, const std::vector<std::string>& kernels = {}, bool host = false) {
    write("my.cu", text);
    adopt_file(folder_.path() / "my.cu", kernels, host);
  }
  void adopt_data(const std::string& file) {
    adopt_file(std::filesystem::path(TAILWAVE_TEST_DATA) / "adopt" / file);
  }

  [[nodiscard]] std::string text_of(const std::string& path) const {
    for (const AdoptedFile& each : adopted_.files)
      if (each.path == path) return each.text;
    ADD_FAILURE() << "no file " << path;
    return "";
  }
  [[nodiscard]] nlohmann::json launch(std::size_t i = 0) const {
    return manifest_["variants"]["tuned"]["launches"].at(i);
  }
  [[nodiscard]] nlohmann::json count_of(const std::string& buffer) const {
    return manifest_["buffers"].at(buffer).at("count");
  }
  [[nodiscard]] nlohmann::json tried() const {
    return experiment_["cases"][0].value("parameters", nlohmann::json::object());
  }
  [[nodiscard]] std::vector<std::string> guesses() const {
    std::vector<std::string> all;
    for (const Adopted::Remark& each : adopted_.guesses) all.push_back(each.what);
    return all;
  }
  [[nodiscard]] std::string refusal_of(const std::string& text,
                                       const std::vector<std::string>& kernels = {}) const {
    write("my.cu", text);
    try {
      adopt({.source = folder_.path() / "my.cu", .kernels = kernels, .name = "mine"});
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), Error::kBadUsage);
      std::string said = error.what();
      return said.substr(said.find("my.cu"));
    }
    return "";
  }

  TemporaryFolder folder_;
  Adopted adopted_;
  nlohmann::json manifest_, experiment_;
};

}  // namespace tailwave
