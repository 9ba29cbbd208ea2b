// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/inspect_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/workload.h"
#include "orrery/present/answer_parts.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using analysis::NodeCounts;
using analysis::Part;
using analysis::Traffic;
using analysis::WorkloadSummary;
using graph::NodeKind;
using report::Answer;
using report::Columns;
using report::JsonWriter;

namespace {

std::int64_t clamped(std::uint64_t number) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
}
std::string size(std::uint64_t number) { return traffic_text(Bytes(clamped(number))); }

std::string flops_text(std::uint64_t number) {
  return scaled_text(static_cast<double>(number), "FLOP");
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
      fmt::format("{} accessing {}", flops_text(contents.flops), size(contents.compute_bytes));
  text += fmt::format("; recorded {}", format_time(contents.recorded));
  if (contents.recorded_cpu.count() > 0)
    text += fmt::format(" and {} on the CPU", format_time(contents.recorded_cpu));
  if (contents.memory_bytes > 0)
    text += fmt::format("; memory nodes move {}", size(contents.memory_bytes));
  return text;
}

Columns<Traffic> traffic_columns() {
  const auto ranks = [](const Traffic& row) {
    return row.group_size > 0 ? count(row.group_size) : "?";
  };
  const auto each = [](const Traffic& row) {
    return size(row.operations > 0 ? row.bytes / row.operations : 0);
  };
  Columns<Traffic> columns;
  columns.add("operation", "type", &Traffic::type)
      .field("group", &Traffic::group)
      .add("ranks", "group_size", &Traffic::group_size, ranks)
      .add("nodes", "operations", &Traffic::operations)
      .show_number("each", each)
      .add("total", "bytes", &Traffic::bytes, [](const auto& row) { return size(row.bytes); });
  return columns;
}

Columns<NodeCounts> contents_columns() {
  Columns<NodeCounts> columns;
  columns.add("nodes", "nodes", &NodeCounts::nodes)
      .add("edges", "edges", &NodeCounts::edges)
      .nested("nodes_by_kind",
              [](JsonWriter& json, const NodeCounts& contents) {
                json.begin_object();
                for (std::size_t kind = 0; kind < contents.kinds.size(); ++kind) {
                  if (contents.kinds[kind] > 0)
                    json.field(name(static_cast<NodeKind>(kind)), contents.kinds[kind]);
                }
                json.end_object();
              })
      .field("cpu_nodes", &NodeCounts::cpu_nodes)
      .add("work", "flop", &NodeCounts::flops,
           [](const auto& contents) { return flops_text(contents.flops); })
      .field("compute_bytes", &NodeCounts::compute_bytes)
      .field("load_store_bytes", &NodeCounts::memory_bytes)
      .add("communication", "comm_bytes", &NodeCounts::comm_bytes,
           [](const auto& contents) { return size(contents.comm_bytes); })
      .add("recorded", "recorded_ns", &NodeCounts::recorded)
      .field("recorded_cpu_ns", &NodeCounts::recorded_cpu);
  return columns;
}

/// Ranks that do the same.
Columns<Part> class_columns() {
  Columns<Part> columns;
  columns.show("ranks", [](const Part& part) { return report::ranges(part.ranks, 3); });
  add_part(columns, "", contents_columns(), [](const Part& part) { return &part.contents; });
  columns.show_number("chain", [](const Part& part) { return count(part.chain.depth); })
      .members([](JsonWriter& json, const Part& part) {
        Answer(json).list("rank_numbers", part.ranks).object("chain", [&] {
          json.nanoseconds("duration", part.chain.duration);
          json.field("nodes", part.chain.nodes.size()).field("depth", part.chain.depth);
        });
      });
  return columns;
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
  if (summary.parts.size() == 1) return "none: all ranks are identical";
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

void state_total(Answer& answer, const graph::Workload& workload, const WorkloadSummary& summary) {
  const NodeCounts& total = summary.total;
  answer.line("nodes", kinds_of(total)).line("work", work_of(total));
  answer.line("communication",
              fmt::format("{} in collectives and sends; {}", size(total.comm_bytes),
                          plural(workload.groups.size(), "process group")));
  answer.object("all_ranks", total, contents_columns());
  answer.each("process_groups", workload.groups, [](Answer& object, const auto& group) {
    object.field("name", group.first).list("rank_numbers", group.second.ranks);
  });
}

}  // namespace

void state_workload(Answer& answer, const std::string& name, const graph::Workload& workload,
                    const WorkloadSummary& summary) {
  answer.row(
      "trace", "trace", name,
      fmt::format("{}: {}, {} nodes, {} edges", printable(name), plural(summary.ranks, "rank"),
                  count(summary.total.nodes), count(summary.total.edges)));
  answer.field("ranks", summary.ranks);
  state_total(answer, workload, summary);
  if (!summary.parts.empty()) {
    const Part& part = longest_part(summary);
    answer.line("longest chain",
                fmt::format("{} in {} nodes (rank {}); the deepest has {} nodes",
                            format_time(part.chain.duration), count(part.chain.nodes.size()),
                            part.ranks.front(), count(part.chain.depth)));
  }
  answer.line("differences", differences(summary));
  answer.findings(workload.findings);
  const auto columns = traffic_columns();
  answer.table("", by_group_size(summary.traffic), columns);
  answer.rows("traffic", summary.traffic, columns);
  if (answer.is_json() || summary.parts.size() > 1)
    answer.table("rank_classes", summary.parts, class_columns(), {.limit = 12});
}

}  // namespace orrery::present
