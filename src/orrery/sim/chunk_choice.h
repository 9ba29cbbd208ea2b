// SPDX-License-Identifier: Apache-2.0
//
// The choice of chunks of a collective: plain data that needs no model.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::sim {

/// The choice for collectives of one type and size among groups of one extent, where a model
/// chooses.
struct ChunkChoice {
  /// Chunks that visit the machine's dimensions in one order.
  struct Share {
    std::vector<std::uint32_t> order;  ///< of an all-reduce: order of its reduce-scatter phases
    std::uint32_t chunks = 0;

    friend bool operator==(const Share&, const Share&) = default;
  };
  std::string type;  ///< "all_reduce" …
  Bytes bytes{};     ///< the full buffer
  std::uint32_t members = 0;
  std::vector<std::uint32_t> dims;  ///< dimensions that the group spans
  std::uint32_t chunks = 0;
  std::string method;         ///< method that found the orders: "natural", "themis", "search" …
  std::vector<Share> shares;  ///< most chunks first
  Time time{};                ///< predicted by the model of chunks, without other traffic
  Time bound{};               ///< lower bound over all orders and numbers of chunks; 0: unknown
  std::vector<std::uint32_t> limiting_dims;  ///< dimensions that set it; empty: one chunk's phases
  std::string limit_text;  ///< on fabrics: the limit in words, instead of `limiting_dims`

  [[nodiscard]] auto key() const { return std::tie(type, bytes, members, dims, chunks, method); }
  friend bool operator==(const ChunkChoice&, const ChunkChoice&) = default;
};

}  // namespace orrery::sim
