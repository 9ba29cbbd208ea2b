// SPDX-License-Identifier: Apache-2.0
//
// DLRM (Naumov et al., arXiv 1906.00091, section 2): embedding tables and a bottom MLP, the dot
// products of all their pairs, a top MLP. MLPs are data parallel. Tables are distributed over all
// ranks, and looked-up vectors move to the ranks of their samples (Mudigere et al., ISCA 2022):
//   by table or column: all-to-all of b·B_global·(widest share of the columns), back as well
//   by row: reduce-scatter of b·B_global·(all columns), all-gather of the gradients
// both overlap the bottom MLP. The backward pass updates the table rows that were read: the weights
// of tables are Weights::tables, and their gradients are not reduced. Indices are assumed to be on
// the ranks already.
#include <algorithm>
#include <utility>
#include <vector>

#include "orrery/workload/models/table_share.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {

namespace {

using graph::CollectiveType;

constexpr std::int64_t kIndexBytes = 8;
/// FLOPs per row element of the update, in addition to the sum of gradients: squared for the row's
/// mean, scaled, added (row-wise Adagrad; 4 bytes of state per row).
constexpr std::int64_t kUpdateFlops = 4;
constexpr std::int64_t kRowState = 4;

/// The register that remembers the arrival of gradients.
constexpr Stream kGradients = stream::layer_register;

/// Sizes of the exchange of looked-up vectors.
struct Lookup {
  TableShare share;
  std::int64_t ranks = 1;
  bool by_row = false;
  Amount columns;       ///< columns of all tables
  Amount samples;       ///< samples of all ranks
  Amount read_samples;  ///< samples whose rows this rank reads: all, or with sharding by row as
                        ///< many as its own
};

Lookup lookup_of(const Scope& scope, const TableShare& share, std::int64_t ranks) {
  const Dlrm& dlrm = *scope.model().dlrm;
  Lookup lookup{share, ranks, dlrm.sharding == TableSharding::row, 0, 0, 0};
  for (const EmbeddingTables& tables : dlrm.tables)
    lookup.columns += Amount(tables.count) * dlrm.dim;
  lookup.samples = Amount(scope.micro) * ranks;
  lookup.read_samples = lookup.by_row ? Amount(scope.micro) : lookup.samples;
  return lookup;
}

/// Kernel sizes as in embedding_bag: different tables have the average size.
graph::Kernel bag_kernel(const Scope& scope, const Lookup& lookup) {
  const TableShare& share = lookup.share;
  graph::Kernel kernel = elements_kernel(scope, graph::Operation::embedding_bag, share.tables);
  kernel.sizes[1] = lookup.read_samples.value();
  if (share.tables == 0 || share.lookups == 0) return kernel;
  const std::int64_t columns = share.read / share.lookups;
  kernel.sizes[2] = share.lookups / share.tables;
  if (columns > 0) kernel.sizes[3] = share.weights / columns / share.tables;
  kernel.sizes[4] = columns;
  if (!share.is_reuse_known) return kernel;
  const double distinct_lookups = share.distinct_lookups * static_cast<double>(kernel.sizes[1]) /
                                  static_cast<double>(share.tables);
  kernel.sizes[5] = std::max<std::int64_t>(
      1,
      std::min(kernel.sizes[3], static_cast<std::int64_t>(std::min(distinct_lookups + 0.5, 1e18))));
  return kernel;
}

/// Looks up rows of this rank's tables and sums them per sample. Backward: updates the rows.
Tensor look_up(Tape& tape, const Scope& scope, const Lookup& lookup) {
  const Amount read = lookup.read_samples * lookup.share.read;
  const Amount rows = lookup.read_samples * lookup.share.lookups;
  const Amount pooled = scope.activation(lookup.samples * lookup.share.pooled);
  const graph::Kernel kernel = bag_kernel(scope, lookup);
  tape.begin(Group::none, {});
  tape.save("embedding.indices", rows * kIndexBytes);
  tape.forward(compute_op("embedding", OpClass::lookup, Phase::forward, 0,
                          read - lookup.read_samples * lookup.share.pooled,
                          scope.weight(read) + rows * kIndexBytes + pooled, kernel));
  Op update = compute_op(
      "embedding.wgrad", OpClass::lookup, Phase::weight_grad, 0, read * (1 + kUpdateFlops),
      pooled + scope.weight(read) * 2 + rows * (kIndexBytes + 2 * kRowState), kernel);
  if (lookup.ranks > 1) wait(update, kGradients);
  tape.backward(update);
  const Tensor sums = tape.output("embedding.pooled", pooled);
  if (lookup.ranks > 1)
    tape.forward(collective_op(
        "embedding.exchange", Phase::forward,
        lookup.by_row ? CollectiveType::reduce_scatter : CollectiveType::all_to_all, Axis::dp,
        stream::ep, scope.activation(lookup.samples * lookup.share.max_pooled)));
  return sums;
}

/// Receives the vectors of this rank's samples. Backward: sends their gradients.
Tensor arrive(Tape& tape, const Scope& scope, const Lookup& lookup, Tensor sums) {
  if (lookup.ranks == 1) return sums;
  const Amount own = scope.activation(Amount(scope.micro) * lookup.columns);
  tape.begin(Group::none, {sums});
  tape.join_forward(stream::ep);
  Op back = collective_op(
      "embedding.exchange.dgrad", Phase::input_grad,
      lookup.by_row ? CollectiveType::all_gather : CollectiveType::all_to_all, Axis::dp, stream::ep,
      lookup.by_row ? own : scope.activation(lookup.samples * lookup.share.max_pooled));
  back.marks = kGradients;
  tape.backward(back);
  return tape.output("embedding.own", own);
}

/// Dot products of all pairs of vectors, concatenated with the bottom MLP's output.
Tensor interact(Tape& tape, const Scope& scope, const Lookup& lookup, Tensor own, Tensor dense) {
  const std::int64_t dim = scope.model().dlrm->dim;
  const Amount tables = lookup.columns / dim;
  const Amount pairs = (tables + 1) * tables / 2;
  const Amount flops = Amount(2) * scope.micro * pairs * dim;
  const Amount in = tape.bytes_of(own) + tape.bytes_of(dense);
  const Amount out = scope.activation(Amount(scope.micro) * (pairs + dim));
  graph::Kernel kernel = elements_kernel(scope, graph::Operation::interaction, scope.micro);
  kernel.sizes[1] = (tables + 1).value();
  kernel.sizes[2] = dim;
  tape.begin(Group::none, {own, dense});
  tape.save(own);
  tape.save(dense);
  tape.forward(
      compute_op("interaction", OpClass::attention, Phase::forward, flops, 0, in + out, kernel));
  tape.backward(compute_op("interaction.dgrad", OpClass::attention, Phase::input_grad, flops * 2, 0,
                           in + in + out, kernel));
  return tape.output("interaction", out);
}

/// Matrices with biases and ReLU. The bottom MLP has a ReLU after its last matrix, too, and
/// computes no gradient of its input.
Tensor mlp_of(Tape& tape, const Scope& scope, const OpName& name,
              const std::vector<std::int64_t>& sizes, std::int64_t in, bool bottom, Tensor x) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Amount elements = Amount(scope.micro) * sizes[i];
    Linear shape;
    shape.name = name;
    shape.tokens = scope.micro;
    shape.in = in;
    shape.outputs = {{name.forward, sizes[i], true}};
    shape.hidden_matrix = bottom ? i > 0 : i + 1 < sizes.size();
    shape.first_in_network = bottom && i == 0;
    x = linear(tape, scope, shape, {x}).front();
    if (i + 1 < sizes.size() || bottom)
      x = elementwise(tape, scope,
                      {.name = ORRERY_OP("relu"),
                       .elements = elements,
                       .output = "rectified",
                       .flops = activation_flops(Mlp::relu),
                       .saves_input = false},
                      x);
    in = sizes[i];
  }
  return x;
}

}  // namespace

Result<LoweredModel> lower_dlrm(const Spec& spec, const Mesh& mesh, const Position& where) {
  const Dlrm& dlrm = *spec.model.dlrm;
  const Scope scope(spec, mesh, where, 1);
  const std::int64_t ranks = mesh.extent(Axis::dp);
  const auto rank = static_cast<std::uint64_t>(where.table < 0 ? 0 : where.table);
  const Result<TableShare> share = table_share(dlrm, static_cast<std::uint64_t>(ranks), rank);
  if (!share) return tl::unexpected(share.error());
  const Lookup lookup = lookup_of(scope, *share, ranks);
  const std::int64_t tables = (lookup.columns / dlrm.dim).value();

  Tape bottom(scope, "bottom", false);
  const Tensor features =
      bottom.input("features", scope.activation(Amount(scope.micro) * dlrm.dense_features));
  const Tensor sums = look_up(bottom, scope, lookup);
  const Tensor dense = mlp_of(bottom, scope, ORRERY_OP("bottom"), dlrm.bottom_mlp,
                              dlrm.dense_features, true, features);
  const Tensor own = arrive(bottom, scope, lookup, sums);
  const Tensor pairs = interact(bottom, scope, lookup, own, dense);
  const Amount interaction = bottom.bytes_of(pairs);
  Result<LoweredPart> lower_part = bottom.finish({pairs});
  if (!lower_part) return tl::unexpected(lower_part.error());
  lower_part->part.weights.tables = share->weights;

  Tape top(scope, "top", false);
  const Tensor x = top.input("interaction", interaction);
  const Tensor score = mlp_of(top, scope, ORRERY_OP("top"), dlrm.top_mlp,
                              dlrm.dim + tables * (tables + 1) / 2, false, x);
  // Logistic loss of one score.
  elementwise(top, scope,
              {.name = ORRERY_OP("loss"),
               .elements = Amount(scope.micro) * (dlrm.top_mlp.empty() ? 0 : dlrm.top_mlp.back()),
               .output = "loss",
               .flops = softmax_flops},
              score);
  Result<LoweredPart> upper_part = top.finish({});
  if (!upper_part) return tl::unexpected(upper_part.error());

  LoweredModel model;
  model.parts.push_back(std::move(*lower_part));
  model.parts.push_back(std::move(*upper_part));
  model.order = {{.part = 0}, {.part = 1}};
  return model;
}

}  // namespace orrery::workload
