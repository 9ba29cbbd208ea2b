// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "orrery/core/error.h"
#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/model/collective/library/library_times.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Computes phases: step counts, message sizes, reduction times, message times.
///
/// Steps and sizes come from the algorithm (CollectiveAlgorithm::fill); ASTRA rules divide sizes as
/// integers. Errc: config_conflict (the algorithm cannot run the collective), config_range (times
/// beyond the clock), limit_exceeded (more than 65,536 members).
class PhaseFactory {
 public:
  /// The members of one ring, at most: step counts are 32-bit, and a ring all-to-all has n(n-1)/2
  /// steps.
  static constexpr std::uint32_t kMaxMembers = 65536;

  /// `delays`: message times, if they are equal everywhere along a dimension
  /// (Network::by_dimensions); otherwise null.
  /// `library`: the library that runs collectives; null: none.
  PhaseFactory(const platform::Platform& platform, const MultiDimFabric* delays,
               std::shared_ptr<const LibraryTimes> library = {})
      : platform_(platform), sizes_(platform), delays_(delays), library_(std::move(library)) {}

  [[nodiscard]] Result<PhaseSpec> make(const PhaseRequest& request) const;
  /// The library's estimate for a phase that it runs (request.library): time including the effect
  /// of deviating ports, source and error band.
  [[nodiscard]] LibraryEstimate predicted(const PhaseRequest& request) const;
  /// Bytes of the complete buffer of such a phase, as nccl-tests counts them.
  [[nodiscard]] static std::int64_t full_buffer(const PhaseRequest& request);

 private:
  [[nodiscard]] Result<void> check(const PhaseRequest& request) const;
  [[nodiscard]] Result<PhaseSpec> make_by_library(const PhaseRequest& request) const;
  void set_device_use(PhaseSpec& spec, std::int64_t whole, std::int64_t duration) const;
  [[nodiscard]] Result<void> fill_delays(PhaseSpec& spec) const;

  const platform::Platform& platform_;
  MessageSizes sizes_;
  const MultiDimFabric* delays_;
  std::shared_ptr<const LibraryTimes> library_;
};

}  // namespace orrery::model
