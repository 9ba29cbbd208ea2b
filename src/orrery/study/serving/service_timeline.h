// SPDX-License-Identifier: Apache-2.0
//
// A served stream as a timeline for Perfetto: the steps, the queue, the cache and the requests of
// each instance.
#pragma once

#include "orrery/report/perfetto/perfetto.h"
#include "orrery/study/serving/infer.h"

namespace orrery::study {

/// Writes TracePackets. Each instance is a process with the tracks "steps" (slices "decode", or
/// "prompt" if the step computes tokens of prompts), "requests" (as few rows as hold all requests
/// without overlaps: slices "waiting", "first token", "other tokens"), and counters of running and
/// waiting requests and of blocks of the cache, at the begin of each step. False: the sink stopped
/// it. Deterministic. O(steps + requests log requests).
[[nodiscard]] bool write_service_timeline(const Inference& made, const report::ByteSink& sink);

}  // namespace orrery::study
