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
     .group = Group::simulate,
     .summary = "Simulate a workload on a cluster, and break its step down",
     .add = add_run,
     .output = {.file = "Write the run to FILE.orrery, its web page to FILE.html, or the JSON to "
                        "FILE.json ('-' for stdout)"}},
    {.name = "together",
     .group = Group::simulate,
     .summary = "Simulate several jobs that share a cluster",
     .add = add_together,
     .output = {.file = "Write the run with all jobs to FILE.orrery, its web page to FILE.html, or "
                        "the JSON to FILE.json ('-' for stdout)"}},
    {.name = "check",
     .group = Group::simulate,
     .summary = "Check traces and configurations without simulating",
     .add = add_check,
     .output = {.file = "Write the JSON to FILE ('-' for stdout), or the cluster with every key to "
                        "FILE.yaml"}},
    {.name = "generate",
     .group = Group::workloads,
     .summary = "Write traces from a model and a parallelism plan",
     .add = add_generate,
     .output =
         {.file = "Write traces PREFIX.0.et …, or the text of --format to FILE ('-' for stdout)"}},
    {.name = "count",
     .group = Group::workloads,
     .summary = "Count the FLOPs, bytes and messages of a training step",
     .add = add_count},
    {.name = "memory",
     .group = Group::workloads,
     .summary = "Predict the memory of a training step, and whether it fits",
     .add = add_memory},
    {.name = "report",
     .group = Group::results,
     .summary = "Show a run as a summary, a web page or a timeline",
     .add = add_report},
    {.name = "critical-path",
     .group = Group::results,
     .summary = "Show the critical path of a step",
     .add = add_critical_path},
    {.name = "explain",
     .group = Group::results,
     .summary = "Explain a figure: its meaning, formula and source",
     .add = add_explain,
     .words = {.list = metric_words}},
    {.name = "compare",
     .group = Group::results,
     .summary = "Compare two runs, and show the causes of the difference",
     .add = add_compare},
    {.name = "whatif",
     .group = Group::what_if,
     .summary = "Predict the effect of changes to a recording or a job",
     .add = add_whatif,
     .output = {.file = "Write the changed run to FILE.orrery, its web page to FILE.html, or the "
                        "JSON to FILE.json ('-' for stdout)"}},
    {.name = "stragglers",
     .group = Group::what_if,
     .summary = "Find the ranks, kernels and links that delay others",
     .add = add_stragglers},
    {.name = "scale-down",
     .group = Group::what_if,
     .summary = "Make a smaller job that represents a large one",
     .add = add_scale_down,
     .output = {.file =
                    "Write the smaller job as Chakra traces, PREFIX.0.et ..., and its cluster"}},
    {.name = "search",
     .group = Group::search,
     .summary = "Find the best parallelism plans of a job on a cluster",
     .add = add_search,
     .output = {.file = "Write the best plan as a specification; for a space, store its points"}},
    {.name = "shard",
     .group = Group::search,
     .summary = "Assign embedding tables to devices",
     .add = add_shard,
     .output = {.file = "Write the placement to FILE as CSV ('-' for stdout), or to FILE.yaml as a "
                        "DLRM specification"}},
    {.name = "inspect",
     .group = Group::traces,
     .summary = "Show the contents of traces",
     .add = add_inspect},
    {.name = "convert",
     .group = Group::traces,
     .summary = "Convert recorded traces to Chakra, and Chakra traces to text",
     .add = add_convert,
     .output =
         {.file =
              "Write traces PREFIX.0.et …, or one trace to FILE.json, FILE.dot or FILE.graphml"}},
    {.name = "link",
     .group = Group::traces,
     .summary = "Link execution traces with device traces",
     .add = add_link},
    {.name = "replay",
     .group = Group::traces,
     .summary = "Simulate a recording again, and measure the error",
     .add = add_replay},
    {.name = "predict",
     .group = Group::traces,
     .summary = "Predict a recorded step from typical operator times",
     .add = add_predict},
    {.name = "diff",
     .group = Group::traces,
     .summary = "Compare two traces of a rank: what is new, gone or slower",
     .add = add_diff},
    {.name = "cut",
     .group = Group::traces,
     .summary = "Cut an iteration, a time window or some ranks out of traces",
     .add = add_cut,
     .output = {.file = "Write the part to FILE, or several files to FOLDER/"}},
    {.name = "obfuscate",
     .group = Group::traces,
     .summary = "Write Chakra traces that you can show to others",
     .add = add_obfuscate,
     .output = {.file = "Write traces PREFIX.0.et …, or one trace to FILE"}},
    {.name = "kernels",
     .group = Group::kernels,
     .summary = "Predict kernel times, and show which model predicts them",
     .add = add_kernels,
     .output = {.file = "Write the JSON to FILE ('-' for stdout); plot: the plot"},
     .words = {.list = kernel_words}},
    {.name = "embeddings",
     .group = Group::kernels,
     .summary = "Measure the reuse of embedding rows, and predict lookups",
     .add = add_embeddings,
     .output = {.file = "Write the JSON to FILE ('-' for stdout); synthesize: the stream"},
     .words = {.list = embeddings_words}},
    {.name = "collective",
     .group = Group::kernels,
     .summary = "Compare the algorithms for a collective with a lower bound",
     .add = add_collective,
     .output = {.json = true, .file = ""},
     .words = {.list = collective_words, .files = false}},
    {.name = "plan",
     .group = Group::kernels,
     .summary = "Check a plan of a collective (MSCCL, MSCCL++, Chakra)",
     .add = add_plan,
     .output = {.file = "Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder "
                        "of Chakra traces"}},
    {.name = "synthesise",
     .group = Group::kernels,
     .summary = "Synthesize a collective for a fabric, with a lower bound",
     .add = add_synthesise,
     .output =
         {.file =
              "Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra "
              "traces. Only ranks forward data then. Several groups get one numbered plan each"},
     .words = {.list = synthesis_words, .files = false}},
    {.name = "topology",
     .group = Group::clusters,
     .summary = "Describe a fabric, plot it, and show routes",
     .add = add_topology,
     .output = {.file = "Write the fabric to FILE as InfraGraph 2.4 ('-' for stdout)"}},
    {.name = "calibrate",
     .group = Group::clusters,
     .summary = "Fit models of your cluster to measurements",
     .add = add_calibrate,
     .output = {.file = "Write the calibration to FILE ('-' for stdout)"},
     .words = {.list = calibration_words}},
    {.name = "validate",
     .group = Group::accuracy,
     .summary = "Compare predicted steps with measured ones",
     .add = add_validate},
    {.name = "schema",
     .group = Group::help,
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
