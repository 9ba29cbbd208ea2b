// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/error_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "orrery/sim/nearest_form.h"

namespace orrery::sim {

using graph::CollectiveType;
using graph::NodeKind;

namespace {

std::string_view word(model::Source source) {
  switch (source) {
    case model::Source::roofline:
      return "roofline";
    case model::Source::heuristic:
      return "heuristic";
    case model::Source::table:
      return "table";
    case model::Source::learned:
      return "learned";
    case model::Source::systolic:
      return "systolic";
    case model::Source::fitted:
      return "fitted";
    case model::Source::local_memory:
    case model::Source::remote_memory:
      return "memory";
    case model::Source::recorded:
      break;
  }
  return "recorded";
}

Time part_of(Time time, double share) {
  return Time(std::llround(static_cast<double>(time.count()) * share));
}

}  // namespace

std::string class_name(model::Source source, const graph::Kernel& kernel) {
  return fmt::format("{} {} {}", word(source), graph::name(kernel.operation),
                     graph::name(kernel.a));
}

std::string class_name(const ToldCollective& told) {
  const std::string_view s = told.ranks == 1 ? "" : "s";
  const std::string on = told.nodes > 1 ? fmt::format(" on {} nodes", told.nodes) : "";
  return fmt::format("nccl {}, {} rank{}{} ({})", told.type, told.ranks, s, on, told.source);
}

namespace {

/// Adds up the links of a path.
class Classes {
 public:
  Classes(Run& run, const Tellers& tellers) : run_(run), tellers_(tellers) {}

  void add(const PathLink& link) {
    if (link.start > at_) between(link, link.start - at_);
    const Time start = std::max(link.start, std::min(at_, link.end));
    at_ = std::max(at_, link.end);
    if (link.end > start) add(link.rank, link.node, link.end - start);
  }

  [[nodiscard]] std::vector<ErrorClass> all() && {
    std::vector<ErrorClass> made;
    for (auto& [key, one] : by_name_) made.push_back(std::move(one));
    std::stable_sort(made.begin(), made.end(),
                     [](const ErrorClass& a, const ErrorClass& b) { return a.time > b.time; });
    return made;
  }

 private:
  ErrorClass& class_of(std::string name, bool known) {
    ErrorClass& one = by_name_[{name, known}];
    if (one.name.empty()) one.name = std::move(name);
    if (known && !one.band) one.band.emplace();
    return one;
  }

  static void put(ErrorClass& one, Time time, const std::optional<Off>& off) {
    one.time += time;
    if (!one.band || !off) return;
    one.band->least += part_of(time, off->least);
    one.band->most += part_of(time, off->most);
  }

  void unknown(std::string name, Time time) { put(class_of(std::move(name), false), time, {}); }
  void recorded(Time time) { put(class_of("recorded", true), time, Off{}); }

  /// Nothing on the path ran.
  void between(const PathLink& next, Time time) {
    if (run_.workload.graph(next.rank).has_lags()) return recorded(time);
    unknown(run_.shared.hosts.empty() ? "waiting" : "waiting, host launches", time);
  }

  void add(std::uint32_t number, graph::NodeId node, Time time) {
    const std::uint32_t rank = run_.quotient.rank_for(number);
    if (run_.platform.replay_only) return recorded(time);
    switch (run_.workload.graph(number).kind(node)) {
      case NodeKind::comp:
        return compute(number, node, time);
      case NodeKind::coll:
        if (run_.options.replay) return recorded(time);
        return collective(rank, node, time);
      case NodeKind::send:
      case NodeKind::recv:
        if (run_.options.replay) return recorded(time);
        return unknown("network, messages", time);
      case NodeKind::mem_load:
      case NodeKind::mem_store:
        return unknown("memory", time);
      case NodeKind::invalid:
      case NodeKind::metadata:
        break;
    }
    unknown("waiting", time);
  }

  void compute(std::uint32_t number, graph::NodeId node, Time time) {
    const graph::Graph& graph = run_.workload.graph(number);
    const auto answer = tellers_.compute.time(graph, node);
    if (!answer || answer->source == model::Source::recorded) return recorded(time);
    const bool known = answer->band.has_value() || answer->source == model::Source::table;
    const Off off = answer->band ? Off{answer->band->least, answer->band->most} : Off{};
    put(kernel_class(graph, node, answer->source, known), time, off);
  }

  ErrorClass& kernel_class(const graph::Graph& graph, graph::NodeId node, model::Source source,
                           bool known) {
    const graph::KernelId kernel =
        graph.kernels() == nullptr ? graph::kNoKernel : graph.kernel(node);
    if (kernel == graph::kNoKernel) return class_of(std::string(word(source)), known);
    const graph::Kernel& what = (*graph.kernels())[kernel];
    ErrorClass*& one = kernels_[{source, what.operation, what.a, known}];
    if (one == nullptr) one = &class_of(class_name(source, what), known);
    return *one;
  }

  void collective(std::uint32_t rank, graph::NodeId node, Time time) {
    const graph::Graph& graph = run_.graph_of(rank);
    if (run_.policy.nearest_form && tellers_.nodes.takes_recorded_time(rank, node))
      return recorded(time);
    const CollectiveType type = graph.collective(node).type;
    const bool plain = tellers_.customs.algorithm(rank, node, type) == nullptr;
    const std::span<const ToldCollective> phases =
        plain ? phases_of(rank, node) : std::span<const ToldCollective>{};
    std::int64_t sum = 0;
    for (const ToldCollective& phase : phases) sum += phase.time.count();
    if (sum <= 0) return unknown(fmt::format("network, {}", graph::name(type)), time);
    // Who knows when its members came has cut off what it waited for them.
    const bool joined = run_.shared.times[run_.shared.first_times[rank] + node].sender != kNone;
    const Time told = joined ? time : std::min(time, Time(sum));
    Time left = told;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const double share = static_cast<double>(phases[i].time.count()) / static_cast<double>(sum);
      const Time part = i + 1 == phases.size() ? left : std::min(left, part_of(told, share));
      left -= part;
      put(class_of(class_name(phases[i]), phases[i].off.has_value()), part, phases[i].off);
    }
    if (time > told) unknown("waiting, peers", time - told);
  }

  /// What the library tells of the phases of a collective; empty where none runs it.
  std::span<const ToldCollective> phases_of(std::uint32_t rank, graph::NodeId node) {
    if (run_.options.library == nullptr) return {};
    const graph::Graph& graph = run_.graph_of(rank);
    const graph::Collective& stated = graph.collective(node);
    const std::uint32_t communicator = tellers_.collectives.known_communicator(rank, node);
    const Communicator& group = run_.communicators[communicator];
    NearestForm form{stated.type, stated.size.count()};
    if (model::plan_for(run_.platform.collectives, stated.type) == nullptr)
      form = nearest_form(stated.type, stated.size.count(), group.members);
    const std::uint32_t mask =
        graph.has(node, graph::kHasDims) ? stated.dims_mask : run_.policy.dims_unsaid;
    const auto topology =
        tellers_.planner.topology(form.type, communicator, group, group.dims(mask));
    if (!topology) return {};
    ChunkRequest request;
    request.type = form.type;
    request.topology = *topology;
    request.bytes = form.size;
    const auto [known, added] = told_.try_emplace({form.type, *topology, form.size});
    if (added) known->second = tellers_.planner.told(request);
    return known->second;
  }

  Run& run_;
  const Tellers& tellers_;
  Time at_{};
  std::map<std::pair<std::string, bool>, ErrorClass> by_name_;
  std::map<std::tuple<model::Source, graph::Operation, graph::Format, bool>, ErrorClass*> kernels_;
  using Kind = std::tuple<CollectiveType, std::uint32_t, std::int64_t>;  // type, topology, bytes
  std::map<Kind, std::vector<ToldCollective>> told_;
};

}  // namespace

std::vector<ErrorClass> error_classes(const std::vector<PathLink>& path, Run& run,
                                      const Tellers& tellers) {
  Classes classes(run, tellers);
  for (const PathLink& link : path) classes.add(link);
  return std::move(classes).all();
}

}  // namespace orrery::sim
