// SPDX-License-Identifier: Apache-2.0
//
// The SPMD program: the ops of every rank in one step. It is stored once per role, with loops that
// are not unrolled.
//
//   Program ── roles: ranks with identical work (usually a pipeline stage)
//     Role ── tasks in the order of the schedule, as loops over microbatches
//       Task ── a recipe: which bodies run how often (loops over layers)
//         Body ── ops of one layer or step, in issue order
//
// Ops refer to streams, not to other ops. An op starts when the previous op on its own stream has
// ended, and the latest op of every stream it waits for. The issue order determines which op is the
// latest, as with CUDA streams and events. Bodies can therefore follow one another any number of
// times. All ranks of a role run the same program: groups are named by axis ("tp"), and peers by
// their distance. Collectives of one group keep the issue order, regardless of their streams.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"
#include "orrery/workload/program/mesh.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A queue of ops. There is one compute stream; communication has one stream per purpose.
using Stream = std::uint8_t;
namespace stream {
inline constexpr Stream none = 255;  ///< in Op::waits: no stream
inline constexpr Stream compute = 0;
inline constexpr Stream tp = 1;
inline constexpr Stream cp = 2;
inline constexpr Stream ep = 3;
inline constexpr Stream dp = 4;              ///< gradients
inline constexpr Stream gather = 5;          ///< gathers of sharded weights
inline constexpr Stream other = 6;           ///< anything else
inline constexpr Stream layer_register = 7;  ///< first of eight registers, which are not streams: a
                                             ///< register remembers an op (Op::marks), and later
                                             ///< ops can wait for it
inline constexpr Stream pipe = 15;  ///< first of four streams per chunk: receive activations, send
                                    ///< activations, receive gradients, send gradients
[[nodiscard]] constexpr Stream receive_forward(std::uint32_t chunk) {
  return static_cast<Stream>(pipe + 4 * chunk);
}
[[nodiscard]] constexpr Stream send_forward(std::uint32_t chunk) {
  return static_cast<Stream>(pipe + 4 * chunk + 1);
}
[[nodiscard]] constexpr Stream receive_backward(std::uint32_t chunk) {
  return static_cast<Stream>(pipe + 4 * chunk + 2);
}
[[nodiscard]] constexpr Stream send_backward(std::uint32_t chunk) {
  return static_cast<Stream>(pipe + 4 * chunk + 3);
}
inline constexpr Stream gather_register =
    236;  ///< first of eight registers: gathers of layers' weights
inline constexpr Stream backward_exchange = 252;    ///< token exchange of a backward pass that runs
                                                    ///< together with a forward pass
inline constexpr Stream load = 244;                 ///< loads from remote memory
inline constexpr Stream store = 245;                ///< stores to remote memory
inline constexpr Stream loaded_activations = 246;   ///< a register: the load of the current layer's
                                                    ///< activations
inline constexpr Stream loading_activations = 247;  ///< first of four registers: loads of the next
                                                    ///< layers' activations
inline constexpr Stream storing_activations = 251;  ///< first of four registers: earlier stores of
                                                    ///< activations, the earliest first
}  // namespace stream

/// The class of an op, for counts.
enum class OpClass : std::uint8_t {
  matmul,     ///< a product with weights
  attention,  ///< the attention core: products of activations, softmax
  vector,     ///< norms, activations, residuals, loss, dispatch: bandwidth-bound
  lookup,     ///< embedding tables
  optimizer,
  communication,
  transfer,  ///< moves `bytes` between device memory and remote memory
  copy,      ///< not an op: register `stream` then remembers the op that `waits[0]` refers to
};

/// The part of the step to which an op belongs.
enum class Phase : std::uint8_t {
  forward,
  input_grad,   ///< backward with respect to activations ("dgrad")
  weight_grad,  ///< backward with respect to weights ("wgrad"): no other pass waits for it
  recompute,    ///< forward work that is repeated for the backward pass
  step,         ///< gradient reduction, norm, optimizer
};

/// An operation of one rank, for one microbatch of one layer.
struct Op {
  const char* name = "";  ///< static text: "qkv", "qkv.dgrad"; no spaces
  OpClass op_class = OpClass::vector;
  Phase phase = Phase::forward;
  graph::NodeKind kind = graph::NodeKind::comp;  ///< comp, coll, send, recv, mem_load, mem_store
  Stream stream = stream::compute;
  std::array<Stream, 4> waits = {stream::none, stream::none, stream::none, stream::none};
  Stream marks = stream::none;  ///< a register that remembers this op; none: no register

  // Computation
  std::int64_t matmul = 0;  ///< FLOPs of matrix products (2mnk)
  std::int64_t vector = 0;  ///< all other FLOPs
  std::int64_t repeated_flops =
      0;                   ///< the part of `matmul` that repeats work: flash attention's backward
                           ///< recomputes scores; ranks do identical work that tp does not split
  std::int64_t bytes = 0;  ///< read and written in device memory
  graph::Kernel kernel;    ///< the device kernel; its FLOPs and bytes are the op's

  std::int64_t devices = 1;  ///< mem_load, mem_store: devices that transfer the same data at the
                             ///< same time; switches of the memory gather and reduce them

  // Communication
  graph::CollectiveType collective = graph::CollectiveType::all_reduce;
  Axis axis = Axis::tp;          ///< the group; send, recv: the axis of the peer
  std::int32_t peer_offset = 0;  ///< send, recv: the peer's coordinate minus this rank's, modulo
                                 ///< the axis size
  std::int64_t size = 0;  ///< bytes by Chakra's convention. all_gather: the shard that a rank
                          ///< contributes; other collectives: the full buffer; send, recv: the
                          ///< message
  std::uint32_t message_id =
      0;  ///< send, recv: distinguishes the messages between two ranks; the same
          ///< on both ends; below kMaxMessageId. The message's tag is tag(message_id,
          ///< microbatch). Messages inside layers have id 0 and match in order
  graph::ExpertExchange exchange;                ///< implementation of a token exchange
  graph::Format format = graph::Format::unsaid;  ///< format of a collective's data
};
inline constexpr std::uint32_t kMaxMessageId = 128;
/// The tag of a message. Microbatches beyond 2^24 share tags; they match in order.
[[nodiscard]] constexpr std::uint32_t tag(std::uint32_t message_id, std::uint32_t microbatch) {
  return message_id << 24 | (microbatch & 0xffffff);
}

/// Ops of a layer or a step, in issue order.
struct Body {
  std::string name;  ///< "layer.forward"
  std::vector<Op> ops;
};

/// A body that runs `count` times in a row, for the layers layer, layer + layer_step, …
struct Segment {
  std::uint32_t body = 0;
  std::uint32_t count = 1;
  std::int32_t layer = -1;  ///< first layer, for names; -1: not a layer
  std::int32_t layer_step = 1;
  std::int32_t microbatch_offset = 0;  ///< its microbatch minus the task's
};

enum class TaskKind : std::uint8_t {
  forward,
  backward,    ///< input and weight gradients
  input_grad,  ///< input gradients only, in schedules that split the backward pass
  weight_grad,
  step,  ///< after the last microbatch: reductions, norm, optimizer
};

/// One entry of the schedule. Of a forward and a backward pass that run together
/// (Parallel::overlap_experts), the forward pass has the ops of both, and the backward pass, which
/// follows, has none.
struct Task {
  TaskKind kind = TaskKind::forward;
  std::uint16_t chunk = 0;
  std::uint32_t recipe = 0;      ///< index into Role::recipes
  std::uint32_t microbatch = 0;  ///< in a loop: the microbatch of the first round

  friend bool operator==(const Task&, const Task&) = default;
};

/// Tasks that run `count` times; `microbatch` grows by `stride` each round.
struct TaskLoop {
  std::vector<Task> tasks;
  std::uint32_t count = 1;
  std::uint32_t stride = 0;
};
/// The tasks of `loops`, unrolled.
[[nodiscard]] std::vector<Task> expand_task_loops(std::span<const TaskLoop> loops);

/// `count` consecutive layers with the same part.
struct PartRun {
  std::uint32_t part = 0;  ///< index into Program::parts
  std::uint32_t count = 1;
  std::int32_t layer = -1;  ///< index of the first; -1: not a layer
};

/// Ranks with identical work.
struct Role {
  std::string name;  ///< "stage 3", "stage 0, first of cp"
  Position where;    ///< coordinates that its members share
  std::uint64_t ranks = 0;
  std::vector<std::vector<PartRun>> chunks;  ///< parts of each chunk, in the model's order
  std::vector<std::vector<Segment>> recipes;
  std::vector<TaskLoop> tasks;
};

/// A tensor in memory, with its name.
struct RetainedTensor {
  const char* name = "";
  std::int64_t bytes = 0;
};

/// Weights of one part on one rank, in elements, before data-parallel sharding.
struct Weights {
  std::int64_t dense = 0;       ///< split over tp where tp applies
  std::int64_t replicated = 0;  ///< identical on every tp rank: norms, routers, biases
  std::int64_t expert = 0;      ///< experts that this rank holds
  std::int64_t matrices = 0;    ///< those of the above in two-dimensional hidden matrices (which
                                ///< Muon updates)
  std::int64_t tables = 0;      ///< dlrm: table rows that only this rank has. The backward pass
                                ///< updates the rows that were read: no gradients are stored or
                                ///< reduced

  [[nodiscard]] std::int64_t total() const { return dense + replicated + expert + tables; }
  /// These weights without `some`.
  [[nodiscard]] Weights without(const Weights& some) const {
    return {dense - some.dense, replicated - some.replicated, expert - some.expert,
            matrices - some.matrices, tables - some.tables};
  }
};

/// A distinct part of the model: the embedding, a kind of layer, the head. It lists weights and
/// memory; bodies hold the ops.
struct Part {
  std::string name;  ///< "embedding", "layer", "moe layer", "head"
  bool is_layer = false;
  Weights weights;
  Weights frozen;                        ///< weights that are held but not trained (Spec::lora)
  std::vector<RetainedTensor> retained;  ///< tensors stored from the forward to the backward pass,
                                         ///< per microbatch, with recompute
  std::vector<RetainedTensor>
      split_backward_tensors;  ///< tensors stored between the halves of a split backward
                               ///< pass: inputs and output gradients of operators with
                               ///< weight gradients
  RetainedTensor shared;  ///< a tensor as in `retained`, but stored once for all such parts on a
                          ///< stage
  std::vector<RetainedTensor> working_tensors;  ///< tensors alive only while its forward or
                                                ///< backward pass runs (the larger of the two)
  std::int64_t offloaded = 0;  ///< bytes moved from `retained` to remote memory between the passes
                               ///< (they count in `working_tensors`)
  std::int64_t boundary = 0;   ///< bytes of its output activations on this rank

  /// The weights that have gradients and are updated.
  [[nodiscard]] Weights trained() const { return weights.without(frozen); }
};

/// The program of a step.
struct Program {
  Spec spec;
  Mesh mesh;
  std::vector<Part> parts;
  std::vector<Body> bodies;
  std::vector<Role> roles;

  /// A role's index is ((stage × cp_classes + cp class) × expert_classes + expert class); with
  /// `role_per_rank` it is the rank.
  std::uint32_t cp_classes = 1;
  std::uint32_t expert_classes = 1;
  bool role_per_rank = false;

  /// The role of a rank. Constant time.
  [[nodiscard]] std::uint32_t role_of(std::uint64_t rank) const;
};

/// Builds the program of a legal specification. Errc: config_conflict, config_range. O(roles ×
/// layers), independent of the numbers of ranks and microbatches.
[[nodiscard]] Result<Program> assemble(const Spec& spec, Findings& findings);

/// The device kernel of an op, with its FLOPs and bytes. Empty if the op computes nothing or does
/// not specify what it computes.
[[nodiscard]] std::optional<graph::Kernel> kernel_of(const Op& op);

/// How nodes are named.
enum class NodeNames : std::uint8_t {
  distinct,  ///< "mlp.up L12 mb3": almost every node has a distinct name
  shared     ///< "mlp.up": one name per kind of op; large jobs are built twice as fast
};

/// Unrolls a role: calls `on_node` for its nodes in order. Ids are 0, 1, …; dependencies point
/// backwards. The NodeSpec is reused. Collectives name their axis, messages contain distances
/// (graph::kPeerRelative). `pool` stores the names, `kernels` the kernels. Stops when the callback
/// returns an error, and returns it. Linear in nodes.
[[nodiscard]] Result<void> unroll(
    const Program& program, std::uint32_t role, StringPool& pool, graph::KernelTable& kernels,
    const std::function<Result<void>(const graph::NodeSpec&)>& on_node,
    NodeNames names = NodeNames::distinct);

/// Sets `used` for the axes of the role's collectives.
void collect_axes(const Program& program, const Role& role, std::array<bool, kAxes>& used);

/// Adds the kernels of the role's nodes to `kernels`, as `unroll` does.
void collect_kernels(const Program& program, const Role& role, graph::KernelTable& kernels);

/// The number of nodes that `unroll` generates for each of the role's recipes, per run.
[[nodiscard]] std::vector<std::uint64_t> recipe_node_counts(const Program& program,
                                                            const Role& role);

/// The number of nodes that `unroll` generates. O(tasks + bodies), without unrolling.
[[nodiscard]] std::uint64_t node_count(const Program& program, std::uint32_t role);

/// The program as simulator input: one graph per role, groups by axis, without files. Errc:
/// limit_exceeded.
[[nodiscard]] Result<graph::Workload> to_workload(const Program& program,
                                                  NodeNames names = NodeNames::distinct);

}  // namespace orrery::workload
