// SPDX-License-Identifier: Apache-2.0
//
// From the arguments of an engine to its options, its cache and the time of its steps.
#pragma once

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

/// Errc: usage, config_*, limit_exceeded (the model does not fit).
[[nodiscard]] Result<EngineSetup> set_up_engine(const InferQuestion& question, Findings& findings);

}  // namespace orrery::study
