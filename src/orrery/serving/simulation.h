// SPDX-License-Identifier: Apache-2.0
//
// A stream of requests served by several instances behind a router.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/core/error.h"
#include "orrery/serving/instance.h"

namespace orrery::serving {

enum class Routing : std::uint8_t {
  round_robin,
  least_loaded,  ///< fewest requests that have not ended
  prefix_aware,  ///< the most cached tokens; of equal instances, the least loaded
};

struct ServingSetup {
  EngineOptions options;
  std::int64_t instances = 1;
  Routing routing = Routing::round_robin;
  std::int64_t blocks = 0;  ///< of the cache of each instance
  std::int64_t block_tokens = 16;
};

struct ServingRun {
  std::vector<RequestTimes> times;             ///< by request
  std::vector<std::uint32_t> gaps;             ///< microseconds between two tokens, all requests
  std::vector<std::vector<StepRecord>> steps;  ///< by instance
  std::uint64_t preemptions = 0;
  Time end{};
};

/// Errc: limit_exceeded (a request that the cache cannot hold, or that no step can compute), usage
/// (no instance). O(requests).
[[nodiscard]] Result<void> check_stream(const RequestStream& stream, const ServingSetup& setup);

/// Serves all requests. Deterministic: at equal times, steps end before requests arrive, and
/// instances and requests follow their numbers. Errc: those of check_stream(). An event costs O(log
/// instances); an arrival O(instances) with a router that compares them.
[[nodiscard]] Result<ServingRun> serve(const RequestStream& stream, const ServingSetup& setup,
                                       const StepCost& cost);

}  // namespace orrery::serving

namespace orrery::config {
template <>
struct EnumNames<serving::Routing> {
  static constexpr auto names =
      names_in_order<serving::Routing::prefix_aware>("round-robin", "least-loaded", "prefix-aware");
};
}  // namespace orrery::config
