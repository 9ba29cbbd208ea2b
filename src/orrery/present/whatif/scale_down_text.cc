// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/scale_down_text.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::AxisTraffic;
using study::ScaleDown;
using study::ScaledSide;

namespace {

/// "0.250", "=" of equals, "-" of nothing.
std::string ratio_text(double original, double scaled) {
  if (original == scaled) return original == 0 ? "-" : "=";
  return original == 0 ? "-" : fmt::format("{:.4g}", scaled / original);
}

std::string flops_text(double flops) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (flops >= 1000 && prefix + 1 < std::size(kPrefixes)) {
    flops /= 1000;
    ++prefix;
  }
  return fmt::format("{:.4g} {}FLOP", flops, kPrefixes[prefix]);
}

std::string rounded_bytes_text(double bytes) { return format_bytes(Bytes(std::llround(bytes))); }

std::string error_interval_text(double off) { return fmt::format("{:+.2f} %", 100 * off); }

/// "tp 8, dp 8 to 2"
std::string axes_text(const study::RankChoice& choice) {
  std::string text;
  for (const study::SelectedAxis& axis : choice.axes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.key, axis.original);
    if (axis.scaled() != axis.original) text += fmt::format(" to {}", axis.scaled());
  }
  return text.empty() ? "none found" : text;
}

void add_row(report::Table& table, std::string_view what, double original, double scaled,
             const std::string& was_text, const std::string& is_text) {
  if (original == 0 && scaled == 0) return;
  table.row({std::string(what), was_text, is_text, ratio_text(original, scaled)});
}

std::string sides_text(const ScaleDown& made, report::Style style) {
  report::Table table({{"mean of ranks that stay"}, {"was", true}, {"is", true}, {"ratio", true}});
  const ScaledSide &original = made.original, &scaled = made.scaled;
  const auto number = [&](std::string_view what, double a, double b) {
    add_row(table, what, a, b, count(static_cast<std::uint64_t>(a)),
            count(static_cast<std::uint64_t>(b)));
  };
  const auto time = [&](std::string_view what, Time a, Time b) {
    add_row(table, what, static_cast<double>(a.count()), static_cast<double>(b.count()),
            format_time(a), format_time(b));
  };
  const auto amount = [&](std::string_view what, double a, double b) {
    add_row(table, what, a, b, rounded_bytes_text(a), rounded_bytes_text(b));
  };
  number("ranks", original.ranks, scaled.ranks);
  number("layers", original.shape.layers.value_or(0), scaled.shape.layers.value_or(0));
  number("microbatches", original.shape.microbatches.value_or(0),
         scaled.shape.microbatches.value_or(0));
  add_row(table, "operations", original.flops, scaled.flops, flops_text(original.flops),
          flops_text(scaled.flops));
  amount("bytes moved by kernels", original.bytes, scaled.bytes);
  amount("bytes sent", original.sent, scaled.sent);
  if (original.flops > 0 && scaled.flops > 0)
    add_row(table, "sent per GFLOP", original.sent / original.flops, scaled.sent / scaled.flops,
            rounded_bytes_text(1e9 * original.sent / original.flops),
            rounded_bytes_text(1e9 * scaled.sent / scaled.flops));
  amount("tensors at most", static_cast<double>(original.memory.count()),
         static_cast<double>(scaled.memory.count()));
  time("step", original.step, scaled.step);
  time("computes", original.compute, scaled.compute);
  time("communicates", original.comm, scaled.comm);
  const auto part = [&](std::string_view what, Time a, Time b) {
    const double x = seconds(a) / seconds(original.step), y = seconds(b) / seconds(scaled.step);
    add_row(table, what, x, y, report::percent(x), report::percent(y));
  };
  part("of the step: computes", original.compute, scaled.compute);
  part("  communicates, exposed", original.comm_only, scaled.comm_only);
  part("  waits for remote memory", original.memory_only, scaled.memory_only);
  part("  idle", original.idle, scaled.idle);
  return table.text(style);
}

std::string members_text(const AxisTraffic& one) {
  if (one.original_members == 0) return "-";
  if (one.original_members == one.scaled_members) return fmt::format("{}", one.original_members);
  return fmt::format("{} to {}", one.original_members,
                     one.scaled_members == 0 ? 1 : one.scaled_members);
}

std::string carried_text(const ScaleDown& made, report::Style style) {
  report::Table table({{"along"},
                       {"sends"},
                       {"members", true},
                       {"number", true},
                       {"is", true},
                       {"bytes", true},
                       {"is", true},
                       {"each", true}});
  for (const AxisTraffic& one : made.traffic) {
    const double original = one.original_count > 0 ? one.original_sent / one.original_count : 0;
    const double scaled = one.scaled_count > 0 ? one.scaled_sent / one.scaled_count : 0;
    table.row({one.axis.empty() ? "-" : one.axis, one.type, members_text(one),
               fmt::format("{:.4g}", one.original_count), fmt::format("{:.4g}", one.scaled_count),
               rounded_bytes_text(one.original_sent), rounded_bytes_text(one.scaled_sent),
               ratio_text(original, scaled)});
  }
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string_view keep_words(study::ScaleInvariant keep) {
  switch (keep) {
    case study::ScaleInvariant::buffers:
      return "whole buffers of collectives, and what each rank computes";
    case study::ScaleInvariant::volume:
      return "bytes that each rank sends in a collective, and what it computes";
    case study::ScaleInvariant::stated:
      return "sizes as nodes state them, and what each rank computes";
    case study::ScaleInvariant::job:
      break;
  }
  return "whole buffers of collectives, and the model";
}

std::string_view basis_words_of(const ScaleDown& made) {
  if (!made.replayed) return "both simulated, on clusters with as many devices";
  if (made.scaled.ranks == made.original.ranks)
    return "recorded times; waits for other ranks are simulated";
  return "recorded times, of collectives among all ranks, too; waits for other ranks are "
         "simulated (--cluster simulates collectives)";
}

std::string left_out_text(const ScaleDown& made) {
  if (made.left_out.collectives + made.left_out.messages == 0) return "nothing";
  return fmt::format("{} of groups with one member left, {} from a rank to itself",
                     plural(made.left_out.collectives, "collective"),
                     plural(made.left_out.messages, "message"));
}

std::string batch_text(const ScaleDown& made) {
  const graph::BatchReport& predicted = made.batch_scaling;
  std::string text = fmt::format("{:.4g} times: {} by their sizes, {} as a whole, {} not",
                                 made.batch, plural(predicted.by_sizes, "work"),
                                 count(predicted.as_whole), count(predicted.weights));
  if (predicted.rounded > 0) text += fmt::format("; {} sizes rounded", count(predicted.rounded));
  return text;
}

void write_side(JsonWriter& json, std::string_view key, const ScaledSide& side) {
  json.key(key).begin_object().field("ranks", side.ranks);
  json.field("layers", side.shape.layers.value_or(0));
  json.field("microbatches", side.shape.microbatches.value_or(0)).field("nodes", side.nodes);
  json.nanoseconds("step", side.step).nanoseconds("compute", side.compute);
  json.nanoseconds("comm", side.comm).nanoseconds("exposed_comm", side.comm_only);
  json.nanoseconds("exposed_memory", side.memory_only).nanoseconds("idle", side.idle);
  json.field("flop", side.flops).field("bytes", side.bytes).field("sent_bytes", side.sent);
  json.field("memory_bytes", side.memory.count()).end_object();
}

void write_foretold(JsonWriter& json, std::string_view key, const study::Extrapolation& predicted) {
  json.key(key)
      .begin_object()
      .nanoseconds("step", predicted.step)
      .field("error_ratio", predicted.off)
      .end_object();
}

void write_axes(JsonWriter& json, const study::RankChoice& choice) {
  json.key("axes").begin_array();
  for (const study::SelectedAxis& axis : choice.axes) {
    json.begin_object()
        .field("axis", std::string_view(axis.key))
        .field("original_size", axis.original);
    json.key("positions").begin_array();
    for (const std::uint32_t place : axis.places) json.value(place);
    json.end_array().end_object();
  }
  json.end_array().key("rank_numbers").begin_array();
  for (const std::uint32_t rank : choice.ranks) json.value(rank);
  json.end_array();
}

void write_carried(JsonWriter& json, const AxisTraffic& one) {
  json.begin_object().field("axis", std::string_view(one.axis));
  json.field("type", std::string_view(one.type)).field("original_group_size", one.original_members);
  json.field("scaled_group_size", one.scaled_members).field("original_count", one.original_count);
  json.field("scaled_count", one.scaled_count).field("original_sent_bytes", one.original_sent);
  json.field("scaled_sent_bytes", one.scaled_sent).end_object();
}

}  // namespace

std::string scale_down_text(const ScaleDown& made, report::Style style) {
  report::Sheet sheet(style);
  sheet.line(style.strong(printable(fmt::format(
      "{}, {} of {}", made.workload, plural(made.scaled.ranks, "rank"), made.original.ranks))));
  sheet.add("axes", axes_text(made.choice));
  sheet.add("ranks", report::ranges(made.choice.ranks));
  sheet.add("kept", keep_words(made.keep));
  sheet.add("left out", left_out_text(made));
  if (made.optimizer_growth != 1)
    sheet.add("optimizer", fmt::format("{:.4g} times as much: its shards are of fewer ranks",
                                       made.optimizer_growth));
  if (made.batch != 1) sheet.add("batch", batch_text(made));
  sheet.add("basis", basis_words_of(made));
  std::string text = sheet.text() + "\n" + sides_text(made, style) + carried_text(made, style);
  report::Sheet end(style);
  end.add("foretold", fmt::format("in proportion to the work of a stage {}, {}",
                                  format_time(made.proportional.step),
                                  error_interval_text(made.proportional.off)));
  if (made.by_sizes)
    end.add("", fmt::format("by a second size {}, {}", format_time(made.by_sizes->step),
                            error_interval_text(made.by_sizes->off)));
  report::add_findings(end, made.findings, style);
  return text + "\n" + end.text();
}

std::string scale_down_json(const ScaleDown& made) {
  return report::envelope("scale-down", made.findings, [&](JsonWriter& json) {
    json.begin_object().field("workload_name", std::string_view(made.workload));
    json.field("replayed", made.replayed).field("keep", config::enum_name(made.keep));
    write_axes(json, made.choice);
    json.field("batch_ratio", made.batch).key("batch_rules").begin_object();
    json.field("size_works", made.batch_scaling.by_sizes)
        .field("entire_works", made.batch_scaling.as_whole);
    json.field("weight_works", made.batch_scaling.weights)
        .field("rounded", made.batch_scaling.rounded);
    json.end_object().field("optimizer_ratio", made.optimizer_growth);
    json.key("left_out_operations")
        .begin_object()
        .field("collective_count", made.left_out.collectives);
    json.field("messages", made.left_out.messages).end_object();
    write_side(json, "original", made.original);
    write_side(json, "scaled", made.scaled);
    json.key("traffic_changes").begin_array();
    for (const AxisTraffic& one : made.traffic) write_carried(json, one);
    json.end_array();
    write_foretold(json, "proportional_estimate", made.proportional);
    if (made.by_sizes) write_foretold(json, "size_based_estimate", *made.by_sizes);
    json.end_object();
  });
}

}  // namespace orrery::present
