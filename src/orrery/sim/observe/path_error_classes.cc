// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/path_error_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "orrery/graph/structure/node_selection.h"
#include "orrery/sim/collectives/plans/nearest_form.h"

namespace orrery::sim {

using graph::CollectiveType;
using graph::NodeKind;

namespace {

/// The provenance of a model's prediction.
TimeProvenance time_provenance_named(const model::TimeEstimate& answer) {
  if (answer.source == TimeSource::table && !answer.band && !answer.extrapolated)
    return TimeProvenance::recorded;
  if (!answer.band) return TimeProvenance::formula;
  return answer.extrapolated ? TimeProvenance::extrapolated : TimeProvenance::interpolated;
}

Time share_of(Time time, double share) {
  return Time(std::llround(static_cast<double>(time.count()) * share));
}

}  // namespace

std::string class_name(TimeSource source, const graph::Kernel& kernel) {
  return fmt::format("{} {} {}", name(source), graph::name(kernel.operation),
                     graph::name(kernel.a));
}

std::string class_name(const PredictedCollective& predicted) {
  const std::string_view s = predicted.ranks == 1 ? "" : "s";
  const std::string on = predicted.nodes > 1 ? fmt::format(" on {} nodes", predicted.nodes) : "";
  const bool by_tokens =
      predicted.algorithm.starts_with("deepep") || predicted.algorithm.starts_with("hybridep");
  const std::string what = by_tokens ? predicted.algorithm : "nccl " + predicted.type;
  return fmt::format("{}, {} rank{}{} ({})", what, predicted.ranks, s, on, predicted.source);
}

namespace {

/// Adds up the links of a path.
class Classes {
 public:
  Classes(EngineRun& run, const DurationSources& sources) : run_(run), sources_(sources) {}

  void add(const CriticalPathNode& link) {
    if (link.start > at_) between(link, link.start - at_);
    const Time start = std::max(link.start, std::min(at_, link.end));
    at_ = std::max(at_, link.end);
    if (link.end > start) add(link.rank, link.node, link.end - start);
    before_ = link;
  }

  [[nodiscard]] const TimeByProvenance& time_by_provenance() const { return provenance_times_; }

  [[nodiscard]] std::vector<ErrorClass> all() && {
    std::vector<ErrorClass> made;
    for (auto& [key, one] : by_name_)
      if (one.time > Time{}) made.push_back(std::move(one));
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

  void add_provenance(TimeProvenance provenance, Time time) {
    provenance_times_[static_cast<std::size_t>(provenance)] += time;
  }

  void add_to_class(ErrorClass& one, Time time, const std::optional<ErrorInterval>& error,
                    TimeProvenance provenance) {
    add_provenance(provenance, time);
    one.time += time;
    if (!one.band || !error) return;
    one.band->lower += share_of(time, error->lower);
    one.band->upper += share_of(time, error->upper);
  }

  /// Adds time without a known error to the class `name`, whose text outlives this object.
  void unknown(std::string_view name, Time time) {
    ErrorClass*& one = fixed_[name];
    if (one == nullptr) one = &class_of(std::string(name), false);
    one->time += time;
    add_provenance(TimeProvenance::formula, time);
  }
  void recorded(Time time) {
    if (recorded_ == nullptr) recorded_ = &class_of("recorded", true);
    recorded_->time += time;
    add_provenance(TimeProvenance::recorded, time);
  }

  /// Adds a time of the trace, recorded or changed.
  void recorded(std::uint32_t number, graph::NodeId node, Time time) {
    const graph::WorkloadProvenance& all = run_.workload.provenance;
    if (all.nodes.empty()) return recorded(time);
    const graph::Graph& graph = run_.workload.graph(number);
    const graph::NodeProvenance stand = all.of(graph, node);
    if (stand == graph::NodeProvenance{}) return recorded(time);
    const ErrorInterval error{stand.lower, stand.upper};
    const bool moved = !stand.has_interval || error != ErrorInterval{};
    const graph::KernelId kernel = graph.kernel(node);
    const std::string name =
        !moved                                     ? std::string(orrery::name(stand.provenance))
        : graph.is_cpu(node) && graph.has_device() ? "host of another machine"
        : kernel == graph::kNoKernel
            ? "moved"
            : fmt::format("moved {} {}", graph::name((*graph.kernels())[kernel].operation),
                          graph::name((*graph.kernels())[kernel].a));
    add_to_class(class_of(name, stand.has_interval), time, error, stand.provenance);
  }

  /// Whether the lag from the path's last node to this one is scaled.
  [[nodiscard]] bool lag_is_scaled(const CriticalPathNode& next) const {
    const std::uint8_t scaled = run_.workload.provenance.lags;
    if (scaled == 0 || !before_ || before_->rank != next.rank) return false;
    const graph::Graph& graph = run_.workload.graph(next.rank);
    const std::uint32_t edge = graph.edge(before_->node, next.node);
    if (edge == graph::kNoNode) return false;
    const graph::LagKind kind = graph::lag_kind(graph, before_->node, edge);
    return (scaled >> static_cast<unsigned>(kind) & 1u) != 0;
  }

  /// Adds a time in which no node of the path ran.
  void between(const CriticalPathNode& next, Time time) {
    if (lag_is_scaled(next))
      return add_to_class(class_of("scaled", true), time, ErrorInterval{}, TimeProvenance::scaled);
    if (run_.workload.graph(next.rank).has_lags()) return recorded(time);
    unknown(run_.shared.hosts.empty() ? "waiting" : "waiting, host launches", time);
  }

  void add(std::uint32_t number, graph::NodeId node, Time time) {
    const std::uint32_t rank = run_.folded_workload.rank_for(number);
    if (run_.platform.replay_only) return recorded(number, node, time);
    switch (run_.workload.graph(number).kind(node)) {
      case NodeKind::comp:
        return compute(number, node, time);
      case NodeKind::coll:
        if (run_.options.replay) return recorded(number, node, time);
        return collective(rank, number, node, time);
      case NodeKind::send:
      case NodeKind::recv:
        if (run_.options.replay) return recorded(number, node, time);
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
    const auto answer = sources_.compute.time(graph, node);
    if (!answer || answer->source == TimeSource::recorded) return recorded(number, node, time);
    const bool known = answer->band.has_value() || answer->source == TimeSource::table;
    const ErrorInterval error =
        answer->band ? ErrorInterval{answer->band->lower, answer->band->upper} : ErrorInterval{};
    add_to_class(kernel_class(graph, node, answer->source, known), time, error,
                 time_provenance_named(*answer));
  }

  ErrorClass& kernel_class(const graph::Graph& graph, graph::NodeId node, TimeSource source,
                           bool known) {
    const graph::KernelTable* table = graph.kernels();
    const graph::KernelId kernel = table == nullptr ? graph::kNoKernel : graph.kernel(node);
    if (kernel == graph::kNoKernel) return class_of(std::string(name(source)), known);
    if (table != table_) kernels_.clear();
    table_ = table;
    if (kernel >= kernels_.size()) kernels_.resize(std::size_t{kernel} + 1);
    // The source of a kernel may vary from node to node: recorded in one, predicted in another.
    KernelClass& last = kernels_[kernel];
    if (last.one == nullptr || last.source != source || last.known != known)
      last = {source, known, &class_of(class_name(source, (*table)[kernel]), known)};
    return *last.one;
  }

  void collective(std::uint32_t rank, std::uint32_t number, graph::NodeId node, Time time) {
    const graph::Graph& graph = run_.graph_of(rank);
    if (run_.policy.nearest_form && sources_.nodes.takes_recorded_time(rank, node))
      return recorded(number, node, time);
    const CollectiveType type = graph.collective(node).type;
    const std::string* custom = sources_.customs.algorithm(rank, node, type);
    const bool plain = custom == nullptr ||
                       sources_.customs.lacks_rings(
                           *custom, type, sources_.collectives.known_communicator(rank, node));
    const Phases* phases = plain ? phases_of(rank, node) : nullptr;
    if (phases == nullptr || phases->sum <= 0) {
      ErrorClass*& one = networks_[type];
      if (one == nullptr) one = &class_of(fmt::format("network, {}", graph::name(type)), false);
      one->time += time;
      return add_provenance(TimeProvenance::formula, time);
    }
    // If the arrivals of its members are known, the path already excludes the wait for them.
    const bool joined = run_.times_of(rank, node).sender != kNone;
    const Time predicted = joined ? time : std::min(time, Time(phases->sum));
    Time left = predicted;
    for (const Phase& phase : phases->all) {
      const bool last = &phase == &phases->all.back();
      const Time part = last ? left : std::min(left, share_of(predicted, phase.share));
      left -= part;
      add_to_class(*phase.one, part, phase.error, phase.provenance);
    }
    if (time > predicted) unknown("waiting, peers", time - predicted);
  }

  /// One phase of a collective that a library runs, and its share of the collective's time.
  struct Phase {
    ErrorClass* one = nullptr;
    std::optional<ErrorInterval> error;
    double share = 1;
    TimeProvenance provenance = TimeProvenance::formula;
  };
  struct Phases {
    std::vector<Phase> all;
    std::int64_t sum = 0;  ///< of all phases, picoseconds
  };

  /// The library's phases of a collective; null or empty if it does not run it.
  const Phases* phases_of(std::uint32_t rank, graph::NodeId node) {
    if (run_.options.library == nullptr) return nullptr;
    const graph::Graph& graph = run_.graph_of(rank);
    const graph::Collective& stated = graph.collective(node);
    const std::uint32_t communicator = sources_.collectives.known_communicator(rank, node);
    const Communicator& group = run_.communicators[communicator];
    NearestForm form{stated.type, stated.size.count()};
    if (run_.platform.collectives.plan(stated.type) == nullptr)
      form = nearest_form(stated.type, stated.size.count(), group.members);
    const std::uint32_t mask =
        graph.has(node, graph::kHasDims) ? stated.dims_mask : run_.policy.default_dims;
    const auto topology =
        sources_.planner.topology(form.type, communicator, group, group.dims(mask), form.size);
    if (!topology) return nullptr;
    const graph::ExpertExchange exchange =
        form.type == CollectiveType::all_to_all ? stated.exchange : graph::ExpertExchange{};
    const auto [known, added] =
        phases_by_kind_.try_emplace({form.type, *topology, form.size, exchange});
    if (added) {
      ChunkRequest request;
      request.type = form.type;
      request.exchange = exchange;
      request.topology = *topology;
      request.bytes = form.size;
      known->second = combine(sources_.planner.predicted(request));
    }
    return &known->second;
  }

  Phases combine(const std::vector<PredictedCollective>& predicted) {
    Phases made;
    for (const PredictedCollective& phase : predicted) made.sum += phase.time.count();
    for (const PredictedCollective& phase : predicted)
      made.all.push_back({&class_of(class_name(phase), phase.error.has_value()), phase.error,
                          static_cast<double>(phase.time.count()) /
                              static_cast<double>(std::max<std::int64_t>(made.sum, 1)),
                          phase.provenance});
    return made;
  }

  EngineRun& run_;
  const DurationSources& sources_;
  Time at_{};
  std::optional<CriticalPathNode> before_;
  TimeByProvenance provenance_times_{};
  std::map<std::pair<std::string, bool>, ErrorClass> by_name_;
  // Caches of class lookups.
  ErrorClass* recorded_ = nullptr;
  std::map<std::string_view, ErrorClass*> fixed_;
  std::map<CollectiveType, ErrorClass*> networks_;
  struct KernelClass {
    TimeSource source = TimeSource::recorded;
    bool known = false;
    ErrorClass* one = nullptr;
  };
  const graph::KernelTable* table_ = nullptr;
  std::vector<KernelClass> kernels_;  // by id in table_
  // Type, topology, bytes.
  using Kind = std::tuple<CollectiveType, std::uint32_t, std::int64_t, graph::ExpertExchange>;
  std::map<Kind, Phases> phases_by_kind_;
};

}  // namespace

std::vector<ErrorClass> error_classes(const std::vector<CriticalPathNode>& path, EngineRun& run,
                                      const DurationSources& sources,
                                      TimeByProvenance& time_by_provenance) {
  Classes classes(run, sources);
  for (const CriticalPathNode& link : path) classes.add(link);
  time_by_provenance = classes.time_by_provenance();
  return std::move(classes).all();
}

}  // namespace orrery::sim
