// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/plan_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {

void PlanPlaces::find_sizes(const Plan& plan) {
  const auto ranks = static_cast<std::uint32_t>(plan.ranks.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto& chunks = plan.ranks[rank].chunks;
    if (chunks[0] == plan.ranks[0].chunks[0] && chunks[1] == plan.ranks[0].chunks[1]) continue;
    size_error_ =
        fmt::format("gpu 0 has {} input chunks and {} output chunks, but gpu {} has {} and {}",
                    plan.ranks[0].chunks[0], plan.ranks[0].chunks[1], rank, chunks[0], chunks[1]);
    return;
  }
  const std::uint32_t in = plan.ranks[0].chunks[0], out = plan.ranks[0].chunks[1];
  // The ratio of outputs to inputs is up / down. In place, a file may omit one of them.
  std::uint32_t up = 1, down = 1;
  if (plan.collective == CollectiveType::all_gather) up = ranks;
  if (plan.collective == CollectiveType::reduce_scatter) down = ranks;
  inputs_ = in != 0 ? in : out / up * down;
  outputs_ = out != 0 ? out : in / down * up;
  if (std::uint64_t{inputs_} * up == std::uint64_t{outputs_} * down && inputs_ != 0) {
    const bool divisible = plan.collective != CollectiveType::all_to_all || inputs_ % ranks == 0;
    if (!divisible)
      size_error_ = fmt::format("{} chunks are not a multiple of {} gpus", inputs_, ranks);
    return;
  }
  size_error_ =
      fmt::format("{} input chunks and {} output chunks do not match the collective of {} gpus", in,
                  out, ranks);
}

PlanPlaces::PlanPlaces(const Plan& plan, bool in_place) : in_place_(in_place) {
  if (plan.collective == CollectiveType::unknown) {
    // The parts of ranks are unknown: uses the sizes as stated.
    in_place_ = false;
  } else {
    find_sizes(plan);
  }
  if (plan.collective == CollectiveType::all_gather) {
    container_ = PlanBuffer::output;
    part_chunks_ = inputs_;
  }
  if (plan.collective == CollectiveType::reduce_scatter) part_chunks_ = outputs_;
  // In place, buffers may be larger than any file states.
  const std::uint64_t maximum = std::max(inputs_, outputs_);
  if (in_place_ && maximum * plan.ranks.size() > plan_limits::kPlanPlaces)
    size_error_ = fmt::format("buffers of more than {} chunks in total", plan_limits::kPlanPlaces);
  const bool one_only = plan.ranks[0].chunks[0] == 0 || plan.ranks[0].chunks[1] == 0;
  if (!in_place_ && one_only && size_error_.empty() && plan.collective != CollectiveType::unknown)
    size_error_ = "out of place needs input and output, but one of them has no chunks";
  if (!size_error_.empty()) in_place_ = false;
  std::uint32_t next = 0;
  for (const PlanRank& rank : plan.ranks) {
    for (std::size_t buffer = 0; buffer < kPlanBuffers; ++buffer) {
      first_.push_back(next);
      std::uint32_t chunks = rank.chunks[buffer];
      // In place, this buffer contains the other one.
      if (in_place_ && buffer == static_cast<std::size_t>(container_))
        chunks = std::max(chunks, buffer == 0 ? inputs_ : outputs_);
      next += chunks;
    }
  }
  first_.push_back(next);
}

PlanSpan PlanPlaces::at(std::uint32_t number) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), number);
  const auto i = static_cast<std::uint32_t>(after - first_.begin()) - 1;
  return {i / static_cast<std::uint32_t>(kPlanBuffers), static_cast<PlanBuffer>(i % kPlanBuffers),
          number - first_[i], 1};
}

}  // namespace orrery::synthesis
