// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the closed forms of all algorithms: times that saturate at the end of the clock,
// and waiting times of packets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "orrery/model/collective/algorithms/closed_form.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {

/// The smaller of a + b and MultiDimFabric::kTooLong. a and b are not negative.
[[nodiscard]] inline std::int64_t later(std::int64_t a, std::int64_t b) {
  return std::min(a, MultiDimFabric::kTooLong - b) + b;
}

/// Time to reduce the `packet`-th message, if it is reduced.
[[nodiscard]] inline std::int64_t reduce_time(const PhaseSpec& spec, std::uint32_t packet) {
  return spec.step_of(spec.step.size() > 1 ? packet : 0).reduce;
}

/// Time from the insertion of the `packet`-th packet until it is free.
[[nodiscard]] inline std::int64_t packet_time(const PhaseSpec& spec, std::uint32_t packet) {
  return spec.reduces(packet) ? later(spec.endpoint, reduce_time(spec, packet)) : spec.endpoint;
}

/// Number of the first `packets` packets that are reduced. O(1).
[[nodiscard]] std::int64_t reduced_before(const PhaseSpec& spec, std::int64_t packets);

/// Message times of one phase, between positions.
class MessageTimes {
 public:
  MessageTimes(const PhaseSpec& spec, const DelayBetween& between)
      : spec_(spec), between_(between) {}

  [[nodiscard]] std::int64_t operator()(std::uint32_t from, std::uint32_t to,
                                        std::uint32_t key) const {
    const std::int64_t time = spec_.delay_by_key.empty()
                                  ? between_(from, to, spec_.step_of(key).bytes)
                                  : spec_.delay_by_key[key];
    return std::min(time, MultiDimFabric::kTooLong);
  }

 private:
  const PhaseSpec& spec_;
  const DelayBetween& between_;
};

/// The position `offset` after `position` in a ring of `size`. offset <= size.
[[nodiscard]] inline std::uint32_t along(std::uint32_t position, std::uint32_t offset,
                                         std::uint32_t size) {
  const std::uint32_t there = position + offset;
  return there < size ? there : there - size;
}

/// Direct: the positions to which `position` sends, and from which it receives, the message with
/// this key.
[[nodiscard]] inline std::uint32_t destination(const PhaseSpec& spec, std::uint32_t position,
                                               std::uint32_t key) {
  const std::uint32_t size = spec.request.ring.size;
  return along(position, spec.request.anticlockwise ? size - key : key, size);
}
[[nodiscard]] inline std::uint32_t source(const PhaseSpec& spec, std::uint32_t position,
                                          std::uint32_t key) {
  const std::uint32_t size = spec.request.ring.size;
  return along(position, spec.request.anticlockwise ? key : size - key, size);
}

}  // namespace orrery::model
