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

/// Whether one buffer contains the data to send and then the received data.
bool is_in_place(CommKind kind) {
  return kind == CommKind::all_reduce || kind == CommKind::reduce || kind == CommKind::broadcast;
}

/// Maximum number of communications in progress; before another one, the oldest is waited for.
constexpr std::size_t kMaxPending = 256;

struct Tensors {
  std::vector<RecordedTensor> sent, received, created;
};

void append_all(const std::vector<RecordedValue>& values, std::vector<RecordedTensor>& to) {
  for_each_recorded_tensor(values, [&](const RecordedTensor& tensor) {
    if (tensor.defined) to.push_back(tensor);
  });
}

/// c10d operators with two buffers have the output first. Their records (record_param_comms) and
/// functional operators return the output; functional operators also create it.
Tensors tensors_of(std::string_view name, CommKind kind, const Call& call) {
  Tensors tensors;
  if (kind == CommKind::barrier) return tensors;
  const bool framework = name.starts_with("c10d::");
  if (framework && !is_in_place(kind) && !is_message(kind) && call.arguments.size() > 1) {
    append_all({call.arguments[0]}, tensors.received);
    append_all({call.arguments[1]}, tensors.sent);
    return tensors;
  }
  append_all(call.arguments, tensors.sent);
  if (name == "record_param_comms")
    append_all(call.results, tensors.received);
  else if (!framework)
    append_all(call.results, tensors.created);
  if (is_in_place(kind) && tensors.received.empty() && tensors.created.empty())
    tensors.received = tensors.sent;
  if (kind != CommKind::recv) return tensors;
  if (tensors.received.empty()) tensors.received = std::move(tensors.sent);
  tensors.sent.clear();
  return tensors;
}

template <class List>
bool overlap(const List& a, const List& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

Memory Exchanges::memory_of(Slot slot) const { return bench::memory_of(plan_.info[slot]); }

std::uint32_t Exchanges::group_of(const Profile& profile, std::uint32_t group) {
  const auto [at, added] =
      groups_.try_emplace(group, static_cast<std::uint32_t>(plan_.groups.size()));
  if (!added) return at->second;
  ProcessGroup made;
  if (group < profile.groups.size()) {
    const profile::Group& recorded = profile.groups[group];
    made = {recorded.name, recorded.ranks, recorded.size};
  }
  plan_.groups.push_back(std::move(made));
  return at->second;
}

Result<Value> Exchanges::slots_of(const std::vector<RecordedTensor>& tensors, bool written) {
  Value list{.kind = Value::Kind::list, .of = Value::Items::tensors};
  for (const RecordedTensor& tensor : tensors) {
    const auto slot = slots_.input(tensor);
    if (!slot) return tl::unexpected(slot.error());
    if (written) slots_.write(*slot);
    list.items.push_back({.kind = Value::Kind::tensor, .slot = *slot});
  }
  return list;
}

ReplayStep Exchanges::wait_step(const Pending& pending) {
  return {.kind = ReplayStep::Kind::wait, .exchange = pending.exchange, .source = pending.source};
}

/// Waits by the recorded sequence number; without one, for all communications of the tensors in the
/// call; without tensors, for all.
void Exchanges::wait_for(const profile::Comm& comm, const Call& call) {
  std::vector<RecordedTensor> named;
  append_all(call.arguments, named);
  std::vector<Memory> memory;
  for (const RecordedTensor& tensor : named) {
    const auto slot = slots_.input(tensor);
    if (slot) memory.push_back(memory_of(*slot));
  }
  std::erase_if(pending_, [&](const Pending& one) {
    const bool is_waited_for = comm.sequence >= 0 ? one.sequence == comm.sequence
                                                  : memory.empty() || overlap(one.received, memory);
    if (is_waited_for) plan_.steps.push_back(wait_step(one));
    return is_waited_for;
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
  for (const RecordedTensor& tensor : tensors.created) {
    const auto slot = slots_.output(tensor, inputs);
    if (!slot) return tl::unexpected(slot.error());
    step.outputs.push_back({0, -1, *slot, tensor.spec});
  }
  Pending pending;
  pending.exchange = static_cast<std::uint32_t>(plan_.exchanges.size());
  pending.source = static_cast<std::uint32_t>(plan_.sources.size());
  pending.sequence = comm->sequence;
  for_each_slot(*sent, [&](Slot slot) { pending.sent.push_back(memory_of(slot)); });
  for_each_slot(*received, [&](Slot slot) { pending.received.push_back(memory_of(slot)); });
  for (const Output& output : step.outputs) pending.received.push_back(memory_of(output.slot));
  step.arguments = {*std::move(sent), *std::move(received)};
  step.exchange = pending.exchange;
  step.source = pending.source;
  plan_.exchanges.push_back({profile::name(comm->kind), group_of(profile, comm->group),
                             comm->bytes(), std::max(comm->peer, -1),
                             intake::number_list(profile.string(comm->in_split)),
                             intake::number_list(profile.string(comm->out_split))});
  plan_.steps.push_back(std::move(step));
  const bool barrier = pending.sent.empty() && pending.received.empty();
  std::vector<Slot> written;
  for (const Value& value : plan_.steps.back().arguments[1].items) written.push_back(value.slot);
  insert_waits(first, written);
  if (pending_.size() == kMaxPending) {
    plan_.steps.push_back(wait_step(pending_.front()));
    pending_.erase(pending_.begin());
  }
  if (barrier)
    plan_.steps.push_back(wait_step(pending));
  else
    pending_.push_back(std::move(pending));
  return true;
}

void Exchanges::insert_waits(std::size_t first, const std::vector<Slot>& written) {
  if (pending_.empty()) return;
  std::vector<Memory> used, changed;
  for (std::size_t s = first; s < plan_.steps.size(); ++s) {
    for (const Value& value : plan_.steps[s].arguments)
      for_each_slot(value, [&](Slot slot) { used.push_back(memory_of(slot)); });
  }
  for (const Slot slot : written) changed.push_back(memory_of(slot));
  std::vector<ReplayStep> waits;
  std::erase_if(pending_, [&](const Pending& one) {
    const bool needed = overlap(one.received, used) || overlap(one.sent, changed);
    if (needed) waits.push_back(wait_step(one));
    return needed;
  });
  if (waits.empty()) return;
  // The recorded host gap before the operator belongs before the wait.
  std::swap(waits.front().gap_ns, plan_.steps[first].gap_ns);
  plan_.steps.insert(plan_.steps.begin() + static_cast<std::ptrdiff_t>(first), waits.begin(),
                     waits.end());
}

void Exchanges::wait_for_all() {
  for (const Pending& one : pending_) plan_.steps.push_back(wait_step(one));
  pending_.clear();
}

void Exchanges::find_recorded_times(const Profile& profile) {
  std::unordered_map<EventId, PlanSource*> source_of;
  for (PlanSource& source : plan_.sources)
    if (source.how == ReplayMethod::communicated) source_of[source.event] = &source;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    if (!profile.events[e].timed() || profile.events[e].kind != profile::Kind::kernel) continue;
    if (profile.comm(e) == nullptr && !profile::is_comm_kernel(profile.name(e))) continue;
    EventId above = profile.work(e).op;
    for (int steps = 0; steps < 16 && above != kNoEvent; ++steps) {
      const auto found = source_of.find(above);
      if (found != source_of.end()) {
        found->second->communication += profile.events[e].duration;
        break;
      }
      above = profile.events[above].parent;
    }
  }
}

}  // namespace orrery::bench
