// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "orrery/core/text/rank_list.h"
#include "orrery/record/make_run_internal.h"

namespace orrery::record {

using graph::NodeId;
using graph::NodeKind;

namespace {

/// Builds collectives: first those whose ranks joined, then those that lasted their recorded time.
struct CollectiveBuilder {
  const RecordingSource& source;
  result::Run& run;
  std::vector<result::Collective> made;  ///< joined ones in order of joins, then the others
  std::vector<std::uint64_t> order;      ///< by collective: key of its order within the group
  std::vector<Time> first_end;
  std::map<std::string, std::uint32_t, std::less<>> group_by_name{};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      unsynchronized{};  ///< (group, number)

  void add_joined() {
    for (const sim::CollectiveInstance& join : source.recording.collectives) {
      result::Collective& one = made.emplace_back();
      one.group = join.group;
      one.type = name(join.type);
      one.bytes = graph::full_buffer(join.type, Bytes(join.bytes), run.groups[join.group].size);
      one.sent = join.sent;
      one.predicted = join.predicted == sim::kNone ? result::kNone : join.predicted;
      one.joined = true;
      one.first_start = Time(join.first_start);
      one.last_start = Time(join.last_start);
      one.last_rank = join.last_rank;
      one.last_span = join.last_node;
      one.name = run.names.intern(source.workload.graph(join.last_rank).name(join.last_node));
      one.end = Time{};
      order.push_back(join.order);
      first_end.push_back(kTimeMax);
    }
  }

  void add_member(std::uint32_t collective, std::uint32_t rank, NodeId node) {
    result::Collective& one = made[collective];
    const sim::NodeTimes& times = source.recording.at(rank, node);
    ++one.members;
    if (!one.joined) {
      one.first_start = std::min(one.first_start, Time(times.start));
      if (one.members == 1 || Time(times.start) > one.last_start) {
        one.last_start = Time(times.start);
        one.last_rank = rank;
        one.last_span = node;
      }
    }
    if (times.end < 0) {
      one.end.reset();
      first_end[collective] = Time{};  // at least one member has not finished
    } else {
      if (one.end) one.end = std::max(*one.end, Time(times.end));
      first_end[collective] = std::min(first_end[collective], Time(times.end));
    }
  }

  // The collective of a node that waits for no other rank: the k-th such node on a group at each
  // rank belongs to the same collective.
  std::uint32_t unsynchronized_collective(std::uint32_t rank, NodeId node,
                                          std::map<std::uint32_t, std::uint32_t>& numbers) {
    const graph::Graph& graph = source.workload.graph(rank);
    const graph::Collective& collective = graph.collective(node);
    const auto named =
        group_by_name.find(source.workload.group_name(graph.string(collective.group), rank));
    const std::uint32_t group = named == group_by_name.end() ? 0 : named->second;
    const std::uint32_t number = numbers[group]++;
    const auto [found, added] =
        unsynchronized.try_emplace({group, number}, static_cast<std::uint32_t>(made.size()));
    if (!added) return found->second;
    result::Collective& one = made.emplace_back();
    one.group = group;
    one.type = name(collective.type);
    one.bytes = graph::full_buffer(collective.type, collective.size, run.groups[group].size);
    one.name = run.names.intern(graph.name(node));
    one.first_start = kTimeMax;
    one.end = Time{};
    order.push_back(~std::uint64_t{0} - (1u << 31) + number);  // after all that joined
    first_end.push_back(kTimeMax);
    return found->second;
  }
};

/// The title of a group in the run: its name and its ranks, because groups may share a name.
std::string group_title(const sim::RecordedGroup& group, std::uint32_t count) {
  if (group.name.empty() && group.ranks.empty()) return "";
  const auto all_ranks = [&](std::uint64_t) { return RankRange{0, count - 1}; };
  const std::string words =
      group.ranks.empty() ? format_ranks(1, all_ranks) : format_ranks(group.ranks);
  if (group.name.empty()) return words;
  const std::string ranks = " (" + words + ")";
  return group.name.ends_with(ranks) ? group.name : group.name + ranks;
}

}  // namespace

RecordedCollectives make_collectives(const RecordingSource& source, result::Run& run) {
  CollectiveBuilder builder{source, run, {}, {}, {}};
  for (const sim::RecordedGroup& group : source.recording.groups) {
    const auto number = static_cast<std::uint32_t>(run.groups.size());
    builder.group_by_name.emplace(group.name, number);
    result::Group& made = run.groups.emplace_back();
    made.name = group_title(group, source.workload.rank_count());
    made.ranks = group.ranks;
    made.size = group.ranks.empty() ? source.workload.rank_count()
                                    : static_cast<std::uint32_t>(group.ranks.size());
  }
  builder.add_joined();
  RecordedCollectives collectives_of_nodes;
  std::vector<std::uint32_t>& at =
      collectives_of_nodes.sequence;  // initially the collective, then its sequence
  at.assign(source.recording.times.size(), result::kNone);
  collectives_of_nodes.group.assign(source.recording.times.size(), result::kNone);
  for (std::uint32_t rank = 0; rank < source.workload.rank_count(); ++rank) {
    const graph::Graph& graph = source.workload.graph(rank);
    std::vector<std::tuple<std::int64_t, NodeId>> ran;
    for (NodeId node = 0; node < graph.size(); ++node) {
      const std::int64_t start = source.recording.at(rank, node).start;
      if (graph.kind(node) == NodeKind::coll && start >= 0) ran.emplace_back(start, node);
    }
    std::sort(ran.begin(), ran.end());
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const auto& [start, node] : ran) {
      const std::uint32_t join = source.recording.detail(rank, node).collective;
      const std::uint32_t collective =
          join != sim::kNone ? join : builder.unsynchronized_collective(rank, node, numbers);
      builder.add_member(collective, rank, node);
      at[source.recording.first_node[rank] + node] = collective;
    }
  }
  std::vector<std::uint32_t> sorted(builder.made.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(builder.made[a].group, builder.order[a]) <
           std::tie(builder.made[b].group, builder.order[b]);
  });
  std::vector<std::uint32_t> sequence(builder.made.size());
  for (const std::uint32_t i : sorted) {
    result::Group& group = run.groups[builder.made[i].group];
    if (group.count == 0) group.first = static_cast<std::uint32_t>(run.collectives.size());
    sequence[i] = group.count++;
    // If a member left before the last one arrived, members did not wait for each other.
    if (builder.first_end[i] < builder.made[i].last_start) builder.made[i].joined = false;
    run.collectives.push_back(builder.made[i]);
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] == result::kNone) continue;
    collectives_of_nodes.group[i] = builder.made[at[i]].group;
    at[i] = sequence[at[i]];
  }
  return collectives_of_nodes;
}

using graph::CollectiveType;

Bandwidth port_bandwidth(const platform::Dimension& dim) {
  switch (dim.block) {
    case platform::Block::ring:
      return dim.bandwidth * 2.0;  // both neighbors
    case platform::Block::fully_connected:
      return dim.bandwidth * static_cast<double>(dim.size - 1);
    case platform::Block::switched:
      break;
  }
  return dim.bandwidth;
}

namespace {

/// The number of distinct coordinates of the ranks in each dimension; empty if the ranks are not
/// all combinations of them.
std::vector<std::uint64_t> extents(const std::vector<platform::Dimension>& dims,
                                   const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t product = 1;
  std::uint32_t stride = 1;
  for (const platform::Dimension& dim : dims) {
    const auto size = static_cast<std::uint32_t>(dim.size);
    if (ranks.empty()) {
      sizes.push_back(size);
    } else {
      std::set<std::uint32_t> coordinates;
      for (const std::uint32_t rank : ranks) coordinates.insert(rank / stride % size);
      sizes.push_back(coordinates.size());
    }
    stride *= size;
    product *= sizes.back();
  }
  if (!ranks.empty() && product != ranks.size()) return {};
  return sizes;
}

/// Bytes that each rank of a block must send out of it, for M blocks of G ranks. If switches
/// between the blocks reduce, only the block's sum leaves it.
double bytes_leaving_block(CollectiveType type, double bytes, double blocks, double block_size,
                           bool sums) {
  const double part = (blocks - 1) / blocks;
  switch (type) {
    case CollectiveType::all_reduce:
      return (sums ? 1 : 2 * part) * bytes / block_size;
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block:
    case CollectiveType::all_gather:
      return part * bytes / block_size;
    case CollectiveType::all_to_all:
      return part * bytes;
    default:
      return 0;
  }
}

std::string dimension_names(std::uint32_t set) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < 32; ++d) {
    if ((set >> d & 1u) != 0) dims.push_back(d);
  }
  std::string text;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == dims.size() ? " and " : ", ", dims[i]);
  }
  return (dims.size() == 1 ? "dimension " : "dimensions ") + text;
}

}  // namespace

std::optional<CollectiveBound> collective_bound(const RecordingSource& source, CollectiveType type,
                                                Bytes bytes,
                                                const std::vector<std::uint32_t>& ranks) {
  // The route of one pair does not determine how much a rank can send over all its routes.
  if (source.platform.fabric != nullptr) return std::nullopt;
  constexpr std::size_t kMaxDims = 10;
  const std::vector<platform::Dimension>& dims = source.platform.dims;
  const std::vector<std::uint64_t> sizes = extents(dims, ranks);
  if (sizes.empty() || sizes.size() > kMaxDims) return std::nullopt;
  double n = 1;
  for (const std::uint64_t size : sizes) n *= static_cast<double>(size);
  double longest = 0;
  std::uint32_t by = 0;
  for (std::uint32_t set = 1; set < 1u << sizes.size(); ++set) {
    double blocks = 1, bandwidth = 0;
    bool real = true, sums = false;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if ((set >> d & 1u) == 0) continue;
      if (sizes[d] == 1) real = false;
      blocks *= static_cast<double>(sizes[d]);
      bandwidth += port_bandwidth(dims[d]).count();
      sums = sums || dims[d].in_network.has_value();
    }
    if (!real || !(bandwidth > 0)) continue;
    const double sent =
        bytes_leaving_block(type, static_cast<double>(bytes.count()), blocks, n / blocks, sums);
    // Prefers the smaller set if both give the same bound.
    if (sent / bandwidth > longest * (1 + 1e-12)) {
      longest = sent / bandwidth;
      by = set;
    }
  }
  if (by == 0 || !(longest < 4e6)) return std::nullopt;
  return CollectiveBound{Time(static_cast<std::int64_t>(std::floor(longest * 1e12))),
                         dimension_names(by)};
}

}  // namespace orrery::record
