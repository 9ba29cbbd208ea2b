// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/memory_curves.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

namespace orrery::bench {
namespace {

using profile::EventId;

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 60;

/// One life of a storage, because ids are reused for other memory. Positions count starts and ends
/// of operators.
struct Lifetime {
  std::int64_t bytes = 0;
  std::size_t born = 0, last = 0;
  bool before = false;  ///< it existed before the first operator
};

class Lifetimes {
 public:
  Lifetimes(const profile::Profile& profile, const InnerOperators& inside)
      : profile_(profile), inside_(inside) {}

  /// Visits a replayed operator and all operators that it calls.
  void visit(EventId event) {
    enter(event);
    while (!open_.empty()) {
      const auto& called = inside_.inner_operators(open_.back().event);
      if (open_.back().next < called.size()) {
        enter(called[open_.back().next++]);
      } else {
        leave();
      }
    }
    ends_.push_back(place_);
  }

  MemoryCurve curve() {
    std::vector<std::int64_t> born(place_ + 1, 0), freed(place_ + 1, 0);
    for (const Lifetime& lifetime : lifetimes_) {
      if (lifetime.before) continue;
      born[lifetime.born] += lifetime.bytes;
      freed[lifetime.last] += lifetime.bytes;
    }
    MemoryCurve curve;
    std::int64_t now = 0;
    std::size_t at = 0;
    for (const std::size_t end : ends_) {
      std::int64_t most = now;
      for (++at; at <= end; ++at) {
        now += born[at];
        most = std::max(most, now);
        now -= freed[at];
      }
      at = end;
      curve.most.push_back(most);
      curve.held.push_back(now);
    }
    return curve;
  }

 private:
  struct Open {
    EventId event;
    std::size_t began;
    std::vector<RecordedTensor> received;
    std::size_t next = 0;  // index in its callees

    [[nodiscard]] bool has_received(const RecordedTensor& tensor) const {
      return std::any_of(received.begin(), received.end(),
                         [&](const RecordedTensor& one) { return one.storage == tensor.storage; });
    }
  };

  /// If an operator passes on a tensor that it did not receive, it allocated the tensor internally.
  void enter(EventId e) {
    ++place_;
    std::vector<RecordedTensor> received = argument_tensors(profile_, e);
    for (const RecordedTensor& tensor : received) {
      if (open_.empty() || open_.back().has_received(tensor) ||
          exists_since(open_.back(), tensor)) {
        use(tensor);
      } else {
        add(tensor, false);
      }
    }
    open_.push_back({e, place_, std::move(received)});
  }

  void leave() {
    ++place_;
    const Open ended = std::move(open_.back());
    open_.pop_back();
    for (const RecordedTensor& tensor : ended.received)
      use(tensor);  // live until the operator ends
    for (const RecordedTensor& tensor : result_tensors(profile_, ended.event)) {
      if (ended.has_received(tensor) || exists_since(ended, tensor)) {
        use(tensor);
      } else {
        add(tensor, false);
      }
    }
  }

  [[nodiscard]] bool exists_since(const Open& open, const RecordedTensor& tensor) const {
    const auto known = now_.find(tensor.storage);
    return known != now_.end() && lifetimes_[known->second].born > open.began;
  }

  void use(const RecordedTensor& tensor) {
    const auto known = now_.find(tensor.storage);
    if (known == now_.end()) return add(tensor, true);
    Lifetime& lifetime = lifetimes_[known->second];
    lifetime.last = place_;
    lifetime.bytes =
        std::max(lifetime.bytes, reach_of(tensor.spec).value_or(0));  // it may have grown
  }

  void add(const RecordedTensor& tensor, bool before) {
    const auto reach = reach_of(tensor.spec);
    if (!reach) return;
    now_[tensor.storage] = lifetimes_.size();
    lifetimes_.push_back({*reach, place_, place_, before});
  }

  const profile::Profile& profile_;
  const InnerOperators& inside_;
  std::vector<Open> open_;
  std::vector<Lifetime> lifetimes_;
  std::unordered_map<std::uint64_t, std::size_t> now_;  // storage → index in lifetimes_
  std::vector<std::size_t> ends_;                       // by visited operator
  std::size_t place_ = 0;
};

}  // namespace

std::int64_t MemoryCurve::peak() const {
  return most.empty() ? 0 : *std::max_element(most.begin(), most.end());
}

std::optional<double> MemoryCurves::peak_change() const {
  if (recorded.peak() <= 0 || replayed.most.empty()) return std::nullopt;
  return static_cast<double>(replayed.peak()) / static_cast<double>(recorded.peak()) - 1;
}

std::optional<double> MemoryCurves::mean_distance() const {
  const std::size_t count = std::min(recorded.most.size(), replayed.most.size());
  if (recorded.peak() <= 0 || count == 0) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<double>(std::abs(recorded.most[i] - replayed.most[i]));
  return sum / static_cast<double>(count) / static_cast<double>(recorded.peak());
}

MemoryCurve recorded_memory(const profile::Profile& profile, const InnerOperators& inside,
                            const ReplayPlan& plan) {
  Lifetimes lifetimes(profile, inside);
  for (const PlanSource& source : plan.sources) lifetimes.visit(source.event);
  return lifetimes.curve();
}

MemoryCurve profiled_memory(const profile::Profile& profile, const ReplayPlan& plan) {
  std::vector<std::pair<Time, std::size_t>> starts;  // of operators, ascending
  for (std::size_t i = 0; i < plan.sources.size(); ++i) {
    const profile::Event& event = profile.events[plan.sources[i].event];
    if (event.timed()) starts.emplace_back(event.start, i);
  }
  if (starts.size() != plan.sources.size()) return {};
  std::sort(starts.begin(), starts.end());
  const profile::Event& final = profile.events[plan.sources[starts.back().second].event];
  std::vector<profile::MemoryChange> changes;
  for (const profile::MemoryChange& change : profile.memory)
    if (change.at >= starts.front().first && change.at <= final.end()) changes.push_back(change);
  if (changes.empty()) return {};
  const bool device = std::any_of(changes.begin(), changes.end(),
                                  [](const profile::MemoryChange& one) { return one.device; });
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  MemoryCurve curve;
  curve.most.resize(plan.sources.size(), 0);
  curve.held.resize(plan.sources.size(), 0);
  std::int64_t now = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::int64_t most = now;
    const bool last = i + 1 == starts.size();
    for (; next < changes.size() && (last || changes[next].at < starts[i + 1].first); ++next) {
      if (changes[next].device != device) continue;
      now = std::clamp(now + std::clamp(changes[next].bytes, -kMaxBytes, kMaxBytes), -kMaxBytes,
                       kMaxBytes);
      most = std::max(most, now);
    }
    curve.most[starts[i].second] = most;
    curve.held[starts[i].second] = now;
  }
  return curve;
}

MemoryCurve replayed_memory(const ReplayPlan& plan, const ReplayOutcome& outcome) {
  MemoryCurve curve;
  if (outcome.held_bytes.size() != plan.steps.size()) return curve;
  curve.most.resize(plan.sources.size(), -1);
  curve.held.resize(plan.sources.size(), 0);
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const std::uint32_t source = plan.steps[s].source;
    curve.most[source] = std::max(
        {curve.most[source], outcome.most_bytes[s] - outcome.external_bytes, std::int64_t{0}});
    curve.held[source] = outcome.held_bytes[s] - outcome.external_bytes;
  }
  // Operators without a step do not change memory.
  std::int64_t held = 0;
  for (std::size_t i = 0; i < curve.most.size(); ++i) {
    if (curve.most[i] < 0) curve.most[i] = curve.held[i] = held;
    held = curve.held[i];
  }
  return curve;
}

}  // namespace orrery::bench
