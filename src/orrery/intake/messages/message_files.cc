// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/message_files.h"

#include <fmt/format.h>

#include <memory>

#include "orrery/core/check.h"
#include "orrery/intake/messages/connection_matrix.h"
#include "orrery/intake/messages/cost_graph.h"
#include "orrery/intake/messages/flexflow.h"
#include "orrery/intake/messages/flow_graphs.h"
#include "orrery/intake/messages/flow_list.h"
#include "orrery/intake/messages/goal.h"
#include "orrery/intake/messages/message_graph.h"

namespace orrery::intake {
namespace {

/// Ranks beyond those of the file.
Result<void> add_idle_ranks(std::uint32_t ranks, const std::string& where,
                            graph::Workload& workload) {
  if (workload.rank_count() == ranks) return {};
  auto idle = idle_graph(where, std::make_shared<StringPool>());
  if (!idle) return tl::unexpected(idle.error());
  const auto number = static_cast<std::uint32_t>(workload.graphs.size());
  workload.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(idle)));
  workload.graph_of_rank.resize(ranks, number);
  return {};
}

}  // namespace

bool is_message_file(const std::string& path) {
  const auto inputs = trace::inputs_in(path);
  return inputs && inputs->size() == 1 && trace::is_message_list(inputs->front().format);
}

Result<graph::Workload> read_messages(trace::ByteSource& source, trace::Format format,
                                      const std::string& where, Findings& findings) {
  ORRERY_CHECK(trace::is_message_list(format));
  if (format == trace::Format::goal) return read_goal(source, where, findings);
  if (format == trace::Format::flexflow) return read_flexflow(source, where, findings);
  if (format == trace::Format::cost_graph) return read_cost_graph(source, where, findings);
  const auto table = format == trace::Format::htsim_matrix
                         ? read_connection_matrix(source, where, findings)
                         : read_flow_list(source, where, findings);
  if (!table) return tl::unexpected(table.error());
  return workload_of_flows(*table, where, findings);
}

Result<graph::Workload> read_message_file(const std::string& path, std::uint32_t ranks) {
  const auto inputs = trace::inputs_in(path);
  if (!inputs) return tl::unexpected(inputs.error());
  auto source = trace::open(inputs->front());
  if (!source) return tl::unexpected(source.error());
  Findings findings;
  auto workload = read_messages(**source, inputs->front().format, path, findings);
  if (!workload) return workload;
  workload->findings.merge(findings);
  const std::uint32_t there = workload->rank_count();
  if (ranks > 0 && there > ranks)
    return fail(
        Errc::config_conflict, path,
        fmt::format("has messages of {} hosts, but the cluster has {} devices", there, ranks),
        "use a larger cluster");
  if (auto done = add_idle_ranks(std::max(ranks, there), path, *workload); !done)
    return tl::unexpected(done.error());
  return workload;
}

}  // namespace orrery::intake
