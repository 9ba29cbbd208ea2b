// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/embedding_head.h"
#include "orrery/workload/operators/op_kernels.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;

constexpr std::int64_t kLossBytes = 4;  ///< logits and loss are fp32

Tensor hidden_norm(Tape& tape, const Scope& scope, const OpName& name, Tensor x) {
  NormShape shape;
  shape.name = name;
  shape.rows = scope.shard;
  shape.features = scope.model().hidden;
  return norm(tape, scope, shape, x);
}

/// A matrix that every tp rank has, over its own tokens.
Tensor replicated_linear(Tape& tape, const Scope& scope, const OpName& name, Amount rows,
                         Amount out, std::int64_t repeated, Tensor x) {
  Linear shape;
  shape.name = name;
  shape.tokens = rows;
  shape.in = scope.model().hidden;
  shape.outputs = {{"head.transformed", out, true}};
  shape.share = Share::replicated;
  shape.hidden_matrix = false;
  shape.repeated = repeated;
  return linear(tape, scope, shape, {x}).front();
}

/// BERT's way to its logits (Devlin et al., 2019, appendix A): matrix, GELU, norm.
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

/// … and to whether two sentences belong together: matrix and tanh of the first token, two logits.
/// Every rank of tp and cp is taken to do so.
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
  act.flops = {4, 3};  // tanh: two exponentials' worth, add, divide; backward 1 - y², product
  act.keeps_input = false;
  const Tensor pooled = elementwise(tape, scope, act, made);
  replicated_linear(tape, scope, ORRERY_OP("two_way"), rows, 2, everybody, pooled);
}

void reduce(Tape& tape, const Scope& scope, const char* name, Amount size) {
  if (scope.tp == 1) return;
  Op op =
      collective_op(name, Phase::forward, CollectiveType::all_reduce, Axis::tp, stream::tp, size);
  op.numbers = graph::Format::fp32;
  tape.forward(op);
  tape.join_forward(stream::tp);
}

/// See Loss. The step's own working memory is the logits, or their gradient.
void keep_logits(Tape& tape, Loss loss, Tensor logits, Amount wide) {
  switch (loss) {
    case Loss::megatron:
      tape.save("loss.probabilities", wide);
      break;
    case Loss::megatron_compiled:
      tape.save("loss.probabilities", wide);
      tape.scratch(wide);
      break;
    case Loss::eager:
      tape.save("loss.probabilities", wide);
      tape.scratch(wide + wide - tape.bytes_of(logits));
      break;
    case Loss::compiled:
      tape.save(logits);
      break;
    case Loss::in_place:
      break;
  }
}

/// Cross entropy over logits cut over tp. Per logit: 1 FLOP for the largest, 4 for subtraction,
/// exponential, sum and division; backward 2 (the right token's 1 is taken off, the loss' gradient
/// put in). What is kept is the framework's business: Megatron-LM keeps probabilities, in fp32
/// (Korthikanti et al., 2023, section 4.3).
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

Result<LoweredPart> lower_head(const Scope& scope) {
  const Model& model = scope.model();
  Tape tape(scope, "head", false);
  Tensor x = tape.input("head.input", scope.activation(scope.shard * model.hidden));
  if (model.final_norm) x = hidden_norm(tape, scope, ORRERY_OP("final_norm"), x);
  if (model.pooler) pool(tape, scope, x);
  if (model.kind == ModelKind::encoder) x = transform(tape, scope, x);
  // Tied tables lie with the embedding, unless that is another stage's.
  const bool other_part = model.tied_embeddings && scope.spec->parallel.pp == 1;
  const Amount vocab = ceil_div(model.vocab, scope.tp);
  Linear shape;
  shape.name = ORRERY_OP("logits");
  shape.tokens = scope.tokens;
  shape.in = model.hidden;
  shape.outputs = {{"logits", vocab}};
  shape.share = other_part ? Share::other_part : Share::dense;
  shape.hidden_matrix = false;
  shape.narrow = false;  // as Transformer Engine's and torchtitan's users keep it
  if (model.head_bias) tape.add_weights(Share::dense, vocab);
  const Tensor logits = column_linear(tape, scope, shape, ORRERY_COLUMN("logits"), x).front();
  cross_entropy(tape, scope, vocab, logits);
  return tape.finish({});
}

}  // namespace orrery::workload
