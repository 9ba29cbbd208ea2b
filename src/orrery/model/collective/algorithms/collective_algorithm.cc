// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/algorithms/collective_algorithm.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "orrery/core/check.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {

using graph::CollectiveType;
using platform::Rules;

namespace {

// Two reads and one write of the message at local memory speed.
std::int64_t reduce_time(const platform::Platform& platform, std::int64_t bytes) {
  const double bandwidth = platform.device.memory.count();
  if (!(bandwidth > 0)) return 0;
  const double nanoseconds = static_cast<double>(bytes) / bandwidth * 1e9;
  if (!(nanoseconds < 1e15)) return MultiDimFabric::kTooLong;
  if (platform.rules == Rules::astra) return 3 * static_cast<std::int64_t>(nanoseconds) * kPsPerNs;
  return static_cast<std::int64_t>(std::ceil(3 * nanoseconds * 1e3));
}

}  // namespace

std::int64_t MessageSizes::share(std::int64_t data, std::int64_t parts) const {
  return model::share(data, parts, platform_.rules);
}

PhaseMessage MessageSizes::step(std::int64_t bytes, std::uint32_t distance) const {
  return {bytes, reduce_time(platform_, bytes), distance};
}

PhaseMessage MessageSizes::part(const PhaseRequest& request) const {
  return step(request.type == CollectiveType::all_gather ? request.data
                                                         : share(request.data, request.ring.size));
}

Result<void> CollectiveAlgorithm::check(const PhaseRequest& request, Rules rules) const {
  const platform::AlgorithmEntry& entry = platform::entry(request.algorithm.algorithm);
  const std::string where = fmt::format("dimension {}", request.dim);
  if (entry.power_of_two && !std::has_single_bit(request.ring.size)) {
    return fail(Errc::config_conflict, where,
                fmt::format("{} needs a power of two, but there are {} members", entry.astra,
                            request.ring.size),
                "use ring or direct for this dimension");
  }
  // In this case ASTRA-sim runs a complete all-reduce.
  const bool whole = entry.all_reduce_only && rules == Rules::astra;
  if (can_run(entry, request.type) || (whole && request.type != CollectiveType::all_to_all))
    return {};
  return fail(Errc::config_conflict, where,
              fmt::format("{} cannot run {}", entry.astra, name(request.type)),
              "use ring or direct");
}

std::int32_t CollectiveAlgorithm::messages(const PhaseSpec& spec,
                                           std::uint32_t /*position*/) const {
  return spec.steps;
}

bool CollectiveAlgorithm::has_closed_form(const PhaseSpec& /*spec*/) const { return false; }

std::optional<std::int64_t> CollectiveAlgorithm::uniform_duration(const PhaseSpec& /*spec*/) const {
  return std::nullopt;
}

void CollectiveAlgorithm::phase_ends(const PhaseSpec& /*spec*/,
                                     std::span<const std::int64_t> /*begins*/,
                                     std::span<std::int64_t> /*ends*/,
                                     const MessageTimes& /*times*/) const {
  ORRERY_CHECK(false);  // has_closed_form() is false
}

const CollectiveAlgorithm& algorithm_of(platform::Algorithm algorithm) {
  return algorithms::kAll[static_cast<std::size_t>(algorithm)]();
}

}  // namespace orrery::model
