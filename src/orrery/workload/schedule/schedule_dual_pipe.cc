// SPDX-License-Identifier: Apache-2.0
//
// DualPipe (DeepSeek-V3 technical report, section 3.2.1, figure 5): microbatches enter at both
// ends.
#include <algorithm>

#include "orrery/workload/schedule/schedule_internal.h"
#include "orrery/workload/schedule/schedule_line.h"

namespace orrery::workload {
namespace {

/// "near" is the direction whose pipe begins at the closer end, "far" the other.
void dual_pipe_stage(PipelineOrder& order, std::uint32_t stage) {
  const std::uint32_t depth = std::min(stage, order.stages - 1 - stage);  // from the closer end
  const std::uint32_t inner = order.stages / 2 - 1 - depth;               // to the middle
  const std::uint32_t half = order.microbatches / 2, pairs = depth + 1;
  const std::uint16_t near = stage < order.stages / 2 ? 0 : 1, far = 1 - near;
  const auto forward = [](std::uint16_t chunk) { return Line::Turn{Pass::forward, chunk}; };
  const auto backward = [](std::uint16_t chunk) { return Line::Turn{Pass::backward, chunk}; };
  const auto input = [](std::uint16_t chunk) { return Line::Turn{Pass::input_grad, chunk}; };
  const auto weight = [](std::uint16_t chunk) { return Line::Turn{Pass::weight_grad, chunk}; };

  Line line(order.loops[stage], half, {0, half});
  line.repeat(2 * inner, {forward(near)});
  line.repeat(pairs, {forward(near), forward(far)});
  line.repeat(inner, {input(far), weight(far), forward(far)});
  line.repeat(half - order.stages + pairs,
              {forward(near), backward(far), forward(far), backward(near)});
  line.repeat(inner, {backward(far), forward(far), backward(near)});
  // From the middle of the pairs that are left, weight halves are put off.
  line.repeat(pairs / 2, {backward(far), backward(near)});
  line.repeat(pairs % 2, {backward(far), input(near)});
  line.repeat(pairs / 2, {input(far), input(near)});
  // They come in the order of their input halves.
  for (std::uint32_t i = 0; i < inner + pairs; ++i) {
    const Line::Turn owed = weight(i < pairs && (i + pairs) % 2 == 0 ? far : near);
    if (i < inner) {
      line.repeat(1, {owed, input(near)});
    } else {
      line.repeat(1, {owed});
    }
  }
}

}  // namespace

void dual_pipe(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) dual_pipe_stage(order, s);
}

}  // namespace orrery::workload
