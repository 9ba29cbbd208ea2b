// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/replay_timeline.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery::bench {
namespace {

constexpr std::int64_t kBetweenNs = 1000;
constexpr std::int64_t kCommunicating = 1000;  // number of the first communication thread

/// The name without overload, as profilers show it.
std::string profiled_name(const std::string& name) {
  const std::size_t colons = name.find("::");
  return name.substr(0, name.find('.', colons == std::string::npos ? 0 : colons));
}

class Timeline {
 public:
  Timeline(const ReplayPlan& plan, const ReplayOutcome& outcome) : plan_(plan), outcome_(outcome) {
    profile_.strings = std::make_shared<StringPool>();
    profile_.format = "kineto";
    profile_.where = "replay";
    profile_.process_id = 1;
    thread_ = profile_.lane(false, 1, 1);
  }

  profile::Profile take() {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < outcome_.wall_ns.size(); ++i) {
      iteration(i, begin);
      begin += outcome_.wall_ns[i] + kBetweenNs;
    }
    Findings findings;
    profile_.index(findings);
    return std::move(profile_);
  }

 private:
  void add(profile::Kind kind, const std::string& name, std::int64_t begin, std::int64_t length,
           std::uint64_t record_function, std::optional<std::uint32_t> lane = std::nullopt) {
    profile::Op op;
    if (record_function != 0) {
      op.record_function_id = record_function;
      op.external_id = record_function;
    }
    profile::Event event;
    event.kind = kind;
    event.name = profile_.strings->intern(name);
    event.lane = lane.value_or(thread_);
    event.start = Time(begin * 1000);
    event.duration = Time(length * 1000);
    event.flags = profile::kTimed;
    event.detail = static_cast<std::uint32_t>(profile_.ops.size());
    profile_.ops.push_back(op);
    profile_.events.push_back(event);
  }

  void iteration(std::size_t i, std::int64_t begin) {
    const std::size_t first = i * plan_.steps.size();
    add(profile::Kind::annotation, "ProfilerStep#" + std::to_string(i), begin, outcome_.wall_ns[i],
        0);
    for (std::size_t s = 0; s < plan_.steps.size();) {
      if (plan_.steps[s].kind == ReplayStep::Kind::wait) {
        add(profile::Kind::annotation, "wait", begin + outcome_.begin_ns[first + s],
            outcome_.length_ns[first + s], 0);
        ++s;
        continue;
      }
      const std::uint32_t source = plan_.steps[s].source;
      const std::size_t last = plan_.end_of_operator(s) - 1;
      const std::int64_t from = outcome_.begin_ns[first + s];
      const std::int64_t to = outcome_.begin_ns[first + last] + outcome_.length_ns[first + last];
      add(profile::Kind::op, profiled_name(plan_.sources[source].name), begin + from, to - from,
          i == 0 ? plan_.sources[source].record_function : 0);
      s = last + 1;
    }
    exchanges(i, begin);
  }

  /// Adds communications on separate threads, several per group if they overlap.
  void exchanges(std::size_t i, std::int64_t begin) {
    for (std::size_t e = 0; e < plan_.exchanges.size(); ++e) {
      const Exchange& exchange = plan_.exchanges[e];
      const std::size_t at = i * plan_.exchanges.size() + e;
      const std::string library = exchange.delay_ns >= 0 ? "predicted:" : "gloo:";
      add(profile::Kind::annotation, library + std::string(exchange.kind),
          begin + outcome_.exchange_begin_ns[at], outcome_.exchange_length_ns[at], 0,
          free_lane(exchange.group, begin + outcome_.exchange_begin_ns[at],
                    outcome_.exchange_length_ns[at]));
    }
  }

  /// The first thread of the group that is free at that time.
  std::uint32_t free_lane(std::uint32_t group, std::int64_t begin, std::int64_t length) {
    std::vector<std::int64_t>& ends = ends_[group];
    std::size_t k = 0;
    while (k < ends.size() && ends[k] > begin) ++k;
    if (k == ends.size()) ends.push_back(0);
    ends[k] = begin + length;
    return profile_.lane(false, 1,
                         kCommunicating * (1 + std::int64_t{group}) + static_cast<std::int64_t>(k));
  }

  const ReplayPlan& plan_;
  const ReplayOutcome& outcome_;
  profile::Profile profile_;
  std::uint32_t thread_ = 0;
  std::map<std::uint32_t, std::vector<std::int64_t>> ends_;  // by group and thread
};

}  // namespace

profile::Profile timeline_of(const ReplayPlan& plan, const ReplayOutcome& outcome) {
  return Timeline(plan, outcome).take();
}

}  // namespace orrery::bench
