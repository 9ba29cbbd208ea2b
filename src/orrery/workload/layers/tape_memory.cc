// SPDX-License-Identifier: Apache-2.0
//
// What a part keeps from its forward to its backward pass, and what it works with.
#include <algorithm>
#include <vector>

#include "orrery/workload/layers/tape.h"

namespace orrery::workload {

void Tape::save_for_weights(Tensor tensor, Amount bytes) {
  if (!steps_.back().frozen) save(tensors_[tensor.id].name, bytes);
}

/// Whether the forward pass leaves it for the backward pass.
bool Tape::kept(Tensor tensor) const {
  const Known& known = tensors_[tensor.id];
  if (!known.saved) return false;
  if (known.step == Tensor::nothing) return true;
  if (recomputes_all()) return false;
  return known.lasting || !again(steps_[known.step].group);
}

/// What is alive only while an operator runs: forward, what it reads and makes and nobody keeps;
/// backward, the gradients of all that.
Amount Tape::working(const Step& step) const {
  Amount forward, backward;
  for (const auto* tensors : {&step.reads, &step.makes}) {
    for (const Tensor tensor : *tensors) {
      const Known& known = tensors_[tensor.id];
      if (!kept(tensor)) forward += known.bytes;
      if (known.has_gradient) backward += known.bytes;
    }
  }
  return step.scratch + std::max(forward, backward);
}

void Tape::account(Part& part) const {
  for (std::uint32_t id = 0; id < tensors_.size(); ++id) {
    const Known& known = tensors_[id];
    if (!known.saved || known.borrowed) continue;
    if (known.shared) {
      part.shared = {known.name, known.bytes.value()};
    } else if (kept({id})) {
      part.kept.push_back({known.name, known.bytes.value()});
    } else {
      part.transient.push_back({known.name, known.bytes.value()});
    }
  }
  Amount most;
  for (const Step& step : steps_) most = std::max(most, working(step));
  if (!(most == Amount(0))) part.transient.push_back({"working", most.value()});
}

/// Between the halves of a split backward pass (Qi et al., ICLR 2024: M_W): of operators
/// whose weights have gradients, what they read and saved, and the gradients of what they made.
void Tape::account_halfway(Part& part) const {
  std::vector<bool> inputs(tensors_.size(), false), outputs(tensors_.size(), false);
  for (const Step& step : steps_) {
    const bool weighs = std::any_of(step.backward.begin(), step.backward.end(), [](const Entry& e) {
      return e.join == stream::none && e.op.phase == Phase::weight_grad;
    });
    if (!weighs) continue;
    for (const Tensor saved : step.saves) {
      const bool read = std::any_of(step.reads.begin(), step.reads.end(),
                                    [saved](Tensor each) { return each.id == saved.id; });
      inputs[saved.id] = inputs[saved.id] || read || !tensors_[saved.id].has_gradient;
    }
    for (const Tensor made : step.makes)
      outputs[made.id] = outputs[made.id] || tensors_[made.id].has_gradient;
  }
  for (std::uint32_t id = 0; id < tensors_.size(); ++id) {
    const Known& known = tensors_[id];
    if (inputs[id] && !known.borrowed && !known.shared)
      part.halfway.push_back({known.name, known.bytes.value()});
    if (outputs[id] && !(known.gradient == Amount(0)))
      part.halfway.push_back({known.name, known.gradient.value()});
  }
}

}  // namespace orrery::workload
