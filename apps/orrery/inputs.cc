// SPDX-License-Identifier: Apache-2.0
#include "inputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "counting.h"
#include "hints.h"
#include "orrery/core/limits.h"
#include "orrery/graph/replicate.h"
#include "orrery/platform/astra.h"
#include "orrery/platform/cluster.h"
#include "orrery/platform/networks.h"
#include "orrery/trace/chakra/load.h"
#include "progress.h"

namespace orrery::app {

namespace fs = std::filesystem;
using platform::NetworkModelKind;
using platform::Platform;
using platform::Rules;

namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string trace_of(const std::string& prefix, std::uint32_t rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

Result<std::uint32_t> rank_count(const Platform& platform, const std::string& where) {
  std::int64_t count = 1;
  for (const platform::Dimension& dim : platform.dims) {
    if (dim.size < 1 || count > static_cast<std::int64_t>(limits::kRanks) / dim.size) {
      return fail(Errc::limit_exceeded, where, fmt::format("more than {} devices", limits::kRanks));
    }
    count *= dim.size;
  }
  return static_cast<std::uint32_t>(count);
}

/// `count` ranks there are; 0 = not known.
Result<void> read_groups(const InputOptions& options, std::uint32_t count,
                         graph::Workload& workload) {
  if (options.groups.empty()) return {};
  auto groups = platform::read_comm_groups(options.groups);
  if (!groups) return tl::unexpected(groups.error());
  for (auto& [name, ranks] : *groups) {
    for (const std::uint32_t rank : ranks) {
      if (count == 0 || rank < count) continue;
      return fail(Errc::config_range, fmt::format("{}:/{}", options.groups, name),
                  fmt::format("there is no rank {} among {}", rank, count));
    }
    workload.groups[name] = {name, std::move(ranks)};
  }
  return {};
}

/// A workload that names one file, or misses some, gets a hint that fits.
Error explain_missing(Error error, const std::string& prefix, std::uint32_t ranks) {
  if (error.code != Errc::input_not_found || !error.hint.empty()) return error;
  std::uint32_t there = 0;
  while (there < ranks && exists(trace_of(prefix, there))) ++there;
  if (there > 0) {
    error.hint = fmt::format(
        "the cluster has {} devices and there are traces for {} ranks; {} fits them, and "
        "--replicate runs rank 0's trace on all",
        ranks, there, cluster_of(there));
  } else if (exists(prefix) && prefix.ends_with(".et")) {
    const std::string stem = prefix.substr(0, prefix.size() - 3);
    error.hint =
        fmt::format("give the traces' common prefix: '{}'", stem.substr(0, stem.find_last_of('.')));
  } else {
    error.hint =
        "a workload is named by the traces' common prefix: 'dir/w' stands for dir/w.0.et, "
        "dir/w.1.et, …";
  }
  return error;
}

/// A custom algorithm's traces lie where its prefix says, from here or from the configuration that
/// names it.
std::string locate(const std::string& prefix, const std::string& config) {
  if (exists(trace_of(prefix, 0)) || fs::path(prefix).is_absolute()) return prefix;
  const std::string beside = (fs::path(config).parent_path() / prefix).string();
  return exists(trace_of(beside, 0)) ? beside : prefix;
}

}  // namespace

std::string_view name(Rules rules) { return rules == Rules::astra ? "astra" : "orrery"; }
std::string_view name(NetworkModelKind network) { return platform::entry(network).name; }

Result<Platform> read_platform(const InputOptions& options, const Session& session,
                               Findings& findings) {
  // ASTRA-sim has a program for each of its networks.
  const platform::NetworkEntry* network = platform::find_network(options.network);
  if (network == nullptr && session.congestion_aware_name)
    network = &platform::entry(NetworkModelKind::message);
  Result<Platform> platform = fail(Errc::usage, "--cluster", "no cluster is given",
                                   "--cluster FILE; without a file " + cluster_of(64) +
                                       ", a device of the catalogue and how many; or "
                                       "--astra-network FILE --astra-system FILE");
  if (options.astra()) {
    platform::AstraInputs inputs;
    inputs.system = options.astra_system;
    inputs.network = options.astra_network;
    inputs.memory = options.astra_memory;
    if (network != nullptr) inputs.model = network->kind;
    inputs.queues_per_dim = options.queues_per_dim;
    inputs.injection_scale = options.injection_scale;
    inputs.compute_scale = options.compute_scale;
    inputs.comm_scale = options.comm_scale;
    inputs.rendezvous = options.rendezvous == "true";
    platform = platform::read_astra(inputs, findings);
  } else if (!options.cluster.empty()) {
    platform = platform::read_cluster(options.cluster, findings);
    if (!platform) return tl::unexpected(explain_cluster(platform.error(), options.cluster));
  }
  if (!platform) return platform;
  if (network != nullptr) platform->network = network->kind;
  if (options.rules == "orrery") platform->rules = Rules::orrery;
  if (options.rules == "astra") platform->rules = Rules::astra;
  return platform;
}

namespace {

/// One trace file by its own name, which stands for rank 0.
Result<graph::Workload> read_one_file(const InputOptions& options) {
  graph::Workload workload;
  const auto repair = options.repair ? graph::Repair::repair : graph::Repair::refuse;
  auto graph = trace::chakra::load_rank(options.workload, std::make_shared<StringPool>(), repair,
                                        workload.findings, &workload.groups);
  if (!graph) return tl::unexpected(graph.error());
  workload.graphs = {std::make_shared<const graph::Graph>(*std::move(graph))};
  workload.graph_of_rank = {0};
  workload.files = {options.workload};
  return workload;
}

Result<graph::Workload> read_ranks(const InputOptions& options, std::uint32_t ranks,
                                   const Session& session) {
  Progress progress(session);
  trace::chakra::LoadOptions load;
  load.repair = options.repair ? graph::Repair::repair : graph::Repair::refuse;
  load.ranks = options.replicate ? 1 : ranks;
  load.replicated = options.replicate && ranks > 0;
  load.find_companion = options.groups.empty() && !options.astra();
  load.progress = [&](std::uint32_t done, std::uint32_t all) { progress.reading(done, all); };
  if (auto fine = choose_place(options.stream, load); !fine) return tl::unexpected(fine.error());
  auto workload = trace::chakra::load_workload(options.workload, load);
  if (!workload) return tl::unexpected(explain_missing(workload.error(), options.workload, ranks));
  progress.clear();
  note_spilled(options.stream, load, *workload, session);
  return workload;
}

}  // namespace

Result<graph::Workload> read_workload(const InputOptions& options, std::uint32_t ranks,
                                      const Session& session) {
  if (!options.recorded.traces.empty()) {
    auto workload = read_recorded_workload(options, ranks, session);
    if (!workload) return workload;
    if (auto fine = read_groups(options, ranks, *workload); !fine)
      return tl::unexpected(fine.error());
    return workload;
  }
  if (options.workload.empty()) {
    return fail(Errc::usage, "PREFIX", "no workload is given", "name the traces' common prefix");
  }
  std::error_code ignored;
  const bool one_file = (ranks <= 1 || options.replicate) &&
                        fs::is_regular_file(options.workload, ignored) &&
                        !exists(trace_of(options.workload, 0));
  auto workload = one_file ? read_one_file(options) : read_ranks(options, ranks, session);
  if (!workload) return workload;
  if (options.replicate && ranks > 0) graph::replicate(*workload, ranks);
  if (auto fine = read_groups(options, ranks, *workload); !fine)
    return tl::unexpected(fine.error());
  return workload;
}

Result<void> read_custom_collectives(const InputOptions& options, const Platform& platform,
                                     graph::Workload& workload) {
  const platform::CollectiveConfig& config = platform.collectives;
  std::set<std::string> prefixes;
  for (const auto* plan :
       {&config.all_reduce, &config.all_gather, &config.reduce_scatter, &config.all_to_all}) {
    prefixes.insert(plan->custom_prefix);
  }
  for (const auto& [node, prefix] : config.custom_by_node) prefixes.insert(prefix);
  prefixes.erase("");
  for (const std::string& prefix : prefixes) {
    trace::chakra::LoadOptions load;
    load.repair = options.repair ? graph::Repair::repair : graph::Repair::refuse;
    load.find_companion = false;
    auto algorithm = trace::chakra::load_workload(
        locate(prefix, options.astra() ? options.astra_system : options.cluster), load);
    if (!algorithm) return tl::unexpected(algorithm.error());
    std::vector<graph::GraphRef>& graphs = workload.custom_collectives[prefix];
    for (const std::uint32_t index : algorithm->graph_of_rank)
      graphs.push_back(algorithm->graphs[index]);
    workload.findings.merge(algorithm->findings);
  }
  return {};
}

Result<graph::Workload> make_workload(const SpecOptions& options, const Platform& platform,
                                      const std::string& where, Inputs& inputs,
                                      Findings& findings) {
  auto program = assemble_options(options, {platform.npu_count(), where}, findings);
  if (!program) return tl::unexpected(program.error());
  program->findings = {};  // they are counted already, and the workload would bring them again
  if (auto fine = check_world(*program, platform, where); !fine)
    return tl::unexpected(fine.error());
  inputs.specification = workload::to_yaml(program->spec);
  auto workload = workload::to_workload(*program);
  inputs.program = std::make_shared<const workload::Program>(*std::move(program));
  return workload;
}

Result<void> check_sizes(const InputOptions& options, const Platform& platform) {
  const std::int64_t devices = platform.npu_count();
  if (platform.rules != Rules::orrery || options.replicate ||
      !exists(trace_of(options.workload, static_cast<std::uint32_t>(devices)))) {
    return {};
  }
  std::uint32_t there = static_cast<std::uint32_t>(devices) + 1;
  while (there < limits::kRanks && exists(trace_of(options.workload, there))) ++there;
  return fail(
      Errc::config_conflict, options.workload,
      fmt::format("there are traces for more ranks than the cluster has devices ({})", devices),
      fmt::format("use a cluster of the workload's size: {}", cluster_of(there)));
}

Result<Inputs> read_inputs(InputOptions& options, Session& session, Findings& findings) {
  if (auto fine = check_input_options(options, session); !fine) return tl::unexpected(fine.error());
  for (const std::string& word : session.ignored_options)
    findings.add(FindingCode::key_ignored, word);
  if (!options.logging_configuration.empty() && options.logging_configuration != "empty") {
    session.note(
        "--logging-configuration has no effect: there is no log, the result goes to stdout or "
        "--output");
  }
  if (!options.logging_folder.empty()) {
    session.note(
        "--logging-folder has no effect: there is no log, the result goes to stdout or --output");
  }
  if (!session.ignored_options.empty()) {
    session.warn(fmt::format("unknown options are ignored, as ASTRA-sim does: {}",
                             fmt::join(session.ignored_options, " ")));
  }
  Inputs inputs;
  auto platform = read_platform(options, session, findings);
  if (!platform) return tl::unexpected(platform.error());
  const auto ranks =
      rank_count(*platform, options.astra() ? options.astra_network : options.cluster);
  if (!ranks) return tl::unexpected(ranks.error());
  const std::string& cluster = options.astra() ? options.astra_network : options.cluster;
  auto workload = options.spec.given()
                      ? make_workload(options.spec, *platform, cluster, inputs, findings)
                      : read_workload(options, *ranks, session);
  if (!workload) return tl::unexpected(workload.error());
  findings.merge(workload->findings);
  workload->findings = {};
  if (auto fine = check_sizes(options, *platform); !fine) return tl::unexpected(fine.error());
  if (auto fine = read_custom_collectives(options, *platform, *workload); !fine)
    return tl::unexpected(fine.error());
  findings.merge(workload->findings);
  inputs.workload = *std::move(workload);
  inputs.platform = *std::move(platform);
  return inputs;
}

}  // namespace orrery::app
