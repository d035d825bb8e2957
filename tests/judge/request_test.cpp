#include "judge/request.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"
#include "json/parser.h"

namespace tailwave {
namespace {

// A sum with two kernels and a reference.
System summing_system() {
  System system;
  system.name = "sum";
  system.problem = {{"N", {.type = ScalarType::int32, .default_value = std::int64_t{64}}},
                    {"DT", {.type = ScalarType::float32, .default_value = 0.5}}};
  system.variants = {
      {.target = VariantSpec::Target::host, .name = "cpu"},
      {.name = "plain", .parameters = {{"BLOCK", std::int64_t{32}}, {"FAST", false}, {"WORD", "a"}}},
      {.name = "wide", .parameters = {{"BLOCK", std::int64_t{128}}}}};
  return system;
}

class RequestTest : public testing::Test {
 protected:
  RequestTest() { defaults_.systems = {&system_}; }
  [[nodiscard]] JudgeRequest read(const std::string& text) const {
    return read_request(require_json(text, "request"), defaults_);
  }
  [[nodiscard]] std::string error(const std::string& text) const {
    return samples::error_of([&] { static_cast<void>(read(text)); });
  }

  System system_ = summing_system();
  JudgeDefaults defaults_;
};

TEST_F(RequestTest, HasDefaultsForAllButTheSource) {
  defaults_.variant = "plain";
  const JudgeRequest request = read(R"({"source": "text"})");
  EXPECT_EQ(request.source, "text");
  EXPECT_EQ(request.name, "candidate.cu");
  EXPECT_EQ(request.configuration.name(), "sum/plain/BLOCK:32/FAST:false/WORD:a/DT:0.5/N:64");
  EXPECT_EQ(request.baseline, request.configuration);
  EXPECT_FALSE(request.samples);
  EXPECT_FALSE(request.reuse);
}

TEST_F(RequestTest, SaysWhatItWants) {
  const JudgeRequest request = read(
      R"({"id": 7, "system": "sum", "source": "", "name": "my kernel.cu", "variant": "plain",
          "params": {"BLOCK": 8, "FAST": true}, "problem": {"N": 10, "DT": 1}, "samples": 5, "reuse": true})");
  EXPECT_EQ(request.name, "my_kernel.cu");
  EXPECT_EQ(request.configuration.name(), "sum/plain/BLOCK:8/FAST:true/WORD:a/DT:1/N:10");
  EXPECT_EQ(request.baseline.name(), "sum/plain/BLOCK:32/FAST:false/WORD:a/DT:1/N:10")
      << "with its own parameters, on the same problem";
  EXPECT_EQ(request.samples, 5);
  EXPECT_TRUE(request.reuse);
}

TEST_F(RequestTest, TakesTheBaselinesPlaceWhereOnlyThatIsNamed) {
  defaults_.baseline = "wide";
  EXPECT_EQ(read(R"({"source": ""})").configuration.variant, "wide");
  const JudgeRequest request = read(R"({"source": "", "variant": "plain"})");
  EXPECT_EQ(request.configuration.variant, "plain");
  EXPECT_EQ(request.baseline.variant, "wide");
}

TEST_F(RequestTest, TheCommandLinesValuesStandWhereARequestHasNone) {
  defaults_.variant = "plain";
  defaults_.parameters = require_json(R"({"BLOCK": 16})", "--params");
  defaults_.problem = require_json(R"({"N": 5})", "--problem");
  defaults_.baseline_parameters = require_json(R"({"BLOCK": 64})", "--baseline-params");
  EXPECT_EQ(read(R"({"source": ""})").configuration.name(),
            "sum/plain/BLOCK:16/FAST:false/WORD:a/DT:0.5/N:5");
  EXPECT_EQ(read(R"({"source": ""})").baseline.name(), "sum/plain/BLOCK:64/FAST:false/WORD:a/DT:0.5/N:5");
  EXPECT_EQ(read(R"({"source": "", "params": {}})").configuration.name(),
            "sum/plain/BLOCK:32/FAST:false/WORD:a/DT:0.5/N:5");
  defaults_.parameters = require_json(R"({"BLOK": 16})", "--params");
  EXPECT_EQ(error(R"({"source": ""})"), "--params: /BLOK: unknown parameter 'BLOK'\n  did you mean 'BLOCK'?");
}

TEST_F(RequestTest, AFileIsItsSource) {
  const ScratchFolder folder;
  const auto file = folder.path() / "a.cu";
  std::ofstream(file) << "text";
  defaults_.variant = "plain";
  const JudgeRequest request = read(R"({"file": ")" + file.string() + "\"}");
  EXPECT_EQ(request.source, "text");
  EXPECT_EQ(request.name, "a.cu");
  EXPECT_EQ(error(R"({"file": ")" + file.string() + "x\"}"),
            "request: /file: " + file.string() + "x: there is no such file");
  EXPECT_EQ(error(R"({"file": ")" + folder.path().string() + "\"}"),
            "request: /file: " + folder.path().string() + ": is no regular file");
  std::filesystem::resize_file(file, kMostSourceBytes + 1);
  EXPECT_EQ(error(R"({"file": ")" + file.string() + "\"}"),
            "request: /file: " + file.string() + ": is larger than 4 MiB");
  EXPECT_EQ(error(R"({"file": "/proc/self/mem"})"),
            "request: /file: /proc/self/mem: cannot be read: Input/output error")
      << "a file without a size";
  EXPECT_EQ(error(R"({"file": ""})"), "request: /file: the file's name is empty");
}

TEST_F(RequestTest, AllThatIsWrongIsSaidAtOnce) {
  EXPECT_EQ(error(R"({"variant": "plan", "parms": {}, "samples": 0, "reuse": 1, "problem": {"M": 1}})"),
            "request: /parms: unknown member 'parms'\n  did you mean 'params'?");
  EXPECT_EQ(error(R"({"variant": "plan", "samples": 0, "reuse": 1, "problem": {"M": 1, "N": "many"}})"),
            "request: /variant: unknown variant 'plan'\n  did you mean 'plain'?\n"
            "request: /problem/M: unknown problem quantity 'M'\n  did you mean 'N'?\n"
            "request: /problem/N: expected an integer that fits int32, found 'many'\n"
            "request: neither 'source' nor 'file' is there\n"
            "request: /samples: expected a whole number from 1 to 10000\n"
            "request: /reuse: expected a boolean, found an integer");
}

TEST_F(RequestTest, WhatIsNoRequestIsRefused) {
  EXPECT_EQ(error("[]"), "request: expected an object, found an array");
  EXPECT_EQ(error(R"({"source": 1, "variant": "wide"})"),
            "request: /source: expected a string, found an integer");
  EXPECT_EQ(error(R"({"source": "", "file": "", "variant": "wide"})"),
            "request: /file: 'source' and 'file' exclude each other");
  EXPECT_EQ(error(R"({"source": "", "params": 3, "variant": "wide"})"),
            "request: /params: expected an object, found an integer");
  EXPECT_EQ(error(R"({"source": "", "params": {"BLOCK": []}, "variant": "wide"})"),
            "request: /params/BLOCK: expected a value, found an array");
  EXPECT_EQ(error(R"({"source": ""})"), "request: the variant is missing\n  one of plain, wide");
  EXPECT_EQ(error(R"({"source": "", "variant": "cpu"})"),
            "request: /variant: the variant 'cpu' is a host variant, expected a cuda variant");
}

TEST_F(RequestTest, OfSeveralSystemsOneIsNamed) {
  System other = summing_system();
  other.name = "other";
  defaults_.systems.push_back(&other);
  EXPECT_EQ(read(R"({"source": "", "system": "other", "variant": "wide"})").system, 1U);
  EXPECT_EQ(error(R"({"source": "", "variant": "wide"})"),
            "request: /system: the system is missing\n  one of sum, other");
  EXPECT_EQ(error(R"({"source": "", "system": "othr", "variant": "wide"})"),
            "request: /system: unknown system 'othr'\n  did you mean 'other'?");
  EXPECT_EQ(error(R"({"source": "", "system": 1, "variant": "wide"})"),
            "request: /system: expected a string, found an integer");
}

}  // namespace
}  // namespace tailwave
