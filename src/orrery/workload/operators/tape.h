// SPDX-License-Identifier: Apache-2.0
//
// Writing a part down, operator by operator, as automatic differentiation would record it. The tape
// then knows what the backward pass is, what it keeps from the forward pass, and what it has to
// compute again when less is kept.
//
//   Tape tape(scope, "layer", true);
//   Tensor x = tape.input("input", bytes);
//   tape.begin(Group::mlp_up, {x});
//   tape.save(x);                       // the backward of this operator reads x
//   Tensor y = tape.output("up", bytes);
//   tape.forward(compute_op(...));      // in the order of the forward pass
//   tape.backward(compute_op(...));     // in the order of the backward pass of this operator
//   return tape.finish(y);              // operators' backward passes come last operator first
//
// Streams: communication waits for computation by default; `join_forward(stream::tp)` makes the
// next op that is computed wait for what was communicated. The joins of a backward pass skip ops of
// phase weight_grad, so these run beside the communication.
// Registers: layers use stream::mark + 0 … 3, the others are free for what surrounds them.
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

namespace orrery::workload {

/// What an operator is called in its three ops. Static text.
struct OpName {
  const char* forward;
  const char* dgrad;
  const char* wgrad;
  const char* cast;             ///< of its input, before it
  const char* cast_dgrad;       ///< of its output's gradient
  const char* turn;             ///< … of its input gathered again, into the other layout
  const char* transpose_dgrad;  ///< … of its output's gathered gradient
  const char* add;              ///< of gradients of its weights, where no product does it
  const char* bias;             ///< gradient of its biases, where no product sums it up
};
/// ORRERY_OP("qkv") = "qkv", "qkv.dgrad", "qkv.wgrad".
#define ORRERY_OP(text)                                                                 \
  ::orrery::workload::OpName {                                                          \
    text, text ".dgrad", text ".wgrad", text ".cast", text ".cast.dgrad", text ".turn", \
        text ".turn.dgrad", text ".wgrad.add", text ".bias.wgrad"                       \
  }

/// What Recompute::ops calls an operator. Operators of one group in a row are computed again
/// together, when something that they made and that was not kept is needed.
enum class Group : std::uint8_t {
  none,  ///< never computed again, except by Recompute full
  norm,
  qkv,
  attention,
  out,
  mlp_up,
  activation,
  mlp_down,
  router,
  experts,
};
[[nodiscard]] Group group_of(std::string_view name);  ///< Group::none for an unknown name

/// Whose weights these are. See Weights.
enum class Share : std::uint8_t {
  dense,
  replicated,
  expert,
  other_part,  ///< counted in another part (tied tables)
};

/// Something a tape knows of: activations of one microbatch on this rank.
struct Tensor {
  static constexpr std::uint32_t nothing = 0xffffffff;
  std::uint32_t id = nothing;
};

/// Computation on stream::compute. Without `kernel` it is what its class usually is; the kernel's
/// pass follows from `phase` unless it says `backward`.
[[nodiscard]] Op compute_op(const char* name, OpClass op_class, Phase phase, Amount matmul,
                            Amount vector, Amount bytes, const graph::Kernel& kernel = {});
/// A collective on `stream` that waits for stream::compute.
[[nodiscard]] Op collective_op(const char* name, Phase phase, graph::CollectiveType type, Axis axis,
                               Stream stream, Amount size);
/// A message along `axis`; waits for nothing by itself.
[[nodiscard]] Op message_op(const char* name, Phase phase, graph::NodeKind kind, Axis axis,
                            std::int32_t shift, Stream stream, Amount size);
/// Adds a stream to what an op waits for; nothing when it is there already or is the op's own.
void wait(Op& op, Stream stream);

/// See above.
class Tape {
 public:
  /// Layers obey Recompute; other parts (embedding, head) keep everything.
  Tape(const Scope& scope, std::string name, bool is_layer);

  /// An activation that the part is given.
  Tensor input(const char* name, Amount bytes);
  /// … that another part keeps.
  Tensor borrowed_input(const char* name, Amount bytes);
  /// … that all such parts on a stage keep together: an encoder's output. One of them at most.
  Tensor shared_input(const char* name, Amount bytes);

  /// Starts an operator; all below belong to it. `reads`: what computing it again would need.
  void begin(Group group, std::initializer_list<Tensor> reads);
  void begin(Group group, const std::vector<Tensor>& reads);
  /// Something it makes. Kept only when some operator saves it.
  Tensor output(const char* name, Amount bytes);
  /// Like `output`, but kept even when the operator's group is computed again (what selective
  /// recompute of attention does with its result).
  Tensor lasting_output(const char* name, Amount bytes);
  /// Its backward pass needs this. A tensor counts once, whoever saves it.
  void save(Tensor tensor);
  /// The gradient of its weights needs this; nothing does where they are frozen.
  void save_for_weights(Tensor tensor);
  /// … needs a copy of it, which the operator makes, that takes so much.
  void save_for_weights(Tensor tensor, Amount bytes);
  /// Its gradient takes so much, not as much as the tensor: it is gathered before it is used.
  void gradient_bytes(Tensor tensor, Amount bytes);
  /// It makes this for its own backward pass: masks, statistics. It has no gradient. Lasting: see
  /// lasting_output.
  void save(const char* name, Amount bytes, bool lasting = false);
  /// So many ranks compute its products alike: all but one of them repeat what is known, and count
  /// as Op::redone. To be said before its ops; if it is not, Scope::duplicate_ranks do.
  void repeated(std::int64_t ranks);
  /// Its weights are trained even where the model's are frozen (Scope::frozen): adapters. To be
  /// said first.
  void trained();
  /// It uses this much memory while it runs, on top of inputs and outputs.
  void scratch(Amount bytes);

  /// The next op of its forward pass; a collective that does not say its numbers sends activations.
  /// `fused_saves`: bytes that are not moved when the op becomes part of the kernel before it
  /// (Fusion, both vector ops on stream::compute); negative: it stays its own kernel. `residual`:
  /// of what is done to a branch when it joins its residual.
  void forward(const Op& op, Amount fused_saves = -1, bool residual = false);
  /// The next op of its backward pass. Gradients of frozen weights (Phase::weight_grad) are left
  /// out.
  void backward(const Op& op, Amount fused_saves = -1);
  void join_forward(Stream stream);
  void join_backward(Stream stream);

  /// Nobody wants gradients of what was written so far: it has no backward pass and keeps nothing.
  void end_gradients();

  /// Weights that it holds. `matrices`: they are hidden matrices, too. `adapter`: trained even
  /// where the model's are frozen.
  void add_weights(Share share, Amount elements, bool matrices = false, bool adapter = false);
  [[nodiscard]] Amount bytes_of(Tensor tensor) const { return tensors_[tensor.id].bytes; }

  /// The part. Its output is what `results` are; `results` may be empty (a loss).
  /// Errc: config_range (an op, a tensor or the weights beyond 2^62).
  [[nodiscard]] Result<LoweredPart> finish(std::initializer_list<Tensor> results);

 private:
  struct Entry {
    Op op;
    std::int64_t fused_saves = -1;
    Stream join = stream::none;  ///< not an op: the next computation waits for this
    bool residual = false;
  };
  struct TensorState {
    const char* name = "";
    Amount bytes;
    Amount gradient;  ///< bytes of its gradient, where the operator that made it has it
    std::uint32_t step = Tensor::nothing;  ///< who makes it; nothing: given
    bool lasting = false;
    bool saved = false;
    bool borrowed = false;
    bool shared = false;
    bool has_gradient = true;
  };
  struct TapeOperator {
    Group group = Group::none;
    std::uint32_t instance = 0;  ///< steps of one group in a row share it
    std::vector<Tensor> reads;
    std::vector<Tensor> saves;
    std::vector<Tensor> makes;
    Amount scratch;
    std::int64_t repeated = 1;
    bool frozen = false;
    std::vector<Entry> forward;
    std::vector<Entry> backward;
  };

  void put(std::vector<Entry>& entries, const TapeOperator& step, Op op, Amount fused_saves,
           bool residual = false) const;
  Tensor make(const char* name, Amount bytes, bool lasting);
  [[nodiscard]] bool is_recomputed(Group group) const;
  [[nodiscard]] bool recomputes_all() const;
  [[nodiscard]] bool retained(Tensor tensor) const;
  void recompute_operator(std::uint32_t step, std::vector<Entry>& into);
  void ensure_available(Tensor tensor, std::vector<Entry>& into);
  [[nodiscard]] std::size_t needed_steps() const;
  [[nodiscard]] std::vector<Entry> backward_entries();
  [[nodiscard]] std::vector<Op> resolve(const std::vector<Entry>& entries) const;
  void account(Part& part) const;
  void account_halfway(Part& part) const;
  [[nodiscard]] Amount working(const TapeOperator& step) const;
  [[nodiscard]] Result<void> check(const LoweredPart& part) const;

  const Scope* scope_;
  std::string name_;
  bool is_layer_;
  Weights weights_, frozen_;
  std::vector<TensorState> tensors_;
  std::vector<TapeOperator> steps_;
  std::vector<bool> redone_;  ///< by step, while the backward pass is written
};

}  // namespace orrery::workload
