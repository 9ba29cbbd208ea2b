// SPDX-License-Identifier: Apache-2.0
//
// Durations of collectives run by a library (NCCL, RCCL): the library's own cost model, calibrated
// with measurements.
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

/// The basis of an estimate.
enum class LibrarySource : std::uint8_t {
  cost_model,  ///< without measurements: the library's model; for exchanges, links and latencies
  scaled,      ///< the cost model times the ratio measured / cost model of other groups or devices
  measured,    ///< a curve of this device and number of ranks
  callable,    ///< a function of the calling program
};

/// "cost model", "scaled", "measured", "callable".
[[nodiscard]] std::string_view name(LibrarySource source);

struct LibraryEstimate {
  Time time{};
  LibrarySource source = LibrarySource::cost_model;
  std::optional<nccl::Choice> choice;  ///< empty for exchanges, which have no choice
  std::optional<ErrorBand> band;       ///< empty: unknown
  bool extrapolated = false;  ///< size or group beyond the measured range, or another collective

  friend bool operator==(const LibraryEstimate&, const LibraryEstimate&) = default;
};

/// Durations of a library's collectives on one machine.
///
/// time = base * r. base is the time of the library's choice according to its cost model. For
/// all-to-all, which has no choice, base is latency + bytes over the slower of links and network. r
/// is the ratio measured / base at the same size on the measured machines. Within a node, r is
/// interpolated over log2(ranks) between the nearest measured numbers of ranks, between nodes over
/// log2(nodes). Beyond the last measured number, its ratio applies. So NCCL's formulas transfer
/// measurements to groups that were not measured. Without measurements, r = 1.
///
/// If the NICs are slower than the measured ones and r > 1, time = max(base, base with the measured
/// NICs * r): losses in hosts overlap with the time of the NICs and do not add to it. Eight A100s
/// with 8 x 200 Gb/s reached 125 GB/s (r = 1.5). With 4 x 200 Gb/s they reach 84 to 96 of 100 GB/s
/// (NVIDIA/nccl-tests issue 119, three nodes; NVIDIA/nccl issue 1048, two). This agrees with NCCL's
/// formulas; base * r would be 64.
///
/// The formulas alone are not accurate enough. NCCL uses them only to choose; between 1 and 64 MB
/// they are 20 to 40 % faster than measured on A100 and H100 (docs/collectives.md).
class LibraryTimes {
 public:
  /// `device`: name in the catalog. Its built-in curves apply; for collectives without one, those
  /// of a device with the same architecture and links. `own`: curves of the user's machine, which
  /// take precedence over built-in curves of the same collective.
  LibraryTimes(const nccl::Hardware& hardware, const std::string& device,
               std::vector<CollectiveCurve> own = {}, nccl::Chooser chooser = {});

  /// Duration of a collective of `bytes` (the complete buffer, as nccl-tests counts it) in a group
  /// of this shape, from the begin of the last rank. Not negative; 0 for a group of one. Exchanges
  /// of expert tokens have the duration of DeepEP or HybridEP (`exchange`, see
  /// deepep::exchange_time and hybridep::exchange_time).
  [[nodiscard]] LibraryEstimate operator()(graph::CollectiveType type, std::int64_t bytes,
                                           const nccl::Shape& shape,
                                           const graph::ExpertExchange& exchange = {}) const;

  /// Whether the settings allow an algorithm and a protocol that can run the collective.
  [[nodiscard]] bool runs(graph::CollectiveType type, std::int64_t bytes,
                          const nccl::Shape& shape) const;
  /// Number of SMs that a collective occupies on each device: one per channel (all-to-all: as many
  /// as a ring), or those of DeepEP's and HybridEP's kernels. 0 for low-latency kernels, which
  /// release the SMs while bytes are in transit.
  [[nodiscard]] std::int32_t sms(graph::CollectiveType type, std::int64_t bytes,
                                 const nccl::Shape& shape,
                                 const graph::ExpertExchange& exchange) const;
  /// Duration if a member's links (`intra_share`, in a node) or card (`inter_share`, between nodes)
  /// have only this share of their bandwidth.
  [[nodiscard]] Time slowed(graph::CollectiveType type, std::int64_t bytes,
                            const nccl::Shape& shape, double intra_share, double inter_share,
                            const graph::ExpertExchange& exchange = {}) const;

  /// The same library within training steps, in which concurrent kernels prolong its collectives by
  /// this factor.
  [[nodiscard]] LibraryTimes in_steps(double factor) const;

  /// A model of the ratio true time / predicted time of collectives in groups of a shape.
  using Factor = std::function<double(graph::CollectiveType, const nccl::Shape&,
                                      const LibraryEstimate& predicted)>;
  /// A library whose times are multiplied by `factor`: a synthetic truth to validate error bands.
  [[nodiscard]] LibraryTimes with_error(Factor factor) const;

  /// Returns the time of a collective from that of this library.
  using Change = std::function<Time(graph::CollectiveType, std::int64_t bytes,
                                    const nccl::Shape& shape, Time predicted)>;
  /// A library whose times `change` replaces. A changed time has no error band.
  [[nodiscard]] LibraryTimes with_changed_times(Change change) const;

  [[nodiscard]] const nccl::Hardware& hardware() const { return hardware_; }
  /// The curves on which estimates are based.
  [[nodiscard]] const std::vector<CollectiveCurve>& curves() const { return curves_; }

 private:
  struct Base {
    double us = 0;
    std::optional<nccl::Choice> choice;
  };
  struct MeasuredRatio {  // log2(measured / base)
    double log = 0;
    LibrarySource source = LibrarySource::cost_model;
    std::optional<ErrorBand> band;
    bool extrapolated = false;
    double inter = 0;  ///< GB/s of the measured cards, if those of this machine are slower
  };
  [[nodiscard]] static Base base(graph::CollectiveType type, std::int64_t bytes,
                                 const nccl::Shape& shape, const nccl::Hardware& hardware,
                                 const nccl::Chooser& chooser);
  [[nodiscard]] double log_ratio(const CollectiveCurve& curve, std::int64_t bytes) const;
  [[nodiscard]] MeasuredRatio measured_ratio(graph::CollectiveType type, std::int64_t bytes,
                                             const nccl::Shape& shape) const;
  void add_curves(std::vector<CollectiveCurve> more);
  void sort_curves();
  [[nodiscard]] LibraryEstimate expert_exchange_time(const graph::ExpertExchange& exchange,
                                                     std::int64_t bytes,
                                                     const nccl::Shape& shape) const;
  /// Applies the factor of steps, the synthetic error and the function of the caller.
  [[nodiscard]] LibraryEstimate with_changes(graph::CollectiveType type, std::int64_t bytes,
                                             const nccl::Shape& shape,
                                             LibraryEstimate answer) const;

  nccl::Hardware hardware_;
  std::string device_;
  nccl::Chooser chooser_;
  std::vector<CollectiveCurve> curves_;
  std::vector<std::string> substitute_devices_;  ///< devices whose curves may replace missing ones
  double step_factor_ = 1;
  Factor error_factor_;  ///< see with_error(); empty: no error
  Change change_;        ///< see with_changed_times(); empty: none
};

}  // namespace orrery::model
