// SPDX-License-Identifier: Apache-2.0
//
// From the arguments of an engine to its options, its cache and the time of its steps.
#pragma once

#include <map>
#include <memory>

#include "orrery/serving/forward_pass.h"
#include "orrery/study/serving/infer.h"

namespace orrery::study {

/// An instance that is ready to serve.
struct EngineSetup {
  std::shared_ptr<const serving::ForwardPass> pass;
  serving::StepParts parts;
  serving::EngineOptions options;
  ServingMemory memory;
  std::vector<ServerConstant> server;
  std::int64_t blocks = 0, block_tokens = 16;
  std::int64_t devices = 1;
  double device_power = 0;  ///< W, of the data sheet; 0: unknown
};

/// The options of the question's engine on its device. Errc: config_*.
[[nodiscard]] Result<serving::EngineOptions> engine_options(const InferQuestion& question);
/// Whether the model has experts. Errc: usage, config_*.
[[nodiscard]] Result<bool> has_experts(const InferQuestion& question);

/// Passes of one instance shape (device, sizes, formats), by the largest captured size.
using SharedPasses = std::map<std::int64_t, std::shared_ptr<const serving::ForwardPass>>;

/// `question` has sizes (with_default_sizes). `shared`: passes of questions that differ in the
/// limits of a step only; a new one is added. Errc: usage, config_*, limit_exceeded (the model does
/// not fit).
[[nodiscard]] Result<EngineSetup> set_up_engine(const InferQuestion& question, Findings& findings,
                                                SharedPasses* shared = nullptr);

/// The setup of the question's instances. Copies of attention are served like instances: each has
/// its own requests and cache.
[[nodiscard]] serving::ServingSetup serving_setup(const InferQuestion& question,
                                                  const EngineSetup& engine);

}  // namespace orrery::study
