// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

/// An order with stages, chunks and pipes, but without passes.
[[nodiscard]] PipelineOrder empty_order(Placement placement, std::uint32_t stages,
                                        std::uint32_t microbatches, std::uint32_t chunks);

/// Checks the size of a schedule. Errc: limit_exceeded.
[[nodiscard]] Result<void> check_schedule_size(std::uint64_t stages, std::uint64_t microbatches,
                                               std::uint64_t chunks);

/// The virtual stage of each chunk of each stage.
class VirtualStages {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  explicit VirtualStages(const PipelineOrder& order);

  /// The virtual stage that microbatches of `pipe` pass in this chunk; kNone if they do not pass
  /// it.
  [[nodiscard]] std::uint32_t of(std::uint32_t pipe, std::uint32_t stage,
                                 std::uint32_t chunk) const {
    return index_[(std::size_t{pipe} * stages_ + stage) * chunks_ + chunk];
  }

 private:
  std::uint32_t stages_, chunks_;
  std::vector<std::uint32_t> index_;
};

/// A pass as in an order file: "F3.1".
[[nodiscard]] std::string slot_text(const Slot& slot);

}  // namespace orrery::workload
