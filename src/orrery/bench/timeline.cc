// SPDX-License-Identifier: Apache-2.0
#include "orrery/bench/timeline.h"

#include <memory>
#include <string>

namespace orrery::bench {
namespace {

constexpr std::int64_t kBetweenNs = 1000;

/// The name without an overload, as profilers have it.
std::string profiled_name(const std::string& name) {
  const std::size_t colons = name.find("::");
  return name.substr(0, name.find('.', colons == std::string::npos ? 0 : colons));
}

class Timeline {
 public:
  Timeline(const Plan& plan, const Outcome& outcome) : plan_(plan), outcome_(outcome) {
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
           std::uint64_t record_function) {
    profile::Op op;
    if (record_function != 0) {
      op.record_function_id = record_function;
      op.external_id = record_function;
    }
    profile::Event event;
    event.kind = kind;
    event.name = profile_.strings->intern(name);
    event.lane = thread_;
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
      const std::uint32_t source = plan_.steps[s].source;
      std::size_t last = s;
      while (last + 1 < plan_.steps.size() && plan_.steps[last + 1].source == source) ++last;
      const std::int64_t from = outcome_.begin_ns[first + s];
      const std::int64_t to = outcome_.begin_ns[first + last] + outcome_.length_ns[first + last];
      add(profile::Kind::op, profiled_name(plan_.sources[source].name), begin + from, to - from,
          i == 0 ? plan_.sources[source].record_function : 0);
      s = last + 1;
    }
  }

  const Plan& plan_;
  const Outcome& outcome_;
  profile::Profile profile_;
  std::uint32_t thread_ = 0;
};

}  // namespace

profile::Profile timeline_of(const Plan& plan, const Outcome& outcome) {
  return Timeline(plan, outcome).take();
}

}  // namespace orrery::bench
