// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_layers_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using model::SystolicCost;
using model::SystolicTraffic;
using study::SystolicReport;

namespace {

std::string_view flow_word(model::DataFlow flow) {
  switch (flow) {
    case model::DataFlow::output_stationary:
      return "os";
    case model::DataFlow::weight_stationary:
      return "ws";
    case model::DataFlow::input_stationary:
      break;
  }
  return "is";
}

/// The text of a sum over all operands.
auto words_text(std::int64_t SystolicTraffic::*words) {
  return [words](const SystolicReport::Layer& layer) {
    double sum = 0;
    for (const SystolicTraffic& one : {layer.cost.ifmap, layer.cost.filter, layer.cost.ofmap})
      sum += static_cast<double>(one.*words);
    return scaled_text(sum, "");
  };
}

auto write_traffic(SystolicTraffic SystolicCost::*operand) {
  return [operand](report::JsonWriter& json, const SystolicReport::Layer& layer) {
    const SystolicTraffic& traffic = layer.cost.*operand;
    json.begin_object()
        .field("sram_reads", traffic.sram_reads)
        .field("sram_writes", traffic.sram_writes)
        .field("dram_reads", traffic.dram_reads)
        .field("dram_writes", traffic.dram_writes)
        .end_object();
  };
}

void add_cost(report::Columns<SystolicReport::Layer>& columns) {
  const auto cost = [](std::int64_t SystolicCost::*number) {
    return [number](const SystolicReport::Layer& layer) { return layer.cost.*number; };
  };
  columns.field("folds", cost(&SystolicCost::folds))
      .add("cycles", "cycles", cost(&SystolicCost::cycles))
      .add("with DRAM", "cycles_with_stalls", cost(&SystolicCost::total))
      .add("utilization", "utilization_share",
           [](const auto& layer) { return report::Share{layer.cost.utilization}; })
      .field("macs", cost(&SystolicCost::macs))
      .show_number("SRAM in", words_text(&SystolicTraffic::sram_reads))
      .show_number("out", words_text(&SystolicTraffic::sram_writes))
      .show_number("DRAM in", words_text(&SystolicTraffic::dram_reads))
      .show_number("out", words_text(&SystolicTraffic::dram_writes))
      .nested("ifmap", write_traffic(&SystolicCost::ifmap))
      .nested("filter", write_traffic(&SystolicCost::filter))
      .nested("ofmap", write_traffic(&SystolicCost::ofmap));
}

}  // namespace

void state_systolic_layers(report::Answer& answer, const SystolicReport& report) {
  const model::SystolicArray& array = report.config.array;
  answer.first(answer.style().strong(printable(report.where)) +
               fmt::format(": {} on {} x {}, {}", plural(report.layers.size(), "layer"), array.rows,
                           array.columns, flow_word(array.flow)));
  answer.field("layers_file", report.where).object("array", [&] {
    answer.field("name", report.config.name).field("rows", array.rows);
    answer.field("columns", array.columns).field("data_flow", flow_word(array.flow));
  });
  report::Columns<SystolicReport::Layer> columns;
  columns.add("layer", "name", &SystolicReport::Layer::name)
      .field("m", [](const auto& layer) { return layer.product.m; })
      .field("n", [](const auto& layer) { return layer.product.n; })
      .field("k", [](const auto& layer) { return layer.product.k; });
  add_cost(columns);
  const SystolicReport::Layer all{.name = "all", .cost = report.all};
  std::vector<SystolicReport::Layer> rows = report.layers;
  if (!answer.is_json() && rows.size() > 1) rows.push_back(all);
  answer.table("per_layer", rows, columns);
  answer.block("SRAM and DRAM traffic in words, all operands\n");
  report::Columns<SystolicReport::Layer> cost;
  add_cost(cost);
  answer.object("total_cost", all, cost);
  answer.findings(report.findings);
}

}  // namespace orrery::present
