#include "races/made_buffer.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "compile/host_compiler.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/process.h"
#include "measure/input_maker.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"
#include "races/embedded.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

void write_part(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw Error(fmt::format("{}: cannot be written", file.string()));
}

// Stands for the buffer that is filled.
class FilledBuffer final : public Buffer {
 public:
  explicit FilledBuffer(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return bytes_; }

 private:
  std::size_t bytes_;
};

// As filler.cc reads it.
std::string call_text(const System& system, const VariantSpec& maker, const Configuration& configuration,
                      const std::string& buffer) {
  const Values scope = configuration.scope();
  const ScalarType type = system.buffers.at(buffer).type;
  FilledBuffer filled(buffer_counts(system, maker, scope).at(buffer) * size_bytes(type));
  const auto find = [&](const std::string& /*name*/) { return FoundBuffer{type, &filled}; };
  std::string text = fmt::format("{}\n", filled.size_bytes());
  const std::vector<Launch> calls = resolve_plan(maker.launches, scope, find);
  for (const LaunchArgument& argument : calls.at(0).arguments) {
    const auto* const scalar = std::get_if<ScalarBytes>(&argument);
    std::uint64_t bits = 0;
    if (scalar != nullptr) std::memcpy(&bits, scalar->bytes.data(), scalar->size);
    text += scalar == nullptr ? "buffer\n" : fmt::format("scalar {} {}\n", scalar->size, bits);
  }
  return text;
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

BufferMaker::BufferMaker(std::shared_ptr<const HostToolchain> toolchain, fs::path shared)
    : toolchain_(std::move(toolchain)), shared_(std::move(shared)) {}

void BufferMaker::build_caller() const {
  write_part(shared_ / "tailwave_abi.h", cpu_header("tailwave_abi.h"));
  write_part(shared_ / "filler.cpp", embedded::races::file("filler.cc"));
  toolchain_->compile_object(shared_ / "filler.cpp", shared_ / "filler.o",
                             {"-std=c++17", "-O1", "-I", shared_.string()});
}

void BufferMaker::build(const System& system, const Configuration& configuration,
                        const fs::path& folder) const {
  const SourceUnit unit = host_unit({&system, system.find_variant(configuration.variant), configuration});
  write_part(folder / "unit.cpp", unit.text);
  for (const HostToolchain::File& header : unit.headers) write_part(folder / header.name, header.text);
  std::vector<std::string> flags{"-O1", "-I", folder.string()};
  for (const std::string& include : unit.includes)
    flags.insert(flags.end(), {"-I", (folder / include).string()});
  for (const std::vector<std::string>& more : {unit.flags, HostToolchain::extra_flags()})
    flags.insert(flags.end(), more.begin(), more.end());
  toolchain_->compile_object(folder / "unit.cpp", folder / "unit.o", flags);
  toolchain_->link_program({folder / "unit.o", shared_ / "filler.o"}, folder / "program",
                           {"-pthread", "-ldl", "-lm"});
}

std::vector<std::byte> BufferMaker::make(const System& system, const Configuration& configuration,
                                         const std::string& buffer, const fs::path& folder) const {
  const VariantSpec& maker = *system.find_variant(maker_of(buffer));
  const auto fail = [&](const std::string& why) {
    throw Failure(Outcome::unavailable, fmt::format("{}(), which fills the buffer '{}', does not run: {}",
                                                    maker.launches.at(0).kernel, buffer, why));
  };
  ProcessResult result;
  try {
    std::call_once(built_, [this] { build_caller(); });
    const Configuration called = maker_configuration(system, maker, configuration);
    build(system, called, folder);
    write_part(folder / "call", call_text(system, maker, called, buffer));
    result =
        run_process({(folder / "program").string(), (folder / "call").string(), (folder / "filled").string()},
                    std::chrono::seconds(static_cast<long>(kDeadlineS)));
  } catch (const Failure& failure) {
    fail(failure.what());
  }
  if (result.timed_out) fail(fmt::format("it takes longer than {:g} s", kDeadlineS));
  if (result.exit_status == 3) fail(last_line(result.output));
  if (result.exit_status != 0) fail(fmt::format("it ended with status {}", result.exit_status));
  std::ifstream stream(folder / "filled", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  std::vector<std::byte> contents(bytes.size());
  std::memcpy(contents.data(), bytes.data(), bytes.size());
  return contents;
}

}  // namespace tailwave
