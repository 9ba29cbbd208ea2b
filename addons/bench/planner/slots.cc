// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/slots.h"

#include <algorithm>
#include <utility>

namespace orrery::bench {
namespace {

bool same_tensor(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.sizes == b.sizes && a.offset == b.offset &&
         (a.strides.empty() || b.strides.empty() || a.strides == b.strides);
}

tl::unexpected<Error> invalid_tensor(const RecordedTensor& tensor) {
  return fail(Errc::input_range, "",
              "tensor " + std::to_string(tensor.id) + " has an invalid size, stride or offset",
              "the recording is damaged or malicious");
}

}  // namespace

std::optional<Slot> Slots::known(const RecordedTensor& tensor) const {
  const auto named = by_id_.find(tensor.id);
  if (named == by_id_.end() || named->second.storage != tensor.storage) return std::nullopt;
  const SlotOfId& found = named->second;
  if (!same_tensor(plan_.info[found.slot].spec, tensor.spec)) return std::nullopt;
  if (tensor.storage == 0) return found.slot;  // a tensor without storage is independent of others
  const auto state = by_storage_.find(tensor.storage);
  if (state != by_storage_.end() && state->second.generation != found.generation)
    return std::nullopt;
  return found.slot;
}

/// The state of the tensor's storage. It is reset if the known state is inconsistent with the
/// tensor.
Slots::StorageState& Slots::state_of(const RecordedTensor& tensor, std::int64_t reach) {
  const auto [at, added] = by_storage_.try_emplace(tensor.storage);
  StorageState& state = at->second;
  const bool outgrown = state.storage == kNoStorage && reach > state.reach;
  if (!added && state.dtype == tensor.spec.dtype && !outgrown && tensor.storage != 0) return state;
  state = {};
  state.dtype = tensor.spec.dtype;
  state.generation = ++generation_;
  return state;
}

Slot Slots::add(const TensorSpec& spec, std::uint32_t storage, Group group) {
  plan_.info.push_back({spec, storage, group});
  ids_.push_back(0);
  plan_.slots = static_cast<std::uint32_t>(plan_.info.size());
  return plan_.slots - 1;
}

void Slots::set_id(const RecordedTensor& tensor, Slot slot) {
  const auto state = by_storage_.find(tensor.storage);
  by_id_[tensor.id] = {slot, tensor.storage,
                       state == by_storage_.end() ? 0 : state->second.generation};
  ids_[slot] = tensor.storage;
}

Slot Slots::add_external(const RecordedTensor& tensor, StorageState& state, std::int64_t reach) {
  if (state.storage == kNoStorage) {
    state.storage = static_cast<std::uint32_t>(plan_.storages.size());
    plan_.storages.push_back({0, tensor.spec.dtype});
    plan_.storages.back().after = state.after;
  }
  Storage& storage = plan_.storages[state.storage];
  storage.bytes = std::max(storage.bytes, reach);
  state.reach = storage.bytes;
  const Slot slot = add(tensor.spec, state.storage, kNoGroup);
  plan_.externals.push_back({slot, state.storage, tensor.spec});
  return slot;
}

Slot Slots::add_view(const RecordedTensor& tensor, const StorageState& state) {
  const Slot slot = add(tensor.spec, plan_.info[state.base].storage, plan_.info[state.base].group);
  ReplayStep step;
  step.kind = ReplayStep::Kind::view;
  step.arguments.push_back({.kind = Value::Kind::tensor, .slot = state.base});
  step.outputs.push_back({0, -1, slot, tensor.spec});
  plan_.steps.push_back(std::move(step));
  return slot;
}

Result<Slot> Slots::input(const RecordedTensor& tensor) {
  const auto reach = reach_of(tensor.spec);
  if (!reach) return invalid_tensor(tensor);
  if (const auto found = known(tensor)) return *found;
  StorageState& storage = state_of(tensor, *reach);
  const Slot slot =
      storage.base == kNoSlot ? add_external(tensor, storage, *reach) : add_view(tensor, storage);
  set_id(tensor, slot);
  return slot;
}

Result<Slot> Slots::output(const RecordedTensor& tensor, const std::vector<Slot>& inputs) {
  const auto reach = reach_of(tensor.spec);
  if (!reach) return invalid_tensor(tensor);
  const auto shared = std::find_if(inputs.begin(), inputs.end(), [&](Slot slot) {
    return tensor.storage != 0 && ids_[slot] == tensor.storage;
  });
  if (shared != inputs.end()) {
    const SlotInfo of = plan_.info[*shared];
    const Slot slot = add(tensor.spec, of.storage, of.group);
    set_id(tensor, slot);
    return slot;
  }
  const auto group = static_cast<Group>(plan_.group_bytes.size());
  plan_.group_bytes.push_back(*reach);
  const Slot slot = add(tensor.spec, kNoStorage, group);
  if (tensor.storage != 0)
    by_storage_[tensor.storage] = {kNoStorage,        slot,          *reach,
                                   tensor.spec.dtype, ++generation_, kNoStep};
  set_id(tensor, slot);
  return slot;
}

void Slots::forget(const RecordedTensor& tensor, const std::vector<RecordedTensor>& inputs) {
  bool same = false, shared = false;
  for (const RecordedTensor& input : inputs) {
    same = same || (input.id == tensor.id && input.storage == tensor.storage);
    shared = shared || input.storage == tensor.storage;
  }
  if (same) return;
  by_id_.erase(tensor.id);
  if (shared) return;
  StorageState& state = by_storage_[tensor.storage];
  state = {};
  state.generation = ++generation_;
}

void Slots::retain(const RecordedTensor& tensor, std::uint32_t step) {
  if (const auto reach = reach_of(tensor.spec))
    by_storage_[tensor.storage] = {kNoStorage,        kNoSlot,       *reach,
                                   tensor.spec.dtype, ++generation_, step};
}

void Slots::write(Slot slot) {
  if (plan_.info[slot].storage != kNoStorage)
    plan_.storages[plan_.info[slot].storage].written = true;
}

}  // namespace orrery::bench
