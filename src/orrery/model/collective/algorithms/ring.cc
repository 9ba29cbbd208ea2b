// SPDX-License-Identifier: Apache-2.0
//
// Each member sends to the next: n - 1 steps of one part each, twice for an all-reduce. In an
// all-to-all, members forward parts to their destinations: n(n-1)/2 messages as in ASTRA-sim 2.x.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
// MPICH" (IJHPCA 2005) section 3.
#include <algorithm>
#include <numeric>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/message_times.h"

namespace orrery::model::algorithms {

namespace {

__extension__ using Wide = __int128;

std::int64_t clip(Wide time) {
  return static_cast<std::int64_t>(std::min<Wide>(time, MultiDimFabric::kTooLong));
}

// The sum of the waiting times of a ring's packets, one after the other.
Wide ring_waits(const PhaseSpec& spec) {
  return Wide{spec.endpoint} * (spec.steps + 1) +
         Wide{spec.step.front().reduce} * reduced_before(spec, std::int64_t{spec.steps} + 1);
}

// With d hops between neighbors, begins b and waits c, all in the direction of the ring:
// F(p, i+1) = max(F(p-1, i) + d(p), F(p, i)) + c(i+1), so F(p, k) = sum of c + max over j <= k of
// b(p-j) + the j hops up to p. One more round gives a later time, so only j in (k-n, k] count: n
// consecutive begins. One cut through the ring divides each such window into a suffix and a prefix.
// Max-plus algebra: Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity" (1992)
// chapter 3.
template <class Sum>
void ring_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
               std::span<std::int64_t> ends, std::span<const std::int64_t> hops) {
  const std::size_t n = begins.size();
  ORRERY_CHECK(n > 0 && n == ends.size());
  const bool backwards = spec.request.anticlockwise;
  const auto at = [&](std::size_t i) { return backwards ? n - 1 - i : i; };
  const auto waits = static_cast<Sum>(ring_waits(spec));
  std::vector<Sum> way(n + 1);  // time from the first to the i-th position; [n]: one round
  for (std::size_t i = 1; i < n; ++i) way[i] = way[i - 1] + Sum{hops[i]};
  way[n] = way[n - 1] + Sum{hops[0]};
  std::vector<Sum> latest(n + 1);  // maximum of begin - way over the i-th and all after it
  latest[n] = -way[n] - 1;
  for (std::size_t i = n; i-- > 0;)
    latest[i] = std::max(latest[i + 1], Sum{begins[at(i)]} - way[i]);
  Sum before = -way[n] - 1;  // the same maximum over those before the i-th
  auto target = static_cast<std::size_t>(spec.steps) % n;
  Sum rounds = way[n] * static_cast<Sum>(static_cast<std::size_t>(spec.steps) / n);
  for (std::size_t i = 0; i < n; ++i) {
    // Begins in the window [i, i + n) reach position i + steps.
    const Sum end = waits + rounds + way[target] + std::max(latest[i], before - way[n]);
    ends[at(target)] = static_cast<std::int64_t>(std::min<Sum>(end, MultiDimFabric::kTooLong));
    before = std::max(before, Sum{begins[at(i)]} - way[i]);
    if (++target == n) {
      target = 0;
      rounds += way[n];
    }
  }
}

class Ring final : public CollectiveAlgorithm {
 public:
  constexpr Ring() : CollectiveAlgorithm(Peers::next, true) {}

  void fill(PhaseSpec& spec, const MessageSizes& sizes) const override {
    const auto n = static_cast<std::int32_t>(spec.request.ring.size);
    spec.steps = spec.request.type == CollectiveType::all_reduce ? 2 * (n - 1) : n - 1;
    if (spec.request.type == CollectiveType::all_to_all)
      spec.steps = static_cast<std::int32_t>(std::int64_t{n} * (n - 1) / 2);
    spec.reduce_run = n - 1;
    spec.step = {sizes.part(spec.request)};
  }

  [[nodiscard]] bool has_closed_form(const PhaseSpec& spec) const override {
    return spec.window == 1 && spec.steps >= static_cast<std::int32_t>(spec.request.ring.size) - 1;
  }

  [[nodiscard]] std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec) const override {
    return clip(ring_waits(spec) + Wide{spec.delay_by_key[0]} * spec.steps);
  }

  void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                  std::span<std::int64_t> ends, const MessageTimes& times) const override {
    const std::size_t n = begins.size();
    const auto last = static_cast<std::uint32_t>(n - 1);
    std::vector<std::int64_t> hops(n);  // time to the i-th position, in the ring's direction
    for (std::uint32_t to = 0, from = last; to < n; from = to++)
      hops[to] = spec.request.anticlockwise ? times(last - from, last - to, 0) : times(from, to, 0);
    const Wide round = std::accumulate(hops.begin(), hops.end(), Wide{0});
    const Wide latest = *std::max_element(begins.begin(), begins.end()) + ring_waits(spec) +
                        round * (spec.steps / static_cast<std::int64_t>(n) + 2);
    if (latest < MultiDimFabric::kTooLong) {
      ring_ends<std::int64_t>(spec, begins, ends, hops);
    } else {
      ring_ends<Wide>(spec, begins, ends, hops);
    }
  }
};

}  // namespace

const CollectiveAlgorithm& ring() {
  static constexpr Ring made;
  return made;
}

}  // namespace orrery::model::algorithms
