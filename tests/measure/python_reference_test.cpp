// References that are no variant: a function in Python, and results that are stored.
#include "measure/python_reference.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "core/hash.h"
#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/npy.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"
#include "fakes/scratch_folder.h"
#include "measure/inputs.h"
#include "measure/reference.h"
#include "spec/fill_reader.h"

namespace tailwave {
namespace {

using testing::AllOf;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Number>
std::vector<Number> numbers_in(const BufferContents& contents, const std::string& name) {
  const auto bytes = contents.at(name).bytes();
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

// "x" is doubled, by no variant of the system.
class OtherReferenceTest : public testing::Test {
 protected:
  OtherReferenceTest() {
    system_.reference.variant = "";
    system_.variants.pop_back();
    system_.buffers["x"].fill = {.kind = Fill::Kind::uniform, .low = 1, .high = 2, .seed = 3};
  }

  [[nodiscard]] Configuration configuration() const { return {system_.name, "", {}, problem_}; }
  [[nodiscard]] std::vector<float> input(std::uint64_t draw) const {
    const std::vector<std::byte> bytes = make_input(system_.buffers.at("x"), 64, draw);
    std::vector<float> numbers(64);
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  ReferenceProvider provider() {
    ReferenceTools tools{.cpu = &worker_};
    tools.python = python_;
    return ReferenceProvider(std::move(tools));
  }

  const ScratchFolder folder_;
  System system_ = fakes::twice_experiment({std::int64_t{32}}).system;
  Values problem_{{"N", std::int64_t{64}}};
  std::optional<Python> python_;
  fakes::FakeExecutor cpu_{DeviceKind::cpu};
  fakes::LocalWorker worker_{cpu_, python_reference_tasks({&system_})};
};

class PythonReferenceTest : public OtherReferenceTest {
 protected:
  void SetUp() override {
    try {
      python_ = find_python();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  void say(const std::string& text) {
    system_.directory = folder_.path();
    system_.reference.python = {
        folder_.write("reference.py", text), "twice", {{"reference.py", content_hash(text)}}};
  }
  void add(const std::string& name, const std::string& text) {
    folder_.write(name, text);
    system_.reference.python->files[name] = content_hash(text);
  }
  BufferContents run(double longest_s = 60, std::uint64_t draw = 0) {
    return run_python_reference(worker_, *python_, system_, configuration(), draw, longest_s);
  }
  std::string failure_of(const std::string& text, double longest_s = 60) {
    say(text);
    return fakes::failure_of([&] { run(longest_s); });
  }
};

TEST_F(PythonReferenceTest, ChangesArraysInPlace) {
  say("def twice(buffers, quantities):\n    buffers['x'] *= 2 * quantities['N'] // 64\n");
  for (const std::uint64_t draw : {0, 1}) {
    const ReferenceProvider::Expected expected = provider().expected(system_, problem_, draw);
    std::vector<float> wanted = input(draw);
    for (float& number : wanted) number *= 2;
    EXPECT_EQ(numbers_in<float>(*expected.contents, "x"), wanted);
    EXPECT_EQ(expected.weakness, "");
  }
}

TEST_F(PythonReferenceTest, ReturnsNewArraysOfAnyShape) {
  say("import numpy\nfrom helper import FACTOR\n"
      "def twice(buffers, quantities):\n"
      "    return {'x': numpy.full((8, 8), FACTOR, dtype=numpy.float32).T}\n");
  add("helper.py", "FACTOR = 3\n");
  EXPECT_THAT(numbers_in<float>(run(), "x"), Each(3.0F));
}

TEST_F(PythonReferenceTest, FindsOutputsPoisonedAndAmountsOfFillsByItsParameters) {
  system_.buffers["out"] = {
      .type = ScalarType::float32, .count = Expression::parse("N"), .output_only = true};
  system_.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = Expression::parse("VALUE")};
  system_.reference.by = {"VALUE"};
  system_.reference.compare["out"] = system_.reference.compare["x"];
  say("import numpy\n"
      "def twice(buffers, quantities):\n"
      "    assert numpy.isnan(buffers['out']).all()\n"
      "    buffers['out'][:] = buffers['x'] + quantities['VALUE']\n");
  const ReferenceProvider::Expected expected = provider().expected(system_, problem_, 0, {{"VALUE", 2.5}});
  EXPECT_THAT(numbers_in<float>(*expected.contents, "out"), Each(5.0F));
}

// NumPy has no such type.
TEST_F(PythonReferenceTest, SeesBfloat16AsFloat32) {
  system_.buffers["x"].type = ScalarType::bfloat16;
  system_.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1.5};
  say("def twice(buffers, quantities):\n    buffers['x'] *= 2.001\n");
  for (const BFloat16 number : numbers_in<BFloat16>(run(), "x")) EXPECT_EQ(static_cast<float>(number), 3);
}

TEST_F(PythonReferenceTest, FailsByName) {
  EXPECT_EQ(failure_of("def once(buffers, quantities):\n    pass\n"),
            "launch_failed: 'reference.py' has no function 'twice'");
  EXPECT_THAT(failure_of("def twice(buffers, quantities):\n    return {'x': buffers['y']}\n"),
              AllOf(HasSubstr("reference.py\", line 2, in twice\n    return {'x': buffers['y']}\n"),
                    EndsWith("\nKeyError: 'y'"), Not(HasSubstr("reference_runner.py"))));
  EXPECT_EQ(failure_of("def twice(buffers, quantities):\n    return {'x': buffers['x'].astype('float64')}\n"),
            "launch_failed: 'x' has the type float64, expected float32: return it .astype('float32')");
  EXPECT_EQ(
      failure_of("def twice(buffers, quantities):\n    buffers['x'] = buffers['x'][:60].reshape(6, 10)\n"),
      "launch_failed: 'x' has the shape (6, 10), which is 60 numbers, expected 64");
  EXPECT_EQ(failure_of("def twice(buffers, quantities):\n    return {'x': [1, 2]}\n"),
            "launch_failed: 'x' is a list, expected an array of NumPy");
  EXPECT_EQ(failure_of("def twice(buffers, quantities):\n    return buffers['x']\n"),
            "launch_failed: 'twice' returned a ndarray, expected arrays by the buffers' names, or nothing");
  EXPECT_EQ(failure_of("def twice(buffers, quantities):\n    return {'X': buffers['x']}\n"),
            "launch_failed: 'twice' has a result 'X', and there is no such buffer (x)");
  EXPECT_EQ(failure_of("def twice(buffers, quantities):\n    return {}\n"),
            "launch_failed: 'twice' has no result 'x', which is compared");
  EXPECT_EQ(failure_of("def twice(buffers, quantities):\n    del buffers['x']\n"),
            "launch_failed: 'twice' has no result 'x', which is compared");
  EXPECT_THAT(failure_of("def twice(buffers\n"), HasSubstr("SyntaxError"));
  EXPECT_EQ(failure_of("import time\ndef twice(buffers, quantities):\n    time.sleep(60)\n", 0.5),
            "timeout: took longer than 0.5 s");
  EXPECT_EQ(
      failure_of(
          "import os, signal\ndef twice(buffers, quantities):\n    os.kill(os.getpid(), signal.SIGKILL)\n"),
      "launch_failed: it was ended by signal 9");
}

// Else its inputs would be what is expected.
TEST_F(PythonReferenceTest, ThatEndsByItselfHasNoResults) {
  EXPECT_THAT(failure_of("import sys\ndef twice(buffers, quantities):\n    sys.exit(0)\n"),
              AllOf(HasSubstr("line 3, in twice"), EndsWith("\nSystemExit: 0")));
  EXPECT_EQ(failure_of("import os\ndef twice(buffers, quantities):\n    os._exit(0)\n"),
            "launch_failed: it ended without the result 'x'");
  EXPECT_EQ(failure_of("import os\ndef twice(buffers, quantities):\n    os._exit(200)\n"),
            "launch_failed: it ended with status 200");
}

TEST_F(PythonReferenceTest, MayReadWhatItIsKnownBy) {
  const std::string reading =
      "import numpy, tempfile\n"
      "def twice(buffers, quantities):\n"
      "    import pkg.helper\n"
      "    with tempfile.TemporaryFile() as own:\n"
      "        own.write(b'own')\n"
      "    buffers['x'][:] = pkg.helper.FACTOR * numpy.load(__file__.replace('reference.py', 'w.npy'))\n";
  const std::string weights = fakes::npy("<f4", "(64,)", fakes::bytes_of(std::vector<float>(64, 1.5F)));
  say(reading);
  folder_.write("pkg/helper.py", "FACTOR = 2\n");
  folder_.write("w.npy", weights);
  EXPECT_EQ(
      fakes::failure_of([&] { run(); }),
      "launch_failed: it reads 'pkg/helper.py': name that in 'reads', beside 'python', so that a change "
      "of it is noticed");
  add("pkg/helper.py", "FACTOR = 2\n");
  EXPECT_THAT(fakes::failure_of([&] { run(); }), HasSubstr("it reads 'w.npy': name that in 'reads'"));
  add("w.npy", weights);
  EXPECT_THAT(numbers_in<float>(run(), "x"), Each(3.0F));
  const ScratchFolder elsewhere;
  const std::string other = elsewhere.write("x.txt", "1").string();
  EXPECT_EQ(failure_of("def twice(buffers, quantities):\n    open('" + other + "').read()\n"),
            "launch_failed: it reads '" + other +
                "', whose changes nobody would notice: have it beside the manifest, and name it in 'reads'");
}

TEST_F(PythonReferenceTest, IsOfTheFilesThatWereRead) {
  say("from pkg.helper import FACTOR\ndef twice(buffers, quantities):\n    buffers['x'] *= FACTOR\n");
  add("pkg/helper.py", "FACTOR = 2\n");
  (void)provider().expected(system_, problem_, 0);
  folder_.write("pkg/helper.py", "FACTOR = 3\n");
  EXPECT_THAT(error_of([&] { (void)provider().expected(system_, problem_, 0); }),
              HasSubstr("pkg/helper.py has changed since the manifest was read"));
}

TEST_F(PythonReferenceTest, EndsARunWithTheLastLinesOfItsTraceback) {
  say("def twice(buffers, quantities):\n    raise ValueError('no such body')\n");
  const std::string error = error_of([&] { (void)provider().expected(system_, problem_, 0); });
  EXPECT_THAT(error,
              HasSubstr("system.json: /reference/python: the reference twice() in 'reference.py' cannot be "
                        "computed, so nothing can be verified\n"));
  EXPECT_THAT(error, HasSubstr("raise ValueError('no such body')"));
  EXPECT_THAT(error, EndsWith("ValueError: no such body"));
}

// What stands for an interpreter.
class FindPython : public testing::Test {
 protected:
  void TearDown() override {
    if (before_)
      setenv("TAILWAVE_PYTHON", before_->c_str(), 1);
    else
      unsetenv("TAILWAVE_PYTHON");
  }
  std::string choose(const std::string& script) {
    const std::filesystem::path file = folder_.write("python", "#!/bin/sh\n" + script);
    chmod(file.c_str(), 0755);
    setenv("TAILWAVE_PYTHON", file.c_str(), 1);
    return file.string();
  }

  const ScratchFolder folder_;
  std::optional<std::string> before_ = std::getenv("TAILWAVE_PYTHON") == nullptr
                                           ? std::nullopt
                                           : std::optional<std::string>(std::getenv("TAILWAVE_PYTHON"));
};

TEST_F(FindPython, SaysWhatIsMissing) {
  const std::string hint =
      "\n  install one with NumPy (python3 -m pip install numpy), or name it in $TAILWAVE_PYTHON";
  setenv("TAILWAVE_PYTHON", "/nowhere/python3", 1);
  EXPECT_EQ(error_of([] { (void)find_python(); }),
            "a reference in Python needs NumPy, and '/nowhere/python3' cannot be started" + hint);
  const std::string without =
      choose(R"(echo '{"program": "/usr/bin/x", "python": "3.11.2", "numpy": "", "folders": []}')");
  EXPECT_EQ(error_of([] { (void)find_python(); }),
            "a reference in Python needs NumPy, and '" + without + "' has none" + hint);
  const std::string old = choose("echo 'SyntaxError: invalid syntax'; exit 1");
  EXPECT_EQ(error_of([] { (void)find_python(); }), "a reference in Python needs NumPy, and '" + old +
                                                       "' is no Python 3: SyntaxError: invalid syntax" +
                                                       hint);
}

TEST_F(FindPython, KnowsWhereItsPackagesAre) {
  choose(
      R"(echo '{"program": "/usr/bin/x", "python": "3.11.2", "numpy": "2.1", "folders": ["/opt/x", "", "/"]}')");
  const Python python = find_python();
  EXPECT_EQ(python.program, "/usr/bin/x");
  EXPECT_EQ(python.versions, "Python 3.11.2, NumPy 2.1");
  EXPECT_THAT(python.folders, testing::ElementsAre("/opt/x"));
}

class StoredReferenceTest : public OtherReferenceTest {
 protected:
  StoredReferenceTest() {
    system_.buffers["x"].fill = {.kind = Fill::Kind::generated};
    std::iota(results_.begin(), results_.end(), 0.5F);
    file_ = folder_.write("x.npy", fakes::npy("<f4", "(8, 8)", fakes::bytes_of(results_)));
    Diagnostics wrong;
    Reporter reporter("system.json", wrong);
    system_.reference.stored["x"] = fill_from_file(file_, "/reference/stored/x", reporter);
    system_.reference.stored_problem = problem_;
    EXPECT_THAT(wrong, testing::IsEmpty());
  }

  std::vector<float> results_ = std::vector<float>(64);
  std::filesystem::path file_;
};

TEST_F(StoredReferenceTest, IsReadAsItIs) {
  ReferenceProvider reference = provider();
  for (const std::uint64_t draw : {0, 1}) {
    const ReferenceProvider::Expected expected = reference.expected(system_, problem_, draw);
    EXPECT_EQ(numbers_in<float>(*expected.contents, "x"), results_);
  }
}

// One file may have the results of several problems, one after another.
TEST_F(StoredReferenceTest, IsWhatBeginsAtItsOffset) {
  system_.problem["PART"] = {.type = ScalarType::int32, .default_value = std::int64_t{0}};
  system_.buffers["x"].count = Expression::parse("16");
  system_.reference.stored["x"].offset = Expression::parse("16 * PART");
  ReferenceProvider reference = provider();
  for (const int part : {0, 3}) {
    Values problem = problem_;
    problem["PART"] = std::int64_t{part};
    const ReferenceProvider::Expected expected = reference.expected(system_, problem, 0);
    EXPECT_EQ(numbers_in<float>(*expected.contents, "x"),
              std::vector<float>(results_.begin() + 16 * part, results_.begin() + 16 * (part + 1)));
  }
}

TEST_F(StoredReferenceTest, IsOfOneProblemAndOfTheFileThatWasRead) {
  ReferenceProvider reference = provider();
  EXPECT_THAT(
      error_of([&] {
        (void)reference.expected(system_, {{"N", std::int64_t{32}}}, 0);
      }),
      HasSubstr("/reference/stored: what is stored as the reference cannot be computed, so nothing can be "
                "verified\n  the stored results are of N = 64, not 32"));
  folder_.write("x.npy", "something else");
  EXPECT_THAT(error_of([&] { (void)reference.expected(system_, problem_, 0); }),
              HasSubstr("has changed since the manifest was read"));
}

}  // namespace
}  // namespace tailwave
