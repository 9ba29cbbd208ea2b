// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/program_count_answer.h"

#include <fmt/format.h>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/kernel.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

namespace {

using hlo::ProgramCount;

std::string flop_text(std::int64_t flops) {
  return fmt::format("{:.4g} GFLOP", static_cast<double>(flops) * 1e-9);
}

report::Columns<ProgramCount::Operations> program_kernel_columns() {
  report::Columns<ProgramCount::Operations> columns;
  columns.add("kernel", "operation", [](const auto& row) { return graph::name(row.operation); })
      .add("pass", "pass", [](const auto& row) { return graph::name(row.pass); })
      .add("kernels", "kernels", &ProgramCount::Operations::kernels,
           [](const auto& row) { return format_count(row.kernels); })
      .add("of products", "product_flop", &ProgramCount::Operations::product_flop,
           [](const auto& row) { return flop_text(row.product_flop); })
      .add("other", "vector_flop", &ProgramCount::Operations::other_flop,
           [](const auto& row) { return flop_text(row.other_flop); })
      .add("memory traffic", "memory_traffic_bytes", &ProgramCount::Operations::bytes,
           [](const auto& row) { return format_bytes(Bytes(row.bytes)); });
  return columns;
}

report::Columns<ProgramCount::Traffic> program_traffic_columns() {
  report::Columns<ProgramCount::Traffic> columns;
  columns.add("communication", "type", [](const auto& row) { return row.type; })
      .add("for", "purpose", [](const auto& row) { return hlo::name(row.purpose); })
      .add("ranks", "group_size", &ProgramCount::Traffic::group_size,
           [](const auto& row) { return fmt::format("{}", row.group_size); })
      .add("calls", "operations", &ProgramCount::Traffic::operations,
           [](const auto& row) { return format_count(row.operations); })
      .add("values", "elements", &ProgramCount::Traffic::elements,
           [](const auto& row) { return format_count(row.elements); })
      .add("payload", "payload_bytes", &ProgramCount::Traffic::bytes,
           [](const auto& row) { return format_bytes(Bytes(row.bytes)); });
  return columns;
}

}  // namespace

void state_program_count(report::Answer& answer, const std::string& file,
                         const hlo::Program& program, const hlo::ProgramCount& count,
                         const Findings& findings) {
  const bool whole = hlo::is_unpartitioned(program);
  answer.title(fmt::format(
      "{}, {}; counts of {}", printable(file), analysis::plural(count.devices, "device"),
      whole ? "all devices together: shardings are not applied yet" : "one device"));
  answer.field("file", file).field("ranks", count.devices);
  answer.field("is_per_device", !whole);
  answer.row("operations", "operations", count.operations,
             fmt::format("{} in the text; {} kernels after fusion", format_count(count.operations),
                         format_count(count.kernels)));
  answer.field("kernels", count.kernels);
  answer.row("products", "product_flop", count.product_flop,
             fmt::format("{} of matrix products and convolutions", flop_text(count.product_flop)));
  answer.row("not matrix products", "vector_flop", count.other_flop, flop_text(count.other_flop));
  answer.row("memory traffic", "memory_traffic_bytes", count.bytes,
             format_bytes(Bytes(count.bytes)));
  answer.table("kernel_kinds", count.by_operation, program_kernel_columns(),
               {.if_empty = "no kernels"});
  answer.table("traffic", count.traffic, program_traffic_columns(),
               {.if_empty = "no communication"});
  answer.findings(findings);
}

}  // namespace orrery::present
