#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace tailwave {
namespace {

std::string names(std::span<const PreparedLaunch> plan) {
  std::string text;
  for (const PreparedLaunch& launch : plan) {
    const std::string name = launch.text.substr(0, launch.text.find(" ("));
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text.empty() ? "an empty plan" : text;
}

}  // namespace

void check_launch(Context& context, CUresult result, const PreparedLaunch& launch) {
  const bool refused = result != CUDA_SUCCESS && !poisons_context(result);
  if (!refused || launch.exceeded_limit.empty()) return context.check(result, launch.text);
  throw Failure(
      Outcome::exceeds_device_limit,
      fmt::format("{}: {} ({})", launch.text, context.api().describe(result), launch.exceeded_limit));
}

StreamHold::StreamHold(std::shared_ptr<Context> context)
    : context_(std::move(context)), word_(make_mapped_memory(context_, sizeof(std::uint32_t))) {
  *static_cast<std::uint32_t*>(word_.get()) = 0;
  context_->check(context_->api().host_device_pointer(&word_on_device_, word_.get(), 0),
                  "mapping host memory");
}

void StreamHold::probe(CUstream stream) {
  const DriverApi& api = context_->api();
  if (api.stream_wait_value == nullptr) {
    reason_ = "the driver has no cuStreamWaitValue32_v2";
    return;
  }
  CUresult result = engage(stream);
  release();
  if (result == CUDA_SUCCESS) result = api.stream_synchronize(stream);
  reason_ = result == CUDA_SUCCESS ? "" : api.describe(result);
}

CUresult StreamHold::engage(CUstream stream) noexcept {
  return context_->api().stream_wait_value(stream, word_on_device_, ++ticket_, CU_STREAM_WAIT_VALUE_GEQ);
}

void StreamHold::release() noexcept {
  std::atomic_ref(*static_cast<std::uint32_t*>(word_.get())).store(ticket_, std::memory_order_release);
}

Launcher::Launcher(std::shared_ptr<Context> context)
    : context_(std::move(context)),
      begin_(make_event(context_)),
      end_(make_event(context_)),
      forked_(make_event(context_, CU_EVENT_DISABLE_TIMING)),
      hold_(context_) {
  use_streams(1);
  hold_.probe(main_stream());
}

void Launcher::use_streams(std::size_t count) {
  while (streams_.size() < count) {
    streams_.push_back(make_stream(context_));
    done_.push_back(make_event(context_, CU_EVENT_DISABLE_TIMING));
  }
}

double Launcher::run(std::span<const PreparedLaunch> plan, int executions, bool held, double deadline_s) {
  const DriverApi& api = context_->api();
  std::size_t streams = 1;
  for (const PreparedLaunch& launch : plan) streams = std::max(streams, launch.stream + 1);
  use_streams(streams);

  queued_ = 0;
  try {
    if (held) context_->check(hold_.engage(main_stream()), "holding the stream");
    context_->check(api.event_record(begin_.get(), main_stream()), "recording an event");
    enqueue(plan, executions, streams);
    context_->check(api.event_record(end_.get(), main_stream()), "recording an event");
  } catch (const Failure&) {
    hold_.release();
    drain(deadline_s);
    throw;
  }
  hold_.release();

  const CUresult result = wait(main_stream(), deadline_s);
  if (result == CUDA_ERROR_NOT_READY) {
    context_->poison();
    throw Failure(Outcome::timeout, fmt::format("{}: not ended after {:g} s", names(plan), deadline_s));
  }
  context_->check(result, names(plan));
  float elapsed_ms = 0;
  context_->check(api.event_elapsed(&elapsed_ms, begin_.get(), end_.get()), "reading the events");
  return static_cast<double>(elapsed_ms) * 1e6 / executions;
}

void Launcher::enqueue(std::span<const PreparedLaunch> plan, int executions, std::size_t streams) {
  for (int execution = 0; execution < executions; ++execution) {
    fork(streams);
    for (const PreparedLaunch& launch : plan) enqueue_launch(launch);
    join(streams);
  }
}

void Launcher::enqueue_launch(const PreparedLaunch& launch) {
  const DriverApi& api = context_->api();
  const auto [grid_x, grid_y, grid_z] = launch.grid;
  const auto [block_x, block_y, block_z] = launch.block;
  void** const arguments = const_cast<void**>(launch.arguments.data());
  CUstream const stream = streams_[launch.stream].get();
  const CUresult result =
      launch.cooperative ? api.launch_cooperative(launch.function, grid_x, grid_y, grid_z, block_x, block_y,
                                                  block_z, launch.dynamic_shared_bytes, stream, arguments)
                         : api.launch(launch.function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                      launch.dynamic_shared_bytes, stream, arguments, nullptr);
  check_launch(*context_, result, launch);
  count_operations(1);
}

void Launcher::fork(std::size_t streams) {
  if (streams == 1) return;
  const DriverApi& api = context_->api();
  context_->check(api.event_record(forked_.get(), main_stream()), "recording an event");
  for (std::size_t i = 1; i < streams; ++i) {
    context_->check(api.stream_wait_event(streams_[i].get(), forked_.get(), 0), "waiting for an event");
  }
  count_operations(streams);
}

void Launcher::join(std::size_t streams) {
  const DriverApi& api = context_->api();
  for (std::size_t i = 1; i < streams; ++i) {
    context_->check(api.event_record(done_[i].get(), streams_[i].get()), "recording an event");
    context_->check(api.stream_wait_event(main_stream(), done_[i].get(), 0), "waiting for an event");
  }
  count_operations(2 * (streams - 1));
}

void Launcher::count_operations(std::size_t operations) {
  queued_ += operations;
  if (queued_ >= kHeldOperations) hold_.release();
}

CUresult Launcher::wait(CUstream stream, double deadline_s) const {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpin = std::chrono::microseconds(200);
  constexpr auto kLongestSleep = std::chrono::milliseconds(1);
  const auto start = Clock::now();
  for (;;) {
    const CUresult result = context_->api().stream_query(stream);
    if (result != CUDA_ERROR_NOT_READY) return result;
    const auto elapsed = Clock::now() - start;
    if (deadline_s > 0 && std::chrono::duration<double>(elapsed).count() > deadline_s) return result;
    if (elapsed > kSpin) std::this_thread::sleep_for(std::min<Clock::duration>(elapsed / 10, kLongestSleep));
  }
}

void Launcher::drain(double deadline_s) noexcept {
  for (const Stream& stream : streams_) {
    const CUresult result = wait(stream.get(), deadline_s);
    if (result == CUDA_ERROR_NOT_READY || poisons_context(result)) context_->poison();
    if (!context_->usable()) return;
  }
}

}  // namespace tailwave
#endif
