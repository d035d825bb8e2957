#include "judge/candidate_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/sandbox.h"
#include "device/wire.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFolderName = "tailwave-judge-";

CandidateBuild build_of(const std::string& task) {
  const auto bytes = std::as_bytes(std::span(task));
  Packet packet;
  packet.append(bytes);
  return take<CandidateBuild>(packet);
}

// Where this process has its source.
fs::path copied_source(const CandidateBuild& wanted, const fs::path& folder) {
  fs::path file = folder / std::to_string(getpid()) / wanted.name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error) fs::copy_file(wanted.file, file, fs::copy_options::overwrite_existing, error);
  if (error) refuse_temporary_file(file, "cannot be written");
  return file;
}

bool is_of_path(char letter) {
  return std::isspace(static_cast<unsigned char>(letter)) == 0 && letter != '"' && letter != '\'' &&
         letter != '(' && letter != '`';
}

// Behind "tailwave-judge-" at `place`: the end of "abc123/4711/", or npos where something else follows.
std::size_t end_of_folder(std::string_view text, std::size_t place) {
  std::size_t end = place + kFolderName.size() + TemporaryFolder::kDrawn;
  if (end >= text.size() || text[end] != '/') return std::string_view::npos;
  const std::size_t number = ++end;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return end > number && end < text.size() && text[end] == '/' ? end + 1 : std::string_view::npos;
}

// Whole lines, if there are any, of what a compiler said.
std::string shortened(std::string text) {
  if (text.size() <= kMostLogBytes) return text;
  const std::size_t line_end = text.rfind('\n', kMostLogBytes);
  const std::size_t kept = line_end == std::string::npos ? kMostLogBytes : line_end;
  const std::size_t left_out = text.size() - kept;
  text.resize(kept);
  return text + fmt::format("\n... and {} bytes more", left_out);
}

Built build_as(const BuildRequest& request, const Tools& tools) try {
  return build_configuration(request, tools);
} catch (const Error& error) {
  if (error.exit_status() != Error::kBadUsage) throw;
  // The source names a file outside the system's folder, or one that cannot be known.
  Built built;
  built.outcome = Outcome::compile_error;
  built.detail = error.what();
  return built;
}

}  // namespace

std::string task_of(const CandidateBuild& wanted) {
  Packet packet;
  packet << wanted;
  return {reinterpret_cast<const char*>(packet.bytes().data()), packet.bytes().size()};
}

SourceFolder::SourceFolder() : folder_(kFolderName) {
  extend_sandbox(Confined::compiler, {.read = {}, .write = {path()}});
}

std::string SourceFolder::add(std::uint64_t number, const std::string& text) const {
  const fs::path file = path() / fmt::format("source-{}", number);
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) refuse_temporary_file(file, "cannot be written");
  return file.string();
}

void SourceFolder::remove(std::uint64_t number) const {
  std::error_code ignored;
  fs::remove(path() / fmt::format("source-{}", number), ignored);
}

Built build_candidate(const std::string& task, std::span<const System* const> systems, const Tools& tools,
                      const fs::path& folder, double deadline_s) {
  const CandidateBuild wanted = build_of(task);
  const System& system = *systems[wanted.system];
  VariantSpec variant = *system.find_variant(wanted.configuration.variant);
  if (!wanted.name.empty()) variant.source = copied_source(wanted, folder);
  Built built = build_as({&system, &variant, wanted.configuration, deadline_s}, tools);
  built.detail = shortened(without_source_folder(std::move(built.detail)));
  if (built.artifact)
    built.artifact->record.log = shortened(without_source_folder(std::move(built.artifact->record.log)));
  return built;
}

std::string without_source_folder(std::string text) {
  for (std::size_t place = text.find(kFolderName); place != std::string::npos;
       place = text.find(kFolderName, place)) {
    const std::size_t end = end_of_folder(text, place);
    std::size_t begin = place;
    while (begin > 0 && is_of_path(text[begin - 1])) --begin;
    if (end == std::string_view::npos) {
      place += kFolderName.size();
      continue;
    }
    text.erase(begin, end - begin);
    place = begin;
  }
  return text;
}

}  // namespace tailwave
