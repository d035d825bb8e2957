#include "races/race_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "compile/artifact.h"
#include "core/error.h"
#include "core/hex_digits.h"
#include "core/outcome.h"
#include "device/cpu/launch_limits.h"
#include "device/executor.h"
#include "measure/inputs.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"

namespace tailwave {
namespace {

// What stands for the plan's buffer of that number.
class NumberedBuffer final : public Buffer {
 public:
  NumberedBuffer(std::size_t number, std::size_t bytes) : number_(number), bytes_(bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return bytes_; }
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::size_t number_, bytes_;
};

std::size_t number_of(const Buffer& buffer) {
  return dynamic_cast<const NumberedBuffer&>(buffer).number();
}

std::string argument_text(const LaunchArgument& argument) {
  if (const auto* buffer = std::get_if<Buffer*>(&argument))
    return fmt::format("buffer {}", number_of(**buffer));
  if (const auto* whole = std::get_if<StructBytes>(&argument)) {
    std::string text = fmt::format("struct {} ", whole->bytes.size());
    text += hex_digits({reinterpret_cast<const char*>(whole->bytes.data()), whole->bytes.size()});
    text += fmt::format(" {}", whole->addresses.size());
    for (const auto& [offset, buffer] : whole->addresses)
      text += fmt::format(" {} {}", offset, number_of(*buffer));
    return text;
  }
  const auto* const scalar = std::get_if<ScalarBytes>(&argument);
  if (scalar == nullptr)
    throw Failure(Outcome::unavailable, "races are not looked for in what only GPUs have");
  std::uint64_t bits = 0;
  std::memcpy(&bits, scalar->bytes.data(), scalar->size);
  return fmt::format("scalar {} {}", scalar->size, bits);
}

void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw Error(fmt::format("{}: cannot be written", file.string()));
}

class PlanWriter {
 public:
  PlanWriter(std::filesystem::path folder, const System& system, const VariantSpec& variant, Values scope)
      : folder_(std::move(folder)),
        system_(system),
        scope_(std::move(scope)),
        kernels_(kernel_names(variant)),
        counts_(buffer_counts(system, variant, scope_)) {}

  void add_buffers(const MadeBuffer& made) {
    for (const auto& [name, count] : counts_) {
      const std::size_t number = buffers_.size();
      const BufferSpec& buffer = system_.buffers.at(name);
      const std::vector<std::byte> contents =
          buffer.fill.kind == Fill::Kind::function
              ? made(name)
              : make_input(buffer, count, 0, scope_of_reference(system_, scope_));
      const std::filesystem::path file = folder_ / fmt::format("buffer{}", number);
      write_file(file, contents);
      buffers_.emplace(name, NumberedBuffer(number, contents.size()));
      text_ += fmt::format("buffer {} {} {}\n", name, contents.size(), file.string());
    }
  }

  void add(const std::vector<LaunchSpec>& plan) {
    const auto find = [&](const std::string& name) {
      return FoundBuffer{system_.buffers.at(name).type, &buffers_.at(name)};
    };
    for (const Launch& launch : resolve_plan(plan, scope_, find)) {
      if (raced_threads_ >= kMostRacedThreads) {
        ++left_out_;
        continue;
      }
      ++launches_;
      const std::string head =
          fmt::format("{} {} {}", launch.stream, launch.wait.size(), fmt::join(launch.wait, " "));
      text_ += what_it_does(launch, head);
    }
    text_ += "join\n";
  }

  [[nodiscard]] RacePlan write() const {
    std::int64_t threads = 0, blocks = 0;
    for (const auto& [stream, size] : largest_of_stream_) {
      threads += size.threads;
      blocks += size.blocks;
    }
    if (threads > kMostRaceThreads || blocks > kMostRaceBlocks)
      throw Failure(
          Outcome::exceeds_device_limit,
          fmt::format(
              "{} CUDA threads in {} blocks live at once; races are looked for among {} in {} at most",
              threads, blocks, kMostRaceThreads, kMostRaceBlocks));
    const std::filesystem::path file = folder_ / "plan";
    write_file(file, std::as_bytes(std::span(text_)));
    return {file, launches_, left_out_};
  }

 private:
  struct Size {
    std::int64_t threads = 0, blocks = 0;
  };

  std::string what_it_does(const Launch& launch, const std::string& head) {
    if (launch.prefetched != nullptr) return fmt::format("wait {}\n", head);
    if (launch.copied == nullptr) return fmt::format("launch {} {}\n", head, shape_and_arguments(launch));
    const std::size_t from = number_of(*launch.copied);
    if (launch.copied_to == nullptr) return fmt::format("copy {} {} {}\n", head, from, launch.kernel);
    require_equal_copy(*launch.copied, *launch.copied_to);
    return fmt::format("move {} {} {}\n", head, from, number_of(*launch.copied_to));
  }

  std::string shape_and_arguments(const Launch& launch) {
    static_cast<void>(checked_shape(launch));
    if (launch.cluster && launch.cluster->count() > 1)
      throw Failure(
          Outcome::unavailable,
          fmt::format("'{}' is launched in clusters, in which races are not looked for", launch.kernel));
    const std::int64_t blocks = launch.grid.count(), threads = blocks * launch.block.count();
    Size& largest = largest_of_stream_[launch.stream];
    largest = {std::max(largest.threads, threads), std::max(largest.blocks, blocks)};
    raced_threads_ += threads;
    const auto kernel = std::find(kernels_.begin(), kernels_.end(), launch.kernel);
    std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} {}", kernel - kernels_.begin(), launch.grid.x, launch.grid.y,
                    launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                    launch.dynamic_shared_bytes, launch.cooperative ? 1 : 0, launch.arguments.size());
    for (const LaunchArgument& argument : launch.arguments) text += ' ' + argument_text(argument);
    return text;
  }

  std::filesystem::path folder_;
  const System& system_;
  Values scope_;
  std::vector<std::string> kernels_;
  std::map<std::string, std::size_t> counts_;
  std::map<std::string, NumberedBuffer> buffers_;
  std::map<int, Size> largest_of_stream_;  // of its launches
  std::int64_t raced_threads_ = 0;
  std::size_t launches_ = 0, left_out_ = 0;
  std::string text_;
};

}  // namespace

RacePlan write_plan(const std::filesystem::path& folder, const System& system, const VariantSpec& variant,
                    const Configuration& configuration, const MadeBuffer& made) {
  PlanWriter writer(folder, system, variant, scope_of_pe(variant, configuration.scope()));
  writer.add_buffers(made);
  for (const std::vector<LaunchSpec>* plan : {&variant.prepare, &variant.launches, &variant.finish})
    writer.add(*plan);
  return writer.write();
}

}  // namespace tailwave
