// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/similarity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "orrery/core/statistics/statistics.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::kNoEvent;
using profile::Profile;

/// The device work of one replayed operator.
struct DeviceWork {
  std::int64_t ns = 0;
  std::uint64_t kernels = 0;
};

std::int64_t nanoseconds_of(Time time) { return (time.count() + 500) / 1000; }

/// The value of "est. achieved occupancy %" in a kernel's arguments, 0 … 1.
std::optional<double> occupancy_of(std::string_view launch) {
  constexpr std::string_view kKey = "\"est. achieved occupancy %\":";
  const std::size_t at = launch.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view digits = launch.substr(at + kKey.size());
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  double percent = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (!(percent >= 0 && percent <= 100)) return std::nullopt;
  return percent / 100;
}

class Comparison {
 public:
  Comparison(const Profile& profile, const ReplayPlan& plan, const ReplayOutcome& outcome)
      : profile_(profile),
        plan_(plan),
        outcome_(outcome),
        inside_(profile),
        works_(profile, inside_),
        device_(plan.sources.size()),
        replayed_ns_(plan.sources.size(), 0),
        is_replayed_(plan.sources.size(), false) {}

  Similarity compare(std::int32_t threads) {
    made_.timed = plan_.timed;
    find_sources();
    add_device();
    add_replayed();
    add_operators();
    add_operator_counts();
    add_communications();
    made_.memory.recorded = profiled_memory(profile_, plan_);
    made_.memory.profiled = !made_.memory.recorded.most.empty();
    if (!made_.memory.profiled) made_.memory.recorded = recorded_memory(profile_, inside_, plan_);
    made_.memory.replayed = replayed_memory(plan_, outcome_);
    add_utilization(threads);
    return std::move(made_);
  }

 private:
  void find_sources() {
    source_of_.assign(profile_.events.size(), ~0u);
    for (std::uint32_t i = 0; i < plan_.sources.size(); ++i) source_of_[plan_.sources[i].event] = i;
  }

  /// The replayed operator that contains an event, or the event itself.
  std::uint32_t enclosing_source(EventId event) const {
    for (std::size_t depth = 0; event != kNoEvent && depth < profile_.events.size(); ++depth) {
      if (source_of_[event] != ~0u) return source_of_[event];
      event = profile_.events[event].parent;
    }
    return ~0u;
  }

  void add_device() {
    double weighted = 0, weight = 0;
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      const profile::Event& event = profile_.events[e];
      if (!profile::is_device_work(event.kind)) continue;
      const std::uint32_t source = enclosing_source(profile_.work(e).op);
      if (source == ~0u) continue;
      made_.on_device = true;
      device_[source].ns += nanoseconds_of(event.duration);
      ++device_[source].kernels;
      if (const auto occupancy = occupancy_of(profile_.string(profile_.work(e).launch))) {
        weighted += *occupancy * static_cast<double>(event.duration.count());
        weight += static_cast<double>(event.duration.count());
      }
    }
    if (weight > 0) made_.utilization.occupancy = weighted / weight;
  }

  /// For each operator, the sum over its steps; median over iterations.
  void add_replayed() {
    const std::size_t iterations = outcome_.wall_ns.size();
    std::vector<std::vector<std::int64_t>> took(plan_.sources.size());
    std::vector<bool> works(plan_.sources.size(), true), any(plan_.sources.size(), false);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const ReplayStep& step = plan_.steps[s];
      took[step.source].resize(iterations, 0);
      for (std::size_t i = 0; i < iterations; ++i)
        took[step.source][i] += outcome_.length_ns[i * plan_.steps.size() + s];
      any[step.source] = true;
      if (step.kind == ReplayStep::Kind::absent || outcome_.failures[s] != 0)
        works[step.source] = false;
    }
    for (std::size_t i = 0; i < is_replayed_.size(); ++i) {
      is_replayed_[i] = any[i] && works[i];
      replayed_ns_[i] = lower_median(took[i]);
    }
  }

  void add_operators() {
    std::map<std::string, OperatorComparison> by_name;
    std::map<EventId, double> stand_ins;  // by event: flops of stand-ins
    for (const ReplayStep& step : plan_.steps)
      if (step.kind == ReplayStep::Kind::stand_in)
        stand_ins[plan_.sources[step.source].event] += step.flops;
    for (std::size_t k = 0; k < kWorkClasses; ++k)
      made_.classes[k].kind = static_cast<WorkClass>(k);
    for (std::size_t i = 0; i < plan_.sources.size(); ++i) {
      const PlanSource& source = plan_.sources[i];
      const Work work = works_.of(source.event);
      OperatorComparison& of_name = by_name[source.name];
      if (of_name.recorded.count == 0) of_name.kind = work.kind;
      if (of_name.rule.empty()) of_name.rule = source.rule;
      of_name.name = source.name;
      const auto stand_in = stand_ins.find(source.event);
      for (OperatorComparison* to :
           {&made_.classes[static_cast<std::size_t>(work.kind)], &of_name}) {
        const std::int64_t host = nanoseconds_of(source.recorded);
        add(to->recorded, work, made_.on_device ? device_[i].ns : host);
        to->host_ns += host;
        to->kernels += device_[i].kernels;
        Work done = work;
        if (stand_in != stand_ins.end()) done.flops = stand_in->second;
        if (is_replayed_[i]) add(to->replayed, done, replayed_ns_[i]);
      }
    }
    for (auto& [name, one] : by_name) made_.names.push_back(std::move(one));
    std::stable_sort(made_.names.begin(), made_.names.end(),
                     [](const auto& a, const auto& b) { return a.replayed.ns > b.replayed.ns; });
  }

  static void add(ResourceUse& to, const Work& work, std::int64_t ns) {
    ++to.count;
    to.ns += ns;
    if (!work.known) return;
    to.known_ns += ns;
    to.flops += work.flops;
    to.bytes += work.bytes;
  }

  /// A node with a schema is an operator.
  void add_operator_counts() {
    std::map<std::string, OperatorCount> by_name;
    std::vector<EventId> open;
    for (const PlanSource& source : plan_.sources) open.push_back(source.event);
    while (!open.empty()) {
      const EventId e = open.back();
      open.pop_back();
      if (profile_.node(e)->schema != StringId::empty)
        ++by_name[std::string(profile_.name(e))].recorded;
      const auto& called = inside_.inner_operators(e);
      open.insert(open.end(), called.begin(), called.end());
    }
    for (const auto& [name, count] : outcome_.operator_counts) by_name[name].replayed += count;
    for (auto& [name, ran] : by_name) {
      ran.name = name;
      made_.operator_counts.push_back(std::move(ran));
    }
  }

  /// Adds recorded communications within the replayed part, by their nodes; only the outermost
  /// record of each.
  void add_communications() {
    std::map<profile::CommKind, CommunicationComparison> by_kind;
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (const PlanSource& source : plan_.sources) {
      first = std::min(first, profile_.node(source.event)->id);
      last = std::max(last, profile_.node(source.event)->id);
    }
    std::map<EventId, std::int64_t> device;  // by outermost record
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      const profile::Event& event = profile_.events[e];
      if (!profile::is_device_work(event.kind) || profile_.comm(e) == nullptr) continue;
      if (const EventId record = outermost_comm(profile_.work(e).op); record != kNoEvent)
        device[record] += nanoseconds_of(event.duration);
    }
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      const profile::Node* node = profile_.node(e);
      const profile::Comm* comm = node == nullptr ? nullptr : profile_.comm(e);
      if (comm == nullptr || node->id < first || node->id > last || outermost_comm(e) != e ||
          comm->kind == profile::CommKind::wait)
        continue;
      CommunicationComparison& one = by_kind[comm->kind];
      ++one.recorded;
      one.bytes += std::max<std::int64_t>(comm->bytes(), 0);
      const auto on_device = device.find(e);
      one.recorded_ns += on_device != device.end() ? on_device->second
                                                   : nanoseconds_of(profile_.events[e].duration);
    }
    for (std::size_t i = 0; i < plan_.sources.size(); ++i) {
      if (!is_replayed_[i] || works_.of(plan_.sources[i].event).kind != WorkClass::communication)
        continue;
      CommunicationComparison& one = by_kind[comm_kind(plan_.sources[i])];
      ++one.replayed;
      one.replayed_ns += replayed_ns_[i];
    }
    for (auto& [kind, one] : by_kind) {
      one.kind = kind;
      made_.communications.push_back(one);
    }
  }

  /// The kind according to the operator, to its callees, or to its name.
  profile::CommKind comm_kind(const PlanSource& source) const {
    if (const profile::Comm* comm = profile_.comm(source.event)) return comm->kind;
    for (const EventId called : inside_.inner_operators(source.event))
      if (const profile::Comm* comm = profile_.comm(called)) return comm->kind;
    return profile::comm_kind_of_name(source.name);
  }

  EventId outermost_comm(EventId event) const {
    EventId outermost = kNoEvent;
    for (std::size_t depth = 0; event != kNoEvent && depth < profile_.events.size(); ++depth) {
      if (profile_.comm(event) != nullptr) outermost = event;
      event = profile_.events[event].parent;
    }
    return outermost;
  }

  void add_utilization(std::int32_t threads) {
    Utilization& busy = made_.utilization;
    if (made_.on_device) busy.device = device_share();
    std::int64_t wall = 0, cpu = 0;
    for (const std::int64_t ns : outcome_.wall_ns) wall += ns;
    for (const std::int64_t ns : outcome_.cpu_ns) cpu += ns;
    if (wall > 0 && threads > 0)
      busy.processor = static_cast<double>(cpu) / static_cast<double>(wall) / threads;
    if (outcome_.energy_uj >= 0 && outcome_.energy_ns > 0)
      busy.watts =
          static_cast<double>(outcome_.energy_uj) * 1e3 / static_cast<double>(outcome_.energy_ns);
  }

  /// The busy share of the device, from its first to its last work for the replayed operators.
  std::optional<double> device_share() const {
    std::vector<std::pair<Time, Time>> works;
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      const profile::Event& event = profile_.events[e];
      if (profile::is_device_work(event.kind) && enclosing_source(profile_.work(e).op) != ~0u)
        works.emplace_back(event.start, event.end());
    }
    std::sort(works.begin(), works.end());
    Time busy{}, until = works.front().first;
    for (const auto& [start, end] : works) {
      if (end <= until) continue;
      busy += end - std::max(start, until);
      until = end;
    }
    const Time all = until - works.front().first;
    if (all <= Time{}) return std::nullopt;
    return static_cast<double>(busy.count()) / static_cast<double>(all.count());
  }

  const Profile& profile_;
  const ReplayPlan& plan_;
  const ReplayOutcome& outcome_;
  InnerOperators inside_;
  WorkCounter works_;
  std::vector<std::uint32_t> source_of_;  // by event
  std::vector<DeviceWork> device_;        // by source
  std::vector<std::int64_t> replayed_ns_;
  std::vector<bool> is_replayed_;
  Similarity made_;
};

/// Half the sum of absolute differences of shares.
template <class Items, class Recorded, class Replayed>
std::optional<double> mean_distance(const Items& items, Recorded&& recorded, Replayed&& replayed) {
  double all_recorded = 0, all_replayed = 0, sum = 0;
  for (const auto& item : items) {
    all_recorded += static_cast<double>(recorded(item));
    all_replayed += static_cast<double>(replayed(item));
  }
  if (all_recorded <= 0 || all_replayed <= 0) return std::nullopt;
  for (const auto& item : items)
    sum += std::abs(static_cast<double>(recorded(item)) / all_recorded -
                    static_cast<double>(replayed(item)) / all_replayed);
  return sum / 2;
}

}  // namespace

std::optional<double> Similarity::mix_distance() const {
  return mean_distance(
      operator_counts, [](const OperatorCount& one) { return one.recorded; },
      [](const OperatorCount& one) { return one.replayed; });
}

std::optional<double> Similarity::time_distance() const {
  if (!timed) return std::nullopt;
  return mean_distance(
      classes, [](const OperatorComparison& one) { return one.recorded.ns; },
      [](const OperatorComparison& one) { return one.replayed.ns; });
}

std::uint64_t Similarity::recorded_operators() const {
  std::uint64_t sum = 0;
  for (const OperatorCount& one : operator_counts) sum += one.recorded;
  return sum;
}

std::uint64_t Similarity::replayed_operators() const {
  std::uint64_t sum = 0;
  for (const OperatorCount& one : operator_counts) sum += one.replayed;
  return sum;
}

Similarity similarity_of(const Profile& profile, const ReplayPlan& plan,
                         const ReplayOutcome& outcome, std::int32_t threads) {
  return Comparison(profile, plan, outcome).compare(threads);
}

}  // namespace orrery::bench
