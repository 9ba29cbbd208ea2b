// SPDX-License-Identifier: Apache-2.0
//
// Switches reduce inputs and multicast outputs. SwitchTree computes the duration.
#include <fmt/format.h>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/switch_tree.h"

namespace orrery::model::algorithms {

namespace {

class InNetwork final : public CollectiveAlgorithm {
 public:
  constexpr InNetwork() : CollectiveAlgorithm(Peers::in_switches, false) {}

  [[nodiscard]] Result<void> check(const PhaseRequest& request,
                                   platform::Rules /*rules*/) const override {
    if (switches_can_run(request.type, request.exchange)) return {};
    return fail(Errc::config_conflict, fmt::format("dimension {}", request.dim),
                fmt::format("switches cannot run {}", name(request.type)), "use ring or direct");
  }

  void fill(PhaseSpec& spec, const MessageSizes& /*sizes*/) const override {
    const PhaseRequest& request = spec.request;
    spec.steps = 1;
    spec.step = {
        {link_bytes({request.type, request.data, request.exchange}, request.ring.size, 1).up, 0,
         1}};
  }
};

}  // namespace

const CollectiveAlgorithm& in_network() {
  static constexpr InNetwork made;
  return made;
}

}  // namespace orrery::model::algorithms
