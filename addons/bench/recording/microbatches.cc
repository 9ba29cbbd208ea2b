// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/microbatches.h"

#include <algorithm>

#include "addons/bench/recording/training_pass.h"
#include "orrery/profile/comm.h"

namespace orrery::bench {

Result<Microbatches> microbatches_of(const profile::Profile& profile,
                                     const std::vector<profile::EventId>& operators) {
  if (std::any_of(profile.comms.begin(), profile.comms.end(),
                  [](const profile::Comm& comm) { return is_message(comm.kind); }))
    return fail(Errc::input_missing_attr, profile.where,
                "its ranks exchange messages, so passes of microbatches overlap",
                "shrink the pipeline with orrery trace scale-down (docs/scale-down.md)");
  Microbatches found;
  found.of.assign(operators.size(), kNoMicrobatch);
  bool backward = false;
  std::uint32_t now = 0;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const TrainingPass pass = pass_of(profile, operators[i]);
    if (pass == TrainingPass::optimizer) continue;
    if (pass == TrainingPass::forward && backward) ++now;
    backward = pass == TrainingPass::backward;
    found.of[i] = now;
    if (backward) found.count = now + 1;
  }
  for (std::uint32_t& of : found.of)
    if (of != kNoMicrobatch && of >= found.count) of = kNoMicrobatch;
  return found;
}

}  // namespace orrery::bench
