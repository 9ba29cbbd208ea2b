// SPDX-License-Identifier: Apache-2.0
//
// Latencies of a server under a constant load in closed form, without a simulation.
//
// A request is in decoding for (output - 1) steps, so that n = r (output - 1) T requests decode on
// average at r requests per second and a mean step time T (Little's law). A share p = r k T of the
// steps computes a prompt of k chunks, so that
//
//   T = (1 - p) T_decode(n) + p T_prompt(n, chunk)        (vLLM, TensorRT-LLM: in one step)
//   T = T_decode(n) + p T_prompt(chunk)                   (SGLang: in steps of their own)
//
// The smallest T that solves this is the step time; without one the server is overloaded. A request
// waits for the rest of the step that runs, for the step that is already planned, and for the
// prompts before it: M/G/1 with the time by which a prompt lengthens steps, by Kingman's formula
// ("The single server queue in heavy traffic", Proc. Camb. Phil. Soc. 57, 1961), with an
// exponential tail. Percentiles of step times follow from the variation of the number of requests
// in progress.
#pragma once

#include <array>
#include <cstdint>

#include "orrery/serving/latencies.h"
#include "orrery/serving/simulation.h"
#include "orrery/serving/step_cost.h"

namespace orrery::explore {

/// What estimates need to know of a stream of requests.
struct StreamMoments {
  double rate = 0;             ///< requests per second
  double gap_variation = 1;    ///< squared coefficient of variation of the gaps; Poisson: 1
  double input = 0;            ///< tokens of a prompt on average
  double input_variation = 0;  ///< squared coefficient of variation
  double output = 0;           ///< tokens of an output on average
  double keys = 0;             ///< that a decoding request has, on average over its steps
  double cached = 0;           ///< share of the prompts' tokens that other requests had before
  /// Tokens of prompts and outputs: at p50, p90, p99.
  std::array<double, 3> inputs{}, outputs{};
};

/// O(requests log requests). The rate is 0 if all requests arrive at once, or if clients wait for
/// their requests.
[[nodiscard]] StreamMoments moments_of(const serving::RequestStream& stream);

struct SteadyState {
  bool overloaded = false;
  double sequences = 0;  ///< that decode, of one instance
  /// `ttft`, `tpot`, `gap` and `latency`, without the longest; `output_per_s`.
  serving::ServiceMetrics metrics;
};

/// Engines with static batches have no steady state: they are served as vLLM.
[[nodiscard]] SteadyState steady_state(const StreamMoments& stream,
                                       const serving::ServingSetup& setup,
                                       const serving::StepCost& cost);

}  // namespace orrery::explore
