// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/unfused_softmax.h"

#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::Format;
using graph::Operation;

constexpr std::int64_t kWideScore = 4;  // bytes of fp32

bool is_half(const Scope& scope) { return scope.activation(1).value() < kWideScore; }

/// The operators of PyTorch over all scores, in fp32 except for the other side of casts.
class Pieces {
 public:
  Pieces(const Scope& scope, Phase phase, Amount rows, Amount length)
      : scope_(scope), phase_(phase), rows_(rows), length_(length), scores_(rows * length) {}

  [[nodiscard]] Op cast(const char* name, bool widens) const {
    graph::Kernel kernel = elements_kernel(scope_, Operation::cast, scores_);
    (widens ? kernel.out : kernel.a) = Format::fp32;
    return compute_op(name, OpClass::vector, phase_, 0, 0,
                      scope_.activation(scores_) + scores_ * kWideScore, kernel);
  }
  [[nodiscard]] Op elementwise(const char* name, std::int64_t flops) const {
    return wide(name, elements_kernel(scope_, Operation::elementwise, scores_), flops, 2);
  }
  [[nodiscard]] Op softmax(const char* name, std::int64_t flops, std::int64_t tensors) const {
    return wide(name, rows_kernel(scope_, Operation::softmax, rows_, length_), flops, tensors);
  }

 private:
  [[nodiscard]] Op wide(const char* name, graph::Kernel kernel, std::int64_t flops,
                        std::int64_t tensors) const {
    kernel.a = kernel.out = Format::fp32;
    return compute_op(name, OpClass::vector, phase_, 0, scores_ * flops,
                      scores_ * kWideScore * tensors, kernel);
  }

  const Scope& scope_;
  Phase phase_;
  Amount rows_, length_, scores_;
};

}  // namespace

bool is_softmax_unfused(const Scope& scope, const CoreShape& core) {
  const Kernels& kernels = scope.spec->kernels;
  if (kernels.framework != Framework::megatron_2021 || kernels.flash_attention) return false;
  constexpr std::int64_t kShortest = 16, kLongest = 2048, kTogether = 4;
  const bool fits = core.keys > kShortest && core.keys <= kLongest &&
                    core.queries % kTogether == 0 && scope.micro * core.heads % kTogether == 0;
  return !is_half(scope) || !fits;
}

void unfused_softmax_forward(Tape& tape, const Scope& scope, Amount rows, Amount length) {
  const Pieces piece(scope, Phase::forward, rows, length);
  if (is_half(scope)) tape.forward(piece.cast("attention.softmax.widen", true));
  tape.forward(piece.elementwise("attention.softmax.scale", 1));
  tape.forward(piece.elementwise("attention.softmax.mask", 0));
  tape.forward(piece.softmax("attention.softmax", softmax_flops.forward, 2));
  if (is_half(scope)) tape.forward(piece.cast("attention.softmax.narrow", false));
}

void unfused_softmax_backward(Tape& tape, const Scope& scope, Amount rows, Amount length) {
  const Pieces piece(scope, Phase::input_grad, rows, length);
  if (is_half(scope)) tape.backward(piece.cast("attention.softmax.narrow.dgrad", true));
  tape.backward(piece.softmax("attention.softmax.dgrad", softmax_flops.backward, 3));
  tape.backward(piece.elementwise("attention.softmax.mask.dgrad", 0));
  tape.backward(piece.elementwise("attention.softmax.scale.dgrad", 1));
  if (is_half(scope)) tape.backward(piece.cast("attention.softmax.widen.dgrad", false));
}

Amount unfused_softmax_saved(Amount pairs) { return pairs * kWideScore; }

}  // namespace orrery::workload
