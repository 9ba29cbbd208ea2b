// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/inputs/inputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "orrery/core/limits.h"
#include "orrery/core/models/network_names.h"
#include "orrery/graph/inferred_groups.h"
#include "orrery/graph/transform/replicate.h"
#include "orrery/intake/flight_records/recorded_workload.h"
#include "orrery/intake/formats/aicb_workload.h"
#include "orrery/intake/messages/message_files.h"
#include "orrery/platform/astra/astra.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/clusters/cluster_check.h"
#include "orrery/study/collectives/algorithms/algorithm_choice.h"
#include "orrery/study/collectives/algorithms/collective_library.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/kernels/kernel_files.h"
#include "orrery/study/questions/effects.h"
#include "orrery/study/questions/error_hints.h"
#include "orrery/study/questions/inputs/compiled_program.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/questions/inputs/unused_options.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/study/whatif/changes/device_change.h"
#include "orrery/study/whatif/changes/network_changes.h"
#include "orrery/trace/chakra/groups.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

namespace fs = std::filesystem;
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

/// Adds the groups of the question. `count`: number of ranks; 0: unknown.
Result<void> add_groups(const Question& question, std::uint32_t count, graph::Workload& workload) {
  if (question.groups.empty()) return {};
  auto groups = trace::chakra::read_groups(question.groups);
  if (!groups) return tl::unexpected(groups.error());
  const auto repair = question.repair ? graph::Repair::repair : graph::Repair::refuse;
  const std::uint32_t ranks = count > 0 ? count : limits::kRanks;
  if (auto fine =
          trace::chakra::check_groups(*groups, ranks, question.groups, repair, workload.findings);
      !fine)
    return fine;
  for (auto& [name, group] : *groups) workload.groups[name] = std::move(group);
  return {};
}

/// Replaces the compute model of the cluster.
Result<void> choose_compute(const Question& question, Platform& platform) {
  platform::Device& device = platform.device;
  device.compute = *platform::compute_model(question.compute);
  const KernelFileEntry* const file = kernel_file_of(device.compute);
  if (file != nullptr && (device.kernel_files.*file->path).empty())
    return fail(Errc::config_missing_key, "--compute " + question.compute,
                fmt::format("no {} is given", file->what),
                fmt::format("{} FILE, or device.{} in the cluster file: {}", file->option,
                            file->key, file->content));
  const bool needs_peak = question.compute != "auto" && question.compute != "recorded";
  if (device.peak.count() > 0) return {};
  if (needs_peak)
    return fail(Errc::config_missing_key, question.cluster_name(),
                "the device has no peak, but --compute " + question.compute + " needs it",
                "use a device of the catalog (`is`), or give `peak`");
  if (!has_file_for_auto(device.kernel_files) || question.compute == "recorded")
    device.compute = TimeSource::recorded;
  return {};
}

/// Replaces the algorithms and chunk orders of the cluster.
Result<void> set_collectives(const Question& question, Platform& platform) {
  if (question.collective_algorithm == kAutoAlgorithm) {
    platform.collectives.library = platform::CollectiveLibrary::ideal;
  } else if (!question.collective_algorithm.empty()) {
    auto used = platform::use_algorithms(platform, question.collective_algorithm);
    for (const std::string& change : question.changes)
      if (!used && change.starts_with("algorithm=")) used.error().where = "--change " + change;
    if (!used) return used;
  }
  if (question.chunk_order.empty()) return {};
  return platform::use_chunk_order(platform, question.chunk_order);
}

/// The options for links of one dimension: --network-link, then the values that replace its own.
Result<void> change_links(const Question& question, Platform& platform) {
  const auto change = [&](LinkValue what, const std::vector<std::string>& values) -> Result<void> {
    const std::string option = fmt::format("--network-{}", name(what));
    for (const std::string& text : values) {
      const auto value = parse_dimension_value(text, option);
      if (!value) return tl::unexpected(value.error());
      if (auto changed = change_links(what, value->first, value->second,
                                      fmt::format("{} {}", option, text), platform);
          !changed)
        return changed;
    }
    return {};
  };
  if (auto done = change(LinkValue::link, question.network_link); !done) return done;
  if (auto done = change(LinkValue::bandwidth, question.network_bandwidth); !done) return done;
  return change(LinkValue::latency, question.network_latency);
}

/// Sections of the cluster file for network models that do not run.
void find_unused_sections(const Platform& platform, const std::string& cluster,
                          Findings& findings) {
  if (platform.packets != nullptr && platform.network != platform::NetworkModelKind::packet &&
      platform.network != platform::NetworkModelKind::ns3)
    findings.add(FindingCode::key_without_effect,
                 cluster + ":/packets (only for --network packet and ns3)");
  if (platform.noc != nullptr && platform.network != platform::NetworkModelKind::noc)
    findings.add(FindingCode::key_without_effect, cluster + ":/noc (only for --network noc)");
}

}  // namespace

Result<Platform> read_platform(const Question& question, Findings& findings) {
  // ASTRA-sim has a separate program for each network.
  const NetworkModelEntry* network = find_network_model(question.network);
  Result<Platform> platform = fail(
      Errc::usage, "--cluster", "no cluster is given",
      "--cluster FILE; without a file " + cluster_suggestion(64) +
          ", a device of the catalog and a number; or --astra-network FILE --astra-system FILE");
  if (question.astra()) {
    platform::AstraInputs inputs;
    inputs.system = question.astra_system;
    inputs.network = question.astra_network;
    inputs.memory = question.astra_memory;
    if (network != nullptr) inputs.model = network->kind;
    inputs.queues_per_dim = question.num_queues_per_dim;
    inputs.injection_scale = question.injection_scale;
    inputs.compute_scale = question.compute_scale;
    inputs.comm_scale = question.comm_scale;
    inputs.rendezvous = question.rendezvous_protocol;
    platform = platform::read_astra(inputs, findings);
  } else if (!question.cluster.empty()) {
    platform = question.cluster_text.empty()
                   ? platform::read_cluster(question.cluster, findings)
                   : platform::parse_cluster(question.cluster_text, question.cluster, findings);
    if (!platform) return tl::unexpected(add_cluster_hint(platform.error(), question.cluster));
  }
  if (!platform) return platform;
  if (network != nullptr) platform->network = network->kind;
  find_unused_sections(*platform, question.cluster, findings);
  // A network model with contention also applies to collectives.
  if (network != nullptr && network->kind != platform::NetworkModelKind::analytical)
    platform->collectives.library = platform::CollectiveLibrary::ideal;
  if (auto set = set_collectives(question, *platform); !set) return tl::unexpected(set.error());
  for (const KernelFileEntry& row : kKernelFileTable)
    if (const std::string& path = question.kernel_files.*row.path; !path.empty())
      platform->device.kernel_files.*row.path = path;
  if (!question.compute.empty()) {
    if (auto chosen = choose_compute(question, *platform); !chosen)
      return tl::unexpected(chosen.error());
  }
  if (question.rules == "orrery") platform->rules = Rules::orrery;
  if (question.rules == "astra") platform->rules = Rules::astra;
  if (auto checked = check_network(question, *platform); !checked)
    return tl::unexpected(checked.error());
  if (auto loaded = load_network(question, *platform); !loaded)
    return tl::unexpected(loaded.error());
  if (question.in_step_factors) {
    platform->device.in_step.factors.clear();
    for (const InStepFactor& one : *question.in_step_factors)
      platform->device.in_step.factors.push_back({one.bits, one.factor, one.lower, one.upper});
  }
  switch_off(question.without, *platform);
  const auto changes = parse_changes(question.changes);
  if (!changes) return tl::unexpected(changes.error());
  if (auto changed = change_links(question, *platform); !changed)
    return tl::unexpected(changed.error());
  if (auto changed = change_cluster(*changes, question.job.given(), *platform); !changed)
    return tl::unexpected(changed.error());
  return platform;
}

namespace {

/// Reads a single trace file given by its complete name, as the trace of rank 0.
Result<graph::Workload> read_one_file(const Question& question) {
  graph::Workload workload;
  const auto repair = question.repair ? graph::Repair::repair : graph::Repair::refuse;
  auto graph = trace::chakra::load_rank(question.workload, std::make_shared<StringPool>(), repair,
                                        workload.findings, &workload.groups);
  if (!graph) return tl::unexpected(graph.error());
  workload.graphs = {std::make_shared<const graph::Graph>(*std::move(graph))};
  workload.graph_of_rank = {0};
  workload.files = {question.workload};
  return workload;
}

Result<graph::Workload> read_ranks(const Question& question, std::uint32_t ranks, Watch& watch) {
  trace::chakra::LoadOptions load;
  load.repair = question.repair ? graph::Repair::repair : graph::Repair::refuse;
  load.ranks = question.replicate ? 1 : ranks;
  load.replicated = question.replicate && ranks > 0;
  load.allow_missing_ranks = question.some_ranks && ranks > 0;
  if (load.allow_missing_ranks) load.group_file = question.groups;
  load.find_companion = question.groups.empty() && !question.astra();
  load.progress = [&](std::uint32_t done, std::uint32_t all) { watch.reading(done, all); };
  load.spill_folder = question.stream_folder;
  if (!question.stream_folder.empty()) load.memory = question.stream_beyond;
  auto workload = trace::chakra::load_workload(question.workload, load);
  watch.phase_done();
  if (!workload)
    return tl::unexpected(add_missing_trace_hint(workload.error(), question.workload, ranks));
  if (const std::uint64_t bytes = workload->spilled_bytes(); bytes > 0)
    watch.spilled(bytes, load.spill_folder);
  return workload;
}

}  // namespace

namespace {

/// Reads a file with the messages of all ranks.
Result<graph::Workload> read_messages(const Question& question, std::uint32_t ranks) {
  if (question.replicate)
    return fail(Errc::usage, "--replicate",
                fmt::format("{} has the messages of all ranks, not a trace that ranks repeat",
                            question.workload));
  return intake::read_message_file(question.workload, ranks);
}

/// Reads a file that describes all ranks: messages, ASTRA-sim's text or a compiled program. Empty:
/// it is something else. `named`: the workload is a file and not the prefix of one.
std::optional<Result<graph::Workload>> read_file_of_all_ranks(const Question& question, bool named,
                                                              std::uint32_t ranks) {
  if (intake::is_message_file(question.workload)) return read_messages(question, ranks);
  if (intake::has_flight_records({question.workload}))
    return intake::read_flight_record_workload({question.workload}, ranks);
  if (named && intake::is_astra_text_file(question.workload))
    return intake::load_astra_text(question.workload, ranks);
  if (named && program_form(question.workload) != hlo::TextForm::none)
    return load_program(question.workload, ranks);
  return std::nullopt;
}

}  // namespace

Result<graph::Workload> read_workload(const Question& question, std::uint32_t ranks, Watch& watch) {
  if (!question.recorded.traces.empty()) {
    auto workload = read_recorded_workload(question, ranks, watch);
    if (!workload) return workload;
    if (auto fine = add_groups(question, ranks, *workload); !fine)
      return tl::unexpected(fine.error());
    return workload;
  }
  if (question.workload.empty()) {
    return fail(Errc::usage, "PREFIX", "no workload is given",
                "give the common prefix of the traces");
  }
  std::error_code ignored;
  const bool named =
      fs::is_regular_file(question.workload, ignored) && !exists(trace_of(question.workload, 0));
  if (auto read = read_file_of_all_ranks(question, named, ranks)) {
    if (*read) report_unused_trace_options(question, (*read)->findings);
    return *std::move(read);
  }
  const bool one_file = named && (ranks <= 1 || question.replicate);
  auto workload = one_file ? read_one_file(question) : read_ranks(question, ranks, watch);
  if (!workload) return workload;
  if (question.replicate && ranks > 0) graph::replicate(*workload, ranks);
  if (auto fine = add_groups(question, ranks, *workload); !fine)
    return tl::unexpected(fine.error());
  // Given groups are complete: an unknown name may be a typing error.
  if (question.groups.empty() && !question.astra()) graph::infer_groups(*workload);
  return workload;
}

namespace {

/// ASTRA-sim reads one trace per device, and no others.
void report_unused_traces(const Question& question, const Platform& platform, Findings& findings) {
  if (platform.rules == Rules::orrery || question.replicate || question.workload.empty()) return;
  const auto devices = static_cast<std::uint32_t>(platform.npu_count());
  std::uint32_t there = devices;
  while (there < limits::kRanks && exists(trace_of(question.workload, there))) ++there;
  if (there > devices)
    findings.add(
        FindingCode::traces_without_device,
        fmt::format("{}: traces of {} ranks, {} devices", question.workload, there, devices),
        there - devices);
}

}  // namespace

Result<void> check_sizes(const Question& question, const Platform& platform) {
  const std::int64_t devices = platform.npu_count();
  if (platform.rules != Rules::orrery || question.replicate ||
      !exists(trace_of(question.workload, static_cast<std::uint32_t>(devices)))) {
    return {};
  }
  std::uint32_t there = static_cast<std::uint32_t>(devices) + 1;
  while (there < limits::kRanks && exists(trace_of(question.workload, there))) ++there;
  return fail(
      Errc::config_conflict, question.workload,
      fmt::format("there are traces for more ranks than the {} devices of the cluster", devices),
      fmt::format("use a cluster of the size of the workload: {}", cluster_suggestion(there)));
}

namespace {

/// Generates the workload of a model and a plan, with one rank per device.
Result<void> make_load(const Question& question, const Cluster& cluster, Load& made,
                       Findings& findings) {
  const std::string& where = question.cluster_name();
  auto spec = specify(question.job, size_of(cluster.platform, where), findings);
  if (!spec) return tl::unexpected(spec.error());
  const auto changes = parse_changes(question.changes);
  if (!changes) return tl::unexpected(changes.error());
  if (auto done = change_job(*changes, cluster.platform.npu_count(), *spec); !done) return done;
  if (auto off = switch_off(question.without, *spec); !off) return off;
  if (auto fine = check_offload(*spec, cluster.platform, where); !fine) return fine;
  auto program = workload::assemble(*spec, findings);
  if (!program) return tl::unexpected(program.error());
  if (auto fine = check_device_count(*program, cluster.platform, where); !fine) return fine;
  made.specification = workload::to_yaml(program->spec);
  // Deviations may apply to single nodes, by name.
  const bool brief =
      question.work.brief_names && !question.record && cluster.platform.deviations.empty();
  auto workload = workload::to_workload(
      *program, brief ? workload::NodeNames::shared : workload::NodeNames::distinct);
  if (!workload) return tl::unexpected(workload.error());
  made.program = std::make_shared<const workload::Program>(*std::move(program));
  made.workload = *std::move(workload);
  return {};
}

}  // namespace

Result<Cluster> read_cluster(const Question& question, Findings& findings) {
  Cluster made;
  auto platform = read_platform(question, findings);
  if (!platform) return tl::unexpected(platform.error());
  const auto ranks = rank_count(*platform, question.cluster_name());
  if (!ranks) return tl::unexpected(ranks.error());
  auto kernel_files = read_kernel_files(question, *platform, findings);
  if (!kernel_files) return tl::unexpected(kernel_files.error());
  made.kernel_files = *std::move(kernel_files);
  auto library = read_collective_library(question, *platform);
  if (!library) return tl::unexpected(library.error());
  made.library = *std::move(library);
  made.platform = *std::move(platform);
  made.ranks = *ranks;
  return made;
}

Result<Load> read_load(const Question& question, const Cluster& cluster, Watch& watch,
                       Findings& findings) {
  Load made;
  if (question.job.given()) {
    report_unused_trace_options(question, findings);
    if (auto done = make_load(question, cluster, made, findings); !done)
      return tl::unexpected(done.error());
  } else {
    auto workload = read_workload(question, cluster.ranks, watch);
    if (!workload) return tl::unexpected(workload.error());
    made.workload = *std::move(workload);
  }
  findings.merge(made.workload.findings);
  made.workload.findings = {};
  if (auto fine = check_sizes(question, cluster.platform); !fine)
    return tl::unexpected(fine.error());
  if (!question.job.given()) report_unused_traces(question, cluster.platform, findings);
  if (auto fine = read_custom_collectives(question, cluster.platform, made.workload); !fine)
    return tl::unexpected(fine.error());
  findings.merge(made.workload.findings);
  if (auto done = apply_changes(question, cluster, made, findings); !done)
    return tl::unexpected(done.error());
  return made;
}

Result<void> apply_changes(const Question& question, const Cluster& cluster, Load& load,
                           Findings& findings) {
  if (question.changes.empty()) return {};
  const auto changes = parse_changes(question.changes);
  if (!changes) return tl::unexpected(changes.error());
  for (const Change& change : *changes)
    if (change.level == ChangeScope::job && !load.program && !is_structural(change) &&
        !(question.replicate && changes_replica_count(change)))
      return fail(Errc::config_conflict, "--change " + change.text, "traces have no plan to change",
                  "give the job with --spec or --model, and the recordings with --traces");
  const bool by_models = load.program != nullptr;
  if (!by_models) {
    auto reshaped = with_structure(load.workload, *changes, given_structure(question), findings);
    if (!reshaped) return tl::unexpected(reshaped.error());
    load.workload = *std::move(reshaped);
    if (question.recorded_on) {
      const auto files = read_kernel_files(question, cluster.platform, findings);
      if (!files) return tl::unexpected(files.error());
      const auto ratios = read_device_ratios(question.device_ratios);
      if (!ratios) return tl::unexpected(ratios.error());
      auto moved = change_device(load.workload, *question.recorded_on,
                                 cluster.platform.device.entry, given_models(*files), *ratios);
      if (!moved) return tl::unexpected(moved.error());
      load.device_conversion = moved->description();
      load.workload = std::move(moved->workload);
    }
  }
  auto changed = with_changes(load.workload, *changes, by_models, findings);
  if (!changed) return tl::unexpected(changed.error());
  load.workload = *std::move(changed);
  return {};
}

}  // namespace orrery::study
