// SPDX-License-Identifier: Apache-2.0
//
// What a collective takes when a library (NCCL, RCCL) runs it: the library's own cost model, put
// right by what was measured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/model/collective/curves/curve_file.h"
#include "orrery/model/collective/nccl/channels.h"
#include "orrery/model/collective/nccl/tuner_file.h"
#include "orrery/model/time_estimate.h"

namespace orrery::model {

/// How an answer came about.
enum class LibrarySource : std::uint8_t {
  cost_model,  ///< the library's own, or for exchanges links and latencies: nothing was measured
  scaled,      ///< the cost model times measured / cost model of other sizes or groups
  measured,    ///< a curve of this very machine and number of ranks
};

/// "cost model", "scaled", "measured".
[[nodiscard]] std::string_view name(LibrarySource source);

struct LibraryEstimate {
  Time time{};
  LibrarySource source = LibrarySource::cost_model;
  std::optional<nccl::Choice> choice;  ///< empty for exchanges, which have no choice
  std::optional<ErrorBand> band;       ///< empty: not known
  bool extrapolated = false;  ///< sizes, groups or a kind that nothing measured is on both sides of

  friend bool operator==(const LibraryEstimate&, const LibraryEstimate&) = default;
};

/// A library on one machine.
///
/// time = base * r, where base is what the library's cost model says of its choice (for all-to-all,
/// whose pieces it does not choose for: latency and bytes over the slower of links and network) and
/// r is measured / base of the same size on the machines that were measured. Within a node r is
/// interpolated over log2(ranks) between the two measured counts on either side, between nodes over
/// log2(nodes); beyond the last it is that one's. So NCCL's formulas carry what was measured to
/// groups that were not, and where nothing was, they stand alone (r = 1).
///
/// With slower cards than those measured, time = max(base, base with their cards * r), r > 1: what
/// hosts lose is lost beside cards, not in them. Eight A100s with cards of 8 x 200 Gb/s reached 125
/// GB/s (r = 1.5); with 4 x 200 Gb/s they reach 84 to 96 of 100 GB/s (NVIDIA/nccl-tests issue 119,
/// three nodes; NVIDIA/nccl issue 1048, two), which NCCL's formulas say, and not 64.
///
/// Why not the formulas alone: they are made for choosing, and are 20 to 40 % fast between 1 and
/// 64 MB, as measured on A100 and H100 (docs/collectives.md).
class LibraryTimes {
 public:
  /// `device`: of the catalogue, for its built-in curves, and of what it has none those of a device
  /// of the same architecture and links; `own`: curves of the user's machine, which come before
  /// built-in ones of the same collective.
  LibraryTimes(const nccl::Hardware& hardware, const std::string& device,
               std::vector<MeasuredCollective> own = {}, nccl::Chooser chooser = {});

  /// What `bytes` (the whole buffer, as nccl-tests counts it) take a group of that shape, from when
  /// the last rank has begun. Not negative; 0 for a group of one. Tokens on their way to experts
  /// take what their own library takes (`exchange`, see deepep::exchange_time).
  [[nodiscard]] LibraryEstimate operator()(graph::CollectiveType type, std::int64_t bytes,
                                           const nccl::Shape& shape,
                                           const graph::ExpertExchange& exchange = {}) const;

  /// Whether settings leave an algorithm and a protocol that can run it.
  [[nodiscard]] bool runs(graph::CollectiveType type, std::int64_t bytes,
                          const nccl::Shape& shape) const;
  /// SMs that it holds on each device while it runs: one for each channel (all-to-all: as many as a
  /// ring has), or those of the kernels that carry tokens (0 for low latency, which leaves them to
  /// others while bytes are on their way).
  [[nodiscard]] std::int32_t sms(graph::CollectiveType type, std::int64_t bytes,
                                 const nccl::Shape& shape,
                                 const graph::ExpertExchange& exchange) const;
  /// The same where a member's links or card have only that share of their bandwidth left.
  [[nodiscard]] Time slowed(graph::CollectiveType type, std::int64_t bytes,
                            const nccl::Shape& shape, double inside, double between,
                            const graph::ExpertExchange& exchange = {}) const;

  /// The same library in steps, where kernels beside them make its collectives so many times as
  /// long.
  [[nodiscard]] LibraryTimes in_steps(double factor) const;

  /// How many times as long as told collectives of such groups really take.
  using Factor = std::function<double(graph::CollectiveType, const nccl::Shape&,
                                      const LibraryEstimate& predicted)>;
  /// The same library where it is wrong by so much: a truth to hold bands against.
  [[nodiscard]] LibraryTimes with_error(Factor factor) const;

  [[nodiscard]] const nccl::Hardware& hardware() const { return hardware_; }
  /// The curves that answers stand on.
  [[nodiscard]] const std::vector<MeasuredCollective>& curves() const { return curves_; }

 private:
  struct Base {
    double us = 0;
    std::optional<nccl::Choice> choice;
  };
  struct MeasuredRatio {  // measured / base, as a binary logarithm
    double log = 0;
    LibrarySource source = LibrarySource::cost_model;
    std::optional<ErrorBand> band;
    bool extrapolated = false;
    double inter = 0;  ///< GB/s of the cards it was measured with, where the own ones are slower
  };
  [[nodiscard]] static Base base(graph::CollectiveType type, std::int64_t bytes,
                                 const nccl::Shape& shape, const nccl::Hardware& hardware,
                                 const nccl::Chooser& chooser);
  [[nodiscard]] double log_ratio(const MeasuredCollective& curve, std::int64_t bytes) const;
  [[nodiscard]] MeasuredRatio share(graph::CollectiveType type, std::int64_t bytes,
                                    const nccl::Shape& shape) const;
  void add_curves(std::vector<MeasuredCollective> more);
  void sort_curves();
  [[nodiscard]] LibraryEstimate expert_exchange_time(const graph::ExpertExchange& exchange,
                                                     std::int64_t bytes,
                                                     const nccl::Shape& shape) const;
  [[nodiscard]] LibraryEstimate with_step_factor_and_error(graph::CollectiveType type,
                                                           const nccl::Shape& shape,
                                                           LibraryEstimate answer) const;

  nccl::Hardware hardware_;
  std::string device_;
  nccl::Chooser chooser_;
  std::vector<MeasuredCollective> curves_;
  std::vector<std::string>
      substitute_devices_;  ///< devices whose curves may be there for the own one
  double in_step_ = 1;
  Factor off_by_;  ///< empty: it is right
};

}  // namespace orrery::model
