// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/exchanges.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "orrery/intake/convert/python_lists.h"

namespace orrery::bench {
namespace {

using profile::CommKind;
using profile::EventId;
using profile::kNoEvent;
using profile::Profile;

/// What one buffer is enough for: it holds what is sent and then what is received.
bool is_in_place(CommKind kind) {
  return kind == CommKind::all_reduce || kind == CommKind::reduce || kind == CommKind::broadcast;
}

/// So many are under way at a time; before one more the oldest is waited for.
constexpr std::size_t kUnderWay = 256;

struct Tensors {
  std::vector<RecordedTensor> sent, received, made;
};

void append(const RecordedValue& value, std::vector<RecordedTensor>& to) {
  if (value.kind == RecordedValue::Kind::tensor && value.tensor.defined) to.push_back(value.tensor);
  for (const RecordedValue& item : value.items) append(item, to);
}

void append_all(const std::vector<RecordedValue>& values, std::vector<RecordedTensor>& to) {
  for (const RecordedValue& value : values) append(value, to);
}

/// c10d's operators with two buffers have the output first; its records (record_param_comms) and
/// the functional operators return it, and the latter make it.
Tensors tensors_of(std::string_view name, CommKind kind, const Call& call) {
  Tensors tensors;
  if (kind == CommKind::barrier) return tensors;
  const bool framework = name.starts_with("c10d::");
  if (framework && !is_in_place(kind) && !is_message(kind) && call.arguments.size() > 1) {
    append(call.arguments[0], tensors.received);
    append(call.arguments[1], tensors.sent);
    return tensors;
  }
  append_all(call.arguments, tensors.sent);
  if (name == "record_param_comms")
    append_all(call.results, tensors.received);
  else if (!framework)
    append_all(call.results, tensors.made);
  if (is_in_place(kind) && tensors.received.empty() && tensors.made.empty())
    tensors.received = tensors.sent;
  if (kind != CommKind::recv) return tensors;
  if (tensors.received.empty()) tensors.received = std::move(tensors.sent);
  tensors.sent.clear();
  return tensors;
}

void add_memory(const Value& value, const auto& memory_of, auto& to) {
  if (value.kind == Value::Kind::tensor) to.push_back(memory_of(value.slot));
  for (const Value& item : value.items) add_memory(item, memory_of, to);
}

template <class List>
bool meet(const List& a, const List& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

Exchanges::Memory Exchanges::memory_of(Slot slot) const {
  const SlotInfo& info = plan_.info[slot];
  return info.storage != kNoStorage ? Memory{true, info.storage} : Memory{false, info.group};
}

std::uint32_t Exchanges::group_of(const Profile& profile, std::uint32_t group) {
  const auto [at, added] =
      groups_.try_emplace(group, static_cast<std::uint32_t>(plan_.groups.size()));
  if (!added) return at->second;
  PlanGroup made;
  if (group < profile.groups.size()) {
    const profile::Group& recorded = profile.groups[group];
    made = {recorded.name, recorded.ranks, recorded.size};
  }
  plan_.groups.push_back(std::move(made));
  return at->second;
}

Result<Value> Exchanges::slots_of(const std::vector<RecordedTensor>& tensors, bool written) {
  Value list;
  list.kind = Value::Kind::list;
  list.of = Value::Items::tensors;
  for (const RecordedTensor& tensor : tensors) {
    const auto slot = slots_.input(tensor);
    if (!slot) return tl::unexpected(slot.error());
    if (written) slots_.write(*slot);
    Value item;
    item.kind = Value::Kind::tensor;
    item.slot = *slot;
    list.items.push_back(std::move(item));
  }
  return list;
}

ReplayStep Exchanges::wait_step(std::uint32_t exchange) const {
  ReplayStep step;
  step.kind = ReplayStep::Kind::wait;
  step.exchange = exchange;
  step.source = plan_.exchanges[exchange].source;
  return step;
}

/// By the number that the recording gave it, else for all whose tensors it names, else for all.
void Exchanges::wait_for(const profile::Comm& comm, const Call& call) {
  std::vector<RecordedTensor> named;
  append_all(call.arguments, named);
  std::vector<Memory> memory;
  for (const RecordedTensor& tensor : named) {
    const auto slot = slots_.input(tensor);
    if (slot) memory.push_back(memory_of(*slot));
  }
  std::erase_if(pending_, [&](const Pending& one) {
    const std::int64_t sequence = plan_.exchanges[one.exchange].sequence;
    const bool meant = comm.sequence >= 0 ? sequence == comm.sequence
                                          : memory.empty() || meet(one.received, memory);
    if (meant) plan_.steps.push_back(wait_step(one.exchange));
    return meant;
  });
}

Result<bool> Exchanges::add(const Profile& profile, EventId event, const Call& call) {
  const profile::Comm* const comm = profile.comm(event);
  if (comm == nullptr || comm->kind == CommKind::unknown) return false;
  if (comm->kind == CommKind::wait) {
    wait_for(*comm, call);
    return true;
  }
  const Tensors tensors = tensors_of(profile.name(event), comm->kind, call);
  const std::size_t first = plan_.steps.size();
  ReplayStep step;
  step.kind = ReplayStep::Kind::communicate;
  auto sent = slots_of(tensors.sent, false), received = slots_of(tensors.received, real_);
  if (!sent) return tl::unexpected(std::move(sent.error()));
  if (!received) return tl::unexpected(std::move(received.error()));
  std::vector<Slot> inputs;
  for (const Value& value : sent->items) inputs.push_back(value.slot);
  for (const RecordedTensor& tensor : tensors.made) {
    const auto slot = slots_.output(tensor, inputs);
    if (!slot) return tl::unexpected(slot.error());
    step.outputs.push_back({0, -1, *slot, tensor.spec});
  }
  Pending pending;
  pending.exchange = static_cast<std::uint32_t>(plan_.exchanges.size());
  const auto where = [&](Slot slot) { return memory_of(slot); };
  add_memory(*sent, where, pending.sent);
  add_memory(*received, where, pending.received);
  for (const Output& output : step.outputs) pending.received.push_back(memory_of(output.slot));
  step.arguments = {*std::move(sent), *std::move(received)};
  step.exchange = pending.exchange;
  step.source = static_cast<std::uint32_t>(plan_.sources.size());
  plan_.exchanges.push_back({comm->kind, group_of(profile, comm->group), comm->bytes(), comm->peer,
                             comm->sequence, intake::number_list(profile.string(comm->in_split)),
                             intake::number_list(profile.string(comm->out_split)), std::nullopt,
                             step.source, Time{}});
  events_.push_back(event);
  plan_.steps.push_back(std::move(step));
  const bool barrier = pending.sent.empty() && pending.received.empty();
  std::vector<Slot> written;
  for (const Value& value : plan_.steps.back().arguments[1].items) written.push_back(value.slot);
  settle(first, written);
  if (pending_.size() == kUnderWay) {
    plan_.steps.push_back(wait_step(pending_.front().exchange));
    pending_.erase(pending_.begin());
  }
  if (barrier)
    plan_.steps.push_back(wait_step(pending.exchange));
  else
    pending_.push_back(std::move(pending));
  return true;
}

void Exchanges::settle(std::size_t first, const std::vector<Slot>& written) {
  if (pending_.empty()) return;
  std::vector<Memory> used, changed;
  const auto where = [&](Slot slot) { return memory_of(slot); };
  for (std::size_t s = first; s < plan_.steps.size(); ++s) {
    for (const Value& value : plan_.steps[s].arguments) add_memory(value, where, used);
  }
  for (const Slot slot : written) changed.push_back(memory_of(slot));
  std::vector<ReplayStep> waits;
  std::erase_if(pending_, [&](const Pending& one) {
    const bool needed = meet(one.received, used) || meet(one.sent, changed);
    if (needed) waits.push_back(wait_step(one.exchange));
    return needed;
  });
  if (waits.empty()) return;
  // What the host did before the operator, it did while it waited, too.
  std::swap(waits.front().gap, plan_.steps[first].gap);
  plan_.steps.insert(plan_.steps.begin() + static_cast<std::ptrdiff_t>(first), waits.begin(),
                     waits.end());
}

void Exchanges::finish() {
  for (const Pending& one : pending_) plan_.steps.push_back(wait_step(one.exchange));
  pending_.clear();
}

void Exchanges::find_recorded_times(const Profile& profile) {
  std::unordered_map<EventId, std::size_t> exchange_of;
  for (std::size_t i = 0; i < events_.size(); ++i) exchange_of[events_[i]] = i;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    if (!profile.events[e].timed() || profile.events[e].kind != profile::Kind::kernel) continue;
    if (profile.comm(e) == nullptr && !profile::is_comm_kernel(profile.name(e))) continue;
    EventId above = profile.work(e).op;
    for (int steps = 0; steps < 16 && above != kNoEvent; ++steps) {
      const auto found = exchange_of.find(above);
      if (found != exchange_of.end()) {
        plan_.exchanges[found->second].recorded += profile.events[e].duration;
        break;
      }
      above = profile.events[above].parent;
    }
  }
}

}  // namespace orrery::bench
