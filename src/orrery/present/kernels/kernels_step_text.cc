// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_step_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/present/workloads/generate_text.h"
#include "orrery/report/json/envelope.h"
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
  graph::Kernel kernel{};  ///< the first
  Total nodes = 0, launches = 0, flops = 0, bytes = 0;
  Total picoseconds = 0;
  std::map<std::string_view, Total> by_model;  ///< picoseconds
  Total unknown = 0;                           ///< nodes that no model knows

  void add(const StepKernel& one) {
    const auto times = static_cast<Total>(one.nodes);
    nodes += times;
    launches += times * one.kernel.launches;
    flops += times * static_cast<Total>(one.kernel.flops);
    bytes += times * static_cast<Total>(one.kernel.bytes);
    if (!one.each) {
      unknown += times;
      return;
    }
    const Total spent = times * static_cast<Total>(one.each->time.count());
    picoseconds += spent;
    by_model[orrery::name(one.each->source)] += spent;
  }
  [[nodiscard]] double seconds() const { return workload::to_double(picoseconds) * 1e-12; }
  [[nodiscard]] std::string models() const {
    std::string text;
    for (const auto& [model, unused] : by_model)
      text += (text.empty() ? "" : ", ") + std::string(model);
    return text.empty() ? "none" : text;
  }
};

Time as_time(Total picoseconds) {
  const auto most = static_cast<Total>(kTimeMax.count());
  return Time(static_cast<std::int64_t>(std::min(picoseconds, most)));
}

std::string text_of_kernel(const StepKernel& one, bool all) {
  const graph::Kernel& kernel = one.kernel;
  if (kernel.operation == graph::Operation::unsaid) return "unsaid";
  if (!all)
    return fmt::format("{} {} {}", name(kernel.operation), name(kernel.pass), name(kernel.a));
  graph::Kernel bare = kernel;
  bare.flops = bare.bytes = 0;
  return graph::to_text(bare);
}

std::vector<KernelRow> rows_of(const StepKernels& step, bool all, KernelRow& sum) {
  std::map<std::string, KernelRow> by_name;
  std::vector<KernelRow> rows;
  for (const StepKernel& one : step.kernels) {
    sum.add(one);
    const std::string text = text_of_kernel(one, all);
    if (all) {
      rows.push_back({text, one.kernel});
      rows.back().add(one);
      continue;
    }
    KernelRow& row = by_name.try_emplace(text, KernelRow{text, one.kernel}).first->second;
    row.add(one);
  }
  for (auto& [unused, row] : by_name) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return a.picoseconds != b.picoseconds ? a.picoseconds > b.picoseconds : a.name < b.name;
  });
  return rows;
}

std::string number(Total value) {
  return format_count(static_cast<std::int64_t>(std::min(value, Total{1} << 62)));
}

double part_of(Total part, Total whole) {
  return whole == 0 ? 0 : workload::to_double(part) / workload::to_double(whole);
}

/// What every kernel does, over its time; 0: takes none.
double rate(Total work, const KernelRow& row) {
  return row.picoseconds == 0 ? 0 : workload::to_double(work) / row.seconds();
}

void write_row(report::JsonWriter& json, const KernelRow& row, bool all, const KernelRow& sum) {
  json.begin_object().field("name", row.name);
  if (all) {
    write_kernel(json, row.kernel);
  } else {
    json.field("operation", name(row.kernel.operation))
        .field("pass", name(row.kernel.pass))
        .field("format", name(row.kernel.a));
  }
  json.field("nodes", static_cast<std::uint64_t>(row.nodes))
      .field("launches", static_cast<std::uint64_t>(row.launches))
      .nanoseconds("time", as_time(row.picoseconds))
      .field("time_share", part_of(row.picoseconds, sum.picoseconds))
      .key("flop")
      .digits(workload::to_string(row.flops))
      .key("bytes")
      .digits(workload::to_string(row.bytes))
      .field("flop_per_s", rate(row.flops, row))
      .field("bytes_per_s", rate(row.bytes, row));
  json.key("share_by_model").begin_object();
  for (const auto& [model, spent] : row.by_model)
    json.field(model, part_of(spent, row.picoseconds));
  json.end_object().field("unestimated", static_cast<std::uint64_t>(row.unknown)).end_object();
}

}  // namespace

std::string kernels_step_text(const workload::Program& program, const platform::Platform& platform,
                              const StepKernels& step, bool all, const Findings& findings,
                              report::Style style) {
  KernelRow sum;
  const std::vector<KernelRow> rows = rows_of(step, all, sum);
  std::string text =
      style.strong(fmt::format("{}, {}", program.spec.model.name, parallelism_text(program))) +
      "\n";
  report::Sheet sheet(style);
  sheet.add("rank", fmt::format("{} ({}), {}", step.rank, step.role,
                                step.ranks == 1 ? std::string("the only one that does this")
                                                : fmt::format("one of {} that do the same",
                                                              plural(step.ranks, "rank"))));
  sheet.add("device", platform.device.name.empty() ? "-" : printable(platform.device.name));
  const std::string in_step = study::in_step_label(platform);
  sheet.add("kernels", fmt::format("{} launches of {}: {}{}", number(sum.launches),
                                   plural(step.kernels.size(), "different kernel"),
                                   format_time(as_time(sum.picoseconds)),
                                   in_step.empty() ? "" : " (" + in_step + ")"));
  std::string models;
  for (const auto& [model, spent] : sum.by_model)
    models += fmt::format("{}{} {}", models.empty() ? "" : ", ", model,
                          report::percent(part_of(spent, sum.picoseconds)));
  sheet.add("models", models.empty() ? "none says anything" : models + " of the time");
  text += sheet.text() + "\n";
  std::vector<report::Table::Column> columns{
      {"kernels"}, {"launches", true}, {"time", true}, {"share", true}};
  if (all) columns.push_back({"FLOPs", true});
  columns.push_back({"TFLOP/s", true});
  columns.push_back({"model"});
  report::Table table(std::move(columns));
  for (const KernelRow& row : rows) {
    std::vector<std::string> cells{row.name, number(row.launches),
                                   format_time(as_time(row.picoseconds)),
                                   report::percent(part_of(row.picoseconds, sum.picoseconds))};
    if (all) cells.push_back(scaled_text(workload::to_double(row.flops), ""));
    cells.push_back(tera_text(rate(row.flops, row)));
    cells.push_back(row.models());
    table.row(std::move(cells));
  }
  text += table.text(style, 0, all ? 160 : report::kWidth);
  report::Sheet notes(style);
  report::add_findings(notes, findings, style);
  return text + (notes.text().empty() ? "" : "\n" + notes.text());
}

std::string kernels_step_json(const workload::Program& program, const platform::Platform& platform,
                              const StepKernels& step, bool all, const Findings& findings) {
  KernelRow sum;
  const std::vector<KernelRow> rows = rows_of(step, all, sum);
  return report::envelope("kernels", findings, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("model", program.spec.model.name)
        .field("device", platform.device.name)
        .field("rank", step.rank)
        .field("role", step.role)
        .field("ranks", step.ranks)
        .field("launches", static_cast<std::uint64_t>(sum.launches))
        .field("distinct_kernels", step.kernels.size())
        .nanoseconds("time", as_time(sum.picoseconds))
        .key("flop")
        .digits(workload::to_string(sum.flops))
        .key("bytes")
        .digits(workload::to_string(sum.bytes));
    json.key(all ? "per_kernel" : "classes").begin_array();
    for (const KernelRow& row : rows) write_row(json, row, all, sum);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
