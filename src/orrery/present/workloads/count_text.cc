// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/count_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/text/units.h"
#include "orrery/present/workloads/generate_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using workload::Total;

namespace {

/// "3.141 ZFLOP" for people; exact numbers are in the JSON.
std::string big(Total value, std::string_view unit) {
  const double number = workload::to_double(value);
  if (number < 1e6) {
    std::string text = format_count(static_cast<std::int64_t>(number));
    return unit.empty() ? text : fmt::format("{} {}", text, unit);
  }
  constexpr std::array<std::pair<double, char>, 7> kScales = {
      {{1e24, 'Y'}, {1e21, 'Z'}, {1e18, 'E'}, {1e15, 'P'}, {1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}}};
  for (const auto& scale : kScales) {
    if (number >= scale.first)
      return fmt::format("{:.4g} {}{}", number / scale.first, scale.second, unit);
  }
  return {};
}

std::string weights_text(std::int64_t count) {
  if (count >= 1'000'000'000) return fmt::format("{:.4g} B", static_cast<double>(count) * 1e-9);
  if (count >= 1'000'000) return fmt::format("{:.4g} M", static_cast<double>(count) * 1e-6);
  return format_count(count);
}

/// "1: switch 128"; the outermost dimension that groups of `axis` cross.
std::string link_of(const workload::Program& program, workload::Axis axis, Dimensions dims) {
  std::vector<std::int64_t> sizes;
  for (const platform::Dimension& dim : dims) sizes.push_back(dim.size);
  const std::uint32_t crossed = workload::outermost_dimension(program.mesh.axis(axis), sizes);
  return fmt::format("{}: {} {}", crossed, platform::name(dims[crossed].block),
                     format_count(dims[crossed].size));
}

std::string flops_table(const workload::Program& program, const workload::StepCount& count,
                        report::Style style) {
  report::Table table({{"FLOPs"},
                       {"per step", true},
                       {workload::has_tokens(program.spec) ? "per token" : "per sample", true}});
  const auto row = [&](const char* name, Total value) {
    const double each =
        workload::to_double(value) / static_cast<double>(std::max<std::int64_t>(count.tokens, 1));
    table.row({name, big(value, "FLOP"), big(static_cast<Total>(each), "FLOP")});
  };
  row("forward", count.flops.forward);
  row("backward", count.flops.backward);
  row("recomputed", count.flops.recompute);
  row("not matrix products", count.flops.vector);
  row("optimizer", count.flops.optimizer);
  row("model (for MFU)", count.flops.model());
  row("hardware (for HFU)", count.flops.hardware());
  return table.text(style);
}

std::string traffic_table(const workload::Program& program, const workload::StepCount& count,
                          Dimensions dims, report::Style style) {
  std::vector<report::Table::Column> columns{{"axis"},          {"communication"},
                                             {"ranks", true},   {"calls", true},
                                             {"payload", true}, {"on the wire", true}};
  if (!dims.empty()) columns.push_back({"link"});
  report::Table table(std::move(columns));
  for (const workload::TrafficCount& traffic : count.traffic) {
    std::vector<std::string> cells{std::string(workload::name(traffic.axis)),
                                   traffic.type,
                                   fmt::format("{}", traffic.group_size),
                                   big(traffic.operations, ""),
                                   big(traffic.payload, "B"),
                                   big(traffic.wire, "B")};
    if (!dims.empty()) cells.push_back(link_of(program, traffic.axis, dims));
    table.row(std::move(cells));
  }
  return table.empty() ? "no communication\n" : table.text(style);
}

std::string role_table(const workload::Program& program, const workload::StepCount& count,
                       report::Style style) {
  constexpr std::size_t kMost = 16;
  report::Table table({{"role"},
                       {"ranks", true},
                       {"nodes", true},
                       {"weights", true},
                       {"model FLOPs", true},
                       {"memory traffic", true}});
  for (std::size_t i = 0; i < std::min(kMost, count.roles.size()); ++i) {
    const workload::RoleCount& role = count.roles[i];
    const workload::Role& what = program.roles[role.role];
    table.row({what.name, format_count(static_cast<std::int64_t>(what.ranks)),
               format_count(static_cast<std::int64_t>(role.nodes)),
               weights_text(role.weights.total()), big(role.flops.model(), "FLOP"),
               big(role.bytes, "B")});
  }
  std::string text = table.text(style);
  if (count.roles.size() > kMost)
    text += fmt::format("… and {} more (all with --json)\n", count.roles.size() - kMost);
  return text;
}

void write_flops(report::JsonWriter& json, const workload::FlopCount& flops) {
  json.begin_object()
      .key("forward_flop")
      .digits(workload::to_string(flops.forward))
      .key("backward_flop")
      .digits(workload::to_string(flops.backward))
      .key("recompute_flop")
      .digits(workload::to_string(flops.recompute))
      .key("vector_flop")
      .digits(workload::to_string(flops.vector))
      .key("optimizer_flop")
      .digits(workload::to_string(flops.optimizer))
      .key("model_flop")
      .digits(workload::to_string(flops.model()))
      .key("hardware_flop")
      .digits(workload::to_string(flops.hardware()))
      .end_object();
}

void write_traffic(report::JsonWriter& json, const workload::Program& program,
                   const std::vector<workload::TrafficCount>& traffic, Dimensions dims) {
  json.begin_array();
  for (const workload::TrafficCount& each : traffic) {
    json.begin_object()
        .field("axis", workload::name(each.axis))
        .field("type", each.type)
        .field("group_size", each.group_size)
        .key("operations")
        .digits(workload::to_string(each.operations))
        .key("payload_bytes")
        .digits(workload::to_string(each.payload))
        .key("wire_bytes")
        .digits(workload::to_string(each.wire));
    if (!dims.empty()) json.field("link", link_of(program, each.axis, dims));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string count_text(const workload::Program& program, const workload::StepCount& count,
                       Dimensions dims, const Findings& findings, report::Style style) {
  std::string text =
      style.strong(fmt::format("{}, {}", program.spec.model.name, parallelism_text(program))) +
      "\n";
  report::Sheet sheet(style);
  const workload::ParameterCount& weights = count.parameters;
  std::string parameters = format_count(weights.total);
  if (weights.active != weights.total)
    parameters += fmt::format(", {} active", format_count(weights.active));
  sheet.add("weights", parameters);
  if (program.spec.lora)
    sheet.add("trained", fmt::format("{}, in adapters of rank {}", format_count(count.adapters),
                                     program.spec.lora->rank));
  sheet.add("batch", batch_text(program.spec));
  sheet.add("per step", fmt::format("{} {}; {} nodes on all ranks", format_count(count.tokens),
                                    workload::has_tokens(program.spec) ? "tokens" : "samples",
                                    big(count.nodes, "")));
  sheet.add("memory traffic",
            fmt::format("{}; {:.4g} FLOP per byte", big(count.bytes, "B"), count.intensity));
  text += sheet.text() + "\n" + flops_table(program, count, style) + "\n" +
          traffic_table(program, count, dims, style) + "\n" + role_table(program, count, style);
  report::Sheet notes(style);
  report::add_findings(notes, findings, style);
  return text + (notes.text().empty() ? "" : "\n" + notes.text());
}

std::string count_json(const workload::Program& program, const workload::StepCount& count,
                       Dimensions dims, const Findings& findings) {
  return report::envelope("count", findings, [&](report::JsonWriter& json) {
    json.begin_object().field("model", program.spec.model.name).field("ranks", count.ranks);
    json.key("parameters")
        .begin_object()
        .field("total_parameters", count.parameters.total)
        .field("active_parameters", count.parameters.active)
        .field("embedding_parameters", count.parameters.embedding)
        .field("head_parameters", count.parameters.head)
        .field("matmul_parameters", count.parameters.matmul)
        .field("adapter_parameters", count.adapters)
        .end_object();
    json.field("tokens", count.tokens).key("nodes").digits(workload::to_string(count.nodes));
    json.key("flop_by_source");
    write_flops(json, count.flops);
    json.key("memory_traffic_bytes")
        .digits(workload::to_string(count.bytes))
        .field("intensity_flop_per_byte", count.intensity);
    json.key("traffic");
    write_traffic(json, program, count.traffic, dims);
    json.key("roles").begin_array();
    for (const workload::RoleCount& role : count.roles) {
      const workload::Role& what = program.roles[role.role];
      json.begin_object()
          .field("role", what.name)
          .field("ranks", what.ranks)
          .field("nodes", role.nodes)
          .field("total_parameters", role.weights.total())
          .key("memory_traffic_bytes")
          .digits(workload::to_string(role.bytes));
      json.key("flop_by_source");
      write_flops(json, role.flops);
      json.key("traffic");
      write_traffic(json, program, role.traffic, dims);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
