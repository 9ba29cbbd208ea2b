// SPDX-License-Identifier: Apache-2.0
//
// The work of all ranks, and their process groups.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/core/time_provenance.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Ranks that communicate under one name, in ring order (the order of the list, which need not be
/// sorted). An empty list stands for all ranks.
struct ProcessGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;
};

/// A name that denotes a different group at each rank: the ranks that differ from it only in some
/// digits of the rank's number. A digit is rank / stride % ((count - 1) × step + 1). Members of a
/// group have the values 0, step, 2 × step … of it; ranks with other values have no group. If
/// `ranks` is not empty, a rank's number is its index in `ranks`, and other ranks have no group.
struct GroupAxis {
  struct Digit {
    std::uint32_t stride = 1;
    std::uint32_t count = 1;
    std::uint32_t step = 1;

    [[nodiscard]] std::uint32_t of(std::uint32_t rank) const {
      return rank / stride % ((count - 1) * step + 1);
    }

    friend bool operator==(const Digit&, const Digit&) = default;
  };
  std::string name;
  std::vector<Digit> digits;           ///< the first varies fastest, as in the group's ring
  std::vector<std::uint32_t> ranks{};  ///< ascending; empty: all

  /// Members of one group.
  [[nodiscard]] std::uint32_t extent() const;
  /// The member whose digits are all 0: it names the group.
  [[nodiscard]] std::uint32_t first(std::uint32_t rank) const;
  /// Position of `rank` in its group, 0 … extent()-1.
  [[nodiscard]] std::uint32_t position(std::uint32_t rank) const;
  /// Whether `rank` has a group on this axis.
  [[nodiscard]] bool has(std::uint32_t rank) const;
  /// Members of the group with the first member `first`, in ring order.
  [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t first) const;

 private:
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t rank_at(std::uint32_t number) const;  // beyond the last: no rank's
};

/// Provenance of one duration, and its 80 % prediction interval.
struct NodeProvenance {
  TimeProvenance provenance = TimeProvenance::recorded;
  bool has_interval = true;  ///< whether the interval is known
  float lower = 0;           ///< 10 % of true times are below duration × (1 + lower) …
  float upper = 0;           ///< … and 10 % above duration × (1 + upper)

  friend bool operator==(const NodeProvenance&, const NodeProvenance&) = default;
};

/// Provenance of changed times. Graphs and lags without an entry are as recorded.
struct WorkloadProvenance {
  /// By graph of the workload, then by node.
  std::map<const Graph*, std::shared_ptr<const std::vector<NodeProvenance>>> nodes;
  std::uint8_t lags = 0;  ///< bit i: lags of LagKind i are scaled

  [[nodiscard]] NodeProvenance of(const Graph& graph, NodeId node) const {
    const auto found = nodes.find(&graph);
    return found == nodes.end() ? NodeProvenance{} : (*found->second)[node];
  }
};

struct HostRanges;

/// One Graph per distinct rank, and the graph of each rank. Ranks with equal files share one Graph.
struct Workload {
  std::vector<GraphRef> graphs;              ///< distinct ones, in order of first use
  std::vector<std::uint32_t> graph_of_rank;  ///< size = number of ranks
  std::map<std::string, ProcessGroup, std::less<>> groups;  ///< by name (Chakra's pg_name)
  /// Groups by axis. A collective with the name of an axis runs in the group that the axis has at
  /// its rank, so that ranks at different positions can share one graph. Names differ from those in
  /// `groups`.
  std::map<std::string, GroupAxis, std::less<>> axes;
  /// Algorithms given as Chakra traces ("custom collectives"): path prefix → one graph per position
  /// in the group.
  std::map<std::string, std::vector<GraphRef>, std::less<>> custom_collectives;
  /// By rank: the number of its job, from 0; empty: there is one job.
  std::vector<std::uint32_t> job_of_rank{};
  std::vector<std::string> files;  ///< the file each rank was read from, for error messages
  /// Ranks without a trace, ascending. Each does the work of the rank before it (see
  /// chakra::LoadOptions::allow_missing_ranks).
  std::vector<std::uint32_t> without_trace{};
  /// Unchanged recorded traces: time from the first event of all ranks to the end of the last one.
  std::optional<Time> recorded_duration;
  std::string recorded_device;  ///< the first rank's device, as its driver names it; empty: unknown
  /// By rank: named ranges around host work (transform/host_ranges.h), or null; empty: none are
  /// known.
  std::vector<std::shared_ptr<const HostRanges>> host_ranges{};
  WorkloadProvenance provenance{};  ///< provenance of the times that were changed since
  Findings findings;

  [[nodiscard]] std::uint32_t rank_count() const {
    return static_cast<std::uint32_t>(graph_of_rank.size());
  }
  [[nodiscard]] const Graph& graph(std::uint32_t rank) const {
    return *graphs[graph_of_rank[rank]];
  }
  /// Bytes of graphs in a file instead of in memory (see Spill).
  [[nodiscard]] std::uint64_t spilled_bytes() const;
  /// The rank's file, or "rank 3", for error messages.
  [[nodiscard]] std::string place(std::uint32_t rank) const;
  /// Unique name of the group that `group` denotes at `rank`. A group on an axis gets its ranks,
  /// "tp (ranks 8-9)" (see format_ranks), unless the axis has only one group.
  [[nodiscard]] std::string group_name(std::string_view group, std::uint32_t rank) const;
};

}  // namespace orrery::graph
