#include <algorithm>
#include <stdexcept>

#include "device/packing.h"
#include "measure/repetition.h"

namespace tailwave {
namespace {

void put(Packet& packet, const MeasureSettings& settings) {
  packet << settings.mode << settings.cache << settings.samples << settings.max_samples << settings.precision
         << settings.warmup << settings.repetitions << settings.time_cap_s << settings.batch_ms
         << settings.race << settings.deadline_s;
}

MeasureSettings take_settings(Packet& packet) {
  MeasureSettings settings;
  packet >> settings.mode >> settings.cache >> settings.samples >> settings.max_samples >>
      settings.precision >> settings.warmup >> settings.repetitions >> settings.time_cap_s >>
      settings.batch_ms >> settings.race >> settings.deadline_s;
  return settings;
}

}  // namespace

Packet& operator<<(Packet& packet, const Step& step) {
  return packet << step.draw << step.timed << step.looked_at;
}
Packet& operator>>(Packet& packet, Step& step) {
  return packet >> step.draw >> step.timed >> step.looked_at;
}

Packet& operator<<(Packet& packet, const Sample& sample) {
  return packet << sample.repetition << sample.position << sample.time_ns << sample.executions
                << sample.dropped << sample.sm_clock_mhz << sample.temperature_c << sample.throttle_reasons;
}
Packet& operator>>(Packet& packet, Sample& sample) {
  return packet >> sample.repetition >> sample.position >> sample.time_ns >> sample.executions >>
         sample.dropped >> sample.sm_clock_mhz >> sample.temperature_c >> sample.throttle_reasons;
}

Packet& operator<<(Packet& packet, const Look& look) {
  packet << look.contents.size();
  for (const auto& [buffer, blob] : look.contents) {
    packet << buffer;
    packet.put(blob);
  }
  return packet << look.damage << look.examined << look.passed;
}
Packet& operator>>(Packet& packet, Look& look) {
  for (std::size_t count = packet.take_count(); count > 0; --count) {
    const auto buffer = take<std::string>(packet);
    look.contents[buffer] = packet.take_blob();
  }
  return packet >> look.damage >> look.examined >> look.passed;
}

Packet& operator<<(Packet& packet, const RepetitionResult& result) {
  return packet << result.outcome << result.detail << result.blocks_per_sm << result.looks << result.samples
                << result.stopped_by << result.fresh_ns << result.phases.load << result.phases.verify
                << result.phases.measure;
}
Packet& operator>>(Packet& packet, RepetitionResult& result) {
  return packet >> result.outcome >> result.detail >> result.blocks_per_sm >> result.looks >>
         result.samples >> result.stopped_by >> result.fresh_ns >> result.phases.load >>
         result.phases.verify >> result.phases.measure;
}

std::size_t place_of(const System* system, std::span<const System* const> systems) {
  const auto place = std::find(systems.begin(), systems.end(), system);
  if (place == systems.end()) throw std::logic_error("a worker was not started with this system");
  return static_cast<std::size_t>(place - systems.begin());
}

void put(Packet& packet, const Repetition& repetition, std::span<const System* const> systems) {
  packet << repetition.number << place_of(repetition.system, systems) << repetition.configuration.system
         << repetition.configuration.variant << repetition.configuration.parameters
         << repetition.configuration.problem << repetition.artifact;
  put(packet, repetition.settings);
  packet << repetition.repetition << repetition.race_to_ns << repetition.steps << repetition.results
         << repetition.verifier << repetition.asks_driver << repetition.fresh_data;
}

Repetition take_repetition(Packet& packet, std::span<const System* const> systems) {
  Repetition repetition;
  packet >> repetition.number;
  const auto place = take<std::size_t>(packet);
  if (place >= systems.size()) throw std::out_of_range("a system that the worker does not have");
  repetition.system = systems[place];
  packet >> repetition.configuration.system >> repetition.configuration.variant >>
      repetition.configuration.parameters >> repetition.configuration.problem >> repetition.artifact;
  repetition.settings = take_settings(packet);
  packet >> repetition.repetition >> repetition.race_to_ns >> repetition.steps >> repetition.results >>
      repetition.verifier >> repetition.asks_driver >> repetition.fresh_data;
  return repetition;
}

}  // namespace tailwave
