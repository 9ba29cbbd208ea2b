// SPDX-License-Identifier: Apache-2.0
//
// DualPipe (DeepSeek-V3 technical report, section 3.2.1, figure 5): microbatches enter at both
// ends.
#include <algorithm>
#include <array>
#include <deque>

#include "orrery/workload/schedule_internal.h"

namespace orrery::workload {
namespace {

/// One stage's passes. "near" is the direction whose pipe begins at the closer end, "far" the
/// other.
class DualLine {
 public:
  enum Direction { near = 0, far = 1 };

  DualLine(PipelineOrder& order, std::uint32_t stage)
      : slots_(order.slots[stage]),
        half_(order.microbatches / 2),
        turned_(stage >= order.stages / 2) {}

  void forward(Direction d) { add(Pass::forward, d, forwards_[d]++); }
  void backward(Direction d) { add(Pass::backward, d, backwards_[d]++); }
  /// The input half now; its weight half waits in a queue.
  void input_grad(Direction d) {
    add(Pass::input_grad, d, backwards_[d]++);
    owed_.push_back({Pass::weight_grad, slots_.back().chunk, slots_.back().microbatch});
  }
  void weight_grad() {
    slots_.push_back(owed_.front());
    owed_.pop_front();
  }
  [[nodiscard]] bool owes_weights() const { return !owed_.empty(); }

 private:
  void add(Pass pass, Direction d, std::uint32_t i) {
    const std::uint32_t chunk = (d == far) != turned_ ? 1 : 0;
    slots_.push_back({pass, static_cast<std::uint16_t>(chunk), i + (chunk == 1 ? half_ : 0)});
  }

  std::vector<Slot>& slots_;
  std::uint32_t half_;
  bool turned_;
  std::array<std::uint32_t, 2> forwards_{}, backwards_{};
  std::deque<Slot> owed_;
};

void dual_pipe_stage(PipelineOrder& order, std::uint32_t stage) {
  constexpr auto near = DualLine::near, far = DualLine::far;
  const std::uint32_t depth = std::min(stage, order.stages - 1 - stage);  // from the closer end
  const std::uint32_t inner = order.stages / 2 - 1 - depth;               // to the middle
  const std::uint32_t steady = order.microbatches / 2 - order.stages + depth + 1;
  DualLine line(order, stage);
  for (std::uint32_t i = 0; i < 2 * inner; ++i) line.forward(near);
  for (std::uint32_t i = 0; i <= depth; ++i) line.forward(near), line.forward(far);
  for (std::uint32_t i = 0; i < inner; ++i) {
    line.input_grad(far), line.weight_grad(), line.forward(far);
  }
  for (std::uint32_t i = 0; i < steady; ++i) {
    line.forward(near), line.backward(far), line.forward(far), line.backward(near);
  }
  for (std::uint32_t i = 0; i < inner; ++i) {
    line.backward(far), line.forward(far), line.backward(near);
  }
  // From the middle of the depth+1 pairs that are left, weight halves are put off.
  for (std::uint32_t i = 0; i < 2 * (depth + 1); ++i) {
    const auto direction = i % 2 == 0 ? far : near;
    i <= depth ? line.backward(direction) : line.input_grad(direction);
  }
  for (std::uint32_t i = 0; i < inner; ++i) line.weight_grad(), line.input_grad(near);
  while (line.owes_weights()) line.weight_grad();
}

}  // namespace

void dual_pipe(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) dual_pipe_stage(order, s);
}

}  // namespace orrery::workload
