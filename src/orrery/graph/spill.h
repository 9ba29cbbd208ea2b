// SPDX-License-Identifier: Apache-2.0
//
// Graphs in a temporary file instead of in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// A temporary file that graphs are moved to, one after another. The file has no name: whatever
/// happens, nothing of it stays behind. Graphs keep what they need of it; the Spill itself may go
/// first.
///
/// A spilled graph is read through a map of the file. The system brings in what is read and may
/// take it back at any time; Graph::release tells it when.
class Spill {
 public:
  /// `map_bytes` are mapped at a time, or as many as one graph needs. That is address space, not
  /// memory; a process can have some 65,000 maps, which is why graphs share them.
  /// Errc: output_failed, when no file can be made in `folder`.
  [[nodiscard]] static Result<Spill> create(const std::string& folder,
                                            std::size_t map_bytes = std::size_t{1} << 30);
  Spill(Spill&& other) noexcept;
  Spill& operator=(Spill&& other) = delete;
  ~Spill();

  /// The same graph in the file, with the same ids of strings. All strings of its pool go along:
  /// let graphs that are to be spilled have pools of their own. Errc: output_failed.
  [[nodiscard]] Result<Graph> put(const Graph& graph);

  /// The file's length.
  [[nodiscard]] std::uint64_t bytes() const { return end_; }

 private:
  struct Region;  // a part of the file, mapped

  Spill(std::string folder, std::size_t map_bytes, int file)
      : folder_(std::move(folder)), map_bytes_(map_bytes), file_(file) {}
  [[nodiscard]] Result<void> write(std::uint64_t offset, const void* bytes, std::size_t size);
  /// Where the file's bytes from `begin` on, `size` of them, are to be seen.
  [[nodiscard]] Result<std::shared_ptr<const std::byte>> map(std::uint64_t begin, std::size_t size);

  std::string folder_;
  std::size_t map_bytes_;
  int file_;
  std::uint64_t end_ = 0;
  std::shared_ptr<const Region> region_;  // the last one; graphs go there as long as they fit
};

}  // namespace orrery::graph
