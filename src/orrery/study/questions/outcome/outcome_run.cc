// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "orrery/graph/content_hash.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/record/make_run.h"
#include "orrery/result/run_file.h"
#include "orrery/study/collectives/collective_bounds.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/workload/memory/graph_memory.h"
#include "orrery/workload/models/table_share.h"
#include "orrery/workload/spec/amount.h"

namespace orrery::study {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxTables = 4096;  // maximum number of tables in a report

/// `path` without parts that only this machine has: an absolute path keeps its last component.
std::string portable(const std::string& path) {
  const fs::path typed(path);
  return typed.is_absolute() ? typed.filename().string() : typed.lexically_normal().string();
}

std::string hex(const graph::ContentHash& hash) { return fmt::format("{:016x}", hash.value()); }

/// Hash of the work of ranks and their groups, without names of nodes.
std::string hash_of(const graph::Workload& workload) {
  graph::ContentHash hash;
  hash.add(workload.rank_count());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    hash.add(workload.graph(rank).content_hash());
  hash.add(workload.groups.size());
  for (const auto& [name, group] : workload.groups) {
    hash.add(name);
    hash.add(group.ranks.size());
    for (const std::uint32_t rank : group.ranks) hash.add(rank);
  }
  for (const auto& [name, axis] : workload.axes) {
    hash.add(name);
    for (const graph::GroupAxis::Digit& digit : axis.digits)
      hash.add(digit.stride, digit.count, digit.step, 0);
    for (const std::uint32_t rank : axis.ranks) hash.add(rank);
  }
  for (const auto& [prefix, graphs] : workload.custom_collectives) {
    hash.add(graphs.size());
    for (const graph::GraphRef& graph : graphs) hash.add(graph->content_hash());
  }
  return hex(hash);
}

/// " --network message"; flags without a value; fields without an option by their names.
std::string typed(std::string_view option, std::string_view name, const std::string& value) {
  if (option.empty()) return fmt::format(" {}={}", name, value);
  return value.empty() ? fmt::format(" {}", option) : fmt::format(" {} {}", option, value);
}

/// Options that change the outcome and are in neither input file.
std::string typed_options(const Question& question) {
  std::string text;
  each_field(question, [&](const std::string& name, const auto& field, const auto& value) {
    const unsigned stages = field.stages & (kCluster | kLoad | kAnswer);
    if (stages == 0 || (field.stages & kUnlisted) != 0 || value == default_of(field)) return;
    const std::string_view option = field.options.substr(0, field.options.find(','));
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, bool>)
      text += typed(option, name, option.empty() ? "true" : "");
    else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      for (const std::string& item : value) text += typed(option, name, item);
    else if constexpr (std::is_same_v<Value, std::string>)
      text += typed(option, name, field.type == "FILE" ? portable(value) : value);
    else
      text += typed(option, name, field_text(value));
  });
  return text.empty() ? text : text.substr(1);
}

/// How the simulator saved work.
void add_savings(const sim::Savings& savings,
                 std::vector<std::pair<std::string, std::string>>& facts) {
  const auto add = [&](const char* key, std::uint64_t number) {
    if (number > 0) facts.emplace_back(key, fmt::format("{}", number));
  };
  add("representatives", savings.representatives);
  add("phases_worked_out", savings.phases_by_closed_form);
  if (savings.phases_by_closed_form > 0) add("phases_by_messages", savings.phases_by_messages);
  add("iterations_skipped", savings.iterations_skipped);
}

/// JSON of [rank, rows, pooling, bytes] for each embedding table that is on one rank; else empty.
/// The report plots it (web/src/pages/tables.ts).
std::string placed_tables(const workload::Program& program) {
  const std::optional<workload::Dlrm>& dlrm = program.spec.model.dlrm;
  if (!dlrm) return {};
  const auto placement = workload::table_placement(*dlrm, program.mesh.world());
  if (!placement || placement->empty() || placement->size() > kMaxTables) return {};
  std::string text;
  std::size_t next = 0;
  for (const workload::EmbeddingTables& table : dlrm->tables) {
    const workload::Amount bytes =
        workload::bytes(workload::Amount(table.rows) * dlrm->dim, program.spec.precision.weights);
    for (std::int64_t i = 0; i < table.count; ++i, ++next)
      text += fmt::format("{}[{},{},{},{}]", next == 0 ? "" : ",", (*placement)[next], table.rows,
                          table.pooling, bytes.value());
  }
  return "[" + text + "]";
}

void add_manifest(const Outcome& outcome, result::Run& run) {
  const platform::Platform& platform = outcome.platform();
  platform::Platform stated = platform;
  for (const KernelFileEntry& row : kKernelFileTable)
    if (std::string& path = stated.device.kernel_files.*row.path; !path.empty())
      path = portable(path);
  const std::string config = platform::resolved_cluster(stated);
  graph::ContentHash cluster_hash;
  cluster_hash.add(config);
  const LoadedKernelFiles& kernel_files = outcome.inputs.cluster->kernel_files;
  for (const LoadedKernelFile& file : kernel_files)
    if (file.model) cluster_hash.add(file.hash);
  cluster_hash.add(name(platform.rules));
  std::vector<std::pair<std::string, std::string>> facts = {
      {"orrery", ORRERY_VERSION},
      {"workload", portable(outcome.workload_name)},
      {"workload_hash", hash_of(outcome.inputs.workload())},
      {"cluster", platform.name.empty() ? portable(outcome.cluster_name) : platform.name},
      {"cluster_hash", hex(cluster_hash)},
      {"rules", std::string(name(platform.rules))},
      {"network_model",
       outcome.inputs.cluster->replay ? "recorded" : std::string(name(platform.network))},
      {"compute_model", compute_label(platform)},
      {"in_step", in_step_label(platform)},
      {"collective_model", library_label(outcome.inputs.cluster->library.get())},
  };
  for (std::size_t i = 0; i < kernel_files.size(); ++i)
    if (kernel_files[i].model)
      facts.emplace_back(fmt::format("{}_hash", kKernelFileTable[i].key),
                         fmt::format("{:016x}", kernel_files[i].hash));
  if (const std::string options = typed_options(outcome.question); !options.empty())
    facts.emplace_back("options", options);
  add_savings(outcome.result.savings, facts);
  facts.emplace_back("cluster_config", config);
  if (!outcome.inputs.load->specification.empty())
    facts.emplace_back("workload_config", outcome.inputs.load->specification);
  if (outcome.job && !outcome.job->work_by_format.empty())
    facts.emplace_back(analysis::kWorkByFormat, analysis::to_fact(outcome.job->work_by_format));
  if (outcome.inputs.load->program)
    if (std::string tables = placed_tables(*outcome.inputs.load->program); !tables.empty())
      facts.emplace_back("embedding_tables", std::move(tables));
  facts.insert(facts.end(), run.manifest.begin(), run.manifest.end());
  run.manifest = std::move(facts);
}

result::SpanChoice choice_of(const std::string& word) {
  for (const auto choice : {result::SpanChoice::critical, result::SpanChoice::none}) {
    if (name(choice) == word) return choice;
  }
  return result::SpanChoice::all;
}

/// Replays use recorded communication times; their links are unknown.
void forget_links(result::Run& run) {
  run.dims.clear();
  for (result::Collective& one : run.collectives) one.bound.reset();
}

}  // namespace

result::Run make_run(const Outcome& outcome) {
  std::vector<graph::HeldMemory> held;
  if (outcome.job && outcome.job->fullest() != nullptr)
    held = workload::graph_memory(*outcome.inputs.load->program, outcome.job->memory,
                                  outcome.workload());
  result::Run run = record::make_run(outcome.workload(), outcome.platform(), outcome.result, held);
  run.memory_capacity = usable_total_memory(outcome.platform().device);
  if (outcome.job) {
    run.work = outcome.job->work;
    run.memory_need = outcome.job->memory_need();
  }
  set_bounds(outcome.workload(), outcome.platform(), run);
  if (outcome.inputs.cluster->replay) forget_links(run);
  run.findings = outcome.findings;
  add_manifest(outcome, run);
  result::filter_spans(run, choice_of(outcome.question.spans));
  return run;
}

}  // namespace orrery::study
