// SPDX-License-Identifier: Apache-2.0
//
// What a part keeps from its forward to its backward pass, and what it works with.
#include <algorithm>

#include "orrery/workload/layers/tape.h"

namespace orrery::workload {

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

}  // namespace orrery::workload
