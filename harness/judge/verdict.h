#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/device.h"
#include "judge/judge.h"

namespace tailwave {

// A judgement as docs/judging.md describes it: outcome, time, speed-up, limit, what was checked, kernels, build.
// `session` is what says which draw of the inputs it was; see judge/draw.h.
nlohmann::ordered_json verdict_json(const JudgedCandidate& judgement, const DeviceDescription& device,
                                    const nlohmann::ordered_json& session);

}  // namespace tailwave
