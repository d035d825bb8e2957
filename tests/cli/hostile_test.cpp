// What specs and kernels from strangers, and whoever mistypes, may not do: end a run, lose rows, overwrite files, leave
// things behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/project_fixture.h"
#include "fakes/strays.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Hostile : public ProjectFixture {
 protected:
  // In a file of the project, the first `before`.
  void change(const std::string& path, const std::string& before, const std::string& after) const {
    std::string text = contents(path);
    const std::size_t place = text.find(before);
    ASSERT_NE(place, std::string::npos);
    write(path, text.replace(place, before.size(), after));
  }
  [[nodiscard]] std::string contents(const std::string& path) const {
    std::ostringstream text;
    text << std::ifstream(project_ / path, std::ios::binary).rdbuf();
    return text.str();
  }
};

constexpr const char* kSystemFile = "kernel_templates/transpose/system.json";

TEST_F(Hostile, WorkThatIsNoneEndsNoRunAndNoQuery) {
  write_experiment("[4]", 3, R"("N": [16, 32])");
  for (const auto& [work, why] : std::vector<std::pair<std::string, std::string>>{
           {"8 * N if N > 16 else 0 - N", "-16 is less than 0"},
           {"N % (N - 16)", "'%' by zero"},
           {"N if N > 16 else N * 1000000000000000000", "integer overflow"},
           {"1e300 * N if N == 16 else N", "1.6e+301 is more than any device can do"},
           {"'a' if N == 16 else N", "'a' is no number"}}) {
    SCOPED_TRACE(work);
    fs::remove_all(project_ / "results");
    const std::string before = contents(kSystemFile);
    change(kSystemFile, "8 * N * N", work);
    const CommandResult run = tailwave(kRun);
    EXPECT_EQ(run.exit_status, 0) << run.err;
    EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "2");
    EXPECT_EQ(scalar("SELECT count(DISTINCT detail) FROM trial WHERE outcome = 'launch_failed'"), "1");
    EXPECT_EQ(scalar("SELECT detail FROM trial WHERE outcome = 'launch_failed'"),
              "work 'bytes', " + work + ": " + why);
    EXPECT_EQ(tailwave({"query", "best"}).exit_status, 0);
    write(kSystemFile, before);
  }
}

TEST_F(Hostile, WorkOfZeroIsNoRateAndNoBest) {
  change(kSystemFile, "8 * N * N", "0 * N");
  const CommandResult run = tailwave(kRun);
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome <> 'correct'"), "0");
  EXPECT_THAT(run.out, Not(HasSubstr("nan")));
}

TEST_F(Hostile, PlansThatCannotBeEndNoRun) {
  struct Change {
    const char *before, *after, *correct, *why;
  };
  write_experiment("[4]", 3, R"("N": [16, 32])");
  const std::string manifest = contents(kSystemFile);
  for (
      const Change& one :
      {Change{R"("count": "N * N", "output_only")",
              R"("count": "N * N if N > 16 else 8000000000000", "output_only")", "2",
              "the buffers have 3.2e+13 bytes, more than any machine holds"},
       Change{
           R"json(TILE"], "args": ["output", "input", "N"])json",
           R"json(TILE"], "args": ["output", "input", {"value": "N // (1 if N > 16 else 0)", "type": "int32"}])json",
           "3", "'//' by zero"}}) {
    SCOPED_TRACE(one.after);
    fs::remove_all(project_ / "results");
    change(kSystemFile, one.before, one.after);
    const CommandResult run = tailwave(kRun);
    EXPECT_EQ(run.exit_status, 0) << run.err;
    EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), one.correct);
    EXPECT_THAT(scalar("SELECT max(detail) FROM trial WHERE outcome <> 'correct'"), HasSubstr(one.why));
    write(kSystemFile, manifest);
  }
}

TEST_F(Hostile, AProblemThatCannotRunKeepsNoSearchFromTheOthers) {
  write_experiment("[4]", 3, R"("N": [16, 32])");
  change(kSystemFile, R"json("grid": ["ceil_div(N, TILE)")json",
         R"json("grid": ["'a' if N == 16 else ceil_div(N, TILE)")json");
  const CommandResult tune = tailwave({"tune", "experiments/transpose/tile_size.json", "--device", "cpu",
                                       "--strategy", "exhaustive", "--budget", "4", "--final", "0"});
  EXPECT_EQ(tune.exit_status, 1) << "one search found nothing";
  EXPECT_THAT(tune.err, HasSubstr("tile_size with N 16: none of 0 evaluated configurations ran correctly"));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "1");
  change(kSystemFile, "'a' if N == 16", "'a' if N <= 32");
  EXPECT_THAT(tailwave({"tune", "experiments/transpose/tile_size.json", "--device", "cpu", "--strategy",
                        "exhaustive", "--budget", "4"})
                  .err,
              HasSubstr("configurations can run on "));
}

TEST_F(Hostile, AReportOfWhatAnotherTunerRecordedSaysWhereThatIs) {
  ASSERT_EQ(
      tailwave({"import", TAILWAVE_SOURCE_DIR "/tests/data/tuners/convolution_milo-A4000.json"}).exit_status,
      0);
  const CommandResult report = tailwave({"report", "--experiment", "convolution_milo-A4000"});
  EXPECT_EQ(report.exit_status, 2);
  EXPECT_THAT(
      report.err,
      HasSubstr("the results of 'convolution_milo-A4000' were recorded by another tuner, so there is no "
                "report\n  'tailwave query best --experiment convolution_milo-A4000' lists them"));
  EXPECT_EQ(tailwave({"query", "best", "--experiment", "convolution_milo-A4000"}).exit_status, 0);
  ASSERT_EQ(tailwave({"report"}).exit_status, 0);
  EXPECT_THAT(contents("results/report/README.md"), HasSubstr("Recorded by another tuner: "));
}

TEST_F(Hostile, NegativeWorkInADatabaseSpoilsNoQuery) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    database.execute("UPDATE trial SET work = '{\"bytes\": -5}' WHERE id = 1");
  }
  const CommandResult best = tailwave({"query", "best"});
  EXPECT_EQ(best.exit_status, 0) << best.err;
  EXPECT_THAT(best.out, HasSubstr(" best "));
  EXPECT_EQ(tailwave({"report"}).exit_status, 0);
}

TEST_F(Hostile, ExportsWriteOverNothingElse) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const auto exported_to = [this](const std::string& file) {
    return tailwave({"export", "--experiment", "tile_size", "--out", file});
  };
  ASSERT_EQ(exported_to("out.json").exit_status, 0);
  ASSERT_EQ(exported_to("out.json").exit_status, 0);
  fs::create_symlink(project_ / "results/tailwave.db", project_ / "link");
  for (const char* file :
       {"results/tailwave.db", kSystemFile, "kernel_templates/transpose/tile.cu", "link"}) {
    const std::string before = contents(file);
    const CommandResult refused = exported_to(file);
    EXPECT_EQ(refused.exit_status, 1);
    EXPECT_EQ(refused.err, std::string(file) +
                               ": is there already, and does not begin like what would be written\n"
                               "  name another file with --out, or remove this one\n");
    EXPECT_EQ(contents(file), before);
  }
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    const std::string file = std::string("results/tailwave.db") + suffix;
    EXPECT_EQ(exported_to(file).err, file +
                                         ": belongs to the database beside it\n"
                                         "  name another file with --out\n");
    EXPECT_THAT(contents(file), Not(StartsWith("{")));
  }
}

// What is nothing but a line of its own in a source would be an #include that nobody has looked at.
TEST_F(Hostile, ATextOfAnExperimentIsOneLine) {
  change(kSystemFile, R"("BREAK": 0})", R"("BREAK": 0, "MODE": "plain"})");
  write("experiments/transpose/lines.json", R"({ "schema_version": 1, "name": "lines", "system": "transpose",
    "question": "?", "cases": [ {"variant": "tile", "parameters": {"MODE": ["plain\n#include \"/etc/passwd\""]}} ],
    "metric": {"name": "time"} })");
  const CommandResult check = tailwave({"check", "experiments/transpose/lines.json"});
  EXPECT_EQ(check.exit_status, 2);
  EXPECT_THAT(check.err + check.out,
              HasSubstr("/cases/0/parameters/MODE/0: the text has a line break or another control "
                        "character"));
  EXPECT_EQ(tailwave({"run", "experiments/transpose/lines.json", "--device", "cpu"}).exit_status, 2);
  EXPECT_FALSE(fs::exists(project_ / "results"));
}

TEST_F(Hostile, AnOptionOfASpecThatWritesAFileIsRefusedByWhatReadsIt) {
  change(kSystemFile, R"("source": "tile.cu",)",
         R"("source": "tile.cu", "options": {"--time=/tmp/times": true},)");
  for (const char* command : {"check", "run", "plan"}) {
    const CommandResult refused = tailwave({command, "experiments/transpose/tile_size.json"});
    EXPECT_EQ(refused.exit_status, 2) << command;
    EXPECT_THAT(refused.err + refused.out,
                HasSubstr("the option '--time=/tmp/times' is not among those that specs may have of NVRTC"))
        << command;
  }
}

TEST_F(Hostile, ALongOptionIsRefusedAndNoDeath) {
  change(kSystemFile, R"("source": "tile.cu",)",
         R"("source": "tile.cu", "options": {"-DX=)" + std::string(200'000, 'a') + R"(": true},)");
  const CommandResult check = tailwave({"check", "experiments/transpose/tile_size.json"});
  EXPECT_EQ(check.exit_status, 2);
  EXPECT_THAT(check.err + check.out,
              HasSubstr("the option '-DX=aaaaaaaaaaaaaaaa...' has 200004 characters; 1024 are allowed"));
}

TEST_F(Hostile, AFreshRunThatIsNotDoneHidesNothing) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    database.execute(
        "CREATE TEMP TABLE copy AS SELECT * FROM run; UPDATE copy SET id = 2, identity = lower(hex(randomblob(16))), fresh = 1, status = 'running', finished_at = NULL, "
        "started_at = '2100-01-01T00:00:00Z'; INSERT INTO run SELECT * FROM copy");
  }
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial"), "4");
  {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    database.execute("UPDATE run SET status = 'done', finished_at = started_at");
  }
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial"), "0");
}

TEST_F(Hostile, ADatabaseInMemoryIsRefused) {
  std::vector<std::string> words = kRun;
  words.insert(words.end(), {"--db", ":memory:"});
  const CommandResult refused = tailwave(words);
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err, HasSubstr(":memory:: would be gone with all rows when the command ends\n"
                                     "  name a file with --db\n"));
  words.back() = "";
  EXPECT_THAT(tailwave(words).err, HasSubstr("the name of the database is empty\n  name a file with --db\n"));
}

TEST_F(Hostile, ADatabaseIsAFileWhateverItIsCalled) {
  for (const char* name : {"file::memory:?cache=shared", "file:x.db?mode=memory", "file:y.db"}) {
    std::vector<std::string> words = kRun;
    words.insert(words.end(), {"--db", name});
    EXPECT_EQ(tailwave(words).exit_status, 0);
    EXPECT_TRUE(fs::is_regular_file(project_ / name)) << name;
    EXPECT_THAT(tailwave({"query", "best", "--db", name}).out, HasSubstr("tile"));
  }
}

TEST_F(Hostile, SignalsInterruptARunAndLeaveNothing) {
  fs::create_directory(project_ / "tmp");
  setenv("TMPDIR", (project_ / "tmp").c_str(), 1);
  write_long_experiment(400);
  int stored = 0;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const pid_t run = begin(kRun, "interrupted");
    EXPECT_TRUE(has_stored(run, ++stored));
    kill(run, signal);
    const CommandResult result = end(run, "interrupted");
    EXPECT_EQ(result.exit_status, 1) << result.err;
    EXPECT_EQ(scalar("SELECT status FROM run ORDER BY id DESC"), "interrupted");
    EXPECT_TRUE(fs::is_empty(project_ / "tmp"));
    stored = std::stoi(scalar("SELECT count(*) FROM trial"));
  }
  // Nobody is waited for: what is left to do others see to.
  const pid_t impatient = begin(kRun, "impatient");
  EXPECT_TRUE(has_stored(impatient, ++stored));
  kill(impatient, SIGINT);
  usleep(1000);  // two at once are one
  kill(impatient, SIGINT);
  EXPECT_THAT(end(impatient, "impatient").exit_status, testing::AnyOf(1, 130));
  EXPECT_TRUE(fakes::comes_true([&] { return fs::is_empty(project_ / "tmp"); }));
  stored = std::stoi(scalar("SELECT count(*) FROM trial"));
  const pid_t killed = begin(kRun, "killed");
  EXPECT_TRUE(has_stored(killed, ++stored));
  kill(killed, SIGKILL);
  EXPECT_EQ(end(killed, "killed").exit_status, 128 + SIGKILL);
  unsetenv("TMPDIR");
  EXPECT_TRUE(fakes::comes_true([&] { return fs::is_empty(project_ / "tmp"); }));
}

TEST_F(Hostile, WhatKernelsPrintIsNoResult) {
  write("kernel_templates/transpose/cpu.cpp",
        "#include <cstdio>\n" + contents("kernel_templates/transpose/cpu.cpp"));
  change("kernel_templates/transpose/cpu.cpp", "{\n", "{\n std::puts(\"{\"); std::fflush(stdout);\n");
  std::vector<std::string> words = kRun;
  words.emplace_back("--json");
  const CommandResult run = tailwave(words);
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("{\n \"experiments\""));
}

// On stdout and stderr, by the tile's side; one of 8 goes on until nobody could keep it.
constexpr const char* kPrints = R"(
#if TILE == 4
  if (threadIdx.x == 0 && blockIdx.x == 0) printf("\x1b]0;title\x07 \xff {\"tile\": 4}\n");
#elif TILE == 8
  if (threadIdx.x == 0 && blockIdx.x == 0) for (int i = 0; i < 1000; ++i) printf("tile %d\n", TILE);
#else
  if (threadIdx.x == 0 && blockIdx.x == 0) { printf("before the end\n"); *(volatile int*)16 = 1; }
#endif
)";

TEST_F(Hostile, WhatKernelsPrintIsKeptWithTheirTrials) {
  change("kernel_templates/transpose/tile.cu", "{\n", std::string("{\n") + kPrints);
  std::vector<std::string> words = kRun;
  words.emplace_back("--json");
  const CommandResult run = tailwave(words);
  ASSERT_EQ(run.exit_status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out).at("experiments").size(), 1) << run.out;
  EXPECT_THAT(run.out + run.err, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07"))));
  EXPECT_THAT(run.err, HasSubstr("    printed: before the end"));
  const auto printed_by = [this](const std::string& tile) {
    return scalar(
        "SELECT coalesce(kernel_output, 'nothing') FROM current_trial JOIN trial ON trial.id = trial_id "
        "WHERE configuration LIKE '%/TILE:" +
        tile + "/%'");
  };
  EXPECT_THAT(printed_by("4"), StartsWith("\\x1b]0;title\\x07 \\xff {\"tile\": 4}\n"));
  EXPECT_THAT(printed_by("8"), AllOf(StartsWith("tile 8\ntile 8\n"), EndsWith(" bytes more\n")));
  EXPECT_LT(printed_by("8").size(), 5000U);
  EXPECT_THAT(printed_by("16"), StartsWith("before the end\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE kernel_output IS NULL"), "1");  // the host variant's
  const CommandResult query = tailwave({"query", "kernel_output", "--json"});
  EXPECT_EQ(nlohmann::json::parse(query.out).size(), 3) << query.out;
}

TEST_F(Hostile, WhatAKernelPrintedIsExportedAndImported) {
  write_experiment("[4]");
  change("kernel_templates/transpose/tile.cu", "{\n", std::string("{\n") + kPrints);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const std::string printed = "SELECT group_concat(kernel_output) FROM trial";
  const std::string before = scalar(printed);
  EXPECT_THAT(before, HasSubstr("title"));
  ASSERT_EQ(tailwave({"export", "--experiment", "tile_size", "--out", "out.json"}).exit_status, 0);
  fs::remove_all(project_ / "results");
  const CommandResult import = tailwave({"import", "out.json"});
  ASSERT_EQ(import.exit_status, 0) << import.err;
  EXPECT_EQ(scalar(printed), before);
}

// A terminal there would show it, and a file would be one that nobody allowed to be read.
TEST_F(Hostile, CodeHasNoStandardInput) {
  change("kernel_templates/transpose/cpu.cpp", "{\n",
         "{\n  char c = 0;\n  if (write(0, \"x\", 1) > 0 || read(0, &c, 1) > 0) "
         "throw 1;\n");
  write("kernel_templates/transpose/cpu.cpp",
        "#include <unistd.h>\n" + contents("kernel_templates/transpose/cpu.cpp"));
  write("input", "secret");
  const int input = open((project_ / "input").c_str(), O_RDWR);
  const int kept = dup(STDIN_FILENO);
  dup2(input, STDIN_FILENO);
  const CommandResult run = tailwave(kRun);
  dup2(kept, STDIN_FILENO);
  close(kept);
  close(input);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4") << run.err;
  EXPECT_EQ(contents("input"), "secret");
}

TEST_F(Hostile, AMarkOfTheByteOrderIsNoPartOfASource) {
  const std::string source = "kernel_templates/transpose/tile.cu";
  write(source, "\xef\xbb\xbf" + contents(source));
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4");
}

TEST_F(Hostile, QuantilesAreOfShares) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const CommandResult query = tailwave({"query", "--sql", "SELECT quantile(time_ns, -5) FROM sample"});
  EXPECT_EQ(query.exit_status, 2);
  EXPECT_THAT(query.err, HasSubstr("a quantile is one of 0 to 1"));
}

TEST_F(Hostile, ADatabaseWithATriggerOfSomebodyElseIsNotWritten) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    database.execute("CREATE TRIGGER evil AFTER INSERT ON sample BEGIN SELECT RAISE(ABORT, 'x'); END");
  }
  std::vector<std::string> fresh = kRun;
  fresh.emplace_back("--fresh");
  EXPECT_EQ(tailwave(fresh).err,
            "results/tailwave.db: has a trigger 'evil' that tailwave did not make\n"
            "  drop it, or name another file\n");
  EXPECT_EQ(tailwave({"query", "best"}).exit_status, 0);
}

TEST_F(Hostile, WhatHasNoEndInTheCacheIsNoEntry) {
  const auto replace_by = [this](const char* name, const char* by) {
    for (const auto& entry : fs::recursive_directory_iterator(project_ / "own_cache")) {
      if (entry.path().filename() != name) continue;
      fs::remove(entry.path());
      if (by == nullptr)
        mkfifo(entry.path().c_str(), 0600);
      else
        fs::create_symlink(by, entry.path());
    }
  };
  const char* const usual = std::getenv("TAILWAVE_CACHE");
  const std::string kept = usual == nullptr ? "" : usual;
  setenv("TAILWAVE_CACHE", (project_ / "own_cache").c_str(), 1);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  for (const auto& [name, by] : {std::pair("record.json", static_cast<const char*>(nullptr)),
                                 std::pair("artifact.so", static_cast<const char*>(nullptr)),
                                 {"record.json", "/dev/zero"}}) {
    replace_by(name, by);
    fs::remove_all(project_ / "results");
    const CommandResult run = tailwave(kRun);
    EXPECT_EQ(run.exit_status, 0) << run.err;
    EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4");
  }
  replace_by("draw", "/dev/zero");
  EXPECT_THAT(tailwave(kRun).err, HasSubstr("own_cache/draw: is no number of a draw"));
  setenv("TAILWAVE_CACHE", kept.c_str(), 1);
}

TEST_F(Hostile, AnEndlessInputIsAnError) {
  fs::create_symlink("/dev/zero", project_ / "endless.json");
  EXPECT_THAT(tailwave({"check", "endless.json"}).err,
              HasSubstr("endless.json: the file has more than 256 MiB"));
}

TEST_F(Hostile, WhereNothingCanBePrintedIsAnError) {
  const auto status_with = [this](const std::string& streams) {
    const std::string line = "cd '" + project_.string() +
                             "' && '" TAILWAVE_BINARY
                             "' run experiments/transpose/tile_size.json "
                             "--device cpu --json " +
                             streams;
    return WEXITSTATUS(std::system(line.c_str()));
  };
  EXPECT_EQ(status_with(">/dev/full 2>full"), 1);
  EXPECT_EQ(contents("full").substr(contents("full").rfind("standard output")),
            "standard output cannot be written: No space left "
            "on device\n");
  EXPECT_EQ(status_with(">&- 2>closed"), 1);
  EXPECT_EQ(status_with("<&- 2>&- >out"), 0);
  EXPECT_EQ(nlohmann::json::parse(contents("out")).at("experiments").size(), 1);
}

TEST_F(Hostile, ALimitOfFilesIsAnErrorAndNoDeath) {
  const CommandResult run =
      end(begin(kRun, "limited", {.file_limit_bytes = 20'000, .is_told = true}), "limited");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("results/tailwave.db: "), Not(HasSubstr("unexpected"))));
}

}  // namespace
}  // namespace tailwave
