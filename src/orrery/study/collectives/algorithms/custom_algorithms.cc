// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/custom_algorithms.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/fabric/fabric_hosts.h"
#include "orrery/synthesis/formats/chakra_plan.h"
#include "orrery/synthesis/formats/read_plan.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::study {

namespace fs = std::filesystem;
using synthesis::Plan;

namespace {

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string first_trace(const std::string& prefix) { return prefix + ".0.et"; }

/// Resolves a name relative to the working folder, else to the folder of the configuration file.
std::string locate_algorithm(const std::string& name, const std::string& config) {
  const auto there = [](const std::string& path) {
    return is_file(first_trace(path)) || is_file(path);
  };
  if (there(name) || fs::path(name).is_absolute()) return name;
  const std::string next_to_config = (fs::path(config).parent_path() / name).string();
  return there(next_to_config) ? next_to_config : name;
}

Result<std::vector<graph::GraphRef>> traces_at(const std::string& prefix, graph::Repair repair,
                                               Findings& findings) {
  trace::chakra::LoadOptions load;
  load.repair = repair;
  load.find_companion = false;
  auto algorithm = trace::chakra::load_workload(prefix, load);
  if (!algorithm) return tl::unexpected(algorithm.error());
  std::vector<graph::GraphRef> graphs;
  for (const std::uint32_t index : algorithm->graph_of_rank)
    graphs.push_back(algorithm->graphs[index]);
  findings.merge(algorithm->findings);
  return graphs;
}

/// Reads a plan for collectives of type `wanted`; `unknown`: of any type.
Result<std::vector<graph::GraphRef>> plan_at(const std::string& path, CollectiveType wanted,
                                             Findings& findings) {
  const auto plan = synthesis::read_plan_file(path, findings);
  if (!plan) return tl::unexpected(plan.error());
  const bool known =
      wanted != CollectiveType::unknown && plan->collective != CollectiveType::unknown;
  if (known && plan->collective != wanted)
    return fail(Errc::config_conflict, path,
                fmt::format("is a plan of {}, but is set for {}",
                            synthesis::plan_name(plan->collective), synthesis::plan_name(wanted)));
  const synthesis::PlanCheck check = synthesis::check_plan(*plan);
  if (!check.is_valid()) {
    const synthesis::PlanError& first = check.errors.front();
    const std::string at =
        first.has_step ? synthesis::to_text(*plan, first.at) : fmt::format("gpu {}", first.at.rank);
    return fail(Errc::input_corrupt, path + ": " + at, first.what,
                fmt::format("'orrery collective check {}' shows the cause", shell_word(path)));
  }
  return synthesis::lower_plan(*plan);
}

}  // namespace

Result<void> read_custom_collectives(const Question& question, const platform::Platform& platform,
                                     graph::Workload& workload) {
  const platform::CollectiveConfig& config = platform.collectives;
  std::map<std::string, CollectiveType> names;  // names, and their collectives
  for (const CollectiveType collective : platform::kPlannedTypes) {
    const platform::CollectivePlan* plan = config.plan(collective);
    if (plan->custom_prefix.empty() || plan->custom_prefix == platform::kRings) continue;
    const auto [at, added] = names.emplace(plan->custom_prefix, collective);
    if (!added) at->second = CollectiveType::unknown;
  }
  for (const auto& [node, name] : config.custom_by_node)
    names.emplace(name, CollectiveType::unknown);
  const auto repair = question.repair ? graph::Repair::repair : graph::Repair::refuse;
  for (const auto& [name, collective] : names) {
    const std::string path =
        locate_algorithm(name, question.astra() ? question.astra_system : question.cluster);
    const bool is_plan = !is_file(first_trace(path)) && is_file(path);
    auto graphs = is_plan ? plan_at(path, collective, workload.findings)
                          : traces_at(path, repair, workload.findings);
    if (!graphs) return tl::unexpected(graphs.error());
    workload.custom_collectives[name] = *std::move(graphs);
  }
  return {};
}

Result<Plan> read_plan_or_traces(const std::string& file, Findings& findings) {
  constexpr std::string_view kFirst = ".0.et";
  std::string prefix = file;
  if (prefix.ends_with(kFirst)) prefix.resize(prefix.size() - kFirst.size());
  if (!is_file(first_trace(prefix))) return synthesis::read_plan_file(file, findings);
  const auto graphs = traces_at(prefix, graph::Repair::refuse, findings);
  if (!graphs) return tl::unexpected(graphs.error());
  return synthesis::plan_of_graphs(*graphs, prefix);
}

Result<void> write_plan_traces(const Plan& plan, const std::string& prefix, bool force,
                               Findings& findings) {
  const auto graphs = synthesis::lower_plan(plan);
  if (!graphs) return tl::unexpected(graphs.error());
  const auto path_of = [&](std::size_t rank) { return fmt::format("{}.{}.et", prefix, rank); };
  for (std::size_t rank = 0; rank < graphs->size(); ++rank) {
    const auto records = trace::chakra::records_of(*(*graphs)[rank], findings);
    auto done = trace::chakra::write_records(path_of(rank), records, {force, true});
    if (done) continue;
    std::error_code ignored;
    for (std::size_t before = 0; before < rank; ++before) fs::remove(path_of(before), ignored);
    return done;
  }
  return {};
}

}  // namespace orrery::study
