// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/training_pass.h"

#include <string_view>

#include "orrery/trace/operators/gradients.h"

namespace orrery::bench {

TrainingPass pass_of(const profile::Profile& profile, profile::EventId event) {
  for (profile::EventId at = event; at != profile::kNoEvent; at = profile.events[at].parent) {
    const std::string_view name = profile.name(at);
    if (name.starts_with("Optimizer.")) return TrainingPass::optimizer;
    if (trace::operators::is_autograd_node(name) ||
        name.find("utograd::") != std::string_view::npos)
      return TrainingPass::backward;
  }
  return TrainingPass::forward;
}

}  // namespace orrery::bench
