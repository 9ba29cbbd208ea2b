// SPDX-License-Identifier: Apache-2.0
//
// ZB-H1 (Qi et al., ICLR 2024).
#include <algorithm>

#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {
namespace {

/// 1F1B whose weight halves come s passes late on stage s, so that every stage holds p microbatches
/// and the stages before wait for input halves only.
void order_zb_h1(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    const std::uint32_t late = std::min(s, order.microbatches);
    StageWriter line = stage_writer(order, s);
    line.repeat(order.stages - 1 - s, {kOneForward});
    line.repeat(late, {kOneForward, kInput});
    line.repeat(order.microbatches - late, {kOneForward, kInput, kWeight});
    line.repeat(late, {kWeight});
  }
}

/// Qi et al., table 2, for i >= w and m >= p. Beyond it: weight halves longer than input halves
/// hide no more than those; with few microbatches there are too few of them.
std::optional<std::int64_t> bubble_of_zb_h1(const ScheduleSize& size, const PassCost& cost) {
  const std::int64_t f = cost.forward, i = cost.input_grad, w = cost.weight_grad;
  if (i > f && w > f) return std::nullopt;
  return (size.stages - 1) * (f + std::max<std::int64_t>(0, i - w)) +
         std::max<std::int64_t>(0, size.stages - size.microbatches) * std::min(i, w);
}

}  // namespace

const ScheduleEntry kZbH1{
    .kind = ScheduleKind::zb_h1,
    .order = order_zb_h1,
    .bubble = bubble_of_zb_h1,
    .in_flight =
        [](const ScheduleSize& size) {
          return std::optional(std::min(size.microbatches, size.stages));
        },
    .page = {
        .title = "ZB-H1",
        .bubble = "(*p* - 1)(*F* + *I* - *W*)",
        .exact_when = "*m* >= *p*, *I* >= *W*, and *I* or *W* <= *F*",
        .in_flight = "*p*, every stage",
        .source = "Qi et al., ICLR 2024, table 2",
        .text = "The backward pass in two halves: only the gradient of the input is waited for by "
                "the stage before; the weights' is put off by *s* microbatches and fills gaps. "
                "Every stage holds *p* microbatches, as many as 1F1B's first.",
        .notes = "- `zb_h1` beyond its condition: for *W* > *I* the bubble is (*p* - 1)*F*; for "
                 "*m* < *p* it grows by (*p* - *m*) min(*I*, *W*).\n"}};

}  // namespace orrery::workload
