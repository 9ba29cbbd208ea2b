// SPDX-License-Identifier: Apache-2.0
//
// Themis: which dimensions a chunk visits first, so that all dimensions carry the same load.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/collective/plan.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// Greedy inter-dimension scheduling. Each chunk starts at the dimension with the least load so far.
///
/// Load of a dimension: MiB it was asked to move, relative to dimension 0's bandwidth; forgotten when a collective is
/// issued at a new time. Source: Themis (ISCA 2022, arXiv 2110.04478) algorithm 1, with the robustness rule of its
/// authors' implementation (no re-ordering for a gap smaller than a sixteenth of a chunk).
class Themis {
 public:
  explicit Themis(const platform::Platform& platform);

  struct Decision {
    std::vector<std::uint8_t> order;  ///< logical dims as phases() wants them
    std::int64_t bytes = 0;           ///< the chunk's size
  };

  /// The order for the next chunk of `bytes` of a collective issued at `time`. `flex` may choose another size up to
  /// `remaining`.
  [[nodiscard]] Decision next(graph::CollectiveType type, std::int64_t bytes, std::int64_t remaining,
                              const model::LogicalTopology& topology, std::int64_t time, bool flex);

 private:
  [[nodiscard]] double relative_bandwidth(const model::LogicalDim& dim) const;
  void charge(const std::vector<std::uint8_t>& order, bool gather, double mebibytes, const model::LogicalTopology& topology);

  const platform::Platform& platform_;
  std::int64_t issued_at_ = -1;
  std::vector<double> load_;  // by physical dimension
};

}  // namespace orrery::sim
