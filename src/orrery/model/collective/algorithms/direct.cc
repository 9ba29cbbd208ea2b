// SPDX-License-Identifier: Apache-2.0
//
// Each member sends to every other, with `window` messages in flight. In an all-reduce, a member
// sends parts, waits until it has received all contributions to its own part, and sends the sum to
// all.
#include <algorithm>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/direct_ends.h"

namespace orrery::model::algorithms {

namespace {

class Direct final : public CollectiveAlgorithm {
 public:
  constexpr Direct() : CollectiveAlgorithm(Peers::each, true) {}

  void fill(PhaseSpec& spec, const MessageSizes& sizes) const override {
    const PhaseRequest& request = spec.request;
    const auto n = static_cast<std::int32_t>(request.ring.size);
    const bool all_reduce = request.type == CollectiveType::all_reduce;
    const std::int64_t window = request.algorithm.window;
    spec.window =
        window < 1 ? n - 1 : static_cast<std::int32_t>(std::min<std::int64_t>(window, n - 1));
    spec.steps = all_reduce ? 2 * (n - 1) : n - 1;
    spec.plain_run = spec.window;
    // Capped above the number of packets that are ever inserted, so the cap has no effect.
    spec.reduce_run = static_cast<std::int32_t>(std::min<std::int64_t>(
        request.sub_group ? std::int64_t{n - 1} * spec.window : spec.window, 4 * std::int64_t{n}));
    spec.barrier = all_reduce ? n - 1 : 0;
    spec.keys = request.ring.size;
    spec.step = {sizes.part(request)};
  }

  [[nodiscard]] bool has_closed_form(const PhaseSpec& spec) const override {
    return direct_has_closed_form(spec);
  }
  [[nodiscard]] std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec) const override {
    return direct_uniform_duration(spec);
  }
  void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                  std::span<std::int64_t> ends, const MessageTimes& times) const override {
    direct_ends(spec, begins, ends, times);
  }
};

}  // namespace

const CollectiveAlgorithm& direct() {
  static constexpr Direct made;
  return made;
}

}  // namespace orrery::model::algorithms
