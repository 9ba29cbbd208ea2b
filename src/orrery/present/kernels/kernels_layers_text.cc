// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_layers_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using model::SystolicCost;
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

/// Of all three operands.
struct Moved {
  double sram_reads = 0, sram_writes = 0, dram_reads = 0, dram_writes = 0;
};
Moved moved_by(const SystolicCost& cost) {
  Moved sum;
  for (const model::SystolicTraffic& one : {cost.ifmap, cost.filter, cost.ofmap}) {
    sum.sram_reads += static_cast<double>(one.sram_reads);
    sum.sram_writes += static_cast<double>(one.sram_writes);
    sum.dram_reads += static_cast<double>(one.dram_reads);
    sum.dram_writes += static_cast<double>(one.dram_writes);
  }
  return sum;
}

std::vector<std::string> cells_of(std::string name, const SystolicCost& cost) {
  const Moved moved = moved_by(cost);
  return {std::move(name),
          format_count(cost.cycles),
          format_count(cost.total),
          report::percent(cost.utilisation),
          scaled_text(moved.sram_reads, ""),
          scaled_text(moved.sram_writes, ""),
          scaled_text(moved.dram_reads, ""),
          scaled_text(moved.dram_writes, "")};
}

void write_cost(report::JsonWriter& json, const SystolicCost& cost) {
  json.field("folds", cost.folds)
      .field("cycles", cost.cycles)
      .field("cycles_with_stalls", cost.total)
      .field("utilisation_share", cost.utilisation)
      .field("macs", cost.macs);
  const std::pair<std::string_view, const model::SystolicTraffic*> operands[] = {
      {"ifmap", &cost.ifmap}, {"filter", &cost.filter}, {"ofmap", &cost.ofmap}};
  for (const auto& [name, traffic] : operands) {
    json.key(name).begin_object();
    json.field("sram_reads", traffic->sram_reads)
        .field("sram_writes", traffic->sram_writes)
        .field("dram_reads", traffic->dram_reads)
        .field("dram_writes", traffic->dram_writes)
        .end_object();
  }
}

}  // namespace

std::string kernels_layers_text(const SystolicReport& report, report::Style style) {
  const model::SystolicArray& array = report.config.array;
  std::string text = style.strong(printable(report.where)) +
                     fmt::format(": {} on {} x {}, {}\n\n", plural(report.layers.size(), "layer"),
                                 array.rows, array.columns, flow_word(array.flow));
  report::Table table({{"layer"},
                       {"cycles", true},
                       {"with DRAM", true},
                       {"used", true},
                       {"SRAM in", true},
                       {"out", true},
                       {"DRAM in", true},
                       {"out", true}});
  for (const SystolicReport::Layer& layer : report.layers)
    table.row(cells_of(printable(layer.name), layer.cost));
  if (report.layers.size() > 1) table.row(cells_of("all", report.all));
  text += table.text(style);
  text += "\nin and out of SRAM and DRAM: words, of all operands\n";
  report::Sheet notes(style);
  report::add_findings(notes, report.findings, style);
  return text + (notes.text().empty() ? "" : "\n" + notes.text());
}

std::string kernels_layers_json(const SystolicReport& report) {
  return report::envelope("kernels", report.findings, [&](report::JsonWriter& json) {
    const model::SystolicArray& array = report.config.array;
    json.begin_object().field("layers_file", report.where).key("array").begin_object();
    json.field("name", report.config.name)
        .field("rows", array.rows)
        .field("columns", array.columns)
        .field("data_flow", flow_word(array.flow))
        .end_object();
    json.key("per_layer").begin_array();
    for (const SystolicReport::Layer& layer : report.layers) {
      json.begin_object()
          .field("name", layer.name)
          .field("m", layer.product.m)
          .field("n", layer.product.n)
          .field("k", layer.product.k);
      write_cost(json, layer.cost);
      json.end_object();
    }
    json.end_array().key("total_cost").begin_object();
    write_cost(json, report.all);
    json.end_object().end_object();
  });
}

}  // namespace orrery::present
