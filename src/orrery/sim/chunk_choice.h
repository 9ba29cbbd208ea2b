// SPDX-License-Identifier: Apache-2.0
//
// What was chosen for the chunks of a collective: plain data, which needs no model.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::sim {

/// For collectives of one type and size among groups of one extent, where a model chooses.
struct ChunkChoice {
  /// Chunks that visit the machine's dimensions in one order.
  struct Share {
    std::vector<std::uint32_t> order;  ///< of an all-reduce: until all is reduced
    std::uint32_t chunks = 0;

    friend bool operator==(const Share&, const Share&) = default;
  };
  std::string type;  ///< "all_reduce" …
  Bytes bytes{};     ///< the whole buffer
  std::uint32_t members = 0;
  std::vector<std::uint32_t> dims;  ///< that the group is spread over
  std::uint32_t chunks = 0;
  std::string from;                  ///< who found the orders: "natural", "themis", "search" …
  std::vector<Share> shares;         ///< most chunks first
  Time time{};                       ///< by the model of chunks, alone on the machine
  Time bound{};                      ///< no orders and no number of chunks take less; 0: not known
  std::vector<std::uint32_t> binds;  ///< dimensions whose work that is; empty: a chunk's way
  std::string cut;                   ///< on fabrics: what binds instead, in words

  [[nodiscard]] auto key() const { return std::tie(type, bytes, members, dims, chunks, from); }
  friend bool operator==(const ChunkChoice&, const ChunkChoice&) = default;
};

}  // namespace orrery::sim
