// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/sampled_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/random.h"
#include "orrery/core/statistics/distributions.h"
#include "orrery/core/statistics/exact_math.h"

namespace orrery::serving {
namespace {

/// Purposes of random numbers: each has its own sequence.
enum class Purpose : std::uint64_t { gap = 1, input, output, prefix };

/// A sequence of random numbers for one request and purpose.
class Sampler {
 public:
  Sampler(std::uint64_t seed, Purpose purpose, std::uint64_t request)
      : state_(mix_bits(mix_bits(seed) ^ mix_bits(static_cast<std::uint64_t>(purpose) << 56) ^
                        mix_bits(request))) {}
  double uniform() { return uniform_double(mix_bits(state_ + ++count_)); }

 private:
  std::uint64_t state_, count_ = 0;
};

/// A sample of the gamma distribution with this shape and scale 1. Marsaglia and Tsang, "A simple
/// method for generating gamma variables", ACM TOMS 26 (2000), section 4; below shape 1 by the
/// power in section 8.
double gamma_sample(double shape, Sampler& sampler) {
  if (shape < 1) {
    const double power = exact_exp(exact_log(sampler.uniform()) / shape);
    return gamma_sample(shape + 1, sampler) * power;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal_quantile(sampler.uniform());
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    if (exact_log(sampler.uniform()) < 0.5 * x * x + d - d * v + d * exact_log(v)) return d * v;
  }
}

/// The gap before a request in units of the mean gap.
double relative_gap(const SampledRequests& sampled, std::uint64_t request) {
  Sampler sampler(sampled.seed, Purpose::gap, request);
  switch (sampled.arrivals) {
    case Arrivals::constant:
      return 1;
    case Arrivals::poisson:
      return -exact_log(sampler.uniform());
    case Arrivals::gamma:
      break;
  }
  return gamma_sample(sampled.burstiness, sampler) / sampled.burstiness;
}

std::int64_t length(const Lengths& lengths, const SampledRequests& sampled, Purpose purpose,
                    std::uint64_t request) {
  if (lengths.spread <= 0) return std::max<std::int64_t>(lengths.mean, 1);
  Sampler sampler(sampled.seed, purpose, request);
  const auto mean = static_cast<double>(lengths.mean);
  const double low = std::floor(mean * (1 - lengths.spread));
  const double high = std::ceil(mean * (1 + lengths.spread));
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(low + std::floor(sampler.uniform() * (high - low + 1))));
}

}  // namespace

Result<void> sample_arrivals(const SampledRequests& sampled, std::vector<Request>& requests) {
  // The first request arrives at time 0, as in vLLM's benchmark.
  double at = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i > 0 && sampled.rate > 0) at += relative_gap(sampled, i) / sampled.rate;
    if (!(at <= kMaxArrivalSeconds))
      return fail(Errc::limit_exceeded, fmt::format("request {}", i),
                  fmt::format("arrives after {:.0f} s, the limit", kMaxArrivalSeconds),
                  "a higher rate or fewer requests");
    requests[i].arrival = Time(static_cast<std::int64_t>(at * kPsPerSecond));
  }
  return {};
}

Result<RequestStream> sample_requests(const SampledRequests& sampled) {
  RequestStream stream;
  stream.clients = sampled.clients;
  stream.requests.resize(static_cast<std::size_t>(sampled.count));
  for (std::uint64_t i = 0; i < stream.requests.size(); ++i) {
    Request& one = stream.requests[i];
    one.input = length(sampled.input, sampled, Purpose::input, i);
    one.output = length(sampled.output, sampled, Purpose::output, i);
    if (sampled.shared_prefixes <= 0 || sampled.prefix_tokens <= 0) continue;
    Sampler sampler(sampled.seed, Purpose::prefix, i);
    const auto which = static_cast<std::uint64_t>(sampler.uniform() *
                                                  static_cast<double>(sampled.shared_prefixes));
    one.prefix = {{which, std::min(sampled.prefix_tokens, one.input)}};
  }
  if (sampled.clients > 0) return stream;
  if (auto fine = sample_arrivals(sampled, stream.requests); !fine)
    return tl::unexpected(fine.error());
  return stream;
}

}  // namespace orrery::serving
