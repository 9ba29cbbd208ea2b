// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/count_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/workloads/generate_answer.h"
#include "orrery/study/jobs/job_summary.h"

namespace orrery::present {

using workload::Total;

namespace {

/// A cluster's dimensions, innermost first; empty when no cluster is given.
using Dimensions = std::span<const platform::Dimension>;

/// "3.141 ZFLOP"
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

report::Value exact(Total value, std::string_view unit) {
  return report::Value(report::Digits{workload::to_string(value)}).shown(big(value, unit));
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

struct FlopSource {
  const char *name, *key;
  Total (*total)(const workload::FlopCount&);
};

constexpr FlopSource kFlopSources[] = {
    {"forward", "forward_flop", [](const auto& flops) { return flops.forward; }},
    {"backward", "backward_flop", [](const auto& flops) { return flops.backward; }},
    {"recomputed", "recompute_flop", [](const auto& flops) { return flops.recompute; }},
    {"not matrix products", "vector_flop", [](const auto& flops) { return flops.vector; }},
    {"optimizer", "optimizer_flop", [](const auto& flops) { return flops.optimizer; }},
    {"model (for MFU)", "model_flop", [](const auto& flops) { return flops.model(); }},
    {"hardware (for HFU)", "hardware_flop", [](const auto& flops) { return flops.hardware(); }}};

void write_flops(report::JsonWriter& json, const workload::FlopCount& flops) {
  json.begin_object();
  for (const FlopSource& source : kFlopSources)
    json.key(source.key).digits(workload::to_string(source.total(flops)));
  json.end_object();
}

void state_flops(report::Answer& answer, const workload::Program& program,
                 const workload::StepCount& count) {
  const auto units = static_cast<double>(std::max<std::int64_t>(count.tokens, 1));
  report::Columns<FlopSource> columns;
  columns.show("FLOPs", [](const auto& source) { return std::string(source.name); })
      .show_number("per step",
                   [&](const auto& source) { return big(source.total(count.flops), "FLOP"); })
      .show_number(
          workload::has_tokens(program.spec) ? "per token" : "per sample", [&](const auto& source) {
            return big(static_cast<Total>(workload::to_double(source.total(count.flops)) / units),
                       "FLOP");
          });
  answer.table("", kFlopSources, columns);
  answer.json("flop_by_source", [&](report::JsonWriter& json) { write_flops(json, count.flops); });
}

report::Columns<workload::TrafficCount> traffic_columns(const workload::Program& program,
                                                        Dimensions dims) {
  report::Columns<workload::TrafficCount> columns;
  columns.add("axis", "axis", [](const auto& traffic) { return workload::name(traffic.axis); })
      .add("communication", "type", [](const auto& traffic) { return traffic.type; })
      .add("ranks", "group_size", &workload::TrafficCount::group_size,
           [](const auto& traffic) { return fmt::format("{}", traffic.group_size); })
      .add("calls", "operations", [](const auto& traffic) { return exact(traffic.operations, ""); })
      .add("payload", "payload_bytes",
           [](const auto& traffic) { return exact(traffic.payload, "B"); })
      .add("on the wire", "wire_bytes",
           [](const auto& traffic) { return exact(traffic.wire, "B"); });
  if (!dims.empty())
    columns.add("link", "link", [&program, dims](const auto& traffic) {
      return link_of(program, traffic.axis, dims);
    });
  return columns;
}

report::Columns<workload::RoleCount> role_columns(
    const workload::Program& program, const report::Columns<workload::TrafficCount>& traffic) {
  report::Columns<workload::RoleCount> columns;
  columns.add("role", "role", [&](const auto& role) { return program.roles[role.role].name; })
      .add("ranks", "ranks", [&](const auto& role) { return program.roles[role.role].ranks; })
      .add("nodes", "nodes", [](const auto& role) { return role.nodes; })
      .add(
          "weights", "total_parameters", [](const auto& role) { return role.weights.total(); },
          [](const auto& role) { return weights_text(role.weights.total()); })
      .show_number("model FLOPs", [](const auto& role) { return big(role.flops.model(), "FLOP"); })
      .add("memory traffic", "memory_traffic_bytes",
           [](const auto& role) { return exact(role.bytes, "B"); })
      .nested("flop_by_source", [](auto& json, const auto& role) { write_flops(json, role.flops); })
      .nested("traffic",
              [traffic](auto& json, const auto& role) { write_rows(json, role.traffic, traffic); });
  return columns;
}

/// The peaks that MFU and HFU divide by, as `orrery run` has them.
void state_peaks(report::Answer& answer, const workload::StepCount& count,
                 const platform::Device& device) {
  const double peak = device.rated.count();
  const auto by_format =
      analysis::format_utilization(study::work_by_format(count, device), Time(1), 1, peak);
  answer.field("peak_flop_per_s", peak > 0 ? report::Value(peak) : report::Value());
  answer.field("peak_precision", text_or_null(device.precision));
  answer.field("product_formats", by_format ? report::Value(by_format->formats) : report::Value());
  answer.field("format_peak_flop_per_s",
               by_format ? report::Value(by_format->peak) : report::Value());
  if (peak <= 0) return;
  const std::string precision =
      device.precision.empty() ? "" : fmt::format(" ({})", printable(device.precision));
  answer.line("peak for MFU", format_flops(FlopRate(peak)) + precision);
  if (by_format)
    answer.line(
        "", fmt::format("{} ({})", format_flops(FlopRate(by_format->peak)), by_format->formats));
}

void state_parameters(report::Answer& answer, const workload::Program& program,
                      const workload::StepCount& count) {
  const workload::ParameterCount& weights = count.parameters;
  std::string total = format_count(weights.total);
  if (weights.active != weights.total)
    total += fmt::format(", {} active", format_count(weights.active));
  answer.object("parameters", [&] {
    answer.row("weights", "total_parameters", weights.total, total);
    answer.field("active_parameters", weights.active);
    answer.field("embedding_parameters", weights.embedding);
    answer.field("head_parameters", weights.head).field("matmul_parameters", weights.matmul);
    answer.field("adapter_parameters", count.adapters);
  });
  if (program.spec.lora)
    answer.line("trained", fmt::format("{}, in adapters of rank {}", format_count(count.adapters),
                                       program.spec.lora->rank));
}

}  // namespace

void state_count(report::Answer& answer, const workload::Program& program,
                 const workload::StepCount& count, const platform::Platform& platform,
                 const Findings& findings) {
  answer.title(fmt::format("{}, {}", program.spec.model.name, parallelism_text(program)));
  answer.field("model", program.spec.model.name).field("ranks", count.ranks);
  state_parameters(answer, program, count);
  answer.line("batch", batch_text(program.spec));
  answer.row(
      "per step", "tokens", count.tokens,
      fmt::format("{} {}; {} nodes on all ranks", format_count(count.tokens),
                  workload::has_tokens(program.spec) ? "tokens" : "samples", big(count.nodes, "")));
  answer.field("nodes", exact(count.nodes, ""));
  answer.row("memory traffic", "memory_traffic_bytes", exact(count.bytes, "B"),
             fmt::format("{}; {:.4g} FLOP per byte", big(count.bytes, "B"), count.intensity));
  answer.field("intensity_flop_per_byte", count.intensity);
  state_peaks(answer, count, platform.device);
  state_flops(answer, program, count);
  const auto traffic = traffic_columns(program, platform.dims);
  answer.table("traffic", count.traffic, traffic, {.if_empty = "no communication"});
  answer.table("roles", count.roles, role_columns(program, traffic), {.limit = 16});
  answer.findings(findings);
}

}  // namespace orrery::present
