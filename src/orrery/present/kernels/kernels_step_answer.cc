// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_step_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/present/workloads/generate_answer.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::present {

using study::StepKernel;
using study::StepKernels;
using workload::Total;

namespace {

/// A class of kernels, or one of them.
struct KernelRow {
  std::string name;
  graph::Kernel kernel{};  ///< the first of them
  Total nodes = 0, launches = 0, flops = 0, bytes = 0;
  Total picoseconds = 0;
  std::map<std::string_view, Total> by_model;  ///< picoseconds
  Total unestimated = 0;                       ///< nodes that no model estimates

  void add(const StepKernel& one) {
    const auto times = static_cast<Total>(one.nodes);
    nodes += times;
    launches += times * one.kernel.launches;
    flops += times * static_cast<Total>(one.kernel.flops);
    bytes += times * static_cast<Total>(one.kernel.bytes);
    if (!one.each) {
      unestimated += times;
      return;
    }
    const Total spent = times * static_cast<Total>(one.each->time.count());
    picoseconds += spent;
    by_model[orrery::name(one.each->source)] += spent;
  }
  [[nodiscard]] std::string models() const {
    std::string text;
    for (const auto& [model, unused] : by_model)
      text += (text.empty() ? "" : ", ") + std::string(model);
    return text.empty() ? "none" : text;
  }
  /// `work` of all kernels over their time; 0: they have none.
  [[nodiscard]] double rate(Total work) const {
    return picoseconds == 0
               ? 0
               : workload::to_double(work) / (workload::to_double(picoseconds) * 1e-12);
  }
};

Time as_time(Total picoseconds) {
  const auto most = static_cast<Total>(kTimeMax.count());
  return Time(static_cast<std::int64_t>(std::min(picoseconds, most)));
}

std::string step_kernel_name(const StepKernel& one, bool all) {
  return one.kernel.operation == graph::Operation::unsaid ? "unsaid" : kernel_name(one.kernel, all);
}

std::vector<KernelRow> rows_of(const StepKernels& step, bool all, KernelRow& sum) {
  std::vector<KernelRow> rows;
  std::map<std::string, std::size_t> row_by_name;
  for (const StepKernel& one : step.kernels) {
    sum.add(one);
    const std::string name = step_kernel_name(one, all);
    const auto [row, is_new] = row_by_name.try_emplace(name, rows.size());
    if (all || is_new) rows.push_back({name, one.kernel});
    rows[all ? rows.size() - 1 : row->second].add(one);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return a.picoseconds != b.picoseconds ? a.picoseconds > b.picoseconds : a.name < b.name;
  });
  return rows;
}

/// Numbers of nodes and launches.
std::uint64_t whole(Total number) {
  return static_cast<std::uint64_t>(std::min(number, Total{~std::uint64_t{0}}));
}

report::Digits digits(Total number) { return {workload::to_string(number)}; }

double part_of(Total part, Total all) {
  return all == 0 ? 0 : workload::to_double(part) / workload::to_double(all);
}

void write_model_shares(report::JsonWriter& json, const KernelRow& row) {
  json.begin_object();
  for (const auto& [model, spent] : row.by_model)
    json.field(model, part_of(spent, row.picoseconds));
  json.end_object();
}

report::Columns<KernelRow> step_columns(bool all, Total picoseconds) {
  report::Columns<KernelRow> columns;
  columns.add("kernels", "name", &KernelRow::name)
      .members([=](auto& json, const auto& row) { write_kernel(json, row.kernel, all); })
      .field("nodes", [](const auto& row) { return whole(row.nodes); })
      .add("launches", "launches", [](const auto& row) { return whole(row.launches); })
      .add("time", "time_ns", [](const auto& row) { return as_time(row.picoseconds); })
      .add("share", "time_share",
           [=](const auto& row) { return report::Share{part_of(row.picoseconds, picoseconds)}; })
      .field("flop", [](const auto& row) { return digits(row.flops); })
      .field("bytes", [](const auto& row) { return digits(row.bytes); });
  if (all)
    columns.show_number(
        "FLOPs", [](const auto& row) { return scaled_text(workload::to_double(row.flops), ""); });
  columns
      .add(
          "TFLOP/s", "flop_per_s", [](const auto& row) { return row.rate(row.flops); },
          [](const auto& row) { return tera_text(row.rate(row.flops)); })
      .field("bytes_per_s", [](const auto& row) { return row.rate(row.bytes); })
      .show("model", &KernelRow::models)
      .nested("share_by_model", write_model_shares)
      .field("unestimated", [](const auto& row) { return whole(row.unestimated); });
  return columns;
}

std::string model_shares(const KernelRow& sum) {
  std::string models;
  for (const auto& [model, spent] : sum.by_model)
    models += fmt::format("{}{} {}", models.empty() ? "" : ", ", model,
                          report::percent(part_of(spent, sum.picoseconds)));
  return models.empty() ? "no model applies" : models + " of the time";
}

}  // namespace

void state_step_kernels(report::Answer& answer, const workload::Program& program,
                        const platform::Platform& platform, const StepKernels& step, bool all,
                        const Findings& findings) {
  KernelRow sum;
  const std::vector<KernelRow> rows = rows_of(step, all, sum);
  const std::string& model = program.spec.model.name;
  answer.title(fmt::format("{}, {}", model, parallelism_text(program))).field("model", model);
  answer.row("rank", "rank", step.rank,
             fmt::format("{} ({}), {}", step.rank, step.role,
                         step.ranks == 1 ? "the only rank with this role"
                                         : fmt::format("one of {} with this role",
                                                       plural(step.ranks, "rank"))));
  answer.field("role", step.role).field("ranks", step.ranks);
  const std::string& device = platform.device.name;
  answer.row("device", "device", device, device.empty() ? "-" : printable(device));
  const std::string in_step = study::in_step_label(platform);
  const report::Value launches(whole(sum.launches));
  const report::Value time(as_time(sum.picoseconds));
  answer.row("kernels", "launches", launches,
             fmt::format("{} launches of {}: {}{}", launches.text(),
                         plural(step.kernels.size(), "distinct kernel"), time.text(),
                         in_step.empty() ? "" : " (" + in_step + ")"));
  answer.field("distinct_kernels", step.kernels.size()).field("time_ns", time);
  answer.field("flop", digits(sum.flops)).field("bytes", digits(sum.bytes));
  answer.line("models", model_shares(sum));
  answer.table(all ? "per_kernel" : "classes", rows, step_columns(all, sum.picoseconds),
               {.width = all ? 160 : report::kWidth});
  answer.findings(findings);
}

}  // namespace orrery::present
