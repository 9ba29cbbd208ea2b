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

tl::unexpected<Error> impossible(const RecordedTensor& tensor) {
  return fail(Errc::input_range, "",
              "tensor " + std::to_string(tensor.id) +
                  " has a size, a stride or an offset that no tensor can have",
              "the recording is damaged or was made to do harm");
}

}  // namespace

std::optional<Slot> Slots::known(const RecordedTensor& tensor) const {
  const auto named = by_id_.find(tensor.id);
  if (named == by_id_.end() || named->second.storage != tensor.storage) return std::nullopt;
  const Named& found = named->second;
  if (!same_tensor(plan_.info[found.slot].spec, tensor.spec)) return std::nullopt;
  if (tensor.storage == 0) return found.slot;  // of no storage, which says nothing of others
  const auto held = by_storage_.find(tensor.storage);
  if (held != by_storage_.end() && held->second.generation != found.generation) return std::nullopt;
  return found.slot;
}

/// What the tensor's storage is, made anew where what is known cannot be it.
Slots::StorageState& Slots::held(const RecordedTensor& tensor, std::int64_t reach) {
  const auto [at, added] = by_storage_.try_emplace(tensor.storage);
  StorageState& held = at->second;
  const bool outgrown = held.storage == kNoStorage && reach > held.reach;
  if (!added && held.dtype == tensor.spec.dtype && !outgrown && tensor.storage != 0) return held;
  held = {};
  held.dtype = tensor.spec.dtype;
  held.generation = ++generation_;
  return held;
}

Slot Slots::add(const TensorSpec& spec, std::uint32_t storage, Group group) {
  plan_.info.push_back({spec, storage, group});
  ids_.push_back(0);
  plan_.slots = static_cast<std::uint32_t>(plan_.info.size());
  return plan_.slots - 1;
}

void Slots::name(const RecordedTensor& tensor, Slot slot) {
  const auto held = by_storage_.find(tensor.storage);
  by_id_[tensor.id] = {slot, tensor.storage,
                       held == by_storage_.end() ? 0 : held->second.generation};
  ids_[slot] = tensor.storage;
}

Slot Slots::external(const RecordedTensor& tensor, StorageState& held, std::int64_t reach) {
  if (held.storage == kNoStorage) {
    held.storage = static_cast<std::uint32_t>(plan_.storages.size());
    plan_.storages.push_back({0, tensor.spec.dtype});
    plan_.storages.back().after = held.after;
  }
  Storage& storage = plan_.storages[held.storage];
  storage.bytes = std::max(storage.bytes, reach);
  held.reach = storage.bytes;
  const Slot slot = add(tensor.spec, held.storage, kNoGroup);
  plan_.externals.push_back({slot, held.storage, tensor.spec});
  return slot;
}

Slot Slots::view(const RecordedTensor& tensor, const StorageState& held) {
  const Slot slot = add(tensor.spec, plan_.info[held.base].storage, plan_.info[held.base].group);
  ReplayStep step;
  step.kind = ReplayStep::Kind::view;
  Value of;
  of.kind = Value::Kind::tensor;
  of.slot = held.base;
  step.arguments.push_back(std::move(of));
  step.outputs.push_back({0, -1, slot, tensor.spec});
  plan_.steps.push_back(std::move(step));
  return slot;
}

Result<Slot> Slots::input(const RecordedTensor& tensor) {
  const auto reach = reach_of(tensor.spec);
  if (!reach) return impossible(tensor);
  if (const auto found = known(tensor)) return *found;
  StorageState& storage = held(tensor, *reach);
  const Slot slot =
      storage.base == kNoSlot ? external(tensor, storage, *reach) : view(tensor, storage);
  name(tensor, slot);
  return slot;
}

Result<Slot> Slots::output(const RecordedTensor& tensor, const std::vector<Slot>& inputs) {
  const auto reach = reach_of(tensor.spec);
  if (!reach) return impossible(tensor);
  const auto shared = std::find_if(inputs.begin(), inputs.end(), [&](Slot slot) {
    return tensor.storage != 0 && ids_[slot] == tensor.storage;
  });
  if (shared != inputs.end()) {
    const SlotInfo of = plan_.info[*shared];
    const Slot slot = add(tensor.spec, of.storage, of.group);
    name(tensor, slot);
    return slot;
  }
  const auto group = static_cast<Group>(plan_.group_bytes.size());
  plan_.group_bytes.push_back(*reach);
  const Slot slot = add(tensor.spec, kNoStorage, group);
  if (tensor.storage != 0)
    by_storage_[tensor.storage] = {kNoStorage,        slot,          *reach,
                                   tensor.spec.dtype, ++generation_, kNoStep};
  name(tensor, slot);
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
  StorageState& held = by_storage_[tensor.storage];
  held = {};
  held.generation = ++generation_;
}

void Slots::retained(const RecordedTensor& tensor, std::uint32_t step) {
  if (const auto reach = reach_of(tensor.spec))
    by_storage_[tensor.storage] = {kNoStorage,        kNoSlot,       *reach,
                                   tensor.spec.dtype, ++generation_, step};
}

void Slots::write(Slot slot) {
  if (plan_.info[slot].storage != kNoStorage)
    plan_.storages[plan_.info[slot].storage].written = true;
}

}  // namespace orrery::bench
