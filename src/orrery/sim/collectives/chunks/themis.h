// SPDX-License-Identifier: Apache-2.0
//
// Themis: chooses which dimensions a chunk visits first, so that all dimensions carry the same
// load.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// Speeds of phases in each logical dimension of a topology.
struct PhaseSpeeds {
  std::vector<double> bandwidths;  ///< bytes/s that a rank sends; empty: of its links
  std::vector<double> latencies;   ///< picoseconds of a phase without bytes; empty: 0
};

/// Greedy inter-dimension scheduling. Each chunk starts at the dimension with the least load; an
/// all_gather, whose data grows on the way, ends there.
///
/// Load of a dimension: MiB assigned to it, relative to the first dimension's bandwidth. The loads
/// are reset when a collective is issued at a new time. If less than a sixteenth of a chunk would
/// level the loads, the natural order applies. The flexible variant makes each chunk just large
/// enough to level the loads, provided that this is at least a full chunk. Source: Themis (ISCA
/// 2022, arXiv 2110.04478) algorithm 1; the last two rules are ASTRA-sim's.
///
/// In ASTRA-sim's code, loads begin at 0 and count bytes only. In the publication, they are times:
/// the load of a dimension begins at the latency of a phase there, and each phase adds this latency
/// and the time of its bytes.
///
/// ASTRA rules preserve two behaviors of that simulator: the natural order of all_gather is
/// ascending, and its loads are then added to the mirrored dimensions.
class Themis {
 public:
  explicit Themis(const platform::Platform& platform);

  struct Decision {
    std::vector<std::uint8_t> order;  ///< logical dimensions in the order of model::phases()
    std::int64_t bytes = 0;           ///< the chunk's size
  };

  /// A collective is issued at `time`.
  void begin(std::int64_t time);

  /// The next chunk of a collective with chunks of `bytes`, of which `remaining` bytes are not
  /// scheduled yet. With `flex`, the chunk can have another size. `speeds` with latencies: the
  /// published variant (see above).
  [[nodiscard]] Decision next(graph::CollectiveType type, std::int64_t bytes,
                              std::int64_t remaining, const model::LogicalTopology& topology,
                              bool flex, const PhaseSpeeds& speeds = {});

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [platform, issued_at, has_no_loads, loads] = self;
    return std::tie(issued_at, has_no_loads, loads);
  }
  /// Continues from the state of `other`.
  void resume(const Themis& other) { fields(*this) = fields(other); }

 private:
  struct Load {
    std::uint8_t dim = 0;
    double mebibytes = 0;
  };

  /// A topology and its speeds.
  struct TopologySpeeds {
    const model::LogicalTopology& topology;
    const PhaseSpeeds& speeds;
  };
  [[nodiscard]] double bandwidth(const TopologySpeeds& on, std::uint8_t dim) const;
  [[nodiscard]] double relative_bandwidth(const TopologySpeeds& on, std::uint8_t dim) const;
  [[nodiscard]] double latency_mebibytes(const TopologySpeeds& on, std::uint8_t dim) const;
  [[nodiscard]] std::int64_t levelling_bytes(const std::vector<const Load*>& path, bool gather,
                                             const TopologySpeeds& on) const;
  void sort_naturally(bool gather);
  [[nodiscard]] std::int64_t charge(Load& load, std::uint8_t dim, std::int64_t bytes, bool gather,
                                    const TopologySpeeds& on) const;

  const platform::Platform& platform_;
  std::int64_t issued_at_ = 0;
  bool has_no_loads_ = true;  // no load has been added yet
  std::vector<Load> loads_;   // in the order of the last chunk; equal loads keep it
};

}  // namespace orrery::sim
