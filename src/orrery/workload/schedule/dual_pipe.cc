// SPDX-License-Identifier: Apache-2.0
//
// DualPipe (DeepSeek-V3 technical report, section 3.2.1, figure 5): microbatches enter at both
// ends.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {
namespace {

/// "near" is the direction whose pipe begins at the closer end, "far" the other one.
void dual_pipe_stage(PipelineOrder& order, std::uint32_t stage) {
  // distance to the closer end
  const std::uint32_t depth = std::min(stage, order.stages - 1 - stage);
  const std::uint32_t inner = order.stages / 2 - 1 - depth;  // distance to the middle
  const std::uint32_t half = order.microbatches / 2, pairs = depth + 1;
  const std::uint16_t near = stage < order.stages / 2 ? 0 : 1, far = 1 - near;
  const auto forward = [](std::uint16_t chunk) {
    return StageWriter::ChunkPass{Pass::forward, chunk};
  };
  const auto backward = [](std::uint16_t chunk) {
    return StageWriter::ChunkPass{Pass::backward, chunk};
  };
  const auto input = [](std::uint16_t chunk) {
    return StageWriter::ChunkPass{Pass::input_grad, chunk};
  };
  const auto weight = [](std::uint16_t chunk) {
    return StageWriter::ChunkPass{Pass::weight_grad, chunk};
  };

  StageWriter line(order.loops[stage], half, {0, half});
  line.repeat(2 * inner, {forward(near)});
  line.repeat(pairs, {forward(near), forward(far)});
  line.repeat(inner, {input(far), weight(far), forward(far)});
  line.repeat(half - order.stages + pairs,
              {forward(near), backward(far), forward(far), backward(near)});
  line.repeat(inner, {backward(far), forward(far), backward(near)});
  // From the middle of the remaining pairs on, weight halves are postponed.
  line.repeat(pairs / 2, {backward(far), backward(near)});
  line.repeat(pairs % 2, {backward(far), input(near)});
  line.repeat(pairs / 2, {input(far), input(near)});
  // Postponed weight halves run in the order of their input halves.
  for (std::uint32_t i = 0; i < inner + pairs; ++i) {
    const StageWriter::ChunkPass owed = weight(i < pairs && (i + pairs) % 2 == 0 ? far : near);
    if (i < inner) {
      line.repeat(1, {owed, input(near)});
    } else {
      line.repeat(1, {owed});
    }
  }
}

void order_dual_pipe(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) dual_pipe_stage(order, s);
}

std::optional<std::int64_t> bubble_of_dual_pipe(const ScheduleSize& size, const PassCost& cost) {
  const std::int64_t f = cost.forward, i = cost.input_grad, w = cost.weight_grad;
  if (i > f || i + w < f) return std::nullopt;
  return (size.stages / 2 - 1) * (f + std::max<std::int64_t>(0, i - w));
}

constexpr std::array kDualPipeRules = {
    ScheduleRule{"dual-pipe-stages", "dual_pipe has an even number of stages.", "parallel.pp",
                 [](const ScheduleSize& size) -> std::string {
                   if (size.stages % 2 == 0) return {};
                   return fmt::format("pp is {}, no multiple of 2 (pairs of stages)", size.stages);
                 }},
    ScheduleRule{"dual-pipe-microbatches",
                 "dual_pipe runs an even number of microbatches, at least 2 x pp.", "schedule",
                 [](const ScheduleSize& size) -> std::string {
                   if (size.microbatches % 2 == 0 && size.microbatches >= 2 * size.stages)
                     return {};
                   return fmt::format("there are {} microbatches for {} stages", size.microbatches,
                                      size.stages);
                 }}};

}  // namespace

const ScheduleEntry kDualPipe{
    .kind = ScheduleKind::dual_pipe,
    .chunks = ChunkCount::two,
    .placement = Placement::bidirectional,
    .order = order_dual_pipe,
    .bubble = bubble_of_dual_pipe,
    .in_flight = [](const ScheduleSize& size) { return std::optional(size.stages + 1); },
    .rules = kDualPipeRules,
    .page = {
        .title = "DualPipe",
        .bubble = "(*p*/2 - 1)(*F* + max(0, *I* - *W*))",
        .exact_when = "*I* <= *F* <= *B*",
        .in_flight = "*p* + 1, every stage",
        .source = "DeepSeek-V3 report, section 3.2.1",
        .text =
            "Half of the microbatches enter at each end. So each stage holds the weights of two "
            "stages: chunk 0 is its position in one direction, chunk 1 in the other. Forward "
            "and backward passes of different directions are adjacent, so that the computation "
            "of one hides the communication of the other.",
        .notes =
            "- DualPipe's authors state the bubble (*p*/2 - 1)(*F&B* + *B* - 3*W*). *F&B* is a "
            "forward and a backward pass that\n"
            "  overlap; they count such a pair as one unit that begins and ends together. With "
            "this convention, our order has\n"
            "  exactly this bubble (*I* = *F* >= *W*, *F&B* = *F* + *B*; a test checks it). With "
            "the two passes one after the other,\n"
            "  the bubble is smaller, as in the table.\n"}};

}  // namespace orrery::workload
