// SPDX-License-Identifier: Apache-2.0
//
// What the files of the schedule share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

/// Stages, chunks and pipes without any passes.
[[nodiscard]] PipelineOrder empty_order(Placement placement, std::uint32_t stages,
                                        std::uint32_t microbatches, std::uint32_t chunks);

/// Errc: limit_exceeded.
[[nodiscard]] Result<void> check_schedule_size(std::uint64_t stages, std::uint64_t microbatches,
                                               std::uint64_t chunks);

/// Which virtual stage of its pipe each chunk of each stage is.
class VirtualStages {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  explicit VirtualStages(const PipelineOrder& order);

  /// Of microbatches of `pipe`; kNone when they do not pass there.
  [[nodiscard]] std::uint32_t of(std::uint32_t pipe, std::uint32_t stage,
                                 std::uint32_t chunk) const {
    return index_[(std::size_t{pipe} * stages_ + stage) * chunks_ + chunk];
  }

 private:
  std::uint32_t stages_, chunks_;
  std::vector<std::uint32_t> index_;
};

/// "F3.1": as an order file spells it.
[[nodiscard]] std::string slot_text(const Slot& slot);

}  // namespace orrery::workload
