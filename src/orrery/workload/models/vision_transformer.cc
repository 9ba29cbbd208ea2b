// SPDX-License-Identifier: Apache-2.0
//
// Transformers for images: ViT (Dosovitskiy et al., ICLR 2021, section 3.1) and DiT with adaLN-Zero
// (Peebles and Xie, ICCV 2023, section 3.2). Attention is not causal. The first matrices do not
// compute gradients of their inputs (images, timesteps).
//
// Tensor parallelism outside the blocks: the patch embedding is split by token with sequence
// parallelism, else by feature, followed by a gather. Matrices that process one row per image
// (classifier, time, modulation) are split by column.
#include <utility>

#include "orrery/workload/layers/blocks.h"
#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

namespace {

using graph::CollectiveType;

constexpr std::int64_t kWaves = 256;  ///< sines and cosines that encode a diffusion step (DiT's
                                      ///< code)
/// x·sigmoid(x): exp, add, divide, product; backward these except the last, then d·s·(1 + x − x·s).
constexpr PerElement kSilu{4, 8};
constexpr PerElement kSquaredError{3, 2};

std::int64_t patches_of(const Model& model) {
  const std::int64_t side = model.vision->image / model.vision->patch;
  return side * side;
}

/// Columns on one rank of tp, if tp divides them; else all.
std::int64_t cut(const Scope& scope, std::int64_t columns) {
  return columns % scope.tp == 0 ? columns / scope.tp : columns;
}

/// A scope for rows that all tp ranks hold, with or without sequence parallelism.
Scope by_picture(const Scope& scope) {
  Scope whole = scope;
  whole.sp = false;
  return whole;
}

/// Gathers all columns, of which each tp rank has computed some. Backward: the rank's columns of
/// the gradient; with sp they are first summed over ranks.
Tensor gather_columns(Tape& tape, const Scope& scope, const char* output, Amount size, Tensor x,
                      bool summands) {
  if (scope.tp == 1) return x;
  tape.begin(Group::none, {x});
  tape.forward(collective_op("columns.gather", Phase::forward, CollectiveType::all_gather, Axis::tp,
                             stream::tp, tape.bytes_of(x)));
  tape.join_forward(stream::tp);
  if (summands) {
    tape.backward(collective_op("columns.gather.dgrad", Phase::input_grad,
                                CollectiveType::reduce_scatter, Axis::tp, stream::tp, size));
    tape.join_backward(stream::tp);
  }
  return tape.output(output, size);
}

/// Sets the sizes of the convolution: batch, input and output channels, output height and width,
/// filter sides, stride. With sequence parallelism a rank has a part of the positions.
void convolve_patches(Linear& shape, const Scope& scope, std::int64_t features) {
  const Vision& vision = *scope.model().vision;
  const std::int64_t side = vision.image / vision.patch, patches = side * side;
  const bool even = scope.sp && patches % scope.tp == 0;
  const std::int64_t tokens = shape.tokens.value(), edge = vision.patch;
  shape.convolution = {scope.micro, vision.channels, features, side, side, edge, edge, edge};
  if (scope.sp) {
    shape.convolution[0] = even ? scope.micro : 1;
    shape.convolution[3] = even ? patches / scope.tp : tokens;
    shape.convolution[4] = 1;
  }
  shape.uses_product_format = false;
}

/// Multiplies each patch by a matrix and adds positions: learned ones, with the class token, or
/// fixed ones.
Tensor embed_patches(Tape& tape, const Scope& scope, bool learned) {
  const Model& model = scope.model();
  const Vision& vision = *model.vision;
  const std::int64_t patches = patches_of(model);
  const Amount pixels = Amount(vision.channels) * vision.patch * vision.patch;
  const Amount all = Amount(scope.micro) * patches;
  Linear shape;
  shape.name = ORRERY_OP("patches");
  shape.tokens = scope.sp ? ceil_div(all, scope.tp) : all;
  shape.in = pixels;
  const std::int64_t features = scope.sp ? model.hidden : cut(scope, model.hidden);
  const bool whole = features == model.hidden;
  shape.outputs = {{"patches", features, true}};
  shape.weight_kind = scope.tp > 1 && whole ? WeightKind::replicated : WeightKind::dense;
  shape.duplicate_ranks = whole ? scope.equivalent_ranks() : 1;
  shape.hidden_matrix = false;
  shape.first_in_network = true;
  if (scope.spec->kernels.fusion().convolves_patches) convolve_patches(shape, scope, features);
  const Tensor pictures = tape.input("pictures", scope.activation(shape.tokens * pixels));
  Tensor x = linear(tape, scope, shape, {pictures}).front();
  if (!whole)
    x = gather_columns(tape, scope, "patches", scope.activation(all * model.hidden), x, false);

  const Amount elements = scope.shard * model.hidden, size = scope.activation(elements);
  tape.begin(Group::none, {x});
  tape.forward(compute_op("positions", OpClass::vector, Phase::forward, 0, elements,
                          tape.bytes_of(x) + size * 2));
  if (learned) {
    const std::int64_t token = vision.class_token ? 1 : 0;
    const bool table = model.positions == Positions::learned;
    const Amount weights = Amount(model.hidden) * (token + (table ? patches + token : 0));
    tape.add_weights(WeightKind::replicated, weights);
    if (table)
      tape.backward(compute_op("positions.wgrad", OpClass::vector, Phase::weight_grad, 0, elements,
                               size + scope.gradient(weights)));
  }
  return tape.output("embedded", size);
}

/// A product with a matrix that is not one of the hidden ones. Each rank of tp computes some of the
/// outputs
/// (`shared_out`), or all of them with its own copy of the matrix.
Linear matrix_product(const Scope& scope, const OpName& name, Amount tokens, Amount in,
                      const Linear::Output& output, bool shared_out) {
  Linear shape;
  shape.name = name;
  shape.tokens = tokens;
  shape.in = in;
  shape.outputs = {output};
  shape.weight_kind = scope.tp > 1 && !shared_out ? WeightKind::replicated : WeightKind::dense;
  shape.duplicate_ranks = shared_out ? 1 : scope.tp;
  shape.hidden_matrix = false;
  return shape;
}

/// ---- ViT ----

/// Selects the class token of each image, or the mean of its tokens.
Tensor pool_tokens(Tape& tape, const Scope& scope, Tensor x) {
  const Model& model = scope.model();
  const Amount size = scope.activation(Amount(scope.micro) * model.hidden);
  const Amount elements = scope.shard * model.hidden;
  const bool mean = !model.vision->class_token;
  tape.begin(Group::none, {x});
  const Amount moved = (mean ? scope.activation(elements) : size) + size;
  tape.forward(
      compute_op("pool", OpClass::vector, Phase::forward, 0, mean ? elements : Amount(0), moved));
  // With sp each rank has the tokens of some images.
  if (scope.sp) {
    tape.forward(collective_op("pool.reduce", Phase::forward, CollectiveType::all_reduce, Axis::tp,
                               stream::tp, size));
    tape.join_forward(stream::tp);
  }
  tape.backward(compute_op("pool.dgrad", OpClass::vector, Phase::input_grad, 0,
                           mean ? elements : Amount(0), scope.activation(elements) + size));
  return tape.output("pooled", size);
}

/// Softmax and cross entropy over classes, which may be split over tp.
void classify(Tape& tape, const Scope& scope, std::int64_t classes, bool shared_out,
              Tensor scores) {
  if (shared_out) {
    // As for tokens: the maximum, the score of the right class, the sum (Shoeybi et al., 2019,
    // section 3).
    tape.begin(Group::none, {scores});
    for (const char* name : {"loss.max", "loss.wanted", "loss.sum"})
      tape.forward(collective_op(name, Phase::forward, CollectiveType::all_reduce, Axis::tp,
                                 stream::tp, Amount(scope.micro) * 4));
    tape.join_forward(stream::tp);
  }
  Elementwise loss;
  loss.name = ORRERY_OP("loss");
  loss.elements = Amount(scope.micro) * classes;
  loss.output = "loss";
  loss.flops = softmax_flops;
  elementwise(tape, scope, loss, scores);
}

Result<LoweredPart> lower_vit_head(const Scope& scope) {
  const Model& model = scope.model();
  Tape tape(scope, "head", false);
  Tensor x = tape.input("head.input", scope.activation(scope.shard * model.hidden));
  if (model.final_norm) x = hidden_norm(tape, scope, ORRERY_OP("final_norm"), x);
  x = pool_tokens(tape, scope, x);
  const std::int64_t classes = model.vision->classes;
  if (classes == 0) return tape.finish({x});
  const std::int64_t columns = cut(scope, classes);
  const bool shared_out = columns != classes;
  const Scope whole = by_picture(scope);
  const Linear shape = matrix_product(scope, ORRERY_OP("head"), scope.micro, model.hidden,
                                      {"scores", columns, true}, shared_out);
  const Tensor scores = (shared_out ? column_linear(tape, whole, shape, ORRERY_COLUMN("head"), x)
                                    : linear(tape, whole, shape, {x}))
                            .front();
  classify(tape, whole, columns, shared_out, scores);
  return tape.finish({});
}

/// ---- DiT ----

/// Computes a vector per image from its diffusion step and its class.
Tensor embed_condition(Tape& tape, const Scope& scope) {
  const Model& model = scope.model();
  const Scope whole = by_picture(scope);
  const Amount elements = Amount(scope.micro) * model.hidden, size = scope.activation(elements);
  const std::int64_t columns = cut(scope, model.hidden);
  const bool shared_out = columns != model.hidden;
  const Tensor waves = tape.input("time", scope.activation(Amount(scope.micro) * kWaves));
  Linear first = matrix_product(scope, ORRERY_OP("time_in"), scope.micro, kWaves,
                                {"time_in", columns, true}, shared_out);
  Elementwise silu;
  silu.name = ORRERY_OP("time_silu");
  silu.elements = Amount(scope.micro) * columns;
  silu.output = "time_silu";
  silu.flops = kSilu;
  Linear second = first;
  second.name = ORRERY_OP("time_out");
  second.in = columns;
  second.outputs = {{"time_out", model.hidden, true}};
  second.hidden_matrix = true;
  first.first_in_network = true;
  const Tensor inner = elementwise(tape, whole, silu, linear(tape, whole, first, {waves}).front());
  const Tensor time = shared_out ? row_linear(tape, whole, second, ORRERY_ROW("time_out"), {inner})
                                 : linear(tape, whole, second, {inner}).front();
  if (model.vision->classes == 0) return time;
  // One more row for "no class", which classifier-free guidance needs.
  const Amount table = Amount(model.vision->classes + 1) * model.hidden;
  tape.add_weights(WeightKind::replicated, table);
  tape.begin(Group::none, {time});
  tape.forward(
      compute_op("classes", OpClass::lookup, Phase::forward, 0, elements, Amount(3) * size));
  tape.backward(compute_op("classes.wgrad", OpClass::lookup, Phase::weight_grad, 0, elements,
                           size + scope.gradient(elements)));
  return tape.output("condition", size);
}

Result<LoweredPart> lower_dit_embedding(const Scope& scope) {
  Tape tape(scope, "embedding", false);
  const Tensor x = embed_patches(tape, scope, false);
  return tape.finish({x, embed_condition(tape, scope)});
}

/// Computes `chunks` vectors per image: shifts, scales, gates (adaLN). They replace the weights of
/// norms.
Tensor modulation(Tape& tape, const Scope& scope, std::int64_t chunks, Tensor condition) {
  const Model& model = scope.model();
  const Scope whole = by_picture(scope);
  Elementwise silu;
  silu.name = ORRERY_OP("condition_silu");
  silu.elements = Amount(scope.micro) * model.hidden;
  silu.output = "condition_silu";
  silu.flops = {kSilu.forward, kSilu.backward + 1};  // its gradient is added to those of other
                                                     // layers
  const Tensor active = elementwise(tape, whole, silu, condition);
  const std::int64_t columns = cut(scope, chunks * model.hidden);
  const bool shared_out = columns != chunks * model.hidden;
  Linear shape = matrix_product(scope, ORRERY_OP("modulation"), scope.micro, model.hidden,
                                {"modulation", columns, true}, shared_out);
  shape.hidden_matrix = true;
  if (!shared_out) return linear(tape, whole, shape, {active}).front();
  const Tensor mine =
      column_linear(tape, whole, shape, ORRERY_COLUMN("modulation"), active).front();
  return gather_columns(tape, scope, "modulation",
                        scope.activation(Amount(scope.micro) * chunks * model.hidden), mine,
                        scope.sp);
}

/// norm(x)·(1 + scale) + shift. If it is fused with the norm, the backward pass recomputes it.
Tensor modulated_norm(Tape& tape, const Scope& scope, const OpName& name, bool adds_to_residual,
                      Tensor x, Tensor modulation) {
  const Amount elements = scope.shard * scope.model().hidden, size = scope.activation(elements);
  NormShape shape;
  shape.name = name;
  shape.rows = scope.shard;
  shape.features = scope.model().hidden;
  shape.adds_to_residual = adds_to_residual;
  shape.has_weights = false;
  const Tensor normed = norm(tape, scope, shape, x);
  tape.begin(Group::norm, {normed, modulation});
  tape.save(modulation);
  if (!scope.spec->kernels.fused) tape.save(normed);
  tape.forward(compute_op("modulate", OpClass::vector, Phase::forward, 0, elements * 2, size * 2),
               size * 2);
  // The gradient of x, and one sum each for scale and shift.
  tape.backward(
      compute_op("modulate.dgrad", OpClass::vector, Phase::input_grad, 0, elements * 4, size * 3));
  return tape.output("modulated", size);
}

/// x + gate·branch.
Tensor gated_residual(Tape& tape, const Scope& scope, Tensor x, Tensor branch, Tensor modulation) {
  const Amount elements = scope.shard * scope.model().hidden, size = scope.activation(elements);
  tape.begin(Group::none, {x, branch, modulation});
  tape.save(branch);
  tape.save(modulation);
  tape.forward(compute_op("gate", OpClass::vector, Phase::forward, 0, elements * 2, size * 3));
  tape.backward(
      compute_op("gate.dgrad", OpClass::vector, Phase::input_grad, 0, elements * 3, size * 3));
  return tape.output("residual", size);
}

Tensor hidden_input(Tape& tape, const Scope& scope, const char* name) {
  return tape.input(name, scope.activation(scope.shard * scope.model().hidden));
}

Tensor condition_input(Tape& tape, const Scope& scope) {
  return tape.borrowed_input("condition",
                             scope.activation(Amount(scope.micro) * scope.model().hidden));
}

Result<LoweredPart> lower_dit_layer(const Scope& scope) {
  Tape tape(scope, "layer", true);
  Tensor x = hidden_input(tape, scope, "layer.input");
  const Tensor condition = condition_input(tape, scope);
  const Tensor vectors = modulation(tape, scope, 6, condition);
  Attention shape;
  shape.causal = false;
  Tensor branch =
      attention(tape, scope, shape,
                modulated_norm(tape, scope, ORRERY_OP("attention_norm"), true, x, vectors));
  x = gated_residual(tape, scope, x, branch, vectors);
  branch = mlp(tape, scope, scope.model().inner(),
               modulated_norm(tape, scope, ORRERY_OP("mlp_norm"), true, x, vectors));
  x = gated_residual(tape, scope, x, branch, vectors);
  return tape.finish({x, condition});
}

/// From tokens to patches: the noise, and its variance if it is learned.
Result<LoweredPart> lower_dit_head(const Scope& scope) {
  const Model& model = scope.model();
  const Vision& vision = *model.vision;
  Tape tape(scope, "head", false);
  Tensor x = hidden_input(tape, scope, "head.input");
  const Tensor vectors = modulation(tape, scope, 2, condition_input(tape, scope));
  x = modulated_norm(tape, scope, ORRERY_OP("final_norm"), false, x, vectors);
  const std::int64_t pixels =
      vision.patch * vision.patch * vision.channels * (vision.learned_sigma ? 2 : 1);
  const std::int64_t columns = scope.sp ? pixels : cut(scope, pixels);
  const bool shared_out = columns != pixels;
  Linear shape = matrix_product(scope, ORRERY_OP("head"), scope.shard, model.hidden,
                                {"noise", columns, true}, shared_out);
  if (!shared_out) shape.duplicate_ranks = scope.equivalent_ranks();
  const Tensor noise = (shared_out ? column_linear(tape, scope, shape, ORRERY_COLUMN("head"), x)
                                   : linear(tape, scope, shape, {x}))
                           .front();
  Elementwise loss;
  loss.name = ORRERY_OP("loss");
  loss.elements = scope.shard * columns;
  loss.output = "loss";
  loss.flops = kSquaredError;
  elementwise(tape, scope, loss, noise);
  return tape.finish({});
}

Result<LoweredPart> lower_vit_embedding(const Scope& scope) {
  Tape tape(scope, "embedding", false);
  const Tensor embedded = embed_patches(tape, scope, true);
  if (scope.is_frozen()) tape.end_gradients();
  return tape.finish({embedded});
}

Result<LoweredPart> lower_vit_layer(const Scope& scope) {
  Tape tape(scope, "layer", true);
  Layer layer;
  layer.attention.causal = false;
  const Tensor x = hidden_input(tape, scope, "layer.input");
  return tape.finish({transformer_layer(tape, scope, layer, x)});
}

}  // namespace

Result<LoweredModel> lower_vision(const Spec& spec, const Mesh& mesh, const Position& where) {
  const Model& model = spec.model;
  const bool vit = model.kind == ModelKind::vit;
  const std::int64_t token = vit && model.vision->class_token ? 1 : 0;
  const Scope scope(spec, mesh, where, patches_of(model) + token);
  LoweredModel lowered;
  auto done =
      append_part(lowered, vit ? lower_vit_embedding(scope) : lower_dit_embedding(scope), 1, -1);
  if (done)
    done = append_part(lowered, vit ? lower_vit_layer(scope) : lower_dit_layer(scope), model.layers,
                       0);
  if (done) done = append_part(lowered, vit ? lower_vit_head(scope) : lower_dit_head(scope), 1, -1);
  if (!done) return tl::unexpected(done.error());
  return lowered;
}

}  // namespace orrery::workload
