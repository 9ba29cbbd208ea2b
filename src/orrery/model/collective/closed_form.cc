// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/closed_form.h"

#include <bit>
#include <numeric>

#include "orrery/core/check.h"
#include "orrery/model/collective/direct_ends.h"
#include "orrery/model/collective/packet_time.h"
#include "orrery/model/collective/tree.h"

namespace orrery::model {

using graph::CollectiveType;
using platform::Algorithm;

namespace {

__extension__ using Wide = __int128;

std::int64_t clip(Wide time) {
  return static_cast<std::int64_t>(std::min<Wide>(time, Fabric::kTooLong));
}

// All that the packets of a ring wait, one after the other.
Wide ring_waits(const PhaseSpec& spec) {
  return Wide{spec.endpoint} * (spec.steps + 1) +
         Wide{spec.step.front().reduce} * reduced_before(spec, std::int64_t{spec.steps} + 1);
}

// With d hops between neighbours, begins b and waits c, all in the direction of the ring:
// F(p, i+1) = max(F(p-1, i) + d(p), F(p, i)) + c(i+1), so F(p, k) = sum of c + max over j <= k of
// b(p-j) + the j hops up to p. Going round once more only makes it later: j is in (k-n, k], n
// begins in a row, and one cut through the ring divides each such window into a suffix and a
// prefix. Max-plus algebra: Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity"
// (1992) chapter 3.
template <class Sum>
void ring_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
               std::span<std::int64_t> ends, std::span<const std::int64_t> hops) {
  const std::size_t n = begins.size();
  ORRERY_CHECK(n > 0 && n == ends.size());
  const bool backwards = spec.request.anticlockwise;
  const auto at = [&](std::size_t i) { return backwards ? n - 1 - i : i; };
  const auto waits = static_cast<Sum>(ring_waits(spec));
  std::vector<Sum> way(n + 1);  // from the first to the i-th; to itself
  for (std::size_t i = 1; i < n; ++i) way[i] = way[i - 1] + Sum{hops[i]};
  way[n] = way[n - 1] + Sum{hops[0]};
  std::vector<Sum> latest(n + 1);  // of those from the i-th on, as seen from the first
  latest[n] = -way[n] - 1;
  for (std::size_t i = n; i-- > 0;)
    latest[i] = std::max(latest[i + 1], Sum{begins[at(i)]} - way[i]);
  Sum before = -way[n] - 1;  // the same of those before the i-th, a round later
  auto target = static_cast<std::size_t>(spec.steps) % n;
  Sum rounds = way[n] * static_cast<Sum>(static_cast<std::size_t>(spec.steps) / n);
  for (std::size_t i = 0; i < n; ++i) {
    // The window [i, i + n): what begins there reaches i + steps.
    const Sum end = waits + rounds + way[target] + std::max(latest[i], before - way[n]);
    ends[at(target)] = static_cast<std::int64_t>(std::min<Sum>(end, Fabric::kTooLong));
    before = std::max(before, Sum{begins[at(i)]} - way[i]);
    if (++target == n) {
      target = 0;
      rounds += way[n];
    }
  }
}

void ring_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
               std::span<std::int64_t> ends, const MessageTimes& times) {
  const std::size_t n = begins.size();
  const auto last = static_cast<std::uint32_t>(n - 1);
  std::vector<std::int64_t> hops(n);  // in the ring's direction: to its i-th
  for (std::uint32_t to = 0, from = last; to < n; from = to++)
    hops[to] = spec.request.anticlockwise ? times(last - from, last - to, 0) : times(from, to, 0);
  const Wide round = std::accumulate(hops.begin(), hops.end(), Wide{0});
  const Wide latest = *std::max_element(begins.begin(), begins.end()) + ring_waits(spec) +
                      round * (spec.steps / static_cast<std::int64_t>(n) + 2);
  if (latest < Fabric::kTooLong) {
    ring_ends<std::int64_t>(spec, begins, ends, hops);
  } else {
    ring_ends<Wide>(spec, begins, ends, hops);
  }
}

// Partners exchange: both have what the later of them, or its message, allows.
void halving_doubling_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                           std::span<std::int64_t> ends, const MessageTimes& times) {
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

/// One double binary tree: sums go up, the result comes down.
class TreeEnds {
 public:
  TreeEnds(const PhaseSpec& spec, std::span<const std::int64_t> begins,
           std::span<std::int64_t> ends, const MessageTimes& times)
      : spec_(spec),
        begins_(begins),
        ends_(ends),
        times_(times),
        summed_(later(spec.endpoint, spec.step.front().reduce)) {}

  void run() {
    const auto n = static_cast<std::uint32_t>(begins_.size());
    const std::uint32_t root = spec_.request.min_tree ? 0 : n - 1;
    go_up(root);
    go_down(root);
  }

 private:
  [[nodiscard]] TreePlace place(std::uint32_t position) const {
    return tree_place(position, static_cast<std::uint32_t>(begins_.size()),
                      !spec_.request.min_tree);
  }

  // ends_[position]: when it has what is below it and, but for the root, sends it up.
  void go_up(std::uint32_t position) {
    const TreePlace here = place(position);
    const std::int64_t begin = begins_[position];
    std::int64_t ready = here.is_leaf() ? later(begin, spec_.endpoint) : 0;
    for (const std::uint32_t child : {here.left, here.right}) {
      if (child == TreePlace::kNone) continue;
      go_up(child);
      const std::int64_t arrival = later(ends_[child], times_(child, position, 0));
      ready = std::max(ready, later(std::max(arrival, begin), summed_));
    }
    ends_[position] = ready;
  }

  // ends_[position]: when it has the result and sends it down.
  void go_down(std::uint32_t position) {
    const TreePlace here = place(position);
    for (const std::uint32_t child : {here.left, here.right}) {
      if (child == TreePlace::kNone) continue;
      const std::int64_t arrival = later(ends_[position], times_(position, child, 0));
      const bool leaf = place(child).is_leaf();
      ends_[child] = later(std::max(arrival, ends_[child]), leaf ? spec_.endpoint : summed_);
      go_down(child);
    }
  }

  const PhaseSpec& spec_;
  std::span<const std::int64_t> begins_;
  std::span<std::int64_t> ends_;
  const MessageTimes& times_;
  std::int64_t summed_;
};

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
  const bool all = type == CollectiveType::reduce_scatter;  // otherwise every other run
  const std::int64_t started = std::max<std::int64_t>(0, packets % cycle - spec.plain_run);
  return (all ? cycles : (cycles + 1) / 2) * spec.reduce_run +
         (all || cycles % 2 == 0 ? started : 0);
}

bool has_closed_form(const PhaseSpec& spec) {
  const std::uint32_t size = spec.request.ring.size;
  if (spec.on_bus || size < 2) return false;
  switch (spec.request.algorithm.algorithm) {
    case Algorithm::ring:
      return spec.window == 1 && spec.steps >= static_cast<std::int32_t>(size) - 1;
    case Algorithm::direct:
      return direct_has_closed_form(spec);
    case Algorithm::halving_doubling:
      return spec.window == 1 && std::has_single_bit(size);
    case Algorithm::double_binary_tree:
      return std::has_single_bit(size);
    case Algorithm::one_ring:
    case Algorithm::one_direct:
    case Algorithm::one_halving_doubling:
    case Algorithm::one_in_network:
      break;  // joined dimensions: their phases have the plain algorithm
    case Algorithm::in_network:
      break;  // SwitchTree knows how long it takes
  }
  return false;
}

std::optional<std::int64_t> even_duration(const PhaseSpec& spec) {
  if (spec.on_bus || spec.delay_by_key.empty() || spec.request.ring.size < 2) return std::nullopt;
  switch (spec.request.algorithm.algorithm) {
    case Algorithm::ring:
      return clip(ring_waits(spec) + Wide{spec.delay_by_key[0]} * spec.steps);
    case Algorithm::direct:
      return direct_even_duration(spec);
    case Algorithm::halving_doubling: {
      std::int64_t time = packet_time(spec, 0);
      for (std::uint32_t packet = 0; packet < static_cast<std::uint32_t>(spec.steps); ++packet) {
        time = later(later(time, std::min(spec.delay_by_key[packet], Fabric::kTooLong)),
                     packet_time(spec, packet + 1));
      }
      return time;
    }
    case Algorithm::double_binary_tree:
    case Algorithm::one_ring:
    case Algorithm::one_direct:
    case Algorithm::one_halving_doubling:
    case Algorithm::in_network:
    case Algorithm::one_in_network:
      break;
  }
  return std::nullopt;
}

void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                std::span<std::int64_t> ends, const DelayBetween& delay) {
  if (all_equal(begins)) {
    if (const auto duration = even_duration(spec)) {
      std::fill(ends.begin(), ends.end(), later(begins.front(), *duration));
      return;
    }
  }
  const MessageTimes times(spec, delay);
  switch (spec.request.algorithm.algorithm) {
    case Algorithm::ring:
      return ring_ends(spec, begins, ends, times);
    case Algorithm::direct:
      return direct_ends(spec, begins, ends, times);
    case Algorithm::halving_doubling:
      return halving_doubling_ends(spec, begins, ends, times);
    case Algorithm::double_binary_tree:
      return TreeEnds(spec, begins, ends, times).run();
    case Algorithm::one_ring:
    case Algorithm::one_direct:
    case Algorithm::one_halving_doubling:
    case Algorithm::in_network:
    case Algorithm::one_in_network:
      break;
  }
  ORRERY_CHECK(false);  // has_closed_form() says so
}

}  // namespace orrery::model
