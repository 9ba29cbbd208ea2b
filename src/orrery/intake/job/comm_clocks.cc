// SPDX-License-Identifier: Apache-2.0
//
// Finds which communications of a rank wait for which others, from the dependencies of all nodes.
#include <algorithm>
#include <map>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

using profile::Dependencies;
using profile::kNone;
using Seen = std::vector<std::uint32_t>;

/// Maximum number of chains; further ones are merged.
constexpr std::uint32_t kChains = 64;

bool includes(const Seen& big, const Seen& small) {
  if (small.size() > big.size()) return false;
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (small[i] > big[i]) return false;
  }
  return true;
}

void merge_into(Seen& into, const Seen& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

class Chains {
 public:
  Chains(const Dependencies& dependencies, const std::vector<CommNode>& comms)
      : dependencies_(dependencies), seen_of_(dependencies.nodes.size(), kUnknown) {
    for (const CommNode& comm : comms) comms_at_[comm.node].push_back(comm);
    pool_.emplace_back();  // waits for nothing
  }

  std::vector<CommClock> run() {
    for (std::uint32_t node = 0; node < seen_of_.size(); ++node) visit(node);
    for (CommClock& clock : clocks_)
      clock.on_merged_chain = has_merged_chain_ && clock.chain + 1 == kChains;
    std::sort(clocks_.begin(), clocks_.end(),
              [](const CommClock& a, const CommClock& b) { return a.node < b.node; });
    return std::move(clocks_);
  }

 private:
  static constexpr std::uint32_t kUnknown = kNone;
  static constexpr std::uint32_t kBusy = kNone - 1;

  /// Depth-first search without recursion: finishes a node after all its dependencies. In a circle
  /// (there should be none) one dependency is ignored.
  void visit(std::uint32_t root) {
    if (seen_of_[root] != kUnknown) return;
    struct Frame {
      std::uint32_t node;
      std::size_t next;
    };
    std::vector<Frame> stack = {{root, 0}};
    seen_of_[root] = kBusy;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const auto before = dependencies_.of(top.node);
      if (top.next == before.size()) {
        finish(top.node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t from = dependencies_.node_of[before[top.next++].from];
      if (from == kNone || seen_of_[from] != kUnknown) continue;
      seen_of_[from] = kBusy;
      stack.push_back({from, 0});
    }
  }

  void finish(std::uint32_t node) {
    std::uint32_t seen = 0;
    for (const profile::Dependency& edge : dependencies_.of(node)) {
      const std::uint32_t from = dependencies_.node_of[edge.from];
      if (from == kNone || seen_of_[from] == kBusy) continue;
      seen = united(seen, seen_of_[from]);
    }
    const auto here = comms_at_.find(node);
    if (here != comms_at_.end()) {
      std::uint32_t with_queued = seen;
      for (const CommNode& comm : here->second) {
        if (comm.queued) {
          with_queued = united(with_queued, add(comm.id, seen));
        } else {
          with_queued = add(comm.id, with_queued);
        }
      }
      seen = with_queued;
    }
    seen_of_[node] = seen;
  }

  /// Union of both sets; most nodes have the set of one of their dependencies.
  std::uint32_t united(std::uint32_t a, std::uint32_t b) {
    if (a == b || includes(pool_[a], pool_[b])) return a;
    if (includes(pool_[b], pool_[a])) return b;
    Seen merged = pool_[a];
    merge_into(merged, pool_[b]);
    pool_.push_back(std::move(merged));
    return static_cast<std::uint32_t>(pool_.size() - 1);
  }

  /// Adds a communication that waits for the set `before`; returns the set that includes it.
  std::uint32_t add(std::uint64_t id, std::uint32_t before) {
    CommClock clock;
    clock.node = id;
    clock.seen = pool_[before];
    std::uint32_t chain = 0;
    for (; chain < lengths_.size(); ++chain) {
      if (chain < clock.seen.size() && clock.seen[chain] == lengths_[chain]) break;
    }
    if (chain == lengths_.size() && chain < kChains) lengths_.push_back(0);
    if (chain == kChains) {  // then it waits for the last one of the merged chain
      --chain;
      if (clock.seen.size() <= chain) clock.seen.resize(chain + 1, 0);
      clock.seen[chain] = lengths_[chain];
      has_merged_chain_ = true;
    }
    clock.chain = chain;
    clock.position = lengths_[chain]++;
    Seen including = clock.seen;
    if (including.size() <= chain) including.resize(chain + 1, 0);
    including[chain] = clock.position + 1;
    clocks_.push_back(std::move(clock));
    pool_.push_back(std::move(including));
    return static_cast<std::uint32_t>(pool_.size() - 1);
  }

  const Dependencies& dependencies_;
  std::vector<std::uint32_t> seen_of_;  // per node: index in pool_
  std::vector<Seen> pool_;
  std::map<std::uint32_t, std::vector<CommNode>> comms_at_;
  std::vector<std::uint32_t> lengths_;  // length per chain
  std::vector<CommClock> clocks_;
  bool has_merged_chain_ = false;
};

}  // namespace

std::vector<CommClock> clocks_of(const Dependencies& dependencies,
                                 const std::vector<CommNode>& comms) {
  if (comms.empty()) return {};
  return Chains(dependencies, comms).run();
}

}  // namespace orrery::intake
