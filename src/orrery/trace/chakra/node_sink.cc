// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/node_sink.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"

namespace orrery::trace::chakra {

NodeSink::NodeSink(const ReadOptions& options, Findings& findings)
    : options_(options),
      findings_(findings),
      builder_(options.where, options.strings, options.repair) {
  if (options.kernels) builder_.share_kernels(options.kernels);
}

std::string NodeSink::place(const graph::NodeSpec& node) const {
  return fmt::format("{}:byte {} (node {})", options_.where, node.offset, node.id);
}

Result<void> NodeSink::drop(FindingCode why, const std::string& place) {
  findings_.add(why, place);
  if (++dropped_ <= limits::kDroppedRecords) return {};
  return fail(Errc::limit_exceeded, options_.where,
              fmt::format("more than {} damaged records", limits::kDroppedRecords),
              "the file is not a Chakra trace, or its source must be corrected");
}

Result<void> NodeSink::add(const graph::NodeSpec& node, std::string_view input_values) {
  // The builder finds all duplicates. Consecutive ones are reported here at once, so that a file of
  // zeros stays cheap.
  if (!empty() && node.id == last_id_) {
    if (options_.repair == graph::Repair::refuse) {
      return fail(Errc::input_duplicate_id, place(node),
                  fmt::format("node id {} is already used by the previous node", node.id),
                  "--repair keeps the first of them and reports it");
    }
    const bool shown = findings_.count(FindingCode::duplicate_id_dropped) < Findings::kPlaces;
    return drop(FindingCode::duplicate_id_dropped, shown ? place(node) : std::string());
  }
  if (builder_.size() >= limits::kNodesPerRank) {
    return fail(Errc::limit_exceeded, place(node),
                fmt::format("more than {} nodes in one rank", limits::kNodesPerRank));
  }
  last_id_ = node.id;
  builder_.add(node);
  if (options_.groups != nullptr && !input_values.empty()) return add_groups(node, input_values);
  return {};
}

Result<void> NodeSink::add_groups(const graph::NodeSpec& node, std::string_view input_values) {
  if (!looks_like_group_dump(input_values)) return {};
  const auto found = parse_group_dump(input_values, place(node));
  if (!found) {  // the groups may come from a file; a collective with an unknown group is an error
                 // later
    findings_.add(FindingCode::metadata_group_ignored, place(node));
    return {};
  }
  return merge_groups(*options_.groups, *found, place(node), options_.repair, findings_);
}

void NodeSink::expect(std::uint64_t seen, std::uint64_t total) {
  const double scale = static_cast<double>(total) / static_cast<double>(seen) * 1.02;
  const auto scaled = [scale](std::size_t count) {
    return static_cast<std::size_t>(static_cast<double>(count) * scale);
  };
  builder_.reserve(scaled(builder_.size()), scaled(builder_.dep_count()));
}

Result<graph::Graph> NodeSink::finish() && {
  if (empty()) return fail(Errc::input_empty, options_.where, "the trace has no nodes");
  return std::move(builder_).finish(findings_);
}

}  // namespace orrery::trace::chakra
