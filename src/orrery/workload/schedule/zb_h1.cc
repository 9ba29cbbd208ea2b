// SPDX-License-Identifier: Apache-2.0
//
// ZB-H1 (Qi et al., ICLR 2024).
#include <algorithm>

#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {
namespace {

/// 1F1B whose weight halves run s passes late on stage s. Every stage then holds p microbatches,
/// and earlier stages wait only for input halves.
void order_zb_h1(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    const std::uint32_t late = std::min(s, order.microbatches);
    StageWriter line = stage_writer(order, s);
    line.repeat(order.stages - 1 - s, {kForwardChunk0});
    line.repeat(late, {kForwardChunk0, kInputGradChunk0});
    line.repeat(order.microbatches - late, {kForwardChunk0, kInputGradChunk0, kWeightGradChunk0});
    line.repeat(late, {kWeightGradChunk0});
  }
}

/// Qi et al., table 2, for i >= w and m >= p. Otherwise there is no formula: weight halves longer
/// than input halves hide no more than input halves do, and with few microbatches there are too few
/// weight halves.
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
    .page = {.title = "ZB-H1",
             .bubble = "(*p* - 1)(*F* + *I* - *W*)",
             .exact_when = "*m* >= *p*, *I* >= *W*, and *I* or *W* <= *F*",
             .in_flight = "*p*, every stage",
             .source = "Qi et al., ICLR 2024, table 2",
             .text =
                 "The backward pass has two halves. The previous stage waits only for the gradient "
                 "of the input. Stage *s* defers the gradient of the weights by *s* microbatches "
                 "and so fills gaps. Every stage holds *p* microbatches, as many as 1F1B's first "
                 "stage.",
             .notes = "- `zb_h1` outside its condition: for *W* > *I* the bubble is (*p* - 1)*F*;\n"
                      "  for *m* < *p* it grows by (*p* - *m*) min(*I*, *W*).\n"}};

}  // namespace orrery::workload
