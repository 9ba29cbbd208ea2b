// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/job_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace orrery::split_bandwidth {

namespace {

using graph::CollectiveType;
using graph::Graph;
using graph::NodeId;
using graph::NodeKind;
using graph::Workload;

// Bytes/s of each dimension, to find the rank whose communication lasts longest.
constexpr double kEach = 1e9;

std::vector<std::uint32_t> places(std::uint32_t rank, std::span<const std::int64_t> sizes) {
  std::vector<std::uint32_t> found;
  std::int64_t rest = rank;
  for (const std::int64_t size : sizes) {
    found.push_back(static_cast<std::uint32_t>(rest % size));
    rest /= size;
  }
  return found;
}

/// The properties of a group that determine its traffic.
struct Group {
  std::size_t members = 0;
  std::optional<Extents> grid;
  std::vector<bool> crossed;  ///< by dimension: whether members differ in it
};

Group group_of(std::span<const std::uint32_t> members, std::span<const std::int64_t> sizes) {
  Group made{members.size(), extents_of(members, sizes), std::vector<bool>(sizes.size(), false)};
  const auto first = members.empty() ? std::vector<std::uint32_t>{} : places(members[0], sizes);
  for (const std::uint32_t member : members) {
    const auto at = places(member, sizes);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (at[d] != first[d]) made.crossed[d] = true;
  }
  return made;
}

/// The groups of one rank, each computed once.
class Groups {
 public:
  Groups(const Workload& workload, std::span<const std::int64_t> sizes, std::uint32_t rank)
      : workload_(workload), sizes_(sizes), rank_(rank) {}

  const Group& named(std::string_view name) {
    const auto known = known_.find(name);
    if (known != known_.end()) return known->second;
    return known_.emplace(std::string(name), group_of(members(name), sizes_)).first->second;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> members(std::string_view name) const {
    if (const auto axis = workload_.axes.find(name); axis != workload_.axes.end())
      return axis->second.members(axis->second.first(rank_));
    const auto group = workload_.groups.find(name);
    if (group != workload_.groups.end() && !group->second.ranks.empty()) return group->second.ranks;
    std::vector<std::uint32_t> all(workload_.rank_count());
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }

  const Workload& workload_;
  std::span<const std::int64_t> sizes_;
  std::uint32_t rank_;
  std::map<std::string, Group, std::less<>> known_;
};

bool is_known(CollectiveType type) {
  return type == CollectiveType::all_reduce || type == CollectiveType::all_gather ||
         type == CollectiveType::reduce_scatter || type == CollectiveType::reduce_scatter_block ||
         type == CollectiveType::all_to_all;
}

/// The traffic of one rank: bytes by dimension, and their multiplicity.
class Sent {
 public:
  Sent(const Workload& workload, std::uint32_t rank, std::span<const std::int64_t> sizes)
      : graph_(workload.graph(rank)), rank_(rank), sizes_(sizes), groups_(workload, sizes, rank) {
    traffic_.rank = rank;
    for (NodeId n = 0; n < graph_.size(); ++n) {
      if (graph_.kind(n) == NodeKind::coll) add_collective_compare(n);
      if (graph_.kind(n) == NodeKind::send) add_message(n);
    }
  }

  [[nodiscard]] JobTraffic traffic() {
    for (auto& [bytes, times] : counted_) traffic_.demands.push_back({bytes, times});
    return std::move(traffic_);
  }

 private:
  void add(std::vector<double> bytes) {
    if (*std::max_element(bytes.begin(), bytes.end()) > 0) counted_[std::move(bytes)] += 1;
  }

  void add_collective_compare(NodeId n) {
    const graph::Collective& asked = graph_.collective(n);
    if (!is_known(asked.type)) {
      if (asked.type != CollectiveType::barrier) ++traffic_.unknown;
      return;
    }
    const Group& group = groups_.named(graph_.string(asked.group));
    const auto size = static_cast<double>(asked.size.count());
    if (group.grid) return add(bytes_sent(asked.type, size, *group.grid));
    ++traffic_.irregular_groups;
    const double ring =
        bytes_sent(asked.type, size, {static_cast<std::uint32_t>(group.members)}).front();
    std::vector<double> bytes(sizes_.size(), 0);
    for (std::size_t d = 0; d < bytes.size(); ++d)
      if (group.crossed[d]) bytes[d] = ring;
    add(std::move(bytes));
  }

  void add_message(NodeId n) {
    const graph::PointToPoint message = graph_.message(n, rank_);
    std::vector<double> bytes(sizes_.size(), 0);
    if (message.dst < 0) return;
    const auto from = places(rank_, sizes_);
    const auto to = places(static_cast<std::uint32_t>(message.dst), sizes_);
    for (std::size_t d = 0; d < bytes.size(); ++d)
      if (from[d] != to[d]) bytes[d] = static_cast<double>(message.size.count());
    add(std::move(bytes));
  }

  const Graph& graph_;
  std::uint32_t rank_;
  std::span<const std::int64_t> sizes_;
  Groups groups_;
  std::map<std::vector<double>, double> counted_;
  JobTraffic traffic_;
};

}  // namespace

std::optional<Extents> extents_of(std::span<const std::uint32_t> members,
                                  std::span<const std::int64_t> sizes) {
  std::vector<std::set<std::uint32_t>> found(sizes.size());
  std::set<std::vector<std::uint32_t>> distinct;
  for (const std::uint32_t member : members) {
    auto at = places(member, sizes);
    for (std::size_t d = 0; d < at.size(); ++d) found[d].insert(at[d]);
    distinct.insert(std::move(at));
  }
  Extents extents;
  std::uint64_t all = 1;
  for (const auto& one : found) {
    extents.push_back(static_cast<std::uint32_t>(one.size()));
    all *= one.size();
  }
  if (members.empty() || all != members.size() || distinct.size() != members.size())
    return std::nullopt;
  return extents;
}

Result<Extents> extents_of(std::int64_t ranks, std::int64_t stride,
                           std::span<const std::int64_t> sizes, const std::string& where) {
  Extents extents;
  std::int64_t left = ranks, before = stride;
  if (ranks < 1 || stride < 1) before = 0;
  for (const std::int64_t size : sizes) {
    if (before == 0) break;
    // `over` positions of the dimension are skipped; the group has members at up to `room`
    // positions.
    const std::int64_t over = std::gcd(before, size), room = size / over;
    const std::int64_t taken = over == before ? std::min(left, room) : 1;
    const bool divides = (over == before || over == size) && room % taken == 0 && left % taken == 0;
    if (!divides) break;
    extents.push_back(static_cast<std::uint32_t>(taken));
    before /= over;
    left /= taken;
  }
  if (extents.size() == sizes.size() && left == 1 && before == 1) return extents;
  return fail(
      Errc::config_conflict, where,
      fmt::format("{} ranks at distance {} do not match dimensions of the network or parts of them",
                  ranks, stride));
}

std::vector<double> bytes_sent(CollectiveType type, double size, const Extents& extents) {
  std::vector<double> bytes(extents.size(), 0);
  double data = size;
  const auto sends = [&](std::size_t d, double times) {
    bytes[d] = times * data * (extents[d] - 1) / extents[d];
  };
  switch (type) {
    case CollectiveType::all_reduce:
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block:
      for (std::size_t d = 0; d < extents.size(); ++d) {
        sends(d, type == CollectiveType::all_reduce ? 2 : 1);
        data /= extents[d];
      }
      break;
    case CollectiveType::all_gather:
      for (std::size_t d = extents.size(); d-- > 0;) {
        data *= extents[d];
        sends(d, 1);
      }
      break;
    case CollectiveType::all_to_all:
      for (std::size_t d = 0; d < extents.size(); ++d) sends(d, 1);
      break;
    default:
      break;
  }
  return bytes;
}

double links_of(const platform::Dimension& dim) {
  return dim.block == platform::Block::fully_connected ? static_cast<double>(dim.size - 1) : 1;
}

JobTraffic traffic_of(const Workload& workload, std::span<const std::int64_t> sizes) {
  JobTraffic longest;
  double most = -1;
  std::vector<bool> done(workload.graphs.size(), false);
  const std::vector<Bandwidth> equal(sizes.size(), Bandwidth(kEach));
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    if (done[workload.graph_of_rank[rank]]) continue;
    done[workload.graph_of_rank[rank]] = true;
    JobTraffic traffic = Sent(workload, rank, sizes).traffic();
    const double seconds = collective_seconds(traffic.demands, equal);
    if (seconds <= most) continue;
    most = seconds;
    longest = std::move(traffic);
  }
  return longest;
}

}  // namespace orrery::split_bandwidth
