// What a stranger's code can reach while it is compiled and measured.
#include "core/sandbox.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kProbeManifest = R"json({
  "schema_version": 1, "name": "probe", "title": "Looks around",
  "problem": { "N": {"type": "int", "default": 4} },
  "buffers": { "output": {"type": "float32", "count": "N", "output_only": true} },
  "reference": { "variant": "honest", "compare": {"output": {"norm": "exact", "tolerance": 0}} },
  "variants": {
    "honest": { "target": "host", "source": "honest.cpp", "launches": [ {"function": "probe", "args": ["output", "N"]} ] },
    "probe":  { "target": "host", "source": "probe.cpp", "launches": [ {"function": "probe", "args": ["output", "N"]} ] } }
})json";

constexpr const char* kHonestSource = R"cpp(extern "C" void probe(float* output, int n) {
                                              for (int i = 0; i < n; ++i) output[i] = 1;
                                            }
)cpp";

// Says in an exception what it could do. SECRET is a file outside the project.
constexpr const char* kProbeSource =
    R"cpp(#include <arpa/inet.h>
#include <fcntl.h>
#include <cerrno>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

          static bool can_open(const std::string& file, int how) {
            const int opened = open(file.c_str(), how, 0600);
            if (opened >= 0) close(opened);
            return opened >= 0;
          }

          extern "C" void probe(float*, int) {
            const std::string secret = SECRET;
            std::string done;
            if (can_open(secret, O_RDONLY)) done += " read";
            if (can_open(secret, O_WRONLY)) done += " write";
            if (can_open(secret + ".new", O_WRONLY | O_CREAT)) done += " create";
            if (can_open(std::string(PROJECT) + "/experiments/new", O_WRONLY | O_CREAT)) done += " create_in_project";
            if (can_open(PROJECT "/kernel_templates/probe/system.json", O_RDONLY)) done += " project";
            if (can_open(CACHE "/draw", O_RDONLY)) done += " draw";
            if (can_open(std::string(std::getenv("TMPDIR")) + "/new", O_WRONLY | O_CREAT)) done += " scratch";
            if (socket(AF_INET, SOCK_STREAM, 0) >= 0) done += " tcp";
            if (socket(AF_INET, SOCK_DGRAM, 0) >= 0) done += " udp";
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            secret.copy(address.sun_path, sizeof address.sun_path - 1);
            if (connect(socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&address),
                        sizeof address) == 0 ||
                errno != EPERM)
              done += " connect";
            if (kill(getppid(), 0) == 0) done += " signal";
            if (kill(COORDINATOR, 0) == 0) done += " coordinator";
            rlimit limit{};
            if (prlimit(getppid(), RLIMIT_CORE, nullptr, &limit) == 0) done += " limits";
            io_uring_params parameters{};
            if (syscall(SYS_io_uring_setup, 0, &parameters) < 0 && errno != EPERM) done += " rings";
            getrlimit(RLIMIT_CORE, &limit);
            if (limit.rlim_max != 0) done += " core";
            getrlimit(RLIMIT_FSIZE, &limit);
            if (limit.rlim_max == RLIM_INFINITY) done += " file_sizes";
            getrlimit(RLIMIT_NPROC, &limit);
            if (limit.rlim_max > 200'000) done += " processes";
            if (std::string score; std::getline(std::ifstream("/proc/self/oom_score_adj"), score), score != "1000")
              done += " memory";
            throw std::runtime_error("done:" + done);
          }
    )cpp";

class SandboxTest : public ProjectFixture {
 protected:
  SandboxTest() : outside_(project_.string() + "_outside"), cache_(project_.string() + "_cache") {
    fs::remove_all(outside_);
    fs::create_directories(outside_);
    std::ofstream(secret()) << "int secret = 1;\n";
    write("kernel_templates/probe/system.json", kProbeManifest);
    write("kernel_templates/probe/honest.cpp", kHonestSource);
    write("experiments/probe/probe.json", R"({ "schema_version": 1, "name": "probe", "system": "probe",
      "question": "What can it do?", "cases": [ {"variant": "probe"} ],
      "metric": {"name": "time"}, "measure": {"samples": 1} })");
  }
  void SetUp() override {
    if (const std::string gap = sandbox_gap(); !gap.empty()) GTEST_SKIP() << gap;
    if (const char* const shared = std::getenv("TAILWAVE_CACHE")) shared_cache_ = shared;
    setenv("TAILWAVE_CACHE", cache_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TAILWAVE_SANDBOX");
    if (shared_cache_.empty())
      unsetenv("TAILWAVE_CACHE");
    else
      setenv("TAILWAVE_CACHE", shared_cache_.c_str(), 1);
    fs::remove_all(outside_);
    fs::remove_all(cache_);
  }

  [[nodiscard]] fs::path secret() const { return outside_ / "secret.h"; }
  void write_probe(const std::string& text) const {
    write("kernel_templates/probe/probe.cpp",
          "#define SECRET \"" + secret().string() + "\"\n#define PROJECT \"" + project_.string() +
              "\"\n#define CACHE \"" + cache_.string() + "\"\n#define COORDINATOR " +
              std::to_string(getpid()) + "\n" + text);
  }
  // "outcome: detail" of the probe, or what was said instead of a run.
  [[nodiscard]] std::string outcome(const std::vector<std::string>& options = {}) const {
    fs::remove_all(project_ / "results");
    std::vector<std::string> words{"run", "experiments/probe/probe.json", "--device", "cpu"};
    words.insert(words.end(), options.begin(), options.end());
    const CommandResult run = tailwave(words);
    if (!fs::exists(project_ / "results")) return run.err;
    return scalar("SELECT outcome || coalesce(': ' || detail, '') FROM trial");
  }

  fs::path outside_, cache_;
  std::string shared_cache_;
};

TEST_F(SandboxTest, CodeReachesItsProjectAndItsScratchFolderAlone) {
  write_probe(kProbeSource);
  EXPECT_EQ(outcome(), "crashed: 'probe' threw: done: project scratch");
  EXPECT_EQ(outcome({"--allow", outside_.string()}), "crashed: 'probe' threw: done: read project scratch");
  EXPECT_FALSE(fs::exists(secret().string() + ".new"));
  EXPECT_FALSE(fs::exists(project_ / "experiments/new"));
  setenv("TAILWAVE_SANDBOX", "off", 1);
  EXPECT_THAT(outcome(), AllOf(HasSubstr("done: read write create create_in_project project draw scratch"),
                               HasSubstr(" signal coordinator")));
  EXPECT_TRUE(fs::exists(secret().string() + ".new"));
}

TEST_F(SandboxTest, ACompilerHasLimits) {
  const fs::path compiler = outside_ / "compiler";
  std::ofstream(compiler) << "#!/bin/bash\n"
                             "case \"$*\" in *--version*|*-dump*) exec g++ \"$@\";; esac\n"
                             "echo \"file $(ulimit -H -f) memory $(ulimit -H -d).\" >&2\nexit 1\n";
  fs::permissions(compiler, fs::perms::owner_all);
  const char* const usual = std::getenv("CXX");
  const std::string kept = usual == nullptr ? "" : usual;
  setenv("CXX", compiler.c_str(), 1);
  write_probe(kHonestSource);
  const CommandResult run = tailwave({"run", "experiments/probe/probe.json", "--device", "cpu"});
  if (usual == nullptr)
    unsetenv("CXX");
  else
    setenv("CXX", kept.c_str(), 1);
  EXPECT_THAT(run.err, HasSubstr("file 1048576 memory ")) << run.out;
  EXPECT_EQ(run.err.find("memory unlimited.") == std::string::npos, !kSanitized) << run.err;
}

TEST_F(SandboxTest, ACompilerIncludesNothingFromOutside) {
  write_probe("#if __has_include(SECRET)\n#error reached\n#endif\n" + std::string(kHonestSource));
  EXPECT_THAT(outcome(), AllOf(StartsWith("compile_error"), HasSubstr("Permission denied")));
  EXPECT_THAT(outcome({"--allow", outside_.string()}),
              AllOf(StartsWith("compile_error"), HasSubstr("reached")));
}

TEST_F(SandboxTest, AnAssemblerIncludesNothingFromOutside) {
  write_probe("asm(\".pushsection .rodata\\n.incbin \\\"\" SECRET \"\\\"\\n.popsection\");\n" +
              std::string(kHonestSource));
  EXPECT_THAT(outcome(), AllOf(StartsWith("compile_error"), HasSubstr("secret.h")));
  EXPECT_THAT(outcome({"--allow", outside_.string()}), StartsWith("correct"));
}

TEST_F(SandboxTest, WhereThereIsNoneARunSaysSoOrRefuses) {
  write_probe(kHonestSource);
  setenv("TAILWAVE_SANDBOX", "off", 1);
  const std::vector<std::string> words{"run", "experiments/probe/probe.json", "--device", "cpu"};
  const CommandResult run = tailwave(words);
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_THAT(run.err,
              HasSubstr("sandbox: what compilers and the code that is measured read and write is not "
                        "confined: $TAILWAVE_SANDBOX is off\n"));
  EXPECT_EQ(outcome({"--require-sandbox"}),
            "--require-sandbox: what compilers and the code that is measured read and write is not confined: "
            "$TAILWAVE_SANDBOX is off\n  'tailwave --version' says what this system offers\n");
  EXPECT_THAT(tailwave({"--version"}).out, HasSubstr("\nsandbox:       none: $TAILWAVE_SANDBOX is off\n"));
  unsetenv("TAILWAVE_SANDBOX");
  EXPECT_THAT(tailwave(words).err, Not(HasSubstr("sandbox")));
  EXPECT_THAT(outcome({"--require-sandbox"}), StartsWith("correct"));
  EXPECT_THAT(outcome({"--allow", "nowhere"}),
              "nowhere: cannot be allowed: No such file or directory\n"
              "  --allow takes a folder or file that compilers and kernels may read\n");
}

}  // namespace
}  // namespace tailwave
