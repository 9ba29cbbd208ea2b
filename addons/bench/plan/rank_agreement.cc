// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/rank_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::bench {
namespace {

using profile::CommKind;
using Members = std::vector<std::uint32_t>;

constexpr const char* kHint =
    "give all ranks of the job, from the same step: '--subtrace' and '--all-steps' select the same "
    "part of each rank";

/// Whether all ranks contribute equal bytes to the collective.
bool is_even(const Exchange& exchange) {
  const CommKind kind = kind_of(exchange);
  return kind != CommKind::gather && kind != CommKind::scatter &&
         (kind != CommKind::all_to_all ||
          (exchange.in_split.empty() && exchange.out_split.empty()));
}

/// The first property in which two matching exchanges differ, with both values; empty: they agree.
std::pair<std::string, std::string> difference(const Exchange& a, const Exchange& b) {
  if (a.kind != b.kind) return {fmt::format("is a {}", a.kind), fmt::format("is a {}", b.kind)};
  if (a.peer != b.peer)
    return {fmt::format("has root {}", a.peer), fmt::format("has root {}", b.peer)};
  if (!is_even(a) || !is_even(b) || a.bytes == b.bytes || a.bytes < 0 || b.bytes < 0) return {};
  return {fmt::format("is a {} of {}", a.kind, format_bytes(Bytes(a.bytes))),
          fmt::format("is of {}", format_bytes(Bytes(b.bytes)))};
}

/// The exchanges of one rank in one group, or its messages to or from another rank.
struct RankExchanges {
  std::uint32_t rank = 0;
  std::vector<const Exchange*> exchanges;
};

class Agreement {
 public:
  explicit Agreement(const std::vector<RankPlan>& ranks) : ranks_(ranks) {
    for (const RankPlan& one : ranks) all_.push_back(one.rank);
  }

  Result<void> check() {
    for (const RankPlan& one : ranks_) {
      if (auto added = add(one); !added) return added;
    }
    for (const auto& [group, members] : collectives_) {
      if (auto same = check_group(group.first, members); !same) return same;
    }
    for (const auto& [pair, sent] : sent_) {
      if (sent == received_[pair]) continue;
      return fail(Errc::input_mismatch, fmt::format("rank {}", pair.second),
                  fmt::format("receives {} messages from rank {}, which sends {}", received_[pair],
                              pair.first, sent),
                  kHint);
    }
    for (const auto& [pair, received] : received_) {
      if (sent_.contains(pair)) continue;
      return fail(
          Errc::input_mismatch, fmt::format("rank {}", pair.second),
          fmt::format("receives {} messages from rank {}, which sends none", received, pair.first),
          kHint);
    }
    return {};
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // sender, receiver

  Result<void> add(const RankPlan& one) {
    std::map<Members, std::size_t> same;
    std::vector<std::pair<Members, std::size_t>> names;
    for (const ProcessGroup& group : one.plan->groups) {
      if (auto whole = check_members(one.rank, group); !whole) return whole;
      const Members members = group.ranks.empty() ? all_ : group.ranks;
      names.emplace_back(members, same[members]++);
    }
    for (const Exchange& exchange : one.plan->exchanges) {
      const CommKind kind = kind_of(exchange);
      if (kind == CommKind::coalesced) continue;
      if (is_message(kind)) {
        const auto peer = static_cast<std::uint32_t>(exchange.peer);
        if (kind == CommKind::send)
          ++sent_[{one.rank, peer}];
        else
          ++received_[{peer, one.rank}];
        continue;
      }
      const std::size_t size = names[exchange.group].first.size();
      for (const std::vector<std::int64_t>* split : {&exchange.in_split, &exchange.out_split}) {
        if (!split->empty() && split->size() != size)
          return fail(Errc::input_group, fmt::format("rank {}", one.rank),
                      fmt::format("begins a {} among {} ranks in a process group of {} ranks",
                                  exchange.kind, split->size(), size),
                      kHint);
      }
      std::vector<RankExchanges>& members = collectives_[names[exchange.group]];
      if (members.empty() || members.back().rank != one.rank) members.push_back({one.rank, {}});
      members.back().exchanges.push_back(&exchange);
    }
    return {};
  }

  [[nodiscard]] Result<void> check_members(std::uint32_t rank, const ProcessGroup& group) const {
    const std::string named =
        fmt::format("process group {} of rank {}", in_quotes(group.name), rank);
    for (const std::uint32_t member : group.ranks) {
      if (std::binary_search(all_.begin(), all_.end(), member)) continue;
      return fail(Errc::input_group, named,
                  fmt::format("contains rank {}, which is not replayed", member), kHint);
    }
    if (!group.ranks.empty() &&
        std::find(group.ranks.begin(), group.ranks.end(), rank) == group.ranks.end())
      return fail(Errc::input_group, named, "does not contain that rank", kHint);
    if (group.ranks.empty() && group.size > 0 &&
        static_cast<std::size_t>(group.size) != all_.size())
      return fail(
          Errc::input_group, named,
          fmt::format("has {} ranks, which the recording does not list, but {} ranks are replayed",
                      group.size, all_.size()),
          kHint);
    return {};
  }

  [[nodiscard]] static Result<void> check_group(const Members& group,
                                                const std::vector<RankExchanges>& members) {
    const RankExchanges& first = members.front();
    const auto no = [&](const RankExchanges& whose, std::string what) {
      return fail(Errc::input_mismatch, fmt::format("rank {}", whose.rank), std::move(what), kHint);
    };
    if (members.size() != group.size())
      return no(first, fmt::format("begins a {} with {} ranks, but only {} of them do",
                                   first.exchanges.front()->kind, group.size(), members.size()));
    for (const RankExchanges& other : members) {
      const std::size_t both = std::min(first.exchanges.size(), other.exchanges.size());
      for (std::size_t i = 0; i < both; ++i) {
        const auto [own, theirs] = difference(*other.exchanges[i], *first.exchanges[i]);
        if (own.empty()) continue;
        return no(other, fmt::format("its collective {} with {} ranks {}, but rank {}'s {}", i + 1,
                                     group.size(), own, first.rank, theirs));
      }
      if (first.exchanges.size() != other.exchanges.size())
        return no(other, fmt::format("has {} collectives with {} ranks, but rank {} has {}",
                                     other.exchanges.size(), group.size(), first.rank,
                                     first.exchanges.size()));
    }
    return {};
  }

  const std::vector<RankPlan>& ranks_;
  Members all_;
  std::map<std::pair<Members, std::size_t>, std::vector<RankExchanges>> collectives_;
  std::map<Pair, std::uint64_t> sent_, received_;
};

}  // namespace

Result<void> check_agreement(const std::vector<RankPlan>& ranks) {
  return Agreement(ranks).check();
}

}  // namespace orrery::bench
