// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/opportunities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "orrery/graph/structure/late_start.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/transform/host_ranges.h"
#include "orrery/study/kernels/steps/operator_times.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::WorkKind;

constexpr std::int64_t kMinShare = 200;  // minimum: 1/200 of the device time of a rank

/// Sums of times of one rank.
struct Sums {
  std::array<Time, graph::kWorkKinds> of{};  ///< of waits: without late starts, with their lags
  std::array<Time, graph::kLagKinds> lags{};
  std::array<Time, graph::kOperations> operations{};
  std::map<std::string_view, Time> names, groups;

  explicit Sums(const Graph& graph) {
    add_lags(graph);
    const Time late = graph::late_start(graph);
    for (NodeId n = 0; n < graph.size(); ++n) {
      const auto what = graph::work_kind(graph, n);
      const Time time = graph.duration(n) - (graph::is_start_wait(graph, n) ? late : Time{});
      if (!what || time <= Time{}) continue;
      of[static_cast<std::size_t>(*what)] += time;
      if (*what == WorkKind::communication && graph.kind(n) == graph::NodeKind::coll)
        groups[graph.string(graph.collective(n).group)] += time;
      if (*what == WorkKind::kernels) names[graph.name(n)] += time;
      if (*what != WorkKind::kernels && *what != WorkKind::copies) continue;
      if (const graph::KernelId kernel = graph.kernel(n); kernel != graph::kNoKernel)
        operations[static_cast<std::size_t>((*graph.kernels())[kernel].operation)] += time;
    }
    of[static_cast<std::size_t>(WorkKind::waits)] +=
        lags[static_cast<std::size_t>(graph::LagKind::waits)];
  }

 private:
  void add_lags(const Graph& graph) {
    for (NodeId n = 0; graph.has_lags() && n < graph.size(); ++n)
      for (std::size_t i = 0; i < graph.successors(n).size(); ++i)
        lags[static_cast<std::size_t>(graph::lag_kind(graph, n, i))] += graph.lag(n, i);
  }
};

/// The maximum over ranks of each sum.
struct Most {
  std::array<Time, graph::kWorkKinds> of{};
  std::array<Time, graph::kLagKinds> lags{};
  std::array<Time, graph::kOperations> operations{};
  std::map<std::string, Time> names, groups;

  void add(const Sums& sums) {
    for (std::size_t i = 0; i < of.size(); ++i) of[i] = std::max(of[i], sums.of[i]);
    for (std::size_t i = 0; i < lags.size(); ++i) lags[i] = std::max(lags[i], sums.lags[i]);
    for (std::size_t i = 0; i < operations.size(); ++i)
      operations[i] = std::max(operations[i], sums.operations[i]);
    const Time device = sums.of[static_cast<std::size_t>(WorkKind::kernels)];
    for (const auto& [name, time] : sums.names) {
      if (time * kMinShare < device) continue;
      Time& most = names[std::string(name)];
      most = std::max(most, time);
    }
    for (const auto& [name, time] : sums.groups) {
      Time& most = groups[std::string(name)];
      most = std::max(most, time);
    }
  }
};

void add_classes(const Most& most, std::vector<Opportunity>& made) {
  for (std::size_t i = 0; i < graph::kWorkKinds; ++i) {
    const auto of = static_cast<WorkKind>(i);
    if (most.of[i] <= Time{}) continue;
    const auto words = change_kinds();
    const auto word = std::find_if(words.begin(), words.end(), [&](const ChangeKind& one) {
      return one.name == graph::name(of);
    });
    made.push_back({std::string(graph::name(of)), "", "all", std::string(word->about), most.of[i]});
  }
}

void add_lags(const Most& most, std::vector<Opportunity>& made) {
  const auto lags = [&](graph::LagKind kind) { return most.lags[static_cast<std::size_t>(kind)]; };
  made.push_back({"launch", "", "host", "no launch latency", lags(graph::LagKind::launch)});
  made.push_back({"gaps", "", "wait", "operations without gaps", lags(graph::LagKind::gaps)});
}

/// Ranges with at least 1/200 of the host time. Steps are no candidates: they contain all.
void add_ranges(const graph::Workload& workload, const Most& most, std::vector<Opportunity>& made) {
  const Time host = most.of[static_cast<std::size_t>(WorkKind::host)];
  for (const auto& [name, time] : graph::range_times(workload))
    if (time * kMinShare >= host && !name.starts_with("ProfilerStep#"))
      made.push_back({"range:" + name, "", "host", "host work in this range",
                      graph::time_in_ranges(workload, name)});
}

void add_orders(const graph::Workload& workload, std::vector<Opportunity>& made) {
  made.push_back({"fusion", "elementwise", "kernel", "element-wise chains as one kernel each", {}});
  made.push_back({"syncs", "none", "host", "hosts do not wait for devices", {}});
  if (workload.rank_count() > 1)
    made.push_back({"stragglers", "none", "rank", "every rank at the median of its peers", {}});
}

}  // namespace

std::vector<Opportunity> opportunities(const graph::Workload& workload) {
  Most most;
  for (const graph::GraphRef& graph : workload.graphs) most.add(Sums(*graph));
  std::vector<Opportunity> made;
  add_classes(most, made);
  add_lags(most, made);
  for (std::size_t i = 1; i < graph::kOperations; ++i) {
    const auto operation = static_cast<graph::Operation>(i);
    if (most.operations[i] > Time{})
      made.push_back({std::string(graph::name(operation)), "", "family",
                      fmt::format("{} kernels", graph::name(operation)), most.operations[i]});
  }
  for (const auto& [name, time] : most.names)
    made.push_back({"named:" + name, "", "kernel", name, time});
  if (most.groups.size() > 1)
    for (const auto& [name, time] : most.groups)
      if (!name.empty())
        made.push_back({"group:" + name, "", "link", "collectives of group " + name, time});
  add_ranges(workload, most, made);
  add_orders(workload, made);
  return made;
}

std::size_t group_of(std::string_view kind) {
  for (std::size_t i = 0; i < kChangeGroups.size(); ++i)
    for (const std::string_view one : kChangeGroups.at(i).kinds)
      if (one == kind) return i;
  return kChangeGroups.size() - 1;
}

namespace {

/// Adds each operation of the job.
void add_operations(const graph::Workload& workload, const std::vector<OperatorTime>& times,
                    std::vector<Opportunity>& made) {
  std::array<bool, graph::kOperations> has{};
  for (const graph::GraphRef& graph : workload.graphs) {
    const graph::KernelTable* kernels = graph->kernels();
    for (graph::KernelId id = 0; kernels != nullptr && id < kernels->size(); ++id)
      has[static_cast<std::size_t>((*kernels)[id].operation)] = true;
  }
  for (std::size_t i = 1; i < has.size(); ++i) {
    const auto operation = graph::name(static_cast<graph::Operation>(i));
    if (has[i])
      made.push_back({std::string(operation), "", "family", fmt::format("{} kernels", operation),
                      most_time(times, [&](const OperatorTime& one) {
                        return one.operation == static_cast<graph::Operation>(i);
                      })});
  }
}

/// "mlp_norm has identical kernels": other operators that a change of these kernels also changes.
std::string operator_text(const workload::Program& program, const std::string& name,
                          const std::vector<std::string>& operators) {
  const auto kernels = kernels_of_operator(program, name);
  std::string text;
  for (const std::string& other : operators) {
    if (other == name) continue;
    const auto others = kernels_of_operator(program, other);
    if (std::find_first_of(others.begin(), others.end(), kernels.begin(), kernels.end()) !=
        others.end())
      text += (text.empty() ? "" : ", ") + other;
  }
  return text.empty() ? "all passes" : fmt::format("with identical kernels of {}", text);
}

void add_job_operators(const workload::Program& program, const std::vector<OperatorTime>& times,
                       std::vector<Opportunity>& made) {
  const std::vector<std::string> operators = operators_of(program);
  const Time all = most_time(times, [](const OperatorTime&) { return true; });
  for (const std::string& name : operators) {
    const Time time = most_time(times, [&](const OperatorTime& one) { return one.name == name; });
    if (time * kMinShare >= all)
      made.push_back(
          {"operator:" + name, "", "operator", operator_text(program, name, operators), time});
  }
}

void add_plan(std::string_view name, std::int64_t now, std::string_view what,
              std::vector<Opportunity>& made) {
  if (now % 2 == 0)
    made.push_back({std::string(name), fmt::format("{}", now / 2), "plan", std::string(what), {}});
  made.push_back({std::string(name), fmt::format("{}", now * 2), "plan", std::string(what), {}});
}

}  // namespace

std::vector<Opportunity> cluster_opportunities(const graph::Workload& workload,
                                               const workload::Program* program,
                                               const Cluster& cluster) {
  std::vector<Opportunity> made;
  std::vector<OperatorTime> times;
  if (program != nullptr) times = operator_times(*program, cluster);
  made.push_back({"kernels", "", "all", "all kernels",
                  most_time(times, [](const OperatorTime&) { return true; })});
  add_operations(workload, times, made);
  if (program != nullptr) add_job_operators(*program, times, made);
  made.push_back({"bandwidth", "2", "link", "links with twice the bandwidth", {}});
  made.push_back({"latency", "0.5", "link", "links with half the latency", {}});
  return made;
}

std::vector<Opportunity> plan_opportunities(const workload::Program& program) {
  const workload::Spec& spec = program.spec;
  std::vector<Opportunity> made;
  add_plan("tp", spec.parallel.tp, "tensor parallel", made);
  add_plan("pp", spec.parallel.pp, "pipeline stages", made);
  add_plan("cp", spec.parallel.cp, "context parallel", made);
  if (spec.model.moe) add_plan("ep", spec.parallel.ep, "expert parallel", made);
  add_plan("micro_batch", spec.batch.micro, "sequences per microbatch", made);
  if (spec.parallel.pp > 1 && spec.schedule.chunks > 1)
    add_plan("chunks", spec.schedule.chunks, "parts of the model per rank", made);
  for (const std::string kind : {"none", "selective", "full"})
    made.push_back({"recompute", kind, "plan", "recomputation", {}});
  for (const std::string kind : {"none", "zero1", "zero3"})
    made.push_back({"sharding", kind, "plan", "sharding of replicas", {}});
  return made;
}

}  // namespace orrery::study
