// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/embedding_head.h"
#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;

constexpr std::int64_t kLossBytes = 4;  ///< logits and loss are fp32

/// A product with a matrix that every tp rank holds, over the rank's own tokens.
Tensor replicated_linear(Tape& tape, const Scope& scope, const OpName& name, Amount rows,
                         Amount out, std::int64_t repeated, Tensor x) {
  Linear shape;
  shape.name = name;
  shape.tokens = rows;
  shape.in = scope.model().hidden;
  shape.outputs = {{"head.transformed", out, true}};
  shape.weight_kind = WeightKind::replicated;
  shape.hidden_matrix = false;
  shape.duplicate_ranks = repeated;
  return linear(tape, scope, shape, {x}).front();
}

/// BERT's transform before the logits (Devlin et al., 2019, appendix A): matrix, GELU, norm.
Tensor transform(Tape& tape, const Scope& scope, Tensor x) {
  const Amount elements = scope.shard * scope.model().hidden;
  x = replicated_linear(tape, scope, ORRERY_OP("transform"), scope.shard, scope.model().hidden,
                        scope.equivalent_ranks(), x);
  Elementwise act;
  act.name = ORRERY_OP("transform.activation");
  act.elements = elements;
  act.output = "head.activation";
  act.flops = activation_flops(Mlp::gelu);
  return hidden_norm(tape, scope, ORRERY_OP("transform.norm"), elementwise(tape, scope, act, x));
}

/// BERT's pooler for next-sentence prediction: matrix and tanh of the first token, two logits.
/// Assumes that every rank of tp and cp computes it.
void pool(Tape& tape, const Scope& scope, Tensor x) {
  const Model& model = scope.model();
  const Amount rows = scope.micro;
  const std::int64_t everybody = scope.tp * scope.cp;
  tape.begin(Group::none, {x});
  const Tensor first = tape.output("pooler.input", scope.activation(rows * model.hidden));
  const Tensor made =
      replicated_linear(tape, scope, ORRERY_OP("pooler"), rows, model.hidden, everybody, first);
  Elementwise act;
  act.name = ORRERY_OP("pooler.activation");
  act.elements = rows * model.hidden;
  act.output = "pooler.activation";
  act.flops = {4, 3};  // tanh costs two exponentials, an addition and a division; backward 1 - y²,
                       // product
  act.saves_input = false;
  const Tensor pooled = elementwise(tape, scope, act, made);
  replicated_linear(tape, scope, ORRERY_OP("two_way"), rows, 2, everybody, pooled);
}

void reduce(Tape& tape, const Scope& scope, const char* name, Amount size) {
  if (scope.tp == 1) return;
  Op op =
      collective_op(name, Phase::forward, CollectiveType::all_reduce, Axis::tp, stream::tp, size);
  op.format = graph::Format::fp32;
  tape.forward(op);
  tape.join_forward(stream::tp);
}

/// Saves the logits as in Loss. The working memory of the operator itself is the logits or their
/// gradient.
void keep_logits(Tape& tape, Loss loss, Tensor logits, Amount wide) {
  switch (loss) {
    case Loss::megatron:
      tape.save("loss.probabilities", wide);
      break;
    case Loss::megatron_compiled:
      tape.save("loss.probabilities", wide);
      tape.add_scratch(wide);
      break;
    case Loss::eager:
      tape.save("loss.probabilities", wide);
      tape.add_scratch(wide + wide - tape.bytes_of(logits));
      break;
    case Loss::compiled:
      tape.save(logits);
      break;
    case Loss::in_place:
      break;
  }
}

/// Cross entropy over logits that are split over tp. Per logit: 1 FLOP for the maximum, 4 for
/// subtraction, exponential, sum and division; backward 2 (subtract 1 at the right token, multiply
/// by the loss' gradient). The framework determines what is stored: Megatron-LM stores
/// probabilities in fp32 (Korthikanti et al., 2023, section 4.3).
void cross_entropy(Tape& tape, const Scope& scope, Amount vocab, Tensor logits) {
  const Amount elements = scope.tokens * vocab;
  const Amount wide = elements * kLossBytes, per_token = scope.tokens * kLossBytes;
  const Amount narrow = tape.bytes_of(logits);
  const graph::Kernel kernel =
      rows_kernel(scope, graph::Operation::cross_entropy, scope.tokens, vocab);
  tape.begin(Group::none, {logits});
  tape.forward(compute_op("loss", OpClass::vector, Phase::forward, 0, elements,
                          narrow + wide + per_token, kernel));
  reduce(tape, scope, "loss.max.reduce", per_token);
  tape.forward(compute_op("loss.exp", OpClass::vector, Phase::forward, 0, elements * 4,
                          wide + wide + per_token + per_token, kernel),
               wide);
  reduce(tape, scope, "loss.target.reduce", per_token);
  reduce(tape, scope, "loss.sum.reduce", per_token);
  tape.forward(compute_op("loss.mean", OpClass::vector, Phase::forward, 0, scope.tokens * 2,
                          Amount(3) * per_token, kernel),
               per_token + per_token);
  keep_logits(tape, scope.spec->kernels.loss_kernel(), logits, wide);
  tape.backward(compute_op("loss.dgrad", OpClass::vector, Phase::input_grad, 0, elements * 2,
                           wide + narrow, kernel));
}

}  // namespace

void add_loss(Tape& tape, const Scope& scope, Tensor x, WeightKind weights) {
  const Model& model = scope.model();
  const Amount vocab = ceil_div(model.vocab, scope.tp);
  Linear shape;
  shape.name = ORRERY_OP("logits");
  shape.tokens = scope.tokens;
  shape.in = model.hidden;
  shape.outputs = {{"logits", vocab}};
  shape.weight_kind = weights;
  shape.hidden_matrix = false;
  shape.uses_product_format =
      false;  // not in fp8, as in jobs with Transformer Engine and torchtitan
  const Tensor logits = column_linear(tape, scope, shape, ORRERY_COLUMN("logits"), x).front();
  cross_entropy(tape, scope, vocab, logits);
}

Result<LoweredPart> lower_head(const Scope& scope) {
  const Model& model = scope.model();
  Tape tape(scope, "head", false);
  Tensor x = tape.input("head.input", scope.activation(scope.shard * model.hidden));
  if (model.final_norm) x = hidden_norm(tape, scope, ORRERY_OP("final_norm"), x);
  if (model.pooler) pool(tape, scope, x);
  if (model.kind == ModelKind::encoder) x = transform(tape, scope, x);
  // Tied tables count with the embedding, unless the embedding is on another stage.
  const bool other_part = model.tied_embeddings && scope.spec->parallel.pp == 1;
  if (model.head_bias) tape.add_weights(WeightKind::dense, ceil_div(model.vocab, scope.tp));
  add_loss(tape, scope, x, other_part ? WeightKind::tied : WeightKind::dense);
  return tape.finish({});
}

}  // namespace orrery::workload
