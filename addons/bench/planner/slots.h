// SPDX-License-Identifier: Apache-2.0
//
// Maps tensor and storage ids of a recording to slots. Ids are addresses, which are reused: the
// last writer of an id counts.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::bench {

/// Assigns slots to tensors in order of use (ReplayPlan::info and group_bytes), and adds storages
/// for tensors that exist before the first step.
class Slots {
 public:
  explicit Slots(ReplayPlan& plan) : plan_(plan) {}

  /// The slot of an argument. It is an earlier result, or a view of an earlier result's storage (it
  /// appends the view step to the plan), or a tensor that exists before the first step. Errc:
  /// input_range (invalid sizes, strides or offset).
  [[nodiscard]] Result<Slot> input(const RecordedTensor& tensor);
  /// A new slot for a result. It shares the storage of the first of `inputs` with the same storage
  /// id. Errc: input_range.
  [[nodiscard]] Result<Slot> output(const RecordedTensor& tensor, const std::vector<Slot>& inputs);
  /// Invalidates the results of an operator that has no step: tensors with this id are no longer
  /// known, nor is their storage, unless it is that of one of the operator's `inputs`.
  void forget(const RecordedTensor& tensor, const std::vector<RecordedTensor>& inputs);
  /// Registers memory that the operator of `step` creates and retains internally. If an operator
  /// uses it later, no step creates it. Not for storages of its arguments and results.
  void retain(const RecordedTensor& tensor, std::uint32_t step);
  /// Marks the storage of the slot as written by a step.
  void write(Slot slot);

 private:
  struct SlotOfId {
    Slot slot = kNoSlot;
    std::uint64_t storage = 0;
    std::uint64_t generation = 0;
  };
  /// The current meaning of a storage id.
  struct StorageState {
    std::uint32_t storage = kNoStorage;  ///< storage that existed before the first step
    Slot base = kNoSlot;                 ///< else the result that created it
    std::int64_t reach = 0;
    Dtype dtype = Dtype::real32;
    std::uint64_t generation = 0;
    std::uint32_t after = kNoStep;  ///< Storage::after
  };

  [[nodiscard]] std::optional<Slot> known(const RecordedTensor& tensor) const;
  [[nodiscard]] StorageState& state_of(const RecordedTensor& tensor, std::int64_t reach);
  Slot add(const TensorSpec& spec, std::uint32_t storage, Group group);
  void set_id(const RecordedTensor& tensor, Slot slot);
  Slot add_external(const RecordedTensor& tensor, StorageState& state, std::int64_t reach);
  Slot add_view(const RecordedTensor& tensor, const StorageState& state);

  ReplayPlan& plan_;
  std::unordered_map<std::uint64_t, SlotOfId> by_id_;
  std::unordered_map<std::uint64_t, StorageState> by_storage_;
  std::vector<std::uint64_t> ids_;  // recorded storage id of each slot
  std::uint64_t generation_ = 0;
};

}  // namespace orrery::bench
