// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/table_placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "orrery/core/random.h"

namespace orrery::model {
namespace {

constexpr int kRounds = 200;
constexpr double kEqual = 1e-12;    // relative difference of costs that counts as equal
constexpr double kRounding = 1e-9;  // relative error of costs that are summed in another order

/// Whether a device may hold `bytes` in `parts` parts.
bool may_hold(const PlacementTask& task, double bytes, std::int64_t parts) {
  return (task.memory <= 0 || bytes <= task.memory) &&
         (task.max_parts == 0 || parts <= static_cast<std::int64_t>(task.max_parts));
}

/// Sums over the parts of each device.
struct Loads {
  std::vector<double> us, bytes, exchanged;
  std::vector<std::int64_t> parts;

  explicit Loads(const PlacementTask& task)
      : us(task.devices), bytes(task.devices), exchanged(task.devices), parts(task.devices) {}
  Loads(const PlacementTask& task, const Placement& placement) : Loads(task) {
    for (std::size_t i = 0; i < placement.size(); ++i) add(task.parts[i], placement[i], 1);
  }
  void add(const TablePart& part, std::uint32_t device, int sign) {
    parts[device] += sign;
    us[device] += sign * part.us;
    bytes[device] += sign * part.bytes;
    exchanged[device] += sign * part.exchanged;
  }
};

/// Time of both exchanges, from the bytes that devices send to each other device: sum, maximum and
/// minimum over devices.
double exchange_us(const PlacementTask& task, double all, double maximum, double minimum) {
  if (task.link <= 0 || task.devices < 2) return 0;
  return 2 * (task.latency_us + std::max(all - minimum, maximum * (task.devices - 1)) / task.link);
}

PlacementCost cost_of_loads(const PlacementTask& task, const Loads& loads) {
  PlacementCost made;
  made.lookup_us = *std::max_element(loads.us.begin(), loads.us.end());
  const double all = std::accumulate(loads.exchanged.begin(), loads.exchanged.end(), 0.0);
  const auto [minimum, maximum] =
      std::minmax_element(loads.exchanged.begin(), loads.exchanged.end());
  made.exchange_us = exchange_us(task, all, *maximum, *minimum);
  return made;
}

double weight_by(Sharder sharder, const TablePart& part) {
  switch (sharder) {
    case Sharder::size_greedy:
      return part.rows * part.features;
    case Sharder::lookup_greedy:
      return part.features * part.pooling;
    case Sharder::norm_lookup_greedy:
      return part.features * part.pooling * std::log10(std::max(10.0, part.rows));
    case Sharder::size_lookup_greedy:
      return part.rows * part.features * part.pooling;
    default:
      return 0;
  }
}

/// Places the heaviest part first on the device with the lowest load that has room.
std::optional<Placement> greedy(const PlacementTask& task, const std::vector<double>& weights) {
  std::vector<std::size_t> order(task.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::vector<double> loads(task.devices);
  Loads held(task);
  Placement made(task.parts.size());
  for (const std::size_t i : order) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t device = 0; device < task.devices; ++device)
      if (may_hold(task, held.bytes[device] + task.parts[i].bytes, held.parts[device] + 1) &&
          (!best || loads[device] < loads[*best]))
        best = device;
    if (!best) return std::nullopt;
    made[i] = *best;
    loads[*best] += weights[i];
    held.add(task.parts[i], *best, 1);
  }
  return made;
}

/// Places parts in order, each on the first device from `first(part)` on that has room.
template <class First>
std::optional<Placement> in_order(const PlacementTask& task, First first) {
  Loads held(task);
  Placement made(task.parts.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::uint32_t from = first(i);
    std::uint32_t passed = 0;
    while (passed < task.devices) {
      made[i] = (from + passed) % task.devices;
      if (may_hold(task, held.bytes[made[i]] + task.parts[i].bytes, held.parts[made[i]] + 1)) break;
      ++passed;
    }
    if (passed == task.devices) return std::nullopt;
    held.add(task.parts[i], made[i], 1);
  }
  return made;
}

/// The three devices with the greatest values, to find the maximum after a change of two devices.
class Foremost {
 public:
  /// `sign` -1: the smallest values and the minimum.
  explicit Foremost(double sign) : sign_(sign) {}

  /// O(devices)
  void note(const std::vector<double>& of) {
    count_ = 0;
    for (std::uint32_t device = 0; device < of.size(); ++device) {
      std::size_t place = count_;
      while (place > 0 && sign_ * of[device] > sign_ * of[devices_[place - 1]]) --place;
      if (place == devices_.size()) continue;
      count_ = std::min(count_ + 1, devices_.size());
      for (std::size_t i = count_ - 1; i > place; --i) devices_[i] = devices_[i - 1];
      devices_[place] = device;
    }
  }
  /// The maximum if devices a and b have the values of_a and of_b, and all others those in `of`.
  [[nodiscard]] double with(const std::vector<double>& of, std::uint32_t a, double of_a,
                            std::uint32_t b, double of_b) const {
    double maximum = sign_ * std::max(sign_ * of_a, sign_ * of_b);
    for (std::size_t i = 0; i < count_; ++i)
      if (devices_[i] != a && devices_[i] != b)
        return sign_ * std::max(sign_ * maximum, sign_ * of[devices_[i]]);
    return maximum;
  }

 private:
  std::array<std::uint32_t, 3> devices_{};
  std::size_t count_ = 0;
  double sign_;
};

/// Improves one placement by moves and swaps of parts.
class Improver {
 public:
  Improver(const PlacementTask& task, Placement placement)
      : task_(task), placement_(std::move(placement)), loads_(task, placement_) {
    note_cost(measure());
  }

  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] double cost() const { return cost_.first; }

  void descend() {
    while (move_one() || change_two()) {
    }
  }

  /// Moves a few random parts to other devices with room, or swaps them with other parts.
  void shake(std::uint64_t& bits, int moves) {
    for (int i = 0; i < moves; ++i) {
      const std::size_t part = (bits = mix_bits(bits)) % placement_.size();
      const auto to = static_cast<std::uint32_t>((bits = mix_bits(bits)) % task_.devices);
      if (has_room(to, task_.parts[part].bytes, 1)) {
        put(part, to);
      } else if (const std::size_t other = (bits = mix_bits(bits)) % placement_.size();
                 may_change(part, other)) {
        const std::uint32_t from = placement_[part];
        put(part, placement_[other]);
        put(other, from);
      }
    }
    note_cost(measure());
  }

 private:
  /// The predicted time, then the imbalance of devices.
  using Cost = std::pair<double, double>;

  [[nodiscard]] Cost measure() const {
    double squares = 0;
    for (const double us : loads_.us) squares += us * us;
    return {cost_of_loads(task_, loads_).us(), squares};
  }
  [[nodiscard]] static bool better(const Cost& a, const Cost& b) {
    if (a.first < b.first * (1 - kEqual)) return true;
    return a.first <= b.first && a.second < b.second * (1 - kEqual);
  }
  void note_cost(const Cost& cost) {
    cost_ = cost;
    longest_.note(loads_.us);
    widest_.note(loads_.exchanged);
    narrowest_.note(loads_.exchanged);
    all_exchanged_ = std::accumulate(loads_.exchanged.begin(), loads_.exchanged.end(), 0.0);
  }
  /// Whether the cost can fall (up to rounding errors) if `us` and `exchanged` move from one device
  /// to another. Does not visit the other devices, and rejects most attempts.
  [[nodiscard]] bool may_help(std::uint32_t from, std::uint32_t to, double us,
                              double exchanged) const {
    const double from_us = loads_.us[from] - us, to_us = loads_.us[to] + us;
    double cost = longest_.with(loads_.us, from, from_us, to, to_us);
    if (task_.link > 0) {
      const double from_sends = loads_.exchanged[from] - exchanged;
      const double to_sends = loads_.exchanged[to] + exchanged;
      const double maximum = widest_.with(loads_.exchanged, from, from_sends, to, to_sends);
      const double minimum = narrowest_.with(loads_.exchanged, from, from_sends, to, to_sends);
      cost += exchange_us(task_, all_exchanged_, maximum, minimum);
    }
    if (cost > cost_.first * (1 + kRounding)) return false;
    if (cost < cost_.first * (1 - kRounding)) return true;
    const double was = loads_.us[from] * loads_.us[from] + loads_.us[to] * loads_.us[to];
    return from_us * from_us + to_us * to_us - was < kRounding * cost_.second;
  }
  [[nodiscard]] bool has_room(std::uint32_t device, double bytes, int parts) const {
    return may_hold(task_, loads_.bytes[device] + bytes, loads_.parts[device] + parts);
  }
  [[nodiscard]] bool may_change(std::size_t a, std::size_t b) const {
    const double more = task_.parts[a].bytes - task_.parts[b].bytes;
    return has_room(placement_[b], more, 0) && has_room(placement_[a], -more, 0);
  }
  void put(std::size_t part, std::uint32_t device) {
    loads_.add(task_.parts[part], placement_[part], -1);
    placement_[part] = device;
    loads_.add(task_.parts[part], device, 1);
  }
  /// Moves both parts, and moves them back unless the cost falls.
  bool try_moves(std::size_t a, std::uint32_t to_a, std::size_t b, std::uint32_t to_b) {
    const std::uint32_t was_a = placement_[a], was_b = placement_[b];
    put(a, to_a);
    if (b != a) put(b, to_b);
    if (const Cost now = measure(); better(now, cost_)) {
      note_cost(now);
      return true;
    }
    put(a, was_a);
    if (b != a) put(b, was_b);
    return false;
  }

  bool move_one() {
    for (std::size_t part = 0; part < placement_.size(); ++part)
      for (std::uint32_t to = 0; to < task_.devices; ++to)
        if (to != placement_[part] && has_room(to, task_.parts[part].bytes, 1) &&
            may_help(placement_[part], to, task_.parts[part].us, task_.parts[part].exchanged) &&
            try_moves(part, to, part, to))
          return true;
    return false;
  }
  bool change_two() {
    for (std::size_t a = 0; a < placement_.size(); ++a)
      for (std::size_t b = a + 1; b < placement_.size(); ++b) {
        const std::uint32_t to_a = placement_[b], to_b = placement_[a];
        const TablePart &one = task_.parts[a], &other = task_.parts[b];
        if (to_a == to_b || !may_change(a, b) ||
            !may_help(to_b, to_a, one.us - other.us, one.exchanged - other.exchanged))
          continue;
        if (try_moves(a, to_a, b, to_b)) return true;
      }
    return false;
  }

  const PlacementTask& task_;
  Placement placement_;
  Loads loads_;
  Cost cost_;
  Foremost longest_{1}, widest_{1}, narrowest_{-1};
  double all_exchanged_ = 0;
};

}  // namespace

PlacementCost cost_of(const PlacementTask& task, const Placement& placement) {
  return cost_of_loads(task, Loads(task, placement));
}

bool fits(const PlacementTask& task, const Placement& placement) {
  const Loads loads(task, placement);
  for (std::uint32_t device = 0; device < task.devices; ++device)
    if (!may_hold(task, loads.bytes[device], loads.parts[device])) return false;
  return true;
}

double lower_bound_us(const PlacementTask& task) {
  double sum = 0, longest = 0, exchanged = 0;
  for (const TablePart& part : task.parts) {
    sum += part.us;
    longest = std::max(longest, part.us);
    exchanged += part.exchanged;
  }
  double bound = std::max(sum / task.devices, longest);
  if (task.link > 0 && task.devices > 1)
    bound += 2 * (task.latency_us + exchanged * (task.devices - 1) / task.devices / task.link);
  return bound;
}

std::string_view name(Sharder sharder) {
  constexpr std::array<std::string_view, kSharders> kNames = {"naive",
                                                              "random",
                                                              "size_greedy",
                                                              "lookup_greedy",
                                                              "norm_lookup_greedy",
                                                              "size_lookup_greedy"};
  return kNames[static_cast<std::size_t>(sharder)];
}

std::optional<Placement> place_with(Sharder sharder, const PlacementTask& task,
                                    std::uint64_t seed) {
  if (sharder == Sharder::naive)
    return in_order(task,
                    [&](std::size_t i) { return static_cast<std::uint32_t>(i % task.devices); });
  if (sharder == Sharder::random) {
    std::uint64_t bits = mix_bits(seed);
    return in_order(task, [&](std::size_t) {
      return static_cast<std::uint32_t>((bits = mix_bits(bits)) % task.devices);
    });
  }
  std::vector<double> weights;
  for (const TablePart& part : task.parts) weights.push_back(weight_by(sharder, part));
  return greedy(task, weights);
}

std::optional<Placement> search_placement(const PlacementTask& task, std::uint64_t seed) {
  std::vector<Placement> starts;
  std::vector<double> us, bytes;
  for (const TablePart& part : task.parts) {
    us.push_back(part.us);
    bytes.push_back(part.bytes);
  }
  for (const auto* weights : {&us, &bytes})
    if (auto made = greedy(task, *weights)) starts.push_back(*std::move(made));
  for (std::uint32_t i = 0; i < kSharders; ++i)
    if (auto made = place_with(static_cast<Sharder>(i), task, seed))
      starts.push_back(*std::move(made));
  if (starts.empty()) return std::nullopt;
  std::stable_sort(starts.begin(), starts.end(), [&](const Placement& a, const Placement& b) {
    return cost_of(task, a).us() < cost_of(task, b).us();
  });
  Improver first(task, starts.front());
  first.descend();
  Placement best = first.placement();
  double minimum = first.cost();
  const double bound = lower_bound_us(task);
  std::uint64_t bits = mix_bits(seed + 1);
  for (int round = 0; round < kRounds && minimum > bound * (1 + 1e-9); ++round) {
    Improver next(task, best);
    next.shake(bits, 2 + round % 6);
    next.descend();
    if (next.cost() >= minimum) continue;
    minimum = next.cost();
    best = next.placement();
  }
  return best;
}

}  // namespace orrery::model
