// SPDX-License-Identifier: Apache-2.0
//
// Stores graphs in a temporary file instead of in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// A temporary file for graphs. The file has no name, so that the system removes it when the
/// process ends, even after a crash. Graphs keep their part of the file mapped, so that the Spill
/// can be destroyed before them.
///
/// Graphs read the file through a memory map. The system loads pages on access and can evict them
/// at any time; Graph::release asks it to.
class Spill {
 public:
  /// Maps the file in regions of `map_bytes`, or more if one graph needs more. This is address
  /// space, not memory. Graphs share regions because a process can have only about 65,000 maps.
  /// Errc: output_failed if it cannot create a file in `folder`.
  [[nodiscard]] static Result<Spill> create(const std::string& folder,
                                            std::size_t map_bytes = std::size_t{1} << 30);
  Spill(Spill&& other) noexcept;
  Spill& operator=(Spill&& other) = delete;
  ~Spill();

  /// Writes the graph to the file and returns it, with the same string ids. It also writes all
  /// strings of the graph's pool: give each graph that you spill its own pool. Errc: output_failed.
  [[nodiscard]] Result<Graph> put(const Graph& graph);

  /// Length of the file in bytes.
  [[nodiscard]] std::uint64_t bytes() const { return end_; }

 private:
  struct Region;  // a mapped part of the file

  Spill(std::string folder, std::size_t map_bytes, int file)
      : folder_(std::move(folder)), map_bytes_(map_bytes), file_(file) {}
  [[nodiscard]] Result<void> write(std::uint64_t offset, const void* bytes, std::size_t size);
  /// Address of the bytes [begin, begin + size) of the file, in a map.
  [[nodiscard]] Result<std::shared_ptr<const std::byte>> map(std::uint64_t begin, std::size_t size);

  std::string folder_;
  std::size_t map_bytes_;
  int file_;
  std::uint64_t end_ = 0;
  std::shared_ptr<const Region> region_;  // the last region; put() uses it as long as graphs fit
};

}  // namespace orrery::graph
