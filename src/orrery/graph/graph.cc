// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/graph.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "orrery/core/check.h"
#include "orrery/core/enum_names.h"
#include "orrery/graph/columns.h"
#include "orrery/graph/content_hash.h"

namespace orrery::graph {

std::string_view name(NodeKind kind) {
  constexpr auto kNames = enumerator_names<NodeKind::coll>(
      "invalid", "metadata", "mem_load", "mem_store", "comp", "send", "recv", "coll");
  return kNames[static_cast<std::size_t>(kind)];
}

Bytes PointToPoint::share_of(Bytes buffer) const {
  if (pieces == 0 || buffer.count() <= 0) return Bytes(0);
  __extension__ using Wide = __int128;
  const Wide end = Wide{first_piece()} + piece_count();
  const Wide bytes = end * buffer.count() / pieces - Wide{first_piece()} * buffer.count() / pieces;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return Bytes(bytes > kMost ? kMost : static_cast<std::int64_t>(bytes));
}

Bytes full_buffer(CollectiveType type, Bytes stated, std::uint64_t members) {
  if (type != CollectiveType::all_gather || members <= 1 || stated.count() <= 0) return stated;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto count = static_cast<std::int64_t>(std::min<std::uint64_t>(members, kMost));
  return stated.count() > kMost / count ? Bytes(kMost) : Bytes(stated.count() * count);
}

std::uint32_t Graph::edge(NodeId from, NodeId to) const {
  return successor_index(successors(from), to);
}

NodeId Graph::find(std::uint64_t wanted) const {
  NodeId low = 0;
  NodeId high = size();
  if (high == 0 || wanted < id(0) || wanted > id(high - 1)) return kNoNode;
  while (low < high) {
    const NodeId middle = low + (high - low) / 2;
    if (id(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return id(low) == wanted ? low : kNoNode;
}

std::span<const TensorUse> Graph::tensors(NodeId n) const {
  const auto found =
      std::lower_bound(columns_.tensor_nodes.begin(), columns_.tensor_nodes.end(), n);
  if (found == columns_.tensor_nodes.end() || *found != n) return {};
  const auto row = static_cast<std::size_t>(found - columns_.tensor_nodes.begin());
  return {columns_.tensors.data() + columns_.first_tensor[row],
          columns_.first_tensor[row + 1] - columns_.first_tensor[row]};
}

std::string_view Graph::spilled_string(StringId id) const {
  const auto place = static_cast<std::size_t>(id);
  if (place >= string_ends_.size()) return {};
  const std::uint64_t begin = place == 0 ? 0 : string_ends_[place - 1];
  return {string_text_.data() + begin, string_ends_[place] - begin};
}

void Graph::take(Columns<GrowingColumn>&& columns) {
  block_bytes_ = 0;
  pair_columns(columns, columns_, [this](auto& from, auto&) {
    block_bytes_ = align_up(block_bytes_) + from.size() * sizeof(from[0]);
  });
  const auto block = std::shared_ptr<std::byte[]>(new std::byte[block_bytes_]);
  std::size_t at = 0;
  pair_columns(columns, columns_, [&](auto& from, auto& to) {
    at = align_up(at);
    to = copy_column(from, block.get() + at);
    at += to.size_bytes();
    from = {};  // frees each column after its copy, so that never two copies of all exist
  });
  block_ = std::shared_ptr<const std::byte>(block, block.get());
}

Graph Graph::with_durations(const std::vector<Time>& durations) const {
  Graph changed = *this;
  ContentHash hash;
  hash.add(content_hash_);
  for (const Time time : durations) hash.add(static_cast<std::uint64_t>(time.count()));
  changed.content_hash_ = hash.value();
  if (spilled()) {
    struct SpilledWithDurations {
      std::shared_ptr<const std::byte> block;
      std::vector<Time> durations;
    };
    const auto retained =
        std::make_shared<const SpilledWithDurations>(SpilledWithDurations{block_, durations});
    changed.columns_.durations = retained->durations;
    changed.block_ = std::shared_ptr<const std::byte>(retained, block_.get());
    return changed;
  }
  const auto block = std::shared_ptr<std::byte[]>(new std::byte[block_bytes_]);
  std::memcpy(block.get(), block_.get(), block_bytes_);
  auto* const times =
      block.get() + (reinterpret_cast<const std::byte*>(columns_.durations.data()) - block_.get());
  std::memcpy(times, durations.data(), columns_.durations.size_bytes());
  pair_columns(columns_, changed.columns_,
               [&](auto& from, auto& to) { to = rebase_column(from, block_.get(), block.get()); });
  changed.block_ = std::shared_ptr<const std::byte>(block, block.get());
  return changed;
}

Graph Graph::with_times(const std::vector<Time>& durations, const std::vector<Time>& lags) const {
  ORRERY_CHECK(!spilled() && lags.size() == columns_.lags.size());
  Graph changed = with_durations(durations);
  ContentHash hash;
  hash.add(changed.content_hash_);
  for (const Time time : lags) hash.add(static_cast<std::uint64_t>(time.count()));
  changed.content_hash_ = hash.value();
  // The block was just created for this graph and is not shared yet.
  std::memcpy(const_cast<Time*>(changed.columns_.lags.data()), lags.data(),
              columns_.lags.size_bytes());
  return changed;
}

void Graph::release() const {
  // Only a hint: if it fails, the system evicts the pages when it needs memory.
  if (spilled() && block_bytes_ > 0)
    (void)::madvise(const_cast<std::byte*>(block_.get()), block_bytes_, MADV_DONTNEED);
}

}  // namespace orrery::graph
