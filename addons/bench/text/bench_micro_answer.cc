// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_micro_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {
namespace {

constexpr std::size_t kTensorsLength = 30;

/// Drops "float", the usual type, because columns are narrow.
std::string brief(std::string tensors) {
  constexpr std::string_view kUsual = "float ";
  for (std::size_t at = 0; (at = tensors.find(kUsual, at)) != std::string::npos;)
    tensors.erase(at, kUsual.size());
  return printable(tensors, kTensorsLength);
}

struct Row {
  const bench::Microbenchmark* micro = nullptr;
  const bench::MicrobenchmarkTime* time = nullptr;
  Time total{};  ///< weight times median
};

struct Sums {
  std::uint64_t operators = 0;
  std::uint64_t failed = 0;
  Time total{};
  Time recorded{};
};

Sums sums_of(const std::vector<Row>& rows) {
  Sums sums;
  for (const Row& row : rows) {
    sums.operators += row.micro->weight;
    sums.failed += row.time->failures > 0 ? 1 : 0;
    sums.total += row.total;
    sums.recorded += row.micro->recorded;
  }
  return sums;
}

report::Columns<Row> operator_columns(Time total, bool timed) {
  report::Columns<Row> columns;
  columns.add("operator", "name", [](auto& row) { return row.micro->name; })
      .add(
          "tensors", "tensors", [](auto& row) { return row.micro->tensors; },
          [](auto& row) { return brief(row.micro->tensors); })
      .add("weight", "calls", [](auto& row) { return row.micro->weight; })
      .add("median", "", [](auto& row) { return ns(row.time->each.half); })
      .add("99 %", "", [](auto& row) { return ns(row.time->each.p99); })
      .show(
          "share", [total](auto& row) { return share(row.total, total); }, report::Align::right)
      .members([](auto& json, auto& row) { write_percentiles(json, row.time->each); });
  if (timed) columns.field("recorded_ns", [](auto& row) { return row.micro->recorded; });
  columns
      .field("kernel_text",
             [](auto& row) {
               const auto& kernel = row.micro->kernel;
               return kernel ? report::Value(graph::to_text(*kernel)) : report::Value();
             })
      .omit_null()
      .field("failures", [](auto& row) { return row.time->failures; })
      .field("reason",
             [](auto& row) {
               return row.time->failures > 0 ? report::Value(row.time->reason) : report::Value();
             })
      .omit_null();
  return columns;
}

}  // namespace

void state_bench_micro(report::Answer& answer, const MicroBenchmark& measured,
                       const Findings& findings) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < measured.all.size(); ++i)
    rows.push_back(
        {&measured.all[i], &measured.times[i],
         ns(measured.times[i].each.half * static_cast<std::int64_t>(measured.all[i].weight))});
  const Sums sums = sums_of(rows);
  const bool timed = measured.planned.plan.timed;
  state_recording(answer, measured.planned);
  answer.row("operators", "operators", sums.operators,
             fmt::format("{}, {} distinct", count(sums.operators), count(rows.size())));
  answer.field("distinct_operators", rows.size());
  answer.row("total", "total_ns", sums.total,
             fmt::format("{}: sum of weight times median", format_time(sums.total)));
  if (timed) answer.row("recorded", "recorded_ns", sums.recorded);
  answer.field("failed", sums.failed);
  if (sums.failed == 0) answer.line("failed", "none");
  for (const Row& row : rows)
    if (row.time->failures > 0)
      answer.line(
          answer.style().bad("failed"),
          fmt::format("{}: {}", printable(row.micro->name, 60), printable(row.time->reason, 160)));
  answer.findings(findings);
  const auto columns = operator_columns(sums.total, timed);
  if (!answer.is_json())
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.total > b.total; });
  answer.table("micro", rows, columns, {.limit = 20});
}

}  // namespace orrery::present
