// SPDX-License-Identifier: Apache-2.0
//
// What a backward pass computes again, and what it keeps for that.
#include <algorithm>
#include <vector>

#include "orrery/workload/layers/tape.h"
#include "orrery/workload/spec/recompute_policy.h"

namespace orrery::workload {

bool Tape::again(Group group) const {
  const Recompute& recompute = scope_->spec->recompute;
  if (!is_layer_ || group == Group::none) return false;
  switch (recompute.kind) {
    case RecomputeKind::selective:
      return group == Group::attention;
    case RecomputeKind::ops:
      return std::any_of(recompute.ops.begin(), recompute.ops.end(),
                         [group](const std::string& name) { return group_of(name) == group; });
    case RecomputeKind::none:
    case RecomputeKind::full:
      break;
  }
  return false;
}

bool Tape::recomputes_all() const {
  return is_layer_ && scope_->spec->recompute.kind == RecomputeKind::full;
}

/// Runs the operators of one instance again, as a whole.
void Tape::redo(std::uint32_t step, std::vector<Entry>& into) {
  const std::uint32_t instance = steps_[step].instance;
  while (step > 0 && steps_[step - 1].instance == instance) --step;
  for (; step < steps_.size() && steps_[step].instance == instance; ++step) {
    if (redone_[step]) continue;
    for (const Tensor read : steps_[step].reads) ensure(read, into);
    redone_[step] = true;
    for (Entry entry : steps_[step].forward) {
      entry.op.phase = Phase::recompute;
      into.push_back(entry);
    }
  }
}

/// Makes sure that the backward pass has it: kept, or computed again by now. What recomputation
/// starts from is kept for it.
void Tape::ensure(Tensor tensor, std::vector<Entry>& into) {
  Known& known = tensors_[tensor.id];
  if (known.step != Tensor::nothing) {
    if (redone_[known.step]) return;
    if (!known.lasting && again(steps_[known.step].group)) {
      redo(known.step, into);
      return;
    }
  }
  known.saved = true;
}

/// How many of the steps make what some backward pass reads.
std::size_t Tape::needed_steps() const {
  std::size_t needed = 0;
  for (const Step& step : steps_)
    for (const Tensor saved : step.saves)
      if (const std::uint32_t made = tensors_[saved.id].step; made != Tensor::nothing)
        needed = std::max<std::size_t>(needed, made + 1);
  return needed;
}

std::vector<Tape::Entry> Tape::backward_entries() {
  std::vector<Entry> entries;
  redone_.assign(steps_.size(), false);
  if (recomputes_all()) {
    for (Known& known : tensors_)
      if (known.step == Tensor::nothing) known.saved = true;
    redone_.assign(steps_.size(), true);
    const std::size_t needed = stops_early(*scope_->spec) ? needed_steps() : steps_.size();
    for (std::size_t step = 0; step < needed; ++step) {
      for (Entry entry : steps_[step].forward) {
        entry.op.phase = Phase::recompute;
        entries.push_back(entry);
      }
    }
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (const Tensor tensor : step->saves) ensure(tensor, entries);
    entries.insert(entries.end(), step->backward.begin(), step->backward.end());
  }
  return entries;
}

}  // namespace orrery::workload
