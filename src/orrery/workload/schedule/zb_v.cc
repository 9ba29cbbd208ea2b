// SPDX-License-Identifier: Apache-2.0
//
// ZB-V (Qi et al., NeurIPS 2024).
#include <algorithm>

#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {
namespace {

/// The V of Qi et al. (NeurIPS 2024, figure 2) for forward, input and weight passes of equal
/// length.
void order_zb_v(PipelineOrder& order) {
  const std::uint32_t p = order.stages;
  // The pattern needs 2p-1 microbatches; with fewer, the passes of the missing ones are omitted.
  const std::uint32_t m = std::max(2 * p - 1, order.microbatches);
  constexpr StageWriter::ChunkPass up_forward{Pass::forward, 1}, up_input{Pass::input_grad, 1},
      up_weight{Pass::weight_grad, 1};
  for (std::uint32_t s = 0; s < p; ++s) {
    StageWriter line = stage_writer(order, s);  // chunk 0 is the down side of the V, chunk 1 the up
                                                // side
    line.repeat(2 * (p - s) - 1, {kForwardChunk0});
    line.repeat(s, {up_forward, kForwardChunk0});
    line.repeat(p - s, {up_forward, up_input, up_weight});
    line.repeat(m - p, {kForwardChunk0, kInputGradChunk0, kWeightGradChunk0, up_forward, up_input,
                        up_weight});
    line.repeat(s, {kInputGradChunk0, up_input});
    line.repeat(p - s, {kInputGradChunk0, kWeightGradChunk0});
    line.repeat(s, {up_weight});
    line.repeat(s, {kWeightGradChunk0});
  }
}

/// A stage has no gaps; the last stage begins p-1 passes late.
std::optional<std::int64_t> bubble_of_zb_v(const ScheduleSize& size, const PassCost& cost) {
  const std::int64_t f = cost.forward, i = cost.input_grad, w = cost.weight_grad;
  if (f != i || w > f || 2 * w < f || size.microbatches < 2 * size.stages - 1) return std::nullopt;
  return (size.stages - 1) * f;
}

/// With fewer microbatches it is at most their number.
std::optional<std::int64_t> in_flight_of_zb_v(const ScheduleSize& size) {
  if (size.microbatches < 2 * size.stages - 1) return std::nullopt;
  return 2 * size.stages;
}

}  // namespace

const ScheduleEntry kZbV{
    .kind = ScheduleKind::zb_v,
    .chunks = ChunkCount::two,
    .placement = Placement::v,
    .order = order_zb_v,
    .bubble = bubble_of_zb_v,
    .in_flight = in_flight_of_zb_v,
    .page = {
        .title = "ZB-V",
        .bubble = "(*p* - 1)*F*, none of it inside a stage",
        .exact_when = "*F* = *I* >= *W* >= *F*/2, *m* >= 2*p* - 1",
        .in_flight = "2*p* chunks, every stage",
        .source = "Qi et al., NeurIPS 2024",
        .text = "Each stage holds two chunks in a V. The model goes down the stages and back up, "
                "so the first stage holds the loss. If all passes are equally long, no stage "
                "waits between its first and its last pass. The remaining bubble is the time "
                "before the last stage can begin.",
        .notes = "- The zero-bubble papers measure each stage from its own first pass to its own "
                 "last pass.\n"
                 "  With this definition `zb_v` has no bubble.\n"}};

}  // namespace orrery::workload
