// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/scale_down_answer.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using report::Value;
using study::AxisTraffic;
using study::ScaleDown;
using study::ScaledSide;

namespace {

/// "0.250"; "=" if equal, "-" if there is no original.
std::string ratio_text(double original, double scaled) {
  if (original == 0) return "-";
  return original == scaled ? "=" : fmt::format("{:.4g}", scaled / original);
}

std::string rounded_bytes_text(double bytes) { return traffic_text(Bytes(std::llround(bytes))); }

Value mean_bytes(double bytes) { return Value(bytes).shown(rounded_bytes_text(bytes)); }

/// "tp 8, dp 8 to 2"
std::string axes_text(const study::RankChoice& choice) {
  std::string text;
  for (const study::SelectedAxis& axis : choice.axes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.key, axis.original);
    if (axis.scaled() != axis.original) text += fmt::format(" to {}", axis.scaled());
  }
  return text.empty() ? "none found" : text;
}

/// A number for the ratio, and what is printed.
struct SideAmount {
  SideAmount(std::uint64_t count) : number(static_cast<double>(count)), value(count) {}
  SideAmount(Time time) : number(static_cast<double>(time.count())), value(time) {}
  SideAmount(Bytes bytes) : number(static_cast<double>(bytes.count())), value(bytes) {}
  SideAmount(double of, Value as) : number(of), value(std::move(as)) {}

  double number;
  Value value;
};
SideAmount bytes_of(double mean) { return {mean, mean_bytes(mean)}; }
SideAmount flops_of(double mean) { return {mean, Value(mean).shown(scaled_text(mean, "FLOP"))}; }
/// Not a number without FLOPs.
SideAmount sent_per_gflop(const ScaledSide& side) {
  if (side.flops <= 0) return {std::nan(""), {}};
  return {side.sent / side.flops, mean_bytes(1e9 * side.sent / side.flops)};
}
SideAmount part_of(Time time, const ScaledSide& side) {
  const double share = seconds(time) / seconds(side.step);
  return {share, report::Share{share}};
}

struct SideFigure {
  std::string_view label;  ///< empty: only for programs
  std::string_view key;    ///< empty: only for people
  SideAmount original, scaled;

  [[nodiscard]] bool has_row() const {
    return !label.empty() && original.number + scaled.number > 0;
  }
};

std::vector<SideFigure> side_figures(const ScaledSide& a, const ScaledSide& b) {
  const auto layers = [](const ScaledSide& side) { return side.shape.layers.value_or(0); };
  const auto batches = [](const ScaledSide& side) { return side.shape.microbatches.value_or(0); };
  return {{"ranks", "ranks", a.ranks, b.ranks},
          {"layers", "layers", layers(a), layers(b)},
          {"microbatches", "microbatches", batches(a), batches(b)},
          {"", "nodes", a.nodes, b.nodes},
          {"operations", "flop", flops_of(a.flops), flops_of(b.flops)},
          {"bytes moved by kernels", "bytes", bytes_of(a.bytes), bytes_of(b.bytes)},
          {"bytes sent", "sent_bytes", bytes_of(a.sent), bytes_of(b.sent)},
          {"sent per GFLOP", "", sent_per_gflop(a), sent_per_gflop(b)},
          {"peak tensors", "memory_bytes", a.memory, b.memory},
          {"step", "step_ns", a.step, b.step},
          {"compute", "compute_ns", a.compute, b.compute},
          {"communication", "comm_ns", a.comm, b.comm},
          {"", "exposed_comm_ns", a.comm_only, b.comm_only},
          {"", "exposed_memory_ns", a.memory_only, b.memory_only},
          {"", "idle_ns", a.idle, b.idle},
          {"share of step: compute", "", part_of(a.compute, a), part_of(b.compute, b)},
          {"  exposed communication", "", part_of(a.comm_only, a), part_of(b.comm_only, b)},
          {"  exposed memory", "", part_of(a.memory_only, a), part_of(b.memory_only, b)},
          {"  idle", "", part_of(a.idle, a), part_of(b.idle, b)}};
}

void state_sides(report::Answer& answer, const ScaleDown& result) {
  std::vector<SideFigure> rows = side_figures(result.original, result.scaled);
  for (const bool scaled : {false, true})
    answer.object(scaled ? "scaled" : "original", [&] {
      for (const SideFigure& figure : rows)
        if (!figure.key.empty())
          answer.field(figure.key, scaled ? figure.scaled.value : figure.original.value);
    });
  std::erase_if(rows, [](const SideFigure& figure) { return !figure.has_row(); });
  report::Columns<SideFigure> columns;
  columns.show("mean of retained ranks", [](const auto& row) { return std::string(row.label); })
      .add("original", "", [](const auto& row) { return row.original.value; })
      .add("scaled", "", [](const auto& row) { return row.scaled.value; })
      .show_number("ratio", [](const auto& row) {
        return ratio_text(row.original.number, row.scaled.number);
      });
  answer.table("", rows, columns);
}

std::string members_text(const AxisTraffic& traffic) {
  if (traffic.original_members == 0) return "-";
  if (traffic.original_members == traffic.scaled_members)
    return fmt::format("{}", traffic.original_members);
  return fmt::format("{} to {}", traffic.original_members,
                     traffic.scaled_members == 0 ? 1 : traffic.scaled_members);
}

/// Bytes per operation, scaled / original.
std::string size_ratio_text(const AxisTraffic& traffic) {
  const auto each = [](double sent, double count) { return count > 0 ? sent / count : 0; };
  return ratio_text(each(traffic.original_sent, traffic.original_count),
                    each(traffic.scaled_sent, traffic.scaled_count));
}

report::Columns<AxisTraffic> traffic_columns() {
  report::Columns<AxisTraffic> columns;
  columns
      .add("axis", "axis", &AxisTraffic::axis,
           [](const auto& traffic) { return traffic.axis.empty() ? "-" : traffic.axis; })
      .add("type", "type", [](const auto& traffic) { return traffic.type; })
      .show_number("members", members_text)
      .field("original_group_size", [](const auto& traffic) { return traffic.original_members; })
      .field("scaled_group_size", [](const auto& traffic) { return traffic.scaled_members; })
      .add("count", "original_count", [](const auto& traffic) { return traffic.original_count; })
      .add("scaled", "scaled_count", [](const auto& traffic) { return traffic.scaled_count; })
      .add("bytes", "original_sent_bytes",
           [](const auto& traffic) { return mean_bytes(traffic.original_sent); })
      .add("scaled", "scaled_sent_bytes",
           [](const auto& traffic) { return mean_bytes(traffic.scaled_sent); })
      .show_number("each", size_ratio_text);
  return columns;
}

std::string_view invariant_text(study::ScaleInvariant keep) {
  switch (keep) {
    case study::ScaleInvariant::buffers:
      return "complete buffers of collectives, and the compute of each rank";
    case study::ScaleInvariant::volume:
      return "bytes sent by each rank in a collective, and its compute";
    case study::ScaleInvariant::stated:
      return "sizes as stated by nodes, and the compute of each rank";
    case study::ScaleInvariant::job:
      break;
  }
  return "complete buffers of collectives, and the model";
}

std::string_view basis_text(const ScaleDown& result) {
  if (!result.replayed) return "both simulated, each on a cluster of its size";
  if (result.scaled.ranks == result.original.ranks)
    return "recorded times; waits for other ranks are simulated";
  return "recorded times, including those of collectives among all ranks; waits for other ranks "
         "are simulated (--cluster simulates collectives)";
}

std::string dropped_text(const graph::DroppedCommunication& dropped) {
  if (dropped.collectives + dropped.messages == 0) return "none";
  return fmt::format("{} of groups with one member left, {} from a rank to itself",
                     plural(dropped.collectives, "collective"),
                     plural(dropped.messages, "message"));
}

void state_batch(report::Answer& answer, const ScaleDown& result) {
  const graph::BatchReport& scaling = result.batch_scaling;
  if (result.batch != 1) {
    std::string text =
        fmt::format("{:.4g} times: {} scaled by sizes, {} scaled entirely, {} unchanged",
                    result.batch, plural(scaling.by_kernel_sizes, "operation"),
                    count(scaling.proportional), count(scaling.weights));
    if (scaling.rounded > 0) text += fmt::format("; {} sizes rounded", count(scaling.rounded));
    answer.line("batch", text);
  }
  answer.field("batch_ratio", result.batch).object("batch_rules", [&] {
    answer.field("size_works", scaling.by_kernel_sizes).field("entire_works", scaling.proportional);
    answer.field("weight_works", scaling.weights).field("rounded", scaling.rounded);
  });
}

/// The retained ranks, what stays and what does not.
void state_choice(report::Answer& answer, const ScaleDown& result) {
  report::Columns<study::SelectedAxis> axes;
  axes.field("axis", [](const auto& axis) { return axis.key; })
      .field("original_size", [](const auto& axis) { return axis.original; })
      .nested("positions", write_list(&study::SelectedAxis::places));
  answer.line("axes", axes_text(result.choice)).table("axes", result.choice.axes, axes);
  answer.line("ranks", report::ranges(result.choice.ranks));
  answer.list("rank_numbers", result.choice.ranks);
  answer.row("preserved", "keep", config::enum_name(result.keep), invariant_text(result.keep));
  answer.line("dropped", dropped_text(result.left_out)).object("left_out_operations", [&] {
    answer.field("collective_count", result.left_out.collectives);
    answer.field("messages", result.left_out.messages);
  });
  answer.field("optimizer_ratio", result.optimizer_growth);
  if (result.optimizer_growth != 1)
    answer.line("optimizer", fmt::format("{:.4g} times the work per rank: fewer ranks share it",
                                         result.optimizer_growth));
  state_batch(answer, result);
  answer.row("basis", "replayed", result.replayed, basis_text(result));
}

void state_estimate(report::Answer& answer, std::string_view label, std::string_view key,
                    std::string_view method, const study::Extrapolation& estimate) {
  answer.line(label, fmt::format("{}: {}, error {:+.2f} %", method, format_time(estimate.step),
                                 100 * estimate.error));
  answer.object(
      key, [&] { answer.field("step_ns", estimate.step).field("error_ratio", estimate.error); });
}

}  // namespace

void state_scale_down(report::Answer& answer, const ScaleDown& result) {
  answer.title(printable(fmt::format("{}, {} of {}", result.workload,
                                     plural(result.scaled.ranks, "rank"), result.original.ranks)));
  answer.field("workload_name", result.workload);
  state_choice(answer, result);
  state_sides(answer, result);
  answer.table("traffic_changes", result.traffic, traffic_columns());
  state_estimate(answer, "estimate", "proportional_estimate", "proportional to the work of a stage",
                 result.proportional);
  if (result.by_sizes)
    state_estimate(answer, "", "size_based_estimate", "from a second size", *result.by_sizes);
  answer.findings(result.findings);
}

}  // namespace orrery::present
