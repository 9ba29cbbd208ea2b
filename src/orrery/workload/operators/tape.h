// SPDX-License-Identifier: Apache-2.0
//
// Records a part of the model operator by operator, as automatic differentiation does. The tape
// derives the backward pass, the activations that it needs from the forward pass, and the
// recomputation of those that are not saved.
//
//   Tape tape(scope, "layer", true);
//   Tensor x = tape.input("input", bytes);
//   tape.begin(Group::mlp_up, {x});
//   tape.save(x);                       // the backward pass of this operator reads x
//   Tensor y = tape.output("up", bytes);
//   tape.forward(compute_op(...));      // in the order of the forward pass
//   tape.backward(compute_op(...));     // in the order of the backward pass of this operator
//   return tape.finish(y);              // reverses the operators for the backward pass
//
// Streams: communication waits for computation by default. After `join_forward(stream::tp)` the
// next computed op waits for the communication on that stream. Joins of a backward pass skip ops of
// phase weight_grad, so that these overlap the communication. Registers: layers use
// stream::layer_register + 0 … 3; the others are free for the code around them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/operators/scope.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/recompute_policy.h"

namespace orrery::workload {

/// Names of an operator's ops. Static text.
struct OpName {
  const char* forward;
  const char* dgrad;
  const char* wgrad;
  const char* cast;             ///< cast of its input
  const char* cast_dgrad;       ///< cast of its output gradient
  const char* transpose;        ///< transposition of its input, which the backward pass gathers
                                ///< again
  const char* transpose_dgrad;  ///< transposition of its gathered output gradient
  const char* add;              ///< accumulation of its weight gradients, if no product does it
  const char* bias;             ///< gradient of its biases, if no product computes it
};
/// ORRERY_OP("qkv") = "qkv", "qkv.dgrad", "qkv.wgrad".
#define ORRERY_OP(text)                                                                 \
  ::orrery::workload::OpName {                                                          \
    text, text ".dgrad", text ".wgrad", text ".cast", text ".cast.dgrad", text ".turn", \
        text ".turn.dgrad", text ".wgrad.add", text ".bias.wgrad"                       \
  }

/// The kind of a part's weights, see Weights.
enum class WeightKind : std::uint8_t {
  dense,
  replicated,
  expert,
  tied,  ///< counted in another part (tied tables)
};

/// Handle of a tensor on a tape: activations of one microbatch on this rank.
struct Tensor {
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint32_t id = none;
};

/// A computation on stream::compute. Without `kernel` it is the usual operation of its class. The
/// kernel's pass follows from `phase`, unless the kernel is already `backward`.
[[nodiscard]] Op compute_op(const char* name, OpClass op_class, Phase phase, Amount matmul,
                            Amount vector, Amount bytes, const graph::Kernel& kernel = {});
/// A collective on `stream` that waits for stream::compute.
[[nodiscard]] Op collective_op(const char* name, Phase phase, graph::CollectiveType type, Axis axis,
                               Stream stream, Amount size);
/// A message along `axis`, without waits.
[[nodiscard]] Op message_op(const char* name, Phase phase, graph::NodeKind kind, Axis axis,
                            std::int32_t shift, Stream stream, Amount size);
/// Makes `op` also wait for `stream`. Does nothing if it already waits, or if `stream` is its own.
void wait(Op& op, Stream stream);

/// Records a part. See the top of this file.
class Tape {
 public:
  /// Layers follow Recompute; other parts (embedding, head) save everything.
  Tape(const Scope& scope, std::string name, bool is_layer);

  /// An activation that the part receives and retains.
  Tensor input(const char* name, Amount bytes);
  /// An input that another part retains.
  Tensor borrowed_input(const char* name, Amount bytes);
  /// An input that all such parts on a stage retain once: an encoder's output. At most one per
  /// tape.
  Tensor shared_input(const char* name, Amount bytes);

  /// Starts an operator; the calls below add to it. `reads`: inputs that its recomputation needs.
  void begin(Group group, std::initializer_list<Tensor> reads);
  void begin(Group group, const std::vector<Tensor>& reads);
  /// An output. Retained only if an operator saves it.
  Tensor output(const char* name, Amount bytes);
  /// As `output`, but retained even if the operator's group is recomputed (selective recompute of
  /// attention retains its result).
  Tensor lasting_output(const char* name, Amount bytes);
  /// Saves a tensor for the operator's backward pass. A tensor counts once, even if several
  /// operators save it.
  void save(Tensor tensor);
  /// Saves a tensor for the weight gradient. Does nothing if the weights are frozen.
  void save_for_weights(Tensor tensor);
  /// Saves a copy of the tensor for the weight gradient. `bytes`: size of the copy, which the
  /// operator writes.
  void save_for_weights(Tensor tensor, Amount bytes);
  /// Sets the size of the tensor's gradient, if it differs from the tensor's: the gradient is
  /// gathered before use.
  void set_gradient_bytes(Tensor tensor, Amount bytes);
  /// Saves a tensor that the operator writes for its own backward pass: masks, statistics. It has
  /// no gradient. `lasting`: see lasting_output.
  void save(const char* name, Amount bytes, bool lasting = false);
  /// `ranks` ranks compute identical products: all but one of them repeat work, which counts as
  /// Op::repeated_flops. Must precede its ops. Default: Scope::duplicate_ranks.
  void set_duplicate_ranks(std::int64_t ranks);
  /// Its weights are trained even if the model's are frozen (Scope::is_frozen): adapters. Must
  /// precede its other calls.
  void mark_trained();
  /// Memory that it uses while it runs, in addition to inputs and outputs.
  void add_scratch(Amount bytes);
  /// A matrix product of the operator: what it writes, for RecomputeKind::torchtitan_op.
  struct Product {
    Tensor output;  ///< the output that has its result; none: a collective sums the results
    Amount bytes;   ///< of its result: all of `output`, or a part
  };
  /// Lists the operator's matrix products in the order of its ops.
  void set_products(std::vector<Product> products);

  /// The next op of its forward pass. A collective without a format sends activations.
  /// `fused_saves`: bytes that are not moved if the op is fused with the kernel before it (Fusion;
  /// both are vector ops on stream::compute); negative: not fused. `residual`: part of the
  /// operators that add a branch to its residual.
  void forward(const Op& op, Amount fused_saves = -1, bool residual = false);
  /// The next op of its backward pass. Weight gradients (Phase::weight_grad) of frozen weights are
  /// omitted.
  void backward(const Op& op, Amount fused_saves = -1);
  void join_forward(Stream stream);
  void join_backward(Stream stream);

  /// The operators so far need no gradients: they have no backward pass and save nothing.
  void end_gradients();
  /// The layer is stored, not recomputed, despite Recompute (see Recompute::every).
  void store_layer() { stores_layer_ = true; }

  /// Adds weights of the part. `matrices`: they are hidden matrices, too. `adapter`: trained even
  /// if the model's are frozen.
  void add_weights(WeightKind kind, Amount elements, bool matrices = false, bool adapter = false);
  [[nodiscard]] Amount bytes_of(Tensor tensor) const { return tensors_[tensor.id].bytes; }

  /// Returns the part. `results`: its outputs; empty for a loss. Errc: config_range (an op, a
  /// tensor or the weights above 2^62).
  [[nodiscard]] Result<LoweredPart> finish(std::initializer_list<Tensor> results);

 private:
  struct Entry {
    Op op;
    std::int64_t fused_saves = -1;
    Stream join = stream::none;  ///< not an op: the next computation waits for this stream
    bool residual = false;
    bool stored = false;  ///< its result is stored: recomputation skips it
  };
  struct TensorState {
    const char* name = "";
    Amount bytes;
    Amount gradient;                    ///< bytes of its gradient at the operator that wrote it
    std::uint32_t step = Tensor::none;  ///< operator that writes it; `none`: an input of the
                                        ///< part
    bool lasting = false;
    bool saved = false;
    bool borrowed = false;
    bool shared = false;
    bool has_gradient = true;
    Amount stored;  ///< bytes that a recomputed layer stores, see choose_stored_results
  };
  struct TapeOperator {
    Group group = Group::none;
    std::uint32_t instance = 0;  ///< consecutive operators of one group share it
    std::vector<Tensor> reads;
    std::vector<Tensor> saves;
    std::vector<Tensor> writes;
    Amount scratch;
    std::vector<Product> products;
    std::int64_t duplicate_ranks = 1;
    bool frozen = false;
    std::vector<Entry> forward;
    std::vector<Entry> backward;
  };

  void put(std::vector<Entry>& entries, const TapeOperator& step, Op op, Amount fused_saves,
           bool residual = false) const;
  Tensor add_tensor(const char* name, Amount bytes, bool lasting);
  [[nodiscard]] bool is_recomputed(Group group) const;
  [[nodiscard]] bool recomputes_all() const;
  [[nodiscard]] bool selects_results() const;
  [[nodiscard]] bool prunes_unused() const;
  void choose_stored_results();
  void choose_products(TapeOperator& step, std::int64_t& count);
  void choose_collectives(TapeOperator& step);
  void store_outputs(const TapeOperator& step);
  [[nodiscard]] bool retained(Tensor tensor) const;
  void recompute_operator(std::uint32_t step, std::vector<Entry>& into);
  void ensure_available(Tensor tensor, std::vector<Entry>& into);
  [[nodiscard]] std::vector<bool> repeated_operators();
  [[nodiscard]] std::vector<Entry> backward_entries();
  [[nodiscard]] std::vector<Op> resolve(const std::vector<Entry>& entries) const;
  void account(Part& part) const;
  void account_split_backward(Part& part) const;
  [[nodiscard]] Amount working(const TapeOperator& step) const;
  [[nodiscard]] Result<void> check(const LoweredPart& part) const;

  const Scope* scope_;
  std::string name_;
  bool is_layer_;
  bool stores_layer_ = false;
  std::vector<bool> used_;  ///< by tensor, in a recomputed layer: the backward pass or another
                            ///< repeated operator reads it
  Amount summed_results_;   ///< stored results of products that a collective sums
  Weights weights_, frozen_;
  std::vector<TensorState> tensors_;
  std::vector<TapeOperator> operators_;
  std::vector<bool> recomputed_;  ///< by operator: already recomputed, while the backward pass is
                                  ///< written
};

}  // namespace orrery::workload
