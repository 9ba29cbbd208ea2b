// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

using graph::CollectiveType;
using graph::Graph;
using graph::NodeFlag;
using graph::NodeId;
using graph::NodeKind;
using graph::ProcessGroup;

namespace {

/// What a rank issues on one group. Identical for all members of a consistent group.
using Issued = std::map<std::pair<CollectiveType, std::int64_t>, std::uint64_t>;

/// A send (count +1) or a receive (-1), normalized.
struct Message {
  std::int64_t dst, src;
  std::uint32_t tag;
  std::int64_t size;
  std::int32_t count;
  std::uint32_t rank;  // rank that contains the node, whatever ends the node states
  NodeId node;

  [[nodiscard]] auto key() const { return std::tuple(dst, src, tag, size); }
};

class Checker {
 public:
  explicit Checker(const graph::Workload& workload) : workload_(workload) {}

  Consistency run() {
    check_groups();
    issued_.resize(workload_.graphs.size());
    std::vector<bool> seen(workload_.graphs.size());
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const std::uint32_t index = workload_.graph_of_rank[rank];
      if (!seen[index]) scan_graph(rank, index);
      seen[index] = true;
      check_membership(rank, index);
      collect_messages(rank);
    }
    compare_groups();
    match_messages();
    return std::move(result_);
  }

 private:
  void report(ProblemKind kind, std::string where, std::string what) {
    ++result_.count;
    if (per_kind_[static_cast<std::size_t>(kind)]++ < kProblemsPerKind) {
      result_.problems.push_back({kind, std::move(where), std::move(what)});
    }
  }

  [[nodiscard]] std::string node_place(std::uint32_t rank, NodeId node) const {
    const Graph& graph = workload_.graph(rank);
    std::string place = fmt::format("rank {} node {}", rank, graph.id(node));
    if (!graph.name(node).empty()) place += fmt::format(" ({})", printable(graph.name(node), 40));
    return place;
  }

  /// The group's ranks; empty: all ranks. Null: no such group.
  [[nodiscard]] const std::vector<std::uint32_t>* members(std::string_view group) const {
    static const std::vector<std::uint32_t> all_ranks;
    const auto found = workload_.groups.find(group);
    if (found != workload_.groups.end()) return &found->second.ranks;
    return group.empty() || group == "0" ? &all_ranks : nullptr;
  }

  void check_groups() {
    for (const auto& [group, process_group] : workload_.groups) {
      std::vector<std::uint32_t> ranks = process_group.ranks;
      std::sort(ranks.begin(), ranks.end());
      const auto where = fmt::format("group {}", printable(group, 40));
      const auto twice = std::adjacent_find(ranks.begin(), ranks.end());
      if (twice != ranks.end()) {
        report(ProblemKind::group_rank, where, fmt::format("lists rank {} more than once", *twice));
      }
      if (!ranks.empty() && ranks.back() >= workload_.rank_count()) {
        report(ProblemKind::group_rank, where,
               fmt::format("lists rank {}, but there are {} ranks", ranks.back(),
                           workload_.rank_count()));
      }
      sorted_.emplace(group, std::move(ranks));
    }
  }

  void scan_graph(std::uint32_t rank, std::uint32_t index) {
    const Graph& graph = *workload_.graphs[index];
    std::string lacking;
    const auto need = [&](NodeId n, NodeFlag flag, std::string_view attribute) {
      if (!graph.has(n, flag))
        lacking += fmt::format("{}{}", lacking.empty() ? "" : " and ", attribute);
    };
    for (NodeId n = 0; n < graph.size(); ++n) {
      switch (graph.kind(n)) {
        case NodeKind::coll: {
          const graph::Collective& collective = graph.collective(n);
          // A recorded collective without a size or type is replayed with its duration.
          if (graph.duration(n) <= Time{}) {
            need(n, graph::kHasCommType, "comm_type");
            if (collective.type != CollectiveType::broadcast)
              need(n, graph::kHasCommSize, "comm_size");
          }
          // A collective with a dimension mask involves only some ranks of the group "all ranks".
          auto& by_group = issued_[index];
          auto issued = by_group.find(graph.string(collective.group));
          if (issued == by_group.end())
            issued = by_group.emplace(graph.string(collective.group), Issued{}).first;
          if (!masked(graph, n)) ++issued->second[{collective.type, collective.size.count()}];
          break;
        }
        case NodeKind::send:
          need(n, graph::kHasDst, "comm_dst");
          need(n, graph::kHasTag, "comm_tag");
          break;
        case NodeKind::recv:
          need(n, graph::kHasSrc, "comm_src");
          need(n, graph::kHasTag, "comm_tag");
          break;
        default:
          break;
      }
      if (lacking.empty()) continue;
      report(ProblemKind::missing_attribute, node_place(rank, n),
             fmt::format("a {} node without {}", name(graph.kind(n)), lacking));
      lacking.clear();
    }
  }

  // All members of an explicit group take part, whatever dimensions the node states.
  static bool masked(const Graph& graph, NodeId n) {
    const graph::Collective& collective = graph.collective(n);
    const std::string_view group = graph.string(collective.group);
    if (!graph.has(n, graph::kHasDims) || (!group.empty() && group != "0")) return false;
    const std::uint32_t all = collective.dims_count >= 32 ? ~0u : (1u << collective.dims_count) - 1;
    return (collective.dims_mask & all) != all;
  }

  /// Whether `rank` is in the group or on the axis with this name. Empty: there is neither.
  [[nodiscard]] std::optional<bool> is_member(std::string_view group, std::uint32_t rank) const {
    const auto axis = workload_.axes.find(group);
    if (axis != workload_.axes.end()) return axis->second.has(rank);
    const auto* ranks = members(group);
    if (ranks == nullptr) return std::nullopt;
    if (ranks->empty()) return true;
    const auto& sorted = sorted_.find(group)->second;
    return std::binary_search(sorted.begin(), sorted.end(), rank);
  }

  void check_membership(std::uint32_t rank, std::uint32_t index) {
    for (const auto& [group, issued] : issued_[index]) {
      const std::optional<bool> member = is_member(group, rank);
      if (!member) {
        report(ProblemKind::unknown_group, fmt::format("rank {}", rank),
               fmt::format("issues collectives on group {}, which is not defined",
                           printable(group, 40)));
      } else if (!*member) {
        report(ProblemKind::not_a_member, fmt::format("rank {}", rank),
               fmt::format("issues collectives on group {}, but is not a member of it",
                           printable(group, 40)));
      }
    }
  }

  void compare_groups() {
    compare("", nullptr);
    if (workload_.groups.find("0") == workload_.groups.end()) compare("0", nullptr);
    for (const auto& [group, process_group] : workload_.groups) {
      compare(group, process_group.ranks.empty() ? nullptr : &process_group.ranks);
    }
    for (const auto& [group, axis] : workload_.axes) {
      for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
        if (!axis.has(rank) || axis.first(rank) != rank) continue;
        const std::vector<std::uint32_t> ranks = axis.members(rank);
        compare(group, &ranks);
      }
    }
  }

  void compare(std::string_view group, const std::vector<std::uint32_t>* ranks) {
    static const Issued nothing;
    const auto issued_by = [&](std::uint32_t rank) -> const Issued& {
      const auto& by_group = issued_[workload_.graph_of_rank[rank]];
      const auto found = by_group.find(group);
      return found == by_group.end() ? nothing : found->second;
    };
    const std::uint32_t count = workload_.rank_count();
    const std::size_t size = ranks ? ranks->size() : count;
    std::uint32_t first = graph::kNoNode;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t rank = ranks ? (*ranks)[i] : static_cast<std::uint32_t>(i);
      if (rank >= count) continue;
      if (first == graph::kNoNode) {
        first = rank;
        continue;
      }
      if (workload_.graph_of_rank[rank] == workload_.graph_of_rank[first]) continue;
      const Issued& ours = issued_by(first);
      const Issued& theirs = issued_by(rank);
      if (ours != theirs) report_difference(group, first, ours, rank, theirs);
    }
  }

  void report_difference(std::string_view group, std::uint32_t first, const Issued& ours,
                         std::uint32_t rank, const Issued& theirs) {
    const auto count = [](const Issued& issued, const auto& key) {
      const auto found = issued.find(key);
      return found == issued.end() ? std::uint64_t{0} : found->second;
    };
    Issued both = ours;
    both.insert(theirs.begin(), theirs.end());
    for (const auto& entry : both) {
      const auto& key = entry.first;
      if (count(ours, key) == count(theirs, key)) continue;
      report(
          ProblemKind::collective_mismatch,
          group.empty()
              ? "all ranks"
              : fmt::format("group {}", printable(workload_.group_name(group, first), 40)),
          fmt::format("rank {} issues {} {} of {}, rank {} issues {}", first, count(ours, key),
                      name(key.first), format_bytes(Bytes(key.second)), rank, count(theirs, key)));
      return;
    }
  }

  void collect_messages(std::uint32_t rank) {
    const Graph& graph = workload_.graph(rank);
    const auto kinds = graph.kinds();
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (kinds[n] != NodeKind::send && kinds[n] != NodeKind::recv) continue;
      const graph::PointToPoint message = graph.message(n, rank);
      const bool send = kinds[n] == NodeKind::send;
      if (!graph.has(n, send ? graph::kHasDst : graph::kHasSrc)) continue;  // reported already
      const std::int64_t src = graph.has(n, graph::kHasSrc) ? message.src : rank;
      const std::int64_t dst = graph.has(n, graph::kHasDst) ? message.dst : rank;
      const std::int64_t peer = send ? dst : src;
      if (peer < 0 || peer >= workload_.rank_count()) {
        report(ProblemKind::unknown_rank, node_place(rank, n),
               fmt::format("a {} {} rank {}, but there are {} ranks", name(kinds[n]),
                           send ? "to" : "from", peer, workload_.rank_count()));
        continue;
      }
      messages_.push_back({dst, src, message.tag, message.size.count(), send ? 1 : -1, rank, n});
    }
  }

  void match_messages() {
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const Message& a, const Message& b) { return a.key() < b.key(); });
    for (std::size_t i = 0; i < messages_.size();) {
      std::size_t end = i;
      std::int64_t surplus = 0;
      for (; end < messages_.size() && messages_[end].key() == messages_[i].key(); ++end) {
        surplus += messages_[end].count;
      }
      if (surplus != 0) report_unmatched(i, end, surplus);
      i = end;
    }
  }

  void report_unmatched(std::size_t begin, std::size_t end, std::int64_t surplus) {
    const bool send = surplus > 0;
    const auto found = std::find_if(messages_.begin() + static_cast<std::ptrdiff_t>(begin),
                                    messages_.begin() + static_cast<std::ptrdiff_t>(end),
                                    [&](const Message& m) { return (m.count > 0) == send; });
    const auto peer = send ? found->dst : found->src;
    std::string what =
        fmt::format("{} of {}, tag {}, {} rank {} has no matching {}",
                    send ? "a send" : "a receive", format_bytes(Bytes(found->size)), found->tag,
                    send ? "to" : "from", peer, send ? "receive" : "send");
    const std::int64_t more = (send ? surplus : -surplus) - 1;
    if (more > 0) what += fmt::format(" (and {} more like it)", more);
    report(send ? ProblemKind::unmatched_send : ProblemKind::unmatched_receive,
           node_place(found->rank, found->node), std::move(what));
  }

  const graph::Workload& workload_;
  Consistency result_;
  std::array<std::size_t, 8> per_kind_{};
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> sorted_;  // ranks of groups
  std::vector<std::map<std::string, Issued, std::less<>>> issued_;         // by graph, then group
  std::vector<Message> messages_;
};

}  // namespace

std::string_view name(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::unknown_group:
      return "unknown_group";
    case ProblemKind::not_a_member:
      return "not_a_member";
    case ProblemKind::group_rank:
      return "group_rank";
    case ProblemKind::collective_mismatch:
      return "collective_mismatch";
    case ProblemKind::unknown_rank:
      return "unknown_rank";
    case ProblemKind::unmatched_receive:
      return "unmatched_receive";
    case ProblemKind::unmatched_send:
      return "unmatched_send";
    case ProblemKind::missing_attribute:
      return "missing_attribute";
  }
  return "missing_attribute";
}

Consistency check_consistency(const graph::Workload& workload) { return Checker(workload).run(); }

}  // namespace orrery::analysis
