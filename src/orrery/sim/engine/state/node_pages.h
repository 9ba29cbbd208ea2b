// SPDX-License-Identifier: Apache-2.0
//
// What a run knows of each node, for as long as it needs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// By rank and node: how many dependencies are not done yet, and when it ran. Nodes come in pages
/// of 1,024. A page is made when one of its nodes is first touched and goes when all of them have
/// ended; so a run holds the nodes around its front, however many there are. Spilled graphs are
/// told to release what has been passed.
///
/// One thread at a time.
class NodePages {
 public:
  static constexpr std::uint32_t kShift = 10;
  static constexpr std::uint32_t kPage = 1u << kShift;

  /// Ranks are numbered from 0 as they are added. `graph` must outlive this.
  void add(const graph::Graph& graph);

  /// One of those that `node` waits for has ended. True: that was the last one.
  [[nodiscard]] bool satisfy(std::uint32_t rank, graph::NodeId node) {
    const std::size_t page = page_of(rank, node);
    if (!waits_[page]) make(rank, page);
    return --waits_[page][node % kPage] == 0;
  }
  /// When it ran. Stays where it is as long as its page does. The page must not have ended.
  [[nodiscard]] NodeTimes& times(std::uint32_t rank, graph::NodeId node) {
    const std::size_t page = page_of(rank, node);
    if (!times_[page]) make(rank, page);
    return times_[page][node % kPage];
  }
  /// The same, as if it had never begun where nothing is known (any more).
  [[nodiscard]] NodeTimes known(std::uint32_t rank, graph::NodeId node) const {
    const std::size_t page = page_of(rank, node);
    return times_[page] ? times_[page][node % kPage] : NodeTimes{};
  }
  /// `node` has ended; to be said once, last of all. Its times may be gone then.
  void end(std::uint32_t rank, graph::NodeId node) {
    const std::size_t page = page_of(rank, node);
    if (left_[page] == kNotBegun) make(rank, page);
    if (--left_[page] == 0) drop(rank, page);
  }

  /// Bytes of memory at present.
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
    std::uint64_t ranks = 0;  // that share it
    std::uint64_t ended = 0;  // pages, over all of them
  };

  [[nodiscard]] std::size_t page_of(std::uint32_t rank, graph::NodeId node) const {
    return ranks_[rank].first_page + (node >> kShift);
  }
  /// How many nodes the page has.
  [[nodiscard]] std::uint32_t size_of(std::uint32_t rank, std::size_t page) const;
  template <class T>
  [[nodiscard]] std::unique_ptr<T[]> take(std::uint32_t size,
                                          std::vector<std::unique_ptr<T[]>>& spare);
  template <class T>
  void give_back(std::unique_ptr<T[]>& array, std::uint32_t size,
                 std::vector<std::unique_ptr<T[]>>& spare);
  void make(std::uint32_t rank, std::size_t page);
  void drop(std::uint32_t rank, std::size_t page);
  void pass(Spilled& spilled);

  std::vector<Rank> ranks_;
  std::vector<Spilled> spilled_;
  std::unordered_map<const graph::Graph*, std::uint32_t> spilled_number_;
  // By page.
  std::vector<std::unique_ptr<std::uint32_t[]>> waits_;
  std::vector<std::unique_ptr<NodeTimes[]>> times_;
  std::vector<std::uint16_t> left_;  // nodes that have not ended
  // Pages of full size that have ended, for the next ones.
  std::vector<std::unique_ptr<std::uint32_t[]>> spare_waits_;
  std::vector<std::unique_ptr<NodeTimes[]>> spare_times_;
  std::size_t array_bytes_ = 0;  // of both kinds, spare ones too
};

}  // namespace orrery::sim
