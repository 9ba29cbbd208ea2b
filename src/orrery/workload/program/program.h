// SPDX-License-Identifier: Apache-2.0
//
// The SPMD program: what every rank does in one step, said once per role and not unrolled.
//
//   Program ── roles: ranks that do the same (a pipeline stage, mostly)
//     Role ── tasks in the order of the schedule, as loops over microbatches
//       Task ── a recipe: which bodies run, how often (loops over layers)
//         Body ── ops of one layer or step, in the order they are issued
//
// Ops know streams, not each other. An op starts when the op before it on its own stream has ended
// and when the latest op of every stream it waits for has ended: the order of issue decides which
// one that is, as with CUDA streams and events. Thus bodies can be put one after another in any
// number, and every rank of a role runs the same text: groups are named by axis ("tp"), peers by
// their distance. Collectives of one group keep the order of issue, on whatever streams.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
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

/// Where ops queue up. One compute stream; communication has a stream per purpose.
using Stream = std::uint8_t;
namespace stream {
inline constexpr Stream none = 255;  ///< in Op::waits: nothing
inline constexpr Stream compute = 0;
inline constexpr Stream tp = 1;
inline constexpr Stream cp = 2;
inline constexpr Stream ep = 3;
inline constexpr Stream dp = 4;      ///< gradients
inline constexpr Stream gather = 5;  ///< weights of sharded layers
inline constexpr Stream side = 6;    ///< anything else
inline constexpr Stream mark = 7;    ///< first of eight registers that are not streams: an op can
                                     ///< be remembered there (Op::marks) and waited for later
inline constexpr Stream pipe = 15;   ///< first of four per chunk: receive and send activations,
                                     ///< receive and send their gradients
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
inline constexpr Stream held = 236;   ///< first of eight more registers: layers' gathered weights
inline constexpr Stream load = 244;   ///< from remote memory
inline constexpr Stream store = 245;  ///< to it
inline constexpr Stream loaded_activations =
    246;  ///< a register: activations loaded for the layer at hand
inline constexpr Stream loading_activations = 247;  ///< first of four: … for the next ones
inline constexpr Stream storing_activations = 251;  ///< first of four: activations that were stored
                                                    ///< before the last ones, the earliest first
}  // namespace stream

/// What an op is, for counting.
enum class OpClass : std::uint8_t {
  matmul,     ///< a product with weights
  attention,  ///< the attention core: products of activations, softmax
  vector,     ///< norms, activations, residuals, loss, dispatch: bandwidth decides
  lookup,     ///< embedding tables
  optimizer,
  communication,
  transfer,  ///< between the device's memory and a remote one: `bytes`
  copy,      ///< not an op: `stream` takes over what `waits[0]` holds (for registers)
};

/// Which part of the step an op belongs to.
enum class Phase : std::uint8_t {
  forward,
  input_grad,   ///< backward with respect to activations ("dgrad")
  weight_grad,  ///< backward with respect to weights ("wgrad"): nobody else waits for it
  recompute,    ///< forward work done again for the backward
  step,         ///< gradient reduction, norm, optimizer
};

/// One operation of one rank, for one microbatch of one layer.
struct Op {
  const char* name = "";  ///< static text: "qkv", "qkv.dgrad"; no spaces
  OpClass op_class = OpClass::vector;
  Phase phase = Phase::forward;
  graph::NodeKind kind = graph::NodeKind::comp;  ///< comp, coll, send, recv, mem_load, mem_store
  Stream stream = stream::compute;
  std::array<Stream, 4> waits = {stream::none, stream::none, stream::none, stream::none};
  Stream marks = stream::none;  ///< a register that remembers this op, too

  // Computation
  std::int64_t matmul = 0;  ///< FLOPs of matrix products (2mnk)
  std::int64_t vector = 0;  ///< all other FLOPs
  std::int64_t redone = 0;  ///< of `matmul`: work repeated (flash attention's backward computes
                            ///< scores again; ranks compute alike what tp does not cut)
  std::int64_t bytes = 0;   ///< read and written in device memory
  graph::Kernel kernel;     ///< what these are to a device; its FLOPs and bytes are the op's

  std::int64_t devices = 1;  ///< mem_load, mem_store: that load or store the same at one time,
                             ///< which switches of the memory gather and reduce

  // Communication
  graph::CollectiveType collective = graph::CollectiveType::all_reduce;
  Axis axis = Axis::tp;    ///< the group; send and recv: the axis they move along
  std::int32_t shift = 0;  ///< send, recv: peer's coordinate on the axis minus own, modulo its size
  std::int64_t size = 0;   ///< Chakra's convention: all_gather the shard a rank contributes, others
                           ///< the full buffer; send, recv the message
  std::uint32_t edge = 0;  ///< send, recv: tells apart what two ranks exchange, the same on both
                           ///< ends; below kMaxEdge. The message's tag is tag(edge, microbatch).
                           ///< Messages inside layers have edge 0 and match in order
  graph::ExpertExchange exchange;                 ///< who carries tokens
  graph::Format numbers = graph::Format::unsaid;  ///< of a collective
};
inline constexpr std::uint32_t kMaxEdge = 128;
/// A message's tag. Microbatches beyond 2^24 share tags: they match in order.
[[nodiscard]] constexpr std::uint32_t tag(std::uint32_t edge, std::uint32_t microbatch) {
  return edge << 24 | (microbatch & 0xffffff);
}

/// Ops of a layer or a step, in the order of issue.
struct Body {
  std::string name;  ///< "layer.forward"
  std::vector<Op> ops;
};

/// A body, run `count` times in a row, for the layers first, first+step, …
struct Segment {
  std::uint32_t body = 0;
  std::uint32_t count = 1;
  std::int32_t layer = -1;  ///< for names; -1: not a layer
  std::int32_t layer_step = 1;
};

enum class TaskKind : std::uint8_t {
  forward,
  backward,    ///< both halves
  input_grad,  ///< schedules that split the backward pass
  weight_grad,
  step,  ///< after the last microbatch: reductions, norm, optimizer
};

/// One entry of the schedule.
struct Task {
  TaskKind kind = TaskKind::forward;
  std::uint16_t chunk = 0;
  std::uint32_t recipe = 0;      ///< of the role
  std::uint32_t microbatch = 0;  ///< in a loop: of its first round

  friend bool operator==(const Task&, const Task&) = default;
};

/// Tasks, `count` times over; `microbatch` grows by `stride` each round.
struct TaskLoop {
  std::vector<Task> tasks;
  std::uint32_t count = 1;
  std::uint32_t stride = 0;
};
/// A role's loops, task by task.
[[nodiscard]] std::vector<Task> expand_task_loops(std::span<const TaskLoop> loops);

/// What `count` layers in a row hold in memory and weights; see lowered_model.h for Part.
struct PartRun {
  std::uint32_t part = 0;  ///< of Program::parts
  std::uint32_t count = 1;
  std::int32_t layer = -1;  ///< index of the first; -1: not a layer
};

/// Ranks that do the same.
struct Role {
  std::string name;  ///< "stage 3", "stage 0, first of cp"
  Position where;    ///< coordinates that its members share
  std::uint64_t ranks = 0;
  std::vector<std::vector<PartRun>> chunks;  ///< what lies on each chunk, in the model's order
  std::vector<std::vector<Segment>> recipes;
  std::vector<TaskLoop> tasks;
};

/// An item kept from the forward to the backward pass, or for good.
struct RetainedTensor {
  const char* name = "";
  std::int64_t bytes = 0;
};

/// Weights of one part on one rank, in elements, before data-parallel sharding.
struct Weights {
  std::int64_t dense = 0;       ///< cut over tp where tp cuts it
  std::int64_t replicated = 0;  ///< the same on every tp rank: norms, routers, biases
  std::int64_t expert = 0;      ///< of the experts that this rank holds
  std::int64_t matrices = 0;    ///< of all these: two-dimensional hidden ones (what Muon updates)
  std::int64_t tables = 0;      ///< rows that no other rank has, updated in the backward pass where
                                ///< they were read: no gradients are kept or reduced (dlrm)

  [[nodiscard]] std::int64_t total() const { return dense + replicated + expert + tables; }
  /// All but `some` of them.
  [[nodiscard]] Weights without(const Weights& some) const {
    return {dense - some.dense, replicated - some.replicated, expert - some.expert,
            matrices - some.matrices, tables - some.tables};
  }
};

/// A distinct piece of the model: the embedding, a kind of layer, the head. What it computes is in
/// bodies; this is what it holds.
struct Part {
  std::string name;  ///< "embedding", "layer", "moe layer", "head"
  bool is_layer = false;
  Weights weights;
  Weights frozen;  ///< of these, what is held but not trained (Spec::lora)
  std::vector<RetainedTensor>
      retained;  ///< from forward to backward, per microbatch, after recompute
  std::vector<RetainedTensor>
      halfway;            ///< what then waits for the weight half, in a split backward pass:
                          ///< inputs and output gradients of operators with weight gradients
  RetainedTensor shared;  ///< likewise, but once for all such parts on a stage
  std::vector<RetainedTensor>
      transient;               ///< alive only while its forward or backward runs (largest of both)
  std::int64_t offloaded = 0;  ///< bytes that would be `retained`, but lie in remote memory between
                               ///< the passes (and are among `transient`)
  std::int64_t boundary = 0;   ///< bytes of activations that its output is, on this rank

  /// What has gradients and is updated.
  [[nodiscard]] Weights trained() const { return weights.without(frozen); }
};

/// The whole step.
struct Program {
  Spec spec;
  Mesh mesh;
  std::vector<Part> parts;
  std::vector<Body> bodies;
  std::vector<Role> roles;

  /// How roles are numbered: ((stage × cp_classes + cp class) × expert_classes + expert class);
  /// with `role_per_rank` every rank has its own.
  std::uint32_t cp_classes = 1;
  std::uint32_t expert_classes = 1;
  bool role_per_rank = false;

  /// The role of a rank. Constant time.
  [[nodiscard]] std::uint32_t role_of(std::uint64_t rank) const;
};

/// The program of a legal specification. Errc: config_conflict, config_range. O(roles ×
/// layers), whatever the number of ranks and microbatches.
[[nodiscard]] Result<Program> assemble(const Spec& spec, Findings& findings);

/// What an op is to a device, its FLOPs and bytes among it; nothing where nobody says what it
/// computes, or nothing is computed.
[[nodiscard]] std::optional<graph::Kernel> kernel_of(const Op& op);

/// What nodes are called.
enum class NodeNames : std::uint8_t {
  each,   ///< "mlp.up L12 mb3": nearly every node has a name of its own
  shared  ///< "mlp.up": by what they do; where nobody reads names, large jobs are twice as quick
};

/// Nodes of one role, unrolled, one after another: ids 0, 1, …; dependencies point backwards. The
/// NodeSpec is reused. Collectives name their axis, messages carry distances
/// (graph::kPeerRelative). `pool` keeps the names, `kernels` what nodes compute. Stops with what
/// the callback answers. Linear in nodes.
[[nodiscard]] Result<void> unroll(
    const Program& program, std::uint32_t role, StringPool& pool, graph::KernelTable& kernels,
    const std::function<Result<void>(const graph::NodeSpec&)>& on_node,
    NodeNames names = NodeNames::each);

/// Marks the axes that the role's collectives run over.
void collect_axes(const Program& program, const Role& role, std::array<bool, kAxes>& used);

/// Puts all that the role's nodes compute into `kernels`, as `unroll` does.
void collect_kernels(const Program& program, const Role& role, graph::KernelTable& kernels);

/// How many nodes `unroll` makes of each of the role's recipes, once.
[[nodiscard]] std::vector<std::uint64_t> recipe_node_counts(const Program& program,
                                                            const Role& role);

/// How many nodes `unroll` would make. O(tasks + bodies), nothing is unrolled.
[[nodiscard]] std::uint64_t node_count(const Program& program, std::uint32_t role);

/// The program as the simulator wants it: one graph per role, groups by axis, nothing on disk.
/// Errc: limit_exceeded.
[[nodiscard]] Result<graph::Workload> to_workload(const Program& program,
                                                  NodeNames names = NodeNames::each);

}  // namespace orrery::workload
