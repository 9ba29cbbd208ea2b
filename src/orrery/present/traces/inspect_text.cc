// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/inspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/workload.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using analysis::NodeCounts;
using analysis::Part;
using analysis::WorkloadSummary;
using graph::NodeKind;
using report::JsonWriter;
using report::Table;

namespace {

std::int64_t clamped(std::uint64_t number) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
}
std::string size(std::uint64_t number) { return format_bytes(Bytes(clamped(number))); }

/// "12.3 T": a number of operations.
std::string operations(std::uint64_t number) {
  constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  auto value = static_cast<double>(number);
  std::size_t step = 0;
  for (; value >= 1000 && step + 1 < std::size(prefixes); ++step) value /= 1000;
  return fmt::format("{:.4g} {}FLOP", value, prefixes[step]);
}

std::string kinds_of(const NodeCounts& contents) {
  std::string text;
  for (const NodeKind kind :
       {NodeKind::comp, NodeKind::coll, NodeKind::send, NodeKind::recv, NodeKind::mem_load,
        NodeKind::mem_store, NodeKind::metadata, NodeKind::invalid}) {
    const std::uint64_t nodes = contents.kinds[static_cast<std::size_t>(kind)];
    if (nodes > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(kind), count(nodes));
  }
  if (contents.cpu_nodes > 0) text += fmt::format("; {} on the CPU", count(contents.cpu_nodes));
  return text;
}

std::string work_of(const NodeCounts& contents) {
  std::string text =
      fmt::format("{} touching {}", operations(contents.flops), size(contents.compute_bytes));
  text += fmt::format("; recorded {}", format_time(contents.recorded));
  if (contents.recorded_cpu.count() > 0)
    text += fmt::format(" and {} on the CPU", format_time(contents.recorded_cpu));
  if (contents.memory_bytes > 0)
    text += fmt::format("; memory nodes move {}", size(contents.memory_bytes));
  return text;
}

std::string traffic_table(const WorkloadSummary& summary, report::Style style) {
  Table table({{"operation"}, {"ranks", true}, {"nodes", true}, {"each", true}, {"in all", true}});
  for (const analysis::Traffic& row : by_group_size(summary.traffic)) {
    const std::uint64_t each = row.operations > 0 ? row.bytes / row.operations : 0;
    table.row({row.type, row.group_size > 0 ? count(row.group_size) : "?", count(row.operations),
               size(each), size(row.bytes)});
  }
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string parts_table(const WorkloadSummary& summary, report::Style style) {
  Table table({{"ranks"},
               {"nodes", true},
               {"edges", true},
               {"work", true},
               {"communication", true},
               {"recorded", true},
               {"chain", true}});
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < summary.parts.size() && i < kShown; ++i) {
    const Part& part = summary.parts[i];
    table.row({report::ranges(part.ranks, 3), count(part.contents.nodes),
               count(part.contents.edges), operations(part.contents.flops),
               size(part.contents.comm_bytes), format_time(part.contents.recorded),
               count(part.chain.depth)});
  }
  std::string text = "\n" + table.text(style);
  if (summary.parts.size() > kShown)
    text += fmt::format("and {} more (--json)\n", count(summary.parts.size() - kShown));
  return text;
}

const Part& longest_part(const WorkloadSummary& summary) {
  return *std::max_element(
      summary.parts.begin(), summary.parts.end(), [](const Part& a, const Part& b) {
        return a.chain.duration != b.chain.duration ? a.chain.duration < b.chain.duration
                                                    : a.chain.depth < b.chain.depth;
      });
}

std::string differences(const WorkloadSummary& summary) {
  if (summary.ranks == 1) return "one rank";
  if (summary.parts.size() == 1) return "none: every rank does the same";
  const auto same = [&](auto member) {
    const NodeCounts& first = summary.parts.front().contents;
    return std::all_of(summary.parts.begin(), summary.parts.end(),
                       [&](const Part& part) { return part.contents.*member == first.*member; });
  };
  std::string text = fmt::format("{} distinct ranks", count(summary.parts.size()));
  std::string equal;
  const auto note = [&](bool is_equal, std::string_view what) {
    if (is_equal) equal += fmt::format("{}{}", equal.empty() ? "" : ", ", what);
  };
  note(same(&NodeCounts::nodes), "nodes");
  note(same(&NodeCounts::flops), "work");
  note(same(&NodeCounts::comm_bytes), "bytes communicated");
  return equal.empty() ? text : text + "; equal in " + equal;
}

}  // namespace

std::string inspect_text(const std::string& name, const graph::Workload& workload,
                         const WorkloadSummary& summary, report::Style style) {
  report::Sheet sheet(style);
  sheet.add("trace", fmt::format("{}: {} rank{}, {} nodes, {} edges", printable(name),
                                 count(summary.ranks), summary.ranks == 1 ? "" : "s",
                                 count(summary.total.nodes), count(summary.total.edges)));
  sheet.add("nodes", kinds_of(summary.total));
  sheet.add("work", work_of(summary.total));
  sheet.add(
      "communication",
      fmt::format("{} in collectives and sends; {} process group{}", size(summary.total.comm_bytes),
                  count(workload.groups.size()), workload.groups.size() == 1 ? "" : "s"));
  if (!summary.parts.empty()) {
    const Part& part = longest_part(summary);
    sheet.add("longest chain",
              fmt::format("{} in {} nodes (rank {}); the deepest has {} nodes",
                          format_time(part.chain.duration), count(part.chain.nodes.size()),
                          part.ranks.front(), count(part.chain.depth)));
  }
  sheet.add("differences", differences(summary));
  report::add_findings(sheet, workload.findings, style);
  return sheet.text() + traffic_table(summary, style) +
         (summary.parts.size() > 1 ? parts_table(summary, style) : "");
}

namespace {

void write_contents(JsonWriter& json, const NodeCounts& contents) {
  json.field("nodes", contents.nodes)
      .field("edges", contents.edges)
      .key("nodes_by_kind")
      .begin_object();
  for (std::size_t kind = 0; kind < contents.kinds.size(); ++kind) {
    if (contents.kinds[kind] > 0)
      json.field(graph::name(static_cast<NodeKind>(kind)), contents.kinds[kind]);
  }
  json.end_object().field("cpu_nodes", contents.cpu_nodes).field("flop", contents.flops);
  json.field("compute_bytes", contents.compute_bytes)
      .field("load_store_bytes", contents.memory_bytes);
  json.field("comm_bytes", contents.comm_bytes).nanoseconds("recorded", contents.recorded);
  json.nanoseconds("recorded_cpu", contents.recorded_cpu);
}

}  // namespace

std::string inspect_json(const std::string& name, const graph::Workload& workload,
                         const WorkloadSummary& summary) {
  return report::envelope("inspect", workload.findings, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("trace", name)
        .field("ranks", summary.ranks)
        .key("all_ranks")
        .begin_object();
    write_contents(json, summary.total);
    json.end_object().key("process_groups").begin_array();
    for (const auto& [group, process_group] : workload.groups) {
      json.begin_object().field("name", group).key("rank_numbers").begin_array();
      for (const std::uint32_t rank : process_group.ranks) json.value(rank);
      json.end_array().end_object();
    }
    json.end_array().key("traffic").begin_array();
    for (const analysis::Traffic& row : summary.traffic) {
      json.begin_object()
          .field("type", row.type)
          .field("group", row.group)
          .field("group_size", row.group_size);
      json.field("operations", row.operations).field("bytes", row.bytes).end_object();
    }
    json.end_array().key("rank_classes").begin_array();
    for (const Part& part : summary.parts) {
      json.begin_object().key("rank_numbers").begin_array();
      for (const std::uint32_t rank : part.ranks) json.value(rank);
      json.end_array();
      write_contents(json, part.contents);
      json.key("chain").begin_object().nanoseconds("duration", part.chain.duration);
      json.field("nodes", part.chain.nodes.size())
          .field("depth", part.chain.depth)
          .end_object()
          .end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
