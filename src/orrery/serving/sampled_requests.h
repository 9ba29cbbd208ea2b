// SPDX-License-Identifier: Apache-2.0
//
// Requests sampled at random, equal on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/core/error.h"
#include "orrery/serving/requests.h"

namespace orrery::serving {

enum class Arrivals : std::uint8_t {
  constant,  ///< equal gaps of 1 / rate
  poisson,   ///< exponential gaps
  gamma,     ///< gaps of a gamma distribution with shape `burstiness`, as vLLM's benchmark
};

/// Number of tokens of a prompt or an output.
struct Lengths {
  std::int64_t mean = 1;
  double spread = 0;  ///< uniform in mean × (1 ± spread), as vLLM's --random-range-ratio
};

struct SampledRequests {
  std::int64_t count = 1000;
  Arrivals arrivals = Arrivals::poisson;
  double rate = 1;           ///< requests per second; 0: all at time 0
  double burstiness = 1;     ///< shape of the gamma distribution; 1: Poisson, below 1: bursts
  std::int64_t clients = 0;  ///< above 0: closed loop; `arrivals` and `rate` are ignored
  Lengths input{1024}, output{128};
  std::int64_t shared_prefixes = 0;  ///< number of distinct shared prefixes; 0: none
  std::int64_t prefix_tokens = 0;    ///< tokens of each, part of the prompt
  std::uint64_t seed = 1;
};

/// The requests. Request i of a seed is the same for any count. O(count). Errc: limit_exceeded, as
/// sample_arrivals().
[[nodiscard]] Result<RequestStream> sample_requests(const SampledRequests& sampled);

/// Sets arrivals of `requests`, which keep their order and lengths: as in SampledRequests. Errc:
/// limit_exceeded (an arrival after kMaxArrivalSeconds).
[[nodiscard]] Result<void> sample_arrivals(const SampledRequests& sampled,
                                           std::vector<Request>& requests);

}  // namespace orrery::serving

namespace orrery::config {
template <>
struct EnumNames<serving::Arrivals> {
  static constexpr auto names =
      names_in_order<serving::Arrivals::gamma>("constant", "poisson", "gamma");
};
}  // namespace orrery::config
