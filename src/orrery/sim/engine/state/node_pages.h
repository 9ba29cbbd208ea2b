// SPDX-License-Identifier: Apache-2.0
//
// The state of each node during a run, stored only while needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/graph/graph.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Stores the number of pending dependencies and the start and end of each node, by rank. A page of
/// 1,024 nodes is created when one of its nodes is first accessed, and freed when all of them have
/// ended. So memory depends on the active nodes, not on the number of nodes. Also tells spilled
/// graphs to release pages that have ended.
///
/// Not thread-safe.
class NodePages {
 public:
  static constexpr std::uint32_t kShift = 10;
  static constexpr std::uint32_t kPage = 1u << kShift;

  /// Adds the next rank, numbered from 0. `graph` must outlive this object.
  void add(const graph::Graph& graph);

  /// One dependency of `node` has ended. Returns true if it was the last one.
  [[nodiscard]] bool satisfy(std::uint32_t rank, graph::NodeId node) {
    const std::size_t page = page_of(rank, node);
    if (!waits_[page]) make_page(rank, page);
    return --waits_[page][node % kPage] == 0;
  }
  /// Start and end of `node`. The reference is valid as long as its page. The page must not have
  /// ended.
  [[nodiscard]] NodeTimes& times(std::uint32_t rank, graph::NodeId node) {
    const std::size_t page = page_of(rank, node);
    if (!times_[page]) make_page(rank, page);
    return times_[page][node % kPage];
  }
  /// The same; default values if they are not stored (any more).
  [[nodiscard]] NodeTimes known(std::uint32_t rank, graph::NodeId node) const {
    const std::size_t page = page_of(rank, node);
    return times_[page] ? times_[page][node % kPage] : NodeTimes{};
  }
  /// `node` has ended. Call it once, after all other calls for the node; its times can be gone
  /// then.
  void end(std::uint32_t rank, graph::NodeId node) {
    const std::size_t page = page_of(rank, node);
    if (pending_[page] == kNotBegun) make_page(rank, page);
    if (--pending_[page] == 0) free_page(rank, page);
  }

  /// For checkpoints. The same ranks have been added before load().
  void save(StateWriter& to) const;
  void load(StateReader& from);

  /// Current memory in bytes.
  [[nodiscard]] std::size_t resident_bytes() const;

 private:
  static constexpr std::uint16_t kNotBegun = 0xFFFF;
  static constexpr std::uint32_t kInMemory = ~0u;

  struct Rank {
    const graph::Graph* graph = nullptr;
    std::size_t first_page = 0;
    std::uint32_t spilled = kInMemory;
  };
  struct Spilled {  // a graph in a file
    const graph::Graph* graph = nullptr;
    std::uint64_t ranks = 0;  // that share the graph
    std::uint64_t ended = 0;  // pages, over all of them
  };

  [[nodiscard]] std::size_t page_of(std::uint32_t rank, graph::NodeId node) const {
    return ranks_[rank].first_page + (node >> kShift);
  }
  /// Number of nodes in the page.
  [[nodiscard]] std::uint32_t size_of(std::uint32_t rank, std::size_t page) const;
  template <class T>
  [[nodiscard]] std::unique_ptr<T[]> take_array(std::uint32_t size,
                                                std::vector<std::unique_ptr<T[]>>& spare);
  template <class T>
  void return_array(std::unique_ptr<T[]>& array, std::uint32_t size,
                    std::vector<std::unique_ptr<T[]>>& spare);
  void make_page(std::uint32_t rank, std::size_t page);
  void free_page(std::uint32_t rank, std::size_t page);
  void count_ended(Spilled& spilled);

  std::vector<Rank> ranks_;
  std::vector<Spilled> spilled_;
  std::unordered_map<const graph::Graph*, std::uint32_t> spilled_number_;
  // By page.
  std::vector<std::unique_ptr<std::uint32_t[]>> waits_;
  std::vector<std::unique_ptr<NodeTimes[]>> times_;
  std::vector<std::uint16_t> pending_;  // nodes that have not ended
  // Ended pages of full size, for reuse.
  std::vector<std::unique_ptr<std::uint32_t[]>> spare_waits_;
  std::vector<std::unique_ptr<NodeTimes[]>> spare_times_;
  std::size_t array_bytes_ = 0;  // of both kinds, including spare ones
};

}  // namespace orrery::sim
