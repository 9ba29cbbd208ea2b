// SPDX-License-Identifier: Apache-2.0
//
// From a recording's tensor and storage ids to slots. Ids are addresses and come again: what counts
// is who wrote them last.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// Gives slots to tensors in the order in which they are used (Plan::info, Plan::group_bytes), and
/// makes what exists before.
class Slots {
 public:
  explicit Slots(ReplayPlan& plan) : plan_(plan) {}

  /// The slot of an argument: what made it; or a view of what made its storage, whose step is
  /// appended to the plan; or something that exists before the first step. Errc: input_range
  /// (sizes, strides or offset that cannot be).
  [[nodiscard]] Result<Slot> input(const RecordedTensor& tensor);
  /// A new slot for a result, which sees the storage of one of `inputs` if that has the same id.
  /// Errc: input_range.
  [[nodiscard]] Result<Slot> output(const RecordedTensor& tensor, const std::vector<Slot>& inputs);
  /// What an operator made that is no step: tensors of that id are not what they were, and neither
  /// is their storage where it is not that of one of the operator's `inputs`.
  void forget(const RecordedTensor& tensor, const std::vector<RecordedTensor>& inputs);
  /// Memory has come into being inside the operator that `step` calls, which keeps it: if it is
  /// used later, it is something that no step makes. Not for storages among its arguments and
  /// results.
  void retained(const RecordedTensor& tensor, std::uint32_t step);
  /// A step writes what the slot sees.
  void write(Slot slot);

 private:
  struct Named {
    Slot slot = kNoSlot;
    std::uint64_t storage = 0;
    std::uint64_t generation = 0;
  };
  /// What a storage id stands for at the moment.
  struct StorageState {
    std::uint32_t storage = kNoStorage;  ///< existed before
    Slot base = kNoSlot;                 ///< else the result that brought it
    std::int64_t reach = 0;
    Dtype dtype = Dtype::real32;
    std::uint64_t generation = 0;
    std::uint32_t after = kNoStep;  ///< Storage::after
  };

  [[nodiscard]] std::optional<Slot> known(const RecordedTensor& tensor) const;
  [[nodiscard]] StorageState& held(const RecordedTensor& tensor, std::int64_t reach);
  Slot add(const TensorSpec& spec, std::uint32_t storage, Group group);
  void name(const RecordedTensor& tensor, Slot slot);
  Slot external(const RecordedTensor& tensor, StorageState& held, std::int64_t reach);
  Slot view(const RecordedTensor& tensor, const StorageState& held);

  ReplayPlan& plan_;
  std::unordered_map<std::uint64_t, Named> by_id_;
  std::unordered_map<std::uint64_t, StorageState> by_storage_;
  std::vector<std::uint64_t> ids_;  // recorded storage ids by slot
  std::uint64_t generation_ = 0;
};

}  // namespace orrery::bench
