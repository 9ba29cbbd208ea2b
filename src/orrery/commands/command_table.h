// SPDX-License-Identifier: Apache-2.0
//
// All commands of the core. The library and the program `orrery` have these commands and those of
// the add-ons. `orrery_first` has a selection, and links no other command.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "orrery/commands/command.h"

namespace orrery::commands {

/// By group, in the order of --help. Use it in constants only: code that reads it at run time links
/// all commands.
inline constexpr auto kCoreCommands = std::to_array<Command>({
    {.name = "run",
     .group = Group::everyday,
     .summary = "Simulate a workload on a cluster, and break its step down",
     .add = add_run,
     .output = {.file = "Write the run to FILE.orrery, its web page to FILE.html, or the JSON to "
                        "FILE.json ('-' for stdout)"}},
    {.name = "search",
     .group = Group::everyday,
     .summary = "Find the best parallelism plans of a job on a cluster",
     .add = add_search,
     .output = {.file = "Write the best plan as a specification; for a space, store its points"}},
    {.name = "whatif",
     .group = Group::everyday,
     .summary = "Predict the effect of changes to a recording or a job",
     .add = add_whatif,
     .output = {.file = "Write the changed run to FILE.orrery, the web page of both runs to "
                        "FILE.html, or the JSON to FILE.json ('-' for stdout)"}},
    {.name = "memory",
     .group = Group::everyday,
     .summary = "Predict the memory of a training step, and whether it fits",
     .add = add_memory},
    {.name = "kernels",
     .group = Group::everyday,
     .summary = "Predict kernel times, and show which model predicts them",
     .add = add_kernels,
     .output = {.file = "Write the JSON to FILE ('-' for stdout); plot: the plot"},
     .words = {.list = kernel_words}},
    {.name = "mfu",
     .group = Group::everyday,
     .summary = "Compare a measured MFU with predicted and published ones",
     .add = add_mfu},
    {.name = "goodput",
     .group = Group::everyday,
     .summary = "Predict goodput with failures, and days and cost to N tokens",
     .add = add_goodput},
    {.name = "infer",
     .group = Group::everyday,
     .summary = "Predict latencies, throughput and cost of serving a model",
     .add = add_infer},
    {.name = "report",
     .group = Group::reports,
     .summary = "Show a run as a summary, a web page or a timeline",
     .add = add_report},
    {.name = "compare",
     .group = Group::reports,
     .summary = "Compare two runs, and show the causes of the difference",
     .add = add_compare},
    {.name = "explain",
     .group = Group::reports,
     .summary = "Explain a figure: its meaning, formula and source",
     .add = add_explain,
     .words = {.list = metric_words}},
    {.name = "critical-path",
     .group = Group::reports,
     .summary = "Show the critical path of a step",
     .add = add_critical_path},
    {.name = "trace info",
     .old_names = "inspect",
     .group = Group::trace,
     .summary = "Show the contents of traces",
     .add = add_trace_info},
    {.name = "trace validate",
     .old_names = "check",
     .group = Group::trace,
     .summary = "Check traces and configurations without simulating",
     .add = add_trace_validate,
     .output = {.file = "Write the JSON to FILE ('-' for stdout), or the cluster with every key to "
                        "FILE.yaml"}},
    {.name = "trace merge",
     .old_names = "link",
     .group = Group::trace,
     .summary = "Link execution traces with device traces",
     .add = add_trace_merge},
    {.name = "trace convert",
     .old_names = "convert",
     .group = Group::trace,
     .summary = "Convert recorded traces to Chakra, and Chakra traces to text",
     .add = add_trace_convert,
     .output =
         {.file =
              "Write traces PREFIX.0.et …, or one trace to FILE.json, FILE.dot or FILE.graphml"}},
    {.name = "trace slice",
     .old_names = "cut",
     .group = Group::trace,
     .summary = "Cut an iteration, a time window or some ranks out of traces",
     .add = add_trace_slice,
     .output = {.file = "Write the part to FILE, or several files to FOLDER/"}},
    {.name = "trace anonymize",
     .old_names = "obfuscate",
     .group = Group::trace,
     .summary = "Write Chakra traces that you can show to others",
     .add = add_trace_anonymize,
     .output = {.file = "Write traces PREFIX.0.et …, or one trace to FILE"}},
    {.name = "trace diff",
     .old_names = "diff",
     .group = Group::trace,
     .summary = "Compare two traces of a rank: what is new, gone or slower",
     .add = add_trace_diff},
    {.name = "trace replay",
     .old_names = "replay",
     .group = Group::trace,
     .summary = "Simulate a recording again, and measure the error",
     .add = add_trace_replay},
    {.name = "trace predict",
     .old_names = "predict",
     .group = Group::trace,
     .summary = "Predict a recorded step from typical operator times",
     .add = add_trace_predict},
    {.name = "trace stragglers",
     .old_names = "stragglers",
     .group = Group::trace,
     .summary = "Find the ranks, kernels and links that delay others",
     .add = add_trace_stragglers},
    {.name = "trace scale-down",
     .old_names = "scale-down",
     .group = Group::trace,
     .summary = "Make a smaller job that represents a large one",
     .add = add_trace_scale_down,
     .output = {.file =
                    "Write the smaller job as Chakra traces, PREFIX.0.et ..., and its cluster"}},
    {.name = "trace learn",
     .group = Group::trace,
     .summary = "Learn the traces of many training jobs",
     .add = add_trace_learn,
     .output = {.file = "Write the learned traces to FILE"}},
    {.name = "trace synthesize",
     .group = Group::trace,
     .summary = "Synthesize traces of a job from learned traces",
     .add = add_trace_synthesize,
     .output = {.file = "Write traces PREFIX.0.et …"}},
    {.name = "job generate",
     .old_names = "generate",
     .group = Group::job,
     .summary = "Write traces from a model and a parallelism plan",
     .add = add_job_generate,
     .output =
         {.file = "Write traces PREFIX.0.et …, or the text of --format to FILE ('-' for stdout)"}},
    {.name = "job count",
     .old_names = "count",
     .group = Group::job,
     .summary = "Count the FLOPs, bytes and messages of a training step",
     .add = add_job_count},
    {.name = "job together",
     .old_names = "together",
     .group = Group::job,
     .summary = "Simulate several jobs that share a cluster",
     .add = add_job_together,
     .output = {.file = "Write the run with all jobs to FILE.orrery, its web page to FILE.html, or "
                        "the JSON to FILE.json ('-' for stdout)"}},
    {.name = "network show",
     .old_names = "topology",
     .group = Group::network,
     .summary = "Describe a fabric, plot it, and show routes",
     .add = add_network_show,
     .output = {.file = "Write the fabric to FILE as InfraGraph 2.4 ('-' for stdout)"}},
    {.name = "network check",
     .group = Group::network,
     .summary = "Compare the network models on a job: error and cost of each",
     .add = add_network_check,
     .output = {.file = "Write the table to FILE.csv, or the JSON to FILE ('-' for stdout)"}},
    {.name = "network compare",
     .group = Group::network,
     .summary = "Compare a job on several networks",
     .add = add_network_compare},
    {.name = "collective compare",
     .old_names = "collective",
     .group = Group::collective,
     .summary = "Compare the algorithms for a collective with a lower bound",
     .add = add_collective_compare,
     .output = {.json = true, .file = ""},
     .words = {.list = collective_words, .files = false}},
    {.name = "collective check",
     .old_names = "plan",
     .group = Group::collective,
     .summary = "Check a plan of a collective (MSCCL, MSCCL++, Chakra)",
     .add = add_collective_check,
     .output = {.file = "Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder "
                        "of Chakra traces"}},
    {.name = "collective synthesize",
     .old_names = "synthesise",
     .group = Group::collective,
     .summary = "Synthesize a collective for a fabric, with a lower bound",
     .add = add_collective_synthesize,
     .output =
         {.file =
              "Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra "
              "traces. Only ranks forward data then. Several groups get one numbered plan each"},
     .words = {.list = synthesis_words, .files = false}},
    {.name = "dlrm shard",
     .old_names = "shard",
     .group = Group::dlrm,
     .summary = "Assign embedding tables to devices",
     .add = add_dlrm_shard,
     .output = {.file = "Write the placement to FILE as CSV ('-' for stdout), or to FILE.yaml as a "
                        "DLRM specification"}},
    {.name = "dlrm lookup",
     .old_names = "embeddings",
     .group = Group::dlrm,
     .summary = "Measure the reuse of embedding rows, and predict lookups",
     .add = add_dlrm_lookup,
     .output = {.file = "Write the JSON to FILE ('-' for stdout); synthesize: the stream"},
     .words = {.list = embeddings_words}},
    {.name = "accuracy",
     .old_names = "validate",
     .group = Group::accuracy,
     .summary = "Compare predicted steps with measured ones",
     .add = add_accuracy},
    {.name = "calibrate",
     .group = Group::accuracy,
     .summary = "Fit models of your cluster to measurements",
     .add = add_calibrate,
     .output = {.file = "Write the calibration to FILE ('-' for stdout)"},
     .words = {.list = calibration_words}},
    {.name = "list",
     .group = Group::tool,
     .summary = "List models, devices, links, clusters and collectives by name",
     .add = add_list,
     .words = {.list = list_words, .files = false}},
    {.name = "schema",
     .group = Group::tool,
     .summary = "Print the JSON Schema of a file format",
     .add = add_schema,
     .output = {.file = "Write the schema to FILE ('-' for stdout)"},
     .words = {.list = schema_formats, .files = false}},
});

/// The commands of all tables by group; in a group, in the order of the tables.
template <std::size_t... N>
[[nodiscard]] consteval auto by_group(const std::array<Command, N>&... tables) {
  std::array<Command, (N + ...)> sorted;
  std::size_t count = 0;
  const auto append = [&](const auto& table) {
    for (const Command& command : table) sorted.at(count++) = command;
  };
  (append(tables), ...);
  for (std::size_t i = 1; i < sorted.size(); ++i)  // insertion sort, because it is stable
    for (std::size_t k = i; k > 0 && sorted.at(k).group < sorted.at(k - 1).group; --k)
      std::swap(sorted.at(k), sorted.at(k - 1));
  return sorted;
}

/// The modes that add-ons contribute, in the order of the tables.
template <std::size_t... N>
[[nodiscard]] consteval auto joined(const std::array<AddedMode, N>&... tables) {
  std::array<AddedMode, (N + ... + 0)> all;
  [[maybe_unused]] std::size_t count = 0;
  [[maybe_unused]] const auto append = [&](const auto& table) {
    for (const AddedMode& mode : table) all.at(count++) = mode;
  };
  (append(tables), ...);
  return all;
}

/// The commands with these names, in the order of the table. An unknown name does not compile.
template <std::size_t N, std::size_t All>
[[nodiscard]] consteval std::array<Command, N> commands_named(
    const std::array<std::string_view, N>& names, const std::array<Command, All>& table) {
  std::array<Command, N> chosen;
  std::size_t count = 0;
  for (const Command& command : table) {
    if (std::find(names.begin(), names.end(), command.name) != names.end())
      chosen.at(count++) = command;
  }
  if (count != N) throw "first_commands.txt names a command twice, or one that does not exist";
  return chosen;
}

}  // namespace orrery::commands
