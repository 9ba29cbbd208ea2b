// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/adapters.h"

#include "orrery/workload/spec/lora_targets.h"

namespace orrery::workload {
namespace {

/// Writes one adapter to the tape.
class Writer {
 public:
  Writer(Tape& tape, const Scope& scope, const Linear& base, MatrixSplit split,
         const Adapter& adapter)
      : tape_(tape), scope_(scope), base_(base), split_(split), adapter_(adapter) {}

  void write(Tensor x, std::vector<Tensor>& made) {
    add_gradients(x);
    const Tensor change = multiply_b(multiply_a(x));
    add(change, made);
  }

 private:
  [[nodiscard]] Amount features_out() const {
    Amount sum;
    for (std::size_t i = 0; i < adapter_.count; ++i)
      sum += base_.outputs[adapter_.first + i].features;
    return sum / adapter_.output_divisor;
  }
  /// Tokens of a small product: those of the base matrix if tensor parallelism splits this one,
  /// else each rank's own.
  [[nodiscard]] Amount tokens(MatrixSplit whole) const {
    return split_ == whole || !scope_.sp ? base_.tokens : scope_.shard;
  }
  [[nodiscard]] Amount tokens_out() const { return tokens(MatrixSplit::columns); }

  Linear matrix(const OpName& name, MatrixSplit whole, Amount in, const char* output,
                Amount out) const {
    Linear shape;
    shape.name = name;
    shape.group = base_.group;
    shape.tokens = tokens(whole);
    shape.in = in;
    shape.outputs = {{output, out}};
    shape.is_adapter = true;
    if (split_ == whole) return shape;
    shape.weight_kind = WeightKind::replicated;
    shape.duplicate_ranks = scope_.equivalent_ranks();
    return shape;
  }

  /// Adds the adapter's gradient of x to that of W.
  void add_gradients(Tensor x) {
    const Amount size = tape_.bytes_of(x);
    tape_.begin(base_.group, {x});
    tape_.backward(compute_op(adapter_.names.add_dgrad, OpClass::vector, Phase::input_grad, 0,
                              size / scope_.activation(1).value(), size * 3));
  }

  Tensor multiply_a(Tensor x) {
    const Linear shape = matrix(adapter_.names.a, MatrixSplit::rows, adapter_.features,
                                adapter_.names.rank_output, scope_.spec->lora->rank);
    return split_ == MatrixSplit::rows ? row_linear(tape_, scope_, shape, adapter_.names.rows, {x})
                                       : linear(tape_, scope_, shape, {x}).front();
  }

  Tensor multiply_b(Tensor middle) {
    const Linear shape = matrix(adapter_.names.b, MatrixSplit::columns, scope_.spec->lora->rank,
                                adapter_.names.output, features_out());
    return split_ == MatrixSplit::columns
               ? column_linear(tape_, scope_, shape, adapter_.names.columns, middle).front()
               : linear(tape_, scope_, shape, {middle}).front();
  }

  /// y + s·change, in two kernels, or one if they are fused. Backward: s times the gradient.
  void add(Tensor change, std::vector<Tensor>& made) {
    const Amount elements = tokens_out() * features_out(), size = scope_.activation(elements);
    tape_.begin(base_.group, {change});
    tape_.forward(
        compute_op(adapter_.names.add, OpClass::vector, Phase::forward, 0, elements, size + size));
    tape_.forward(
        compute_op(adapter_.names.add, OpClass::vector, Phase::forward, 0, elements, size * 3),
        size + size);
    tape_.backward(compute_op(adapter_.names.scale, OpClass::vector, Phase::input_grad, 0, elements,
                              size + size));
    for (std::size_t i = 0; i < adapter_.count; ++i) {
      Tensor& each = made[adapter_.first + i];
      each = tape_.output(base_.outputs[adapter_.first + i].name, tape_.bytes_of(each));
    }
  }

  Tape& tape_;
  const Scope& scope_;
  const Linear& base_;
  MatrixSplit split_;
  const Adapter& adapter_;
};

}  // namespace

void add_adapters(Tape& tape, const Scope& scope, const Linear& base, MatrixSplit split,
                  const std::vector<Adapter>& adapters, Tensor x, std::vector<Tensor>& made) {
  if (!scope.is_frozen()) return;
  for (const Adapter& each : adapters) {
    if (is_adapted(*scope.spec, each.matrix)) Writer(tape, scope, base, split, each).write(x, made);
  }
}

std::vector<Adapter> qkv_adapters(Amount features) {
  return {{"q", ORRERY_ADAPTER("q"), features, 0, 1},
          {"k", ORRERY_ADAPTER("k"), features, 1, 1},
          {"v", ORRERY_ADAPTER("v"), features, 2, 1},
          {"qkv", ORRERY_ADAPTER("qkv"), features, 0, 3}};
}

std::vector<Adapter> mlp_adapters(Amount features, std::size_t at) {
  return {{"gate", ORRERY_ADAPTER("gate"), features, at, 1, 2},
          {"up", ORRERY_ADAPTER("up"), features, at, 1, 2},
          {"mlp_up", ORRERY_ADAPTER("mlp_up"), features, at, 1}};
}

}  // namespace orrery::workload
