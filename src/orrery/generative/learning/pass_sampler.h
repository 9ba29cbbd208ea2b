// SPDX-License-Identifier: Apache-2.0
//
// Samples the ops of one pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/generative/learning/learned_traces.h"
#include "orrery/workload/program/program.h"

namespace orrery::generative {

/// The pass to sample.
struct PassPlace {
  std::uint32_t role = 0, recipe = 0;
};
/// A segment of a sampled pass.
struct SampledSegment {
  std::vector<workload::Op> ops;
  std::uint32_t count = 1;
  bool per_layer = false;  ///< it runs once per layer, or for all but a few layers
};

class PassSampler {
 public:
  /// All must outlive the sampler. `settings`: words of the job.
  PassSampler(const LearnedTraces& learned, const workload::Program& job,
              const std::vector<std::string>& settings, double temperature)
      : learned_(learned), job_(job), settings_(settings), temperature_(temperature) {}

  /// A sample; nullopt if every continuation is masked, or the pass is longer than any learned one
  /// could be. `key`: passes with the same conditions and key have the same tokens if the mask
  /// allows.
  [[nodiscard]] std::optional<std::vector<SampledSegment>> sample(PassPlace place,
                                                                  std::uint64_t key) const;

 private:
  class Pass;
  const LearnedTraces& learned_;
  const workload::Program& job_;
  const std::vector<std::string>& settings_;
  double temperature_;
};

}  // namespace orrery::generative
