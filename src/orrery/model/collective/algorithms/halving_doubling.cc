// SPDX-License-Identifier: Apache-2.0
//
// Pairs of members exchange halves of their data, at distances 1, 2, 4 …; an all-gather doubles the
// data, from the greatest distance on. Source: Thakur, Rabenseifner, Gropp, "Optimization of
// Collective Communication Operations in MPICH" (IJHPCA 2005) sections 4 and 5.
#include <algorithm>
#include <bit>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/message_times.h"

namespace orrery::model::algorithms {

namespace {

class HalvingDoubling final : public CollectiveAlgorithm {
 public:
  constexpr HalvingDoubling() : CollectiveAlgorithm(Peers::exchange, true) {}

  void fill(PhaseSpec& spec, const MessageSizes& sizes) const override {
    const PhaseRequest& request = spec.request;
    const std::uint32_t n = request.ring.size;
    const int levels = std::countr_zero(n);
    const bool gather = request.type == CollectiveType::all_gather;
    spec.steps = request.type == CollectiveType::all_reduce ? 2 * levels : levels;
    spec.reduce_run = sizes.rules() == platform::Rules::astra ? levels - 1 : levels;
    std::int64_t bytes = gather ? request.data : sizes.share(request.data, 2);
    std::uint32_t distance = gather ? n / 2 : 1;
    bool doubling = gather;
    for (int packet = 0; packet <= spec.steps; ++packet) {
      spec.step.push_back(sizes.step(bytes, std::max(distance, 1u)));
      if (!doubling) {
        distance *= 2;
        bytes = sizes.share(bytes, 2);
        doubling = distance == n && request.type == CollectiveType::all_reduce;
        if (!doubling) continue;
      }
      distance /= 2;
      if (packet < spec.steps) bytes *= 2;
    }
    spec.keys = static_cast<std::uint32_t>(spec.step.size());
  }

  [[nodiscard]] bool has_closed_form(const PhaseSpec& spec) const override {
    return spec.window == 1 && std::has_single_bit(spec.request.ring.size);
  }

  [[nodiscard]] std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec) const override {
    std::int64_t time = packet_time(spec, 0);
    for (std::uint32_t packet = 0; packet < static_cast<std::uint32_t>(spec.steps); ++packet) {
      time = later(later(time, std::min(spec.delay_by_key[packet], MultiDimFabric::kTooLong)),
                   packet_time(spec, packet + 1));
    }
    return time;
  }

  // In each exchange, the later of both partners, or its message, determines when both continue.
  void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                  std::span<std::int64_t> ends, const MessageTimes& times) const override {
    const auto n = static_cast<std::uint32_t>(begins.size());
    const std::int64_t first = packet_time(spec, 0);
    for (std::uint32_t p = 0; p < n; ++p) ends[p] = later(begins[p], first);
    for (std::uint32_t packet = 0; packet < static_cast<std::uint32_t>(spec.steps); ++packet) {
      const std::uint32_t distance = spec.step_of(packet).distance;
      const std::int64_t wait = packet_time(spec, packet + 1);
      const bool known = !spec.delay_by_key.empty();
      std::int64_t up = known ? times(0, 0, packet) : 0;
      std::int64_t down = up;
      for (std::uint32_t base = 0; base < n; base += 2 * distance) {
        for (std::uint32_t low = base; low < base + distance; ++low) {
          const std::uint32_t high = low + distance;
          if (!known) {
            up = times(low, high, packet);
            down = times(high, low, packet);
          }
          const std::int64_t a = ends[low];
          const std::int64_t b = ends[high];
          ends[low] = later(std::max(a, later(b, down)), wait);
          ends[high] = later(std::max(b, later(a, up)), wait);
        }
      }
    }
  }
};

}  // namespace

const CollectiveAlgorithm& halving_doubling() {
  static constexpr HalvingDoubling made;
  return made;
}

}  // namespace orrery::model::algorithms
