// SPDX-License-Identifier: Apache-2.0
#include "orrery/record/equal_times.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace orrery::record {

EqualTimes::EqualTimes(const RecordingSource& source)
    : source_(source), same_as_(source.workload.rank_count()), is_shared_(same_as_.size()) {
  std::iota(same_as_.begin(), same_as_.end(), 0u);
  if (!source.recording.class_of.empty()) return;
  find_tiles();
  std::vector<std::uint64_t> hashes(same_as_.size());
  for (const Tile& tile : tiles_) hash(tile, hashes);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> first;  // by graph and hash
  for (std::uint32_t rank = 0; rank < same_as_.size(); ++rank) {
    const std::pair key(source.workload.graph_of_rank[rank], hashes[rank]);
    same_as_[rank] = first.try_emplace(key, rank).first->second;
  }
  for (const Tile& tile : tiles_) verify(tile);
  for (std::uint32_t rank = 0; rank < same_as_.size(); ++rank)
    if (same_as_[rank] != rank) is_shared_[same_as_[rank]] = true;
}

void EqualTimes::find_tiles() {
  const auto& nodes_of = source_.recording.nodes_of;
  std::vector<std::uint32_t> ranks(same_as_);
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    return nodes_of[a].first < nodes_of[b].first;
  };
  std::sort(ranks.begin(), ranks.end(), earlier);
  for (const std::uint32_t rank : ranks) {
    const sim::Recording::NodeIndices& nodes = nodes_of[rank];
    const bool beside = !tiles_.empty() && tiles_.back().ranks.size() < tiles_.back().step &&
                        nodes.first == tiles_.back().first + tiles_.back().ranks.size();
    if (!beside)
      tiles_.push_back({{}, nodes.first, nodes.step, source_.workload.graph(rank).size()});
    tiles_.back().ranks.push_back(rank);
  }
}

void EqualTimes::hash(const Tile& tile, std::vector<std::uint64_t>& hashes) const {
  std::vector<std::uint64_t> made(tile.ranks.size());
  for (std::uint32_t node = 0; node < tile.nodes; ++node) {
    const sim::NodeTimes* const times =
        source_.recording.times.data() + tile.first + node * tile.step;
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = (made[i] ^ static_cast<std::uint64_t>(times[i].end)) * 0x9e3779b97f4a7c15u;
  }
  for (std::size_t i = 0; i < made.size(); ++i) hashes[tile.ranks[i]] = made[i];
}

// Ranks with equal hashes and other times are not the same: they stay alone.
void EqualTimes::verify(const Tile& tile) {
  const sim::Recording& recording = source_.recording;
  struct Pair {
    std::uint32_t rank = 0;
    const sim::NodeTimes* mine = nullptr;
    const sim::NodeTimes* other = nullptr;
    std::size_t step = 0;  // of the other
    bool equal = true;
  };
  std::vector<Pair> pairs;
  for (const std::uint32_t rank : tile.ranks) {
    const std::uint32_t other = same_as_[rank];
    if (other == rank) continue;
    pairs.push_back({rank, recording.times.data() + recording.index(rank, 0),
                     recording.times.data() + recording.index(other, 0),
                     recording.nodes_of[other].step});
  }
  for (std::uint32_t node = 0; node < tile.nodes; ++node) {
    for (Pair& pair : pairs) {
      const sim::NodeTimes &a = *pair.mine, &b = *pair.other;
      const bool same = a.start == b.start && a.end == b.end && a.released_by == b.released_by;
      pair.equal = pair.equal && same;
      pair.mine += tile.step;
      pair.other += pair.step;
    }
  }
  for (const Pair& pair : pairs)
    if (!pair.equal) same_as_[pair.rank] = pair.rank;
}

}  // namespace orrery::record
