#include "cli/project_fixture.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/error.h"
#include "core/value.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = R"json({
  "schema_version": 1, "name": "transpose", "title": "Matrix transpose",
  "problem": { "N": {"type": "int", "default": 70} },
  "buffers": {
    "input":  {"type": "float32", "count": "N * N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 1}},
    "output": {"type": "float32", "count": "N * N", "output_only": true} },
  "reference": { "variant": "cpu", "compare": {"output": {"norm": "exact", "tolerance": 0}} },
  "work": { "bytes": "8 * N * N" },
  "variants": {
    "cpu":  { "target": "host", "source": "cpu.cpp",
              "launches": [ {"function": "transpose", "args": ["output", "input", "N"]} ] },
    "tile": { "target": "cuda", "source": "tile.cu", "parameters": {"TILE": 8, "BREAK": 0},
              "launches": [ {"kernel": "transpose", "grid": ["ceil_div(N, TILE)", "ceil_div(N, TILE)"],
                             "block": ["TILE", "TILE"], "args": ["output", "input", "N"]} ] }
  }
})json";

constexpr const char* kHost = R"cpp(extern "C" void transpose(float* output, const float* input, int n) {
                                      for (int y = 0; y < n; ++y)
                                        for (int x = 0; x < n; ++x) output[x * n + y] = input[y * n + x];
                                    }
)cpp";

constexpr const char* kTemplate = R"cuda(__global__ void transpose(float* output, const float* input, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = input[y * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
#if BREAK == 1
  nonsense;
#endif
  if (x < n && y < n) output[y * n + x] = tile[threadIdx.x][threadIdx.y] + (BREAK == 2 ? 1 : 0);
}
)cuda";

// Of a long experiment: a launch then takes about as long with sanitizers as without.
#ifdef TAILWAVE_SANITIZE
constexpr int kLongRunSide = 20;
#else
constexpr int kLongRunSide = 70;
#endif

constexpr uid_t kNobody = 65534;
constexpr const char* kOwnCache = "cache";  // of an unprivileged process

std::string experiment(const std::string& problem, const std::string& tiles, int samples) {
  return R"({ "schema_version": 1, "name": "tile_size", "system": "transpose",
             "question": "Which tile is best?", "problem": {)" +
         problem + R"(},
             "cases": [ {"variant": "tile", "parameters": {"TILE": )" +
         tiles + R"(}}, {"variant": "cpu"} ],
             "metric": {"name": "bytes_per_second", "goal": "max"},
             "measure": {"samples": )" +
         std::to_string(samples) + R"(, "time_cap_s": 60} })";
}

std::string read_all(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void confine(const Confinement& confinement) {
  if (confinement.file_limit_bytes > 0) {
    std::signal(SIGXFSZ, confinement.is_told
                             ? SIG_DFL
                             : SIG_IGN);  // so that a write beyond it fails, as on a full disk
    const rlimit limit{confinement.file_limit_bytes, confinement.file_limit_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
#ifndef TAILWAVE_SANITIZE  // sanitizers take terabytes of addresses
  if (confinement.memory_limit_bytes > 0) {
    const rlimit limit{confinement.memory_limit_bytes, confinement.memory_limit_bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
#endif
  if (confinement.unprivileged && geteuid() == 0 &&
      (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0))
    _exit(127);
}

pid_t start(const std::vector<std::string>& arguments, const fs::path& directory, const fs::path& out,
            const fs::path& err, const Confinement& confinement = {}) {
  const pid_t child = fork();
  if (child != 0) return child;
  // The variable lets a copied test program find a copied tailwave.
  const char* elsewhere = std::getenv("TAILWAVE_BINARY");
  std::vector<std::string> words{elsewhere != nullptr ? elsewhere : TAILWAVE_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  constexpr int kMode = 0644;
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode), STDERR_FILENO);
  if (confinement.unprivileged) setenv("TAILWAVE_CACHE", (directory / kOwnCache).c_str(), 1);
  confine(confinement);
  if (chdir(directory.c_str()) == 0) execv(argv[0], argv.data());
  _exit(127);
}

CommandResult finish(pid_t child, const fs::path& out, const fs::path& err) {
  int status = 0;
  waitpid(child, &status, 0);
  CommandResult result;
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_all(out);
  result.err = read_all(err);
  return result;
}

}  // namespace

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.good()) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

ProjectFixture::ProjectFixture() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  project_ = fs::path(testing::TempDir()) / ("tailwave_" + std::string(info->test_suite_name()) + "_" +
                                             info->name() + "_" + std::to_string(getpid()));
  fs::remove_all(project_);
  fs::create_directories(project_);
  // Tests at the same time do not wait for each other; for all users, since some runs have no rights.
  const fs::path leases = project_.string() + ".leases";
  fs::create_directories(leases);
  fs::permissions(leases, fs::perms::all | fs::perms::sticky_bit);
  setenv("TAILWAVE_LEASES", leases.c_str(), 1);
  write("kernel_templates/transpose/system.json", kManifest);
  write("kernel_templates/transpose/cpu.cpp", kHost);
  write("kernel_templates/transpose/tile.cu", kTemplate);
  write_experiment("[4, 8, 16]");
}

void ProjectFixture::write(const std::string& path, const std::string& text) const {
  fs::create_directories((project_ / path).parent_path());
  std::ofstream(project_ / path) << text;
}

void ProjectFixture::replace(const std::string& path, const std::string& from, const std::string& to) const {
  std::string text = read_all(project_ / path);
  const std::size_t place = text.find(from);
  ASSERT_NE(place, std::string::npos) << "no " << from << " in " << path;
  write(path, text.replace(place, from.size(), to));
}

void ProjectFixture::write_experiment(const std::string& tiles, int samples,
                                      const std::string& problem) const {
  write("experiments/transpose/tile_size.json", experiment(problem, tiles, samples));
}

void ProjectFixture::write_reference_with_file(int offset) const {
  write("offset", std::to_string(offset));
  write("kernel_templates/transpose/cpu.cpp",
        "#include <fstream>\n"
        "extern \"C\" void transpose(float* output, const float* input, int n) {\n"
        "  float offset = 0;\n"
        "  std::ifstream(\"" +
            (project_ / "offset").string() +
            "\") >> offset;\n"
            "  for (int y = 0; y < n; ++y)\n"
            "    for (int x = 0; x < n; ++x) output[x * n + y] = input[y * n + x] + offset;\n"
            "}\n");
}

void ProjectFixture::write_long_experiment(int samples) const {
  write("experiments/transpose/tile_size.json",
        experiment(R"("N": [)" + std::to_string(kLongRunSide) + "]",
                   "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", samples));
}

CommandResult ProjectFixture::tailwave(const std::vector<std::string>& arguments,
                                       const std::string& folder) const {
  const fs::path out = project_ / "stdout";
  const fs::path err = project_ / "stderr";
  return finish(start(arguments, project_ / folder, out, err), out, err);
}

pid_t ProjectFixture::begin(const std::vector<std::string>& arguments, const std::string& name,
                            const Confinement& confinement) const {
  if (confinement.unprivileged) {
    fs::create_directories(project_ / kOwnCache);
    if (geteuid() == 0 && chown((project_ / kOwnCache).c_str(), kNobody, kNobody) != 0)
      throw Error("the cache cannot be given away");
  }
  return start(arguments, project_, project_ / (name + ".out"), project_ / (name + ".err"), confinement);
}

bool ProjectFixture::has_stored(pid_t process, int trials) const {
  const auto enough = [&] {
    try {
      return std::stoi(scalar("SELECT count(*) FROM trial")) >= trials;
    } catch (const Error&) {
      return false;  // not made yet
    }
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (std::chrono::steady_clock::now() < end) {
    if (enough()) return true;
    siginfo_t state{};
    if (waitid(P_PID, static_cast<id_t>(process), &state, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        state.si_pid != 0)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

CommandResult ProjectFixture::end(pid_t process, const std::string& name) const {
  return finish(process, project_ / (name + ".out"), project_ / (name + ".err"));
}

std::string ProjectFixture::scalar(const std::string& sql) const {
  Database database(project_ / "results/tailwave.db", Database::Mode::read_only);
  const Table table = database.query(sql);
  const Cell& cell = table.rows.at(0).at(0);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return to_string(Value{*real});
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "NULL";
}

}  // namespace tailwave
