// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/memory_use.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>

namespace orrery::profile {
namespace {

/// Operators that only create or resize a tensor, for another operator.
bool only_allocates(std::string_view name) {
  for (const std::string_view prefix :
       {"aten::empty", "aten::_empty", "aten::resize", "aten::new_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

struct AllocatingOperator {
  StringId name = StringId::empty;
  StringId outermost = StringId::empty;

  friend auto operator<=>(const AllocatingOperator&, const AllocatingOperator&) = default;
};

class MemoryUses {
 public:
  explicit MemoryUses(const Profile& profile)
      : profile_(profile), operators_(profile.memory.size()) {}

  std::vector<MemoryUse> take() {
    find_operators();
    std::map<std::pair<bool, std::int32_t>, std::vector<std::uint32_t>> pools;
    for (std::uint32_t c = 0; c < profile_.memory.size(); ++c) {
      const MemoryChange& change = profile_.memory[c];
      pools[{change.device, change.device_id}].push_back(c);
    }
    std::vector<MemoryUse> list;
    for (auto& [key, changes] : pools) list.push_back(use_of(key, changes));
    return list;
  }

 private:
  /// Fills `operators_`: sweeps each thread with the operators that are open.
  void find_operators() {
    std::vector<std::uint32_t> order(profile_.memory.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const MemoryChange &left = profile_.memory[a], &right = profile_.memory[b];
      return std::tie(left.lane, left.at) < std::tie(right.lane, right.at);
    });
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      const std::uint32_t lane = profile_.memory[order[begin]].lane;
      while (end < order.size() && profile_.memory[order[end]].lane == lane) ++end;
      if (lane < profile_.lanes.size()) find_operators(lane, {order.data() + begin, end - begin});
    }
  }

  void find_operators(std::uint32_t lane, std::span<const std::uint32_t> changes) {
    const auto events = profile_.in_order(lane);
    std::size_t next = 0;
    std::vector<EventId> open;
    for (const std::uint32_t c : changes) {
      const Time at = profile_.memory[c].at;
      for (; next < events.size() && profile_.events[events[next]].start <= at; ++next) {
        const Event& event = profile_.events[events[next]];
        if (!event.timed() || event.end() < at) continue;
        open.push_back(events[next]);
      }
      while (!open.empty() && profile_.events[open.back()].end() < at) open.pop_back();
      operators_[c] = allocating(open, at);
    }
  }

  [[nodiscard]] AllocatingOperator allocating(const std::vector<EventId>& open, Time at) const {
    AllocatingOperator found;
    StringId allocator = StringId::empty, annotation = StringId::empty;
    for (const EventId e : open) {  // from the outermost to the innermost
      const Event& event = profile_.events[e];
      if (event.end() < at) continue;
      if (event.kind == Kind::annotation) annotation = event.name;
      if (event.kind != Kind::op) continue;
      if (found.outermost == StringId::empty) found.outermost = event.name;
      allocator = event.name;
      if (!only_allocates(profile_.string(event.name))) found.name = event.name;
    }
    if (found.name == StringId::empty) found.name = allocator;
    if (found.name == StringId::empty) found.name = annotation;
    return found;
  }

  MemoryUse use_of(std::pair<bool, std::int32_t> pool, std::vector<std::uint32_t>& changes) {
    std::stable_sort(changes.begin(), changes.end(), [&](std::uint32_t a, std::uint32_t b) {
      return profile_.memory[a].at < profile_.memory[b].at;
    });
    MemoryUse use{.device = pool.first, .device_id = pool.second, .curve = {}, .operators = {}};
    use.has_totals = std::all_of(changes.begin(), changes.end(), [&](std::uint32_t c) {
      return profile_.memory[c].allocated >= 0;
    });
    std::vector<MemorySample> samples;
    std::int64_t total = 0;
    for (const std::uint32_t c : changes) {
      const MemoryChange& change = profile_.memory[c];
      if (__builtin_add_overflow(total, change.bytes, &total)) total = 0;
      samples.push_back({change.at, use.has_totals ? change.allocated : total, change.reserved});
      if (change.bytes < 0) ++use.releases;
      if (change.bytes <= 0) continue;
      ++use.allocations;
      add(use.allocated_bytes, change.bytes);
    }
    use.first = samples.front();
    use.last = samples.back();
    const auto largest = [&](std::int64_t MemorySample::*value) {
      return std::max_element(
          samples.begin(), samples.end(),
          [&](const MemorySample& a, const MemorySample& b) { return a.*value < b.*value; });
    };
    const auto peak = largest(&MemorySample::allocated);
    use.peak = *peak;
    use.peak_reserved = *largest(&MemorySample::reserved);
    use.curve = curve_of(samples);
    add_operators(use, changes, static_cast<std::size_t>(peak - samples.begin()));
    return use;
  }

  static void add(std::int64_t& sum, std::int64_t bytes) {
    if (__builtin_add_overflow(sum, bytes, &sum)) sum = INT64_MAX;
  }

  static std::vector<MemorySample> curve_of(const std::vector<MemorySample>& samples) {
    std::vector<MemorySample> curve;
    const Time first = samples.front().at;
    const double length = seconds(samples.back().at - first);
    std::size_t part = 0;
    for (const MemorySample& sample : samples) {
      const double share = length > 0 ? seconds(sample.at - first) / length : 0;
      const auto own =
          std::min(kMemorySamples - 1, static_cast<std::size_t>(share * kMemorySamples));
      if (curve.empty() || own != part) {
        part = own;
        curve.push_back(sample);
        continue;
      }
      const std::int64_t reserved = std::max(curve.back().reserved, sample.reserved);
      if (sample.allocated > curve.back().allocated) curve.back() = sample;
      curve.back().reserved = reserved;
    }
    return curve;
  }

  void add_operators(MemoryUse& use, const std::vector<std::uint32_t>& changes, std::size_t peak) {
    std::map<AllocatingOperator, OperatorMemory> by_operator;
    std::unordered_map<std::uint64_t, std::uint32_t> alive;  // by address: the allocation
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const MemoryChange& change = profile_.memory[changes[i]];
      if (i <= peak && change.address != 0) {
        alive.erase(change.address);
        if (change.bytes > 0) alive.emplace(change.address, changes[i]);
      }
      if (change.bytes <= 0) continue;
      OperatorMemory& memory = by_operator[operators_[changes[i]]];
      ++memory.count;
      add(memory.bytes, change.bytes);
      memory.largest = std::max(memory.largest, change.bytes);
    }
    for (const auto& [address, allocation] : alive) {
      OperatorMemory& memory = by_operator[operators_[allocation]];
      ++memory.peak_count;
      add(memory.peak_bytes, profile_.memory[allocation].bytes);
      add(use.known_at_peak, profile_.memory[allocation].bytes);
    }
    for (auto& [key, memory] : by_operator) {
      memory.name = profile_.string(key.name);
      memory.outermost = profile_.string(key.outermost);
      use.operators.push_back(std::move(memory));
    }
    std::sort(use.operators.begin(), use.operators.end(),
              [](const OperatorMemory& a, const OperatorMemory& b) {
                return std::tie(b.peak_bytes, b.bytes, a.name, a.outermost) <
                       std::tie(a.peak_bytes, a.bytes, b.name, b.outermost);
              });
  }

  const Profile& profile_;
  std::vector<AllocatingOperator> operators_;  // by change
};

}  // namespace

std::vector<MemoryUse> memory_use(const Profile& profile) { return MemoryUses(profile).take(); }

}  // namespace orrery::profile
