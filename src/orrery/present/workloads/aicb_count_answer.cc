// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/aicb_count_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/graph.h"

namespace orrery::present {

namespace {

using AicbTraffic = intake::AicbCount::Traffic;

report::Columns<AicbTraffic> aicb_traffic_columns() {
  report::Columns<AicbTraffic> columns;
  columns.add("axis", "axis", [](const auto& traffic) { return intake::name(traffic.group); })
      .add("communication", "type", [](const auto& traffic) { return graph::name(traffic.type); })
      .add("ranks", "group_size", &AicbTraffic::group_size,
           [](const auto& traffic) { return fmt::format("{}", traffic.group_size); })
      .add("calls", "operations", &AicbTraffic::operations,
           [](const auto& traffic) { return format_count(traffic.operations); })
      .add("payload", "payload_bytes", &AicbTraffic::bytes,
           [](const auto& traffic) { return format_bytes(Bytes(traffic.bytes)); });
  return columns;
}

}  // namespace

void state_aicb_count(report::Answer& answer, const std::string& file,
                      const intake::AicbCount& count, const Findings& findings) {
  const intake::AicbPlan& plan = count.plan;
  answer.title(fmt::format("{} (AICB), {} ranks: tp {}, dp {}, pp {}, ep {}", printable(file),
                           format_count(plan.ranks), plan.tp, count.data_parallel, plan.pp,
                           plan.ep));
  answer.field("file", file).field("ranks", plan.ranks);
  answer.row("layers", "layers", count.layers, format_count(count.layers));
  answer.row("forward", "forward_ns", count.forward, format_time(count.forward));
  answer.line("backward",
              fmt::format("{} for inputs, {} for weights", format_time(count.input_gradient),
                          format_time(count.weight_gradient)));
  answer.field("input_gradient_ns", count.input_gradient);
  answer.field("weight_gradient_ns", count.weight_gradient);
  answer.table("traffic", count.traffic, aicb_traffic_columns(), {.if_empty = "no communication"});
  answer.findings(findings);
}

}  // namespace orrery::present
