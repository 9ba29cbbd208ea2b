// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/recorded_kernel.h"

#include "orrery/trace/operators/operator_kernel.h"

namespace orrery::bench {

std::optional<graph::Kernel> recorded_kernel(const profile::Profile& profile,
                                             profile::EventId event) {
  const profile::Node& node = *profile.node(event);
  const auto arguments = trace::operators::Arguments::read({profile.string(node.input_shapes),
                                                            profile.string(node.input_types),
                                                            profile.texts.view(node.inputs)});
  if (!arguments) return std::nullopt;
  return trace::operators::kernel_of_operator(profile.name(event), *arguments);
}

}  // namespace orrery::bench
