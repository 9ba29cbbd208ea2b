// SPDX-License-Identifier: Apache-2.0
//
// Themis: which dimensions a chunk visits first, so that all dimensions carry the same load.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// What phases take in each logical dimension of a topology.
struct PhaseSpeeds {
  std::vector<double> bandwidths;  ///< bytes per second that leave a rank; empty: the dimensions'
  std::vector<double> latencies;   ///< picoseconds without bytes; empty: none
};

/// Greedy inter-dimension scheduling. Each chunk starts at the dimension with the least load so
/// far; all_gather, whose data grows on the way, ends there.
///
/// Load of a dimension: MiB it was asked to move, relative to the first dimension's bandwidth;
/// forgotten when a collective is issued at a new time. Where levelling the loads would take less
/// than a sixteenth of a chunk, the natural order is kept. The flexible variant makes each chunk
/// just large enough to level the loads, if that is a full chunk at least. Source: Themis (ISCA
/// 2022, arXiv 2110.04478) algorithm 1; the last two rules are ASTRA-sim's.
///
/// As coded in ASTRA-sim loads begin at 0 and are bytes only; as published they are times: a
/// dimension's begins at the latency of a phase there, and each phase adds that and what its bytes
/// take.
///
/// ASTRA rules keep two habits of that simulator: the natural order of all_gather is ascending, and
/// its loads are then booked on the mirrored dimensions.
class Themis {
 public:
  explicit Themis(const platform::Platform& platform);

  struct Decision {
    std::vector<std::uint8_t> order;  ///< logical dims as phases() wants them
    std::int64_t bytes = 0;           ///< the chunk's size
  };

  /// A collective is issued at `time`.
  void begin(std::int64_t time);

  /// The next chunk of a collective that is cut into chunks of `bytes` and of which `remaining`
  /// bytes are left. `flex` may choose another size. Latencies of `speeds`: as it was published
  /// (see above).
  [[nodiscard]] Decision next(graph::CollectiveType type, std::int64_t bytes,
                              std::int64_t remaining, const model::LogicalTopology& topology,
                              bool flex, const PhaseSpeeds& speeds = {});

  /// Goes on from where another has come to.
  void resume(const Themis& other) {
    issued_at_ = other.issued_at_;
    fresh_ = other.fresh_;
    loads_ = other.loads_;
  }

 private:
  struct Load {
    std::uint8_t dim = 0;
    double mebibytes = 0;
  };

  /// A topology, and how quick it is.
  struct TopologySpeeds {
    const model::LogicalTopology& topology;
    const PhaseSpeeds& speeds;
  };
  [[nodiscard]] double bandwidth(const TopologySpeeds& on, std::uint8_t dim) const;
  [[nodiscard]] double relative_bandwidth(const TopologySpeeds& on, std::uint8_t dim) const;
  [[nodiscard]] double as_mebibytes(const TopologySpeeds& on, std::uint8_t dim) const;
  [[nodiscard]] std::int64_t levelling_bytes(const std::vector<const Load*>& path, bool gather,
                                             const TopologySpeeds& on) const;
  void sort_naturally(bool gather);
  [[nodiscard]] std::int64_t charge(Load& load, std::uint8_t dim, std::int64_t bytes, bool gather,
                                    const TopologySpeeds& on) const;

  const platform::Platform& platform_;
  std::int64_t issued_at_ = 0;
  bool fresh_ = true;        // nothing is booked yet
  std::vector<Load> loads_;  // as sorted for the last chunk: equal loads keep their order
};

}  // namespace orrery::sim
