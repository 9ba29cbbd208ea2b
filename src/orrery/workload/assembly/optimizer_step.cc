// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/optimizer_step.h"

#include <algorithm>

#include "orrery/workload/assembly/pass_writer.h"
#include "orrery/workload/assembly/unfused_optimizer.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/operators/tape.h"

namespace orrery::workload {

using graph::CollectiveType;
using graph::NodeKind;

namespace {

constexpr std::uint32_t kTwinMessageId = kMaxMessageId - 1;
constexpr std::int64_t kMaxPieces = 256;  ///< maximum pieces of the optimizer state

Op all_reduce(const char* name, Axis axis, Stream on, Amount size, Dtype format) {
  Op op = collective_op(name, Phase::step, CollectiveType::all_reduce, axis, on, size);
  op.format = format_of(format);
  return op;
}

Op compute(const char* name, OpClass op_class, Amount matmul, Amount vector, Amount bytes) {
  Op op;
  op.name = name;
  op.op_class = op_class;
  op.phase = Phase::step;
  op.matmul = matmul.value();
  op.vector = vector.value();
  op.bytes = bytes.value();
  op.kernel.operation =
      op_class == OpClass::optimizer ? graph::Operation::optimizer : graph::Operation::elementwise;
  return op;
}

class OptimizerStep {
 public:
  OptimizerStep(const Spec& spec, const Mesh& mesh, const DataParallel& data,
                const OptimizerWork& work)
      : spec_(spec), mesh_(mesh), data_(data), work_(work), pieces_(is_optimizer_unfused(spec)) {}

  std::vector<Op> run() {
    if (pieces_) ready_to_sum();
    sum_gradients();
    exchange_with_twin();
    if (pieces_) widen();
    if (spec_.optimizer.gradient_norm) norm();
    update();
    if (pieces_) ops_.push_back(cast_weights_op(spec_, work_.shard.total()));
    const bool shards =
        spec_.parallel.sharding == Sharding::zero1 || spec_.parallel.sharding == Sharding::zero2;
    if (shards && !data_.gathers_in_next_step()) {
      for (const Op& op : data_.gather(work_.unsharded, Phase::step)) ops_.push_back(op);
    }
    return std::move(ops_);
  }

 private:
  void ready_to_sum() {
    const Amount all = work_.unsharded.total();
    ops_.push_back(zero_gradients(spec_, all));
    if (mesh_.extent(Axis::dp) > 1) ops_.push_back(average_gradients(spec_, all));
  }

  void widen() {
    const auto add = [&](Op op) {
      wait_for_gradients(op);
      ops_.push_back(op);
    };
    const Amount shard = work_.shard.total();
    if (!is_32_bit(spec_.precision.gradients)) add(cast_gradients_op(spec_, shard));
    if (spec_.precision.weights == Dtype::fp16) add(unscale_gradients(shard));
  }

  void sum_gradients() {
    for (const Elements& bucket : work_.pending_gradients) {
      for (const Op& op : data_.reduce(bucket, Phase::step)) ops_.push_back(op);
    }
    const auto add = [&](const char* name, Axis axis, Stream on, Amount elements) {
      if (elements == 0 || mesh_.extent(axis) == 1) return;
      const Elements own = data_.shard({elements, 0});
      ops_.push_back(
          all_reduce(name, axis, on, data_.reduce_bytes(own.dense), spec_.precision.reduce));
      wait_for(ops_.back(), stream::dp);
    };
    if (spec_.parallel.sp)
      add("gradients.replicated.reduce", Axis::tp, stream::tp, work_.replicated);
    add("gradients.table.reduce", Axis::embedding, stream::other, work_.tied_table_elements);
  }

  void exchange_with_twin() {
    if (work_.twin_stage_offset == 0) return;
    Message message;
    message.size = data_.reduce_bytes(data_.shard(work_.unsharded).total()).value();
    message.peer_offset = work_.twin_stage_offset;
    message.message_id = kTwinMessageId;
    message.stream = stream::receive_backward(0);
    ops_.push_back(message_op("gradients.receive", Phase::step, NodeKind::recv, message));
    message.stream = stream::send_backward(0);
    Op send = message_op("gradients.send", Phase::step, NodeKind::send, message);
    for (const Stream stream : {stream::compute, stream::dp, stream::tp}) wait_for(send, stream);
    ops_.push_back(send);
    const Amount elements = data_.shard(work_.unsharded).total();
    Op sum = compute("gradients.add", OpClass::vector, 0, elements,
                     bytes(elements * 3, spec_.precision.gradients));
    wait_for(sum, stream::receive_backward(0));
    wait_for(sum, stream::send_backward(0));
    ops_.push_back(sum);
  }

  void wait_for_gradients(Op& op) {
    for (const Stream stream : {stream::dp, stream::tp, stream::other}) wait_for(op, stream);
  }

  /// Local squares, then their sum over shards, over experts of other ranks, and over the other
  /// parts of the model.
  void norm() {
    Op squares =
        compute("gradients.norm", OpClass::vector, 0, work_.shard.total() * 2,
                bytes(work_.shard.total(), pieces_ ? Dtype::fp32 : spec_.precision.gradients));
    squares.kernel.operation = graph::Operation::reduction;
    squares.kernel.sizes[0] = Amount(work_.shard.total()).value();
    wait_for_gradients(squares);
    ops_.push_back(squares);
    const auto add = [&](const char* name, Axis axis) {
      if (mesh_.extent(axis) > 1)
        ops_.push_back(all_reduce(name, axis, stream::other, 4, Dtype::fp32));
    };
    const bool sharded = spec_.parallel.sharding != Sharding::none;
    const bool experts = spec_.model.moe.has_value();
    if (sharded) add("norm.reduce.shards", Axis::dp_shard);
    if (sharded && experts) add("norm.reduce.copies", Axis::dp_replicate);
    if (!sharded && experts && !spec_.parallel.ep_own_axis) add("norm.reduce.experts", Axis::ep);
    add("norm.reduce", Axis::model);
  }

  void update() {
    // Muon's matrices: adapters are hidden × rank.
    const std::int64_t hidden = spec_.lora ? spec_.lora->rank : spec_.model.inner();
    const std::int64_t expert = spec_.model.moe ? spec_.model.expert_inner() : hidden;
    const Elements matrices = data_.shard(work_.matrices);
    const Elements remote = data_.offloaded(work_.shard);
    const auto add = [&](const char* name, Amount shard, Amount offloaded, Amount squares,
                         std::int64_t inner) {
      if (shard == 0) return;
      const Update update{name, shard, offloaded, std::min(shard, squares), inner};
      if (!(state_of(update) == 0) || !(offloaded == 0)) return update_in_pieces(update);
      Op op = optimizer_op(spec_, shard, std::min(shard, squares), inner);
      op.name = name;
      if (pieces_) op.bytes += piece_bytes(shard);
      wait_for_gradients(op);
      ops_.push_back(op);
    };
    add("optimizer", work_.shard.dense, remote.dense, matrices.dense, hidden);
    add("optimizer.experts", work_.shard.expert, remote.expert, matrices.expert, expert);
    cast_weights();
  }

  /// Additional bytes of Adam when the step runs as separate operators: it reads fp32 gradients.
  /// The next operator writes the model's weights.
  [[nodiscard]] std::int64_t piece_bytes(Amount elements) const {
    const Precision& types = spec_.precision;
    return bytes(elements, Dtype::fp32).value() - bytes(elements, types.gradients).value() -
           bytes(elements, types.weights).value();
  }

  struct Update {
    const char* name;
    Amount shard, offloaded, squares;  ///< elements: all, those with shards in remote memory, those
                                       ///< of matrices
    std::int64_t inner;
  };

  /// Bytes of optimizer state in remote memory.
  [[nodiscard]] Amount state_of(const Update& of) const {
    if (!spec_.offload.optimizer) return 0;
    return optimizer_state(spec_.precision, spec_.optimizer.kind, of.shard, of.shard - of.squares);
  }

  /// Moves the state piece by piece from remote memory and back. It loads the next piece while it
  /// updates one, with memory for two pieces (ZeRO-Infinity: Rajbhandari et al., SC21, section 5).
  void update_in_pieces(const Update& of) {
    const Precision& types = spec_.precision;
    const Amount state = state_of(of);
    const Amount in = state + bytes(of.offloaded, types.gradients);
    const Amount out = state + bytes(of.offloaded, types.weights);
    const std::int64_t pieces = std::clamp<std::int64_t>(
        ceil_div(std::max(in, out), spec_.offload.piece.count()).value(), 1, kMaxPieces);
    const auto part = [pieces](Amount all, std::int64_t i) {
      const Amount maximum = ceil_div(all, pieces);
      return std::min(maximum, all - maximum * i);
    };
    const auto load = [&](std::int64_t i) {
      if (i >= pieces) return;
      Op op = transfer_op("optimizer.load", Phase::step, NodeKind::mem_load, part(in, i));
      op.waits[0] = stream::none;
      if (!(of.offloaded == 0)) wait_for_gradients(op);
      wait_for(op, stream::store);
      op.marks = static_cast<Stream>(stream::layer_register + i % 2);
      ops_.push_back(op);
    };
    load(0), load(1);
    for (std::int64_t i = 0; i < pieces; ++i) {
      const Amount shard = part(of.shard, i);
      Op op = optimizer_op(spec_, shard, std::min(shard, part(of.squares, i)), of.inner);
      op.name = of.name;
      wait_for_gradients(op);
      wait_for(op, static_cast<Stream>(stream::layer_register + i % 2));
      ops_.push_back(op);
      ops_.push_back(
          transfer_op("optimizer.store", Phase::step, NodeKind::mem_store, part(out, i)));
      load(i + 2);
    }
  }

  /// Casts weights once per step for all microbatches, in both layouts: as stored and transposed
  /// (Transformer Engine, user guide, "FP8 primer"). Weights in fp8 are only transposed. Row-wise
  /// scaling casts them for each product.
  void cast_weights() {
    const Precision& types = spec_.precision;
    const Amount elements = work_.matrices.total();
    if (elements == Amount(0)) return;
    if (transposes_weights(types)) {
      Op turn =
          compute("weights.turn", OpClass::vector, 0, 0, bytes(elements * 2, types.product_type()));
      turn.kernel.operation = graph::Operation::copy;
      turn.kernel.a = turn.kernel.out = product_format(spec_);
      turn.kernel.sizes[0] = elements.value();
      ops_.push_back(turn);
    }
    if (bytes_of(types.product_type()) >= bytes_of(types.weights) || scales_rows(types.scaling))
      return;
    Op cast = compute("weights.cast", OpClass::vector, 0, elements * 2,
                      bytes(elements, types.weights) + bytes(elements * 2, types.product_type()));
    cast.kernel.operation = graph::Operation::cast;
    cast.kernel.a = format_of(types.weights);
    cast.kernel.out = product_format(spec_);
    cast.kernel.traits = graph::kMultiTensor;
    cast.kernel.sizes[0] = elements.value();
    ops_.push_back(cast);
  }

  const Spec& spec_;
  const Mesh& mesh_;
  const DataParallel& data_;
  const OptimizerWork& work_;
  bool pieces_;
  std::vector<Op> ops_;
};

}  // namespace

bool transposes_weights(const Precision& precision) {
  return precision.weights == Dtype::fp8 && precision.products == Dtype::fp8 &&
         !scales_rows(precision.scaling);
}

Op optimizer_op(const Spec& spec, Amount elements, Amount matrices, std::int64_t inner) {
  struct Update {
    std::int64_t flops;
    std::int64_t moments;
  };
  constexpr Update adam = {12, 2}, adamw = {13, 2}, sgd = {2, 0}, momentum = {4, 1};
  constexpr Update muon = {7, 1};  // momentum, Nesterov's look-ahead, decay, scaling and step
  Update update = adamw;
  switch (spec.optimizer.kind) {
    case OptimizerKind::adam:
      update = adam;
      break;
    case OptimizerKind::sgd:
      update = sgd;
      break;
    case OptimizerKind::sgd_momentum:
      update = momentum;
      break;
    case OptimizerKind::adamw:
    case OptimizerKind::muon:
      break;
  }
  const Precision& types = spec.precision;
  const bool master = types.master_weights && !is_32_bit(types.weights);
  const auto traffic = [&](Amount of, std::int64_t moments) {
    return bytes(of, types.gradients) + bytes(of * (2 * moments), types.optimizer) +
           bytes(of * (master ? 1 : 2), types.weights) + of * (master ? 8 : 0);
  };
  Op op = compute("optimizer", OpClass::optimizer, 0, elements * update.flops,
                  traffic(elements, update.moments));
  op.kernel.a = format_of(types.gradients);
  op.kernel.out = format_of(types.weights);
  op.kernel.sizes[0] = elements.value();
  op.kernel.traits = graph::kMultiTensor;
  if (spec.optimizer.kind != OptimizerKind::muon) return op;

  constexpr std::int64_t iterations = 5;
  const std::int64_t m = std::min(spec.model.hidden, inner), n = std::max(spec.model.hidden, inner);
  const Amount others = elements - matrices;
  op.vector = (others * adamw.flops + matrices * muon.flops).value();
  op.matmul = (matrices * (iterations * (4 * m + 2 * m * m / n))).value();
  // In bf16, per iteration: reads X three times and writes it once; writes and reads the m × m
  // products A and A² twice each.
  const Amount products = matrices * (8 * iterations + 12 * iterations * m / n);
  op.bytes = (traffic(others, adamw.moments) + traffic(matrices, muon.moments) + products).value();
  return op;
}

std::vector<Op> optimizer_step_ops(const Spec& spec, const Mesh& mesh, const DataParallel& data,
                                   const OptimizerWork& work) {
  return OptimizerStep(spec, mesh, data, work).run();
}

}  // namespace orrery::workload
