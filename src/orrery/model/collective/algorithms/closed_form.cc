// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/algorithms/closed_form.h"

#include <algorithm>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/message_times.h"

namespace orrery::model {

using graph::CollectiveType;

namespace {

bool all_equal(std::span<const std::int64_t> begins) {
  return std::all_of(begins.begin(), begins.end(),
                     [&](std::int64_t begin) { return begin == begins.front(); });
}

}  // namespace

std::int64_t reduced_before(const PhaseSpec& spec, std::int64_t packets) {
  const CollectiveType type = spec.request.type;
  if (type != CollectiveType::all_reduce && type != CollectiveType::reduce_scatter) return 0;
  const std::int64_t cycle = std::int64_t{spec.plain_run} + spec.reduce_run;
  const std::int64_t cycles = packets / cycle;
  const bool all = type == CollectiveType::reduce_scatter;  // all-reduce: only every other run
  const std::int64_t started = std::max<std::int64_t>(0, packets % cycle - spec.plain_run);
  return (all ? cycles : (cycles + 1) / 2) * spec.reduce_run +
         (all || cycles % 2 == 0 ? started : 0);
}

bool has_closed_form(const PhaseSpec& spec) {
  if (spec.on_bus || spec.request.ring.size < 2) return false;
  return algorithm_of(spec.request.algorithm).has_closed_form(spec);
}

std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec) {
  if (spec.on_bus || spec.delay_by_key.empty() || spec.request.ring.size < 2) return std::nullopt;
  return algorithm_of(spec.request.algorithm).uniform_duration(spec);
}

void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                std::span<std::int64_t> ends, const DelayBetween& delay) {
  if (all_equal(begins)) {
    if (const auto duration = uniform_duration(spec)) {
      std::fill(ends.begin(), ends.end(), later(begins.front(), *duration));
      return;
    }
  }
  algorithm_of(spec.request.algorithm).phase_ends(spec, begins, ends, MessageTimes(spec, delay));
}

}  // namespace orrery::model
