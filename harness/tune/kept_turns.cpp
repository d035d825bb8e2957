#include "tune/kept_turns.h"

#include <span>
#include <utility>
#include <vector>

#include "core/program_identity.h"
#include "device/wire.h"

namespace tailwave {

void keep_turns(ResultStore& store, std::int64_t run, const Candidate& candidate) {
  Packet packet;
  packet << candidate.trial;
  std::vector<std::int64_t> order;  // which the message of a sample leaves out
  for (const Sample& sample : candidate.trial.samples) order.push_back(sample.sequence);
  packet << order;
  const auto bytes = packet.bytes();
  store.keep_unfinished(
      run, candidate.trial.key, program_identity(),
      {candidate.begun, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
}

bool resume_turns(Candidate& candidate, const std::map<std::string, UnfinishedTrial>& kept) try {
  const auto found = kept.find(candidate.trial.key);
  if (found == kept.end()) return false;
  const auto bytes = std::as_bytes(std::span(found->second.contents));
  Packet packet(Bytes(bytes.begin(), bytes.end()), {});
  auto trial = take<Trial>(packet);
  const auto order = take<std::vector<std::int64_t>>(packet);
  const int begun = found->second.repetitions;
  if (trial.key != candidate.trial.key || trial.configuration.name() != candidate.configuration().name() ||
      trial.outcome != Outcome::correct || begun < 1 || begun > candidate.repetitions ||
      order.size() != trial.samples.size())
    return false;
  for (std::size_t i = 0; i < order.size(); ++i) trial.samples[i].sequence = order[i];
  candidate.trial = std::move(trial);
  candidate.begun = begun;
  return true;
} catch (const std::exception&) {
  return false;
}

}  // namespace tailwave
