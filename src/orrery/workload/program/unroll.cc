// SPDX-License-Identifier: Apache-2.0
//
// Unrolls a role's loops to nodes, one at a time.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "orrery/core/check.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

using graph::NodeKind;

namespace {

constexpr std::uint64_t kNoNode = ~std::uint64_t{0};

/// The common fields of all nodes of one op.
struct Prepared {
  NodeKind kind = NodeKind::invalid;
  std::uint16_t flags = 0;
  graph::Work work{};
  graph::KernelId kernel = graph::kNoKernel;
  graph::Collective collective{};
  graph::PointToPoint message{};
  std::string_view name;
  StringId shared{};  ///< its name in the pool
};

/// The range of coordinates of a role's members on an axis: `least` and `more` above it.
struct NodePlace {
  std::int64_t least = 0;
  std::int64_t more = 0;
};

NodePlace place_on(const Program& program, const Role& role, Axis axis) {
  const std::int64_t extent = program.mesh.extent(axis);
  const Position& where = role.where;
  if (where.table >= 0) {
    return {program.mesh.axis(axis).position(static_cast<std::uint32_t>(where.table)), 0};
  }
  if (axis == Axis::pp && where.stage >= 0) return {where.stage, 0};
  if (axis == Axis::cp && where.cp == 0) return {0, 0};
  if (axis == Axis::cp && where.cp == 1) return {extent - 1, 0};
  if (axis == Axis::cp && where.cp == 2) return {1, std::max<std::int64_t>(0, extent - 3)};
  return {0, extent - 1};
}

/// The distance from a rank to its peer. It must be equal for all ranks of a role: the wrap of the
/// ring is between rank and peer for all of them or for none.
std::int32_t distance(const Program& program, const Role& role, const Op& op) {
  const graph::GroupAxis& axis = program.mesh.axis(op.axis);
  ORRERY_CHECK(axis.digits.size() == 1);
  const graph::GroupAxis::Digit& digit = axis.digits.front();
  const std::int64_t size = digit.count;
  const std::int64_t shift = op.peer_offset % size;
  const auto moved = [&](std::int64_t from) { return (from + shift + size) % size - from; };
  const NodePlace place = place_on(program, role, op.axis);
  ORRERY_CHECK(moved(place.least) == moved(place.least + place.more));
  return static_cast<std::int32_t>(moved(place.least) * digit.stride * digit.step);
}

graph::KernelId interned(const Op& op, graph::KernelTable& kernels) {
  const auto kernel = kernel_of(op);
  return kernel ? kernels.intern(*kernel) : graph::kNoKernel;
}

class Unroller {
 public:
  Unroller(const Program& program, const Role& role, StringPool& pool, graph::KernelTable& kernels,
           const std::function<Result<void>(const graph::NodeSpec&)>& on_node, NodeNames names)
      : program_(program),
        role_(role),
        pool_(pool),
        kernels_(kernels),
        on_node_(on_node),
        names_(names) {
    tails_.fill(kNoNode);
    in_group_.fill(kNoNode);
    prepared_.resize(program.bodies.size());
    node_.deps.reserve(8);
  }

  Result<void> run() {
    for (const TaskLoop& loop : role_.tasks) {
      for (std::uint32_t round = 0; round < loop.count; ++round) {
        for (const Task& task : loop.tasks) {
          if (auto done = run_recipe(task, task.microbatch + round * loop.stride); !done)
            return done;
        }
      }
    }
    return {};
  }

 private:
  Result<void> run_recipe(const Task& task, std::uint32_t microbatch) {
    for (const Segment& segment : role_.recipes[task.recipe]) {
      microbatch_ = microbatch + static_cast<std::uint32_t>(segment.microbatch_offset);
      const Body& body = program_.bodies[segment.body];
      const std::vector<Prepared>& prepared = prepare(segment.body);
      for (std::uint32_t i = 0; i < segment.count; ++i) {
        const std::int64_t layer =
            segment.layer < 0 ? -1 : segment.layer + std::int64_t{i} * segment.layer_step;
        end_names_with(layer, task.kind != TaskKind::step);
        for (std::size_t op = 0; op < body.ops.size(); ++op) {
          if (auto done = issue(body.ops[op], prepared[op]); !done) return done;
        }
      }
    }
    return {};
  }

  Result<void> issue(const Op& op, const Prepared& prepared) {
    if (op.op_class == OpClass::copy) {
      tails_[op.stream] = tails_[op.waits[0]];
      return {};
    }
    node_.id = next_;
    node_.kind = prepared.kind;
    node_.flags = prepared.flags;
    node_.work = prepared.work;
    node_.kernel = prepared.kernel;
    node_.collective = prepared.collective;
    node_.message = prepared.message;
    node_.message.tag = tag(op.message_id, microbatch_);
    node_.name = prepared.shared;
    if (names_ == NodeNames::distinct) {
      text_.assign(prepared.name).append(ending_, ending_size_);
      node_.name = pool_.intern(text_);
    }
    node_.deps.clear();
    wait_for(tails_[op.stream]);
    for (const Stream stream : op.waits) wait_for(tails_[stream]);
    if (op.kind == NodeKind::coll) {
      std::uint64_t& before = in_group_[static_cast<std::size_t>(op.axis)];
      wait_for(before);
      before = next_;
    }
    tails_[op.stream] = next_;
    if (op.marks != stream::none) tails_[op.marks] = next_;
    ++next_;
    return on_node_(node_);
  }

  void wait_for(std::uint64_t node) {
    if (node == kNoNode) return;
    if (std::find(node_.deps.begin(), node_.deps.end(), node) == node_.deps.end())
      node_.deps.push_back(node);
  }

  // " L12 mb3"
  void end_names_with(std::int64_t layer, bool microbatch) {
    char* at = ending_;
    char* const end = ending_ + sizeof(ending_);
    if (layer >= 0) {
      std::memcpy(at, " L", 2);
      at = std::to_chars(at + 2, end, layer).ptr;
    }
    if (microbatch) {
      std::memcpy(at, " mb", 3);
      at = std::to_chars(at + 3, end, microbatch_).ptr;
    }
    ending_size_ = static_cast<std::size_t>(at - ending_);
  }

  const std::vector<Prepared>& prepare(std::uint32_t body) {
    std::vector<Prepared>& prepared = prepared_[body];
    const std::vector<Op>& ops = program_.bodies[body].ops;
    if (prepared.size() == ops.size()) return prepared;
    prepared.reserve(ops.size());
    for (const Op& op : ops) prepared.push_back(prepare(op));
    return prepared;
  }

  Prepared prepare(const Op& op) {
    Prepared made;
    made.kind = op.kind;
    made.name = op.name;
    if (op.op_class == OpClass::copy) return made;
    if (names_ == NodeNames::shared) made.shared = pool_.intern(op.name);
    switch (op.kind) {
      case NodeKind::coll:
        made.flags = graph::kHasCpuAttr | graph::kHasCommType | graph::kHasCommSize;
        made.collective.type = op.collective;
        made.collective.size = Bytes(op.size);
        made.collective.group = pool_.intern(name(op.axis));
        made.collective.exchange = op.exchange;
        made.collective.format = op.format;
        break;
      case NodeKind::send:
      case NodeKind::recv: {
        made.flags = graph::kHasCpuAttr | graph::kHasCommSize | graph::kHasSrc | graph::kHasDst |
                     graph::kHasTag | graph::kPeerRelative;
        const std::int32_t offloaded = distance(program_, role_, op);
        made.message.size = Bytes(op.size);
        (op.kind == NodeKind::send ? made.message.dst : made.message.src) = offloaded;
        break;
      }
      case NodeKind::mem_load:
      case NodeKind::mem_store:
        made.flags = graph::kHasCpuAttr | graph::kHasNumOps | graph::kHasTensorSize;
        made.work.num_ops = op.devices;
        made.work.tensor_size = Bytes(op.bytes);
        break;
      default:
        made.flags = graph::kHasCpuAttr | graph::kHasNumOps | graph::kHasTensorSize;
        made.work.num_ops = op.matmul + op.vector;
        made.work.tensor_size = Bytes(op.bytes);
        made.kernel = interned(op, kernels_);
        break;
    }
    return made;
  }

  const Program& program_;
  const Role& role_;
  StringPool& pool_;
  graph::KernelTable& kernels_;
  const std::function<Result<void>(const graph::NodeSpec&)>& on_node_;
  NodeNames names_;
  std::array<std::uint64_t, 256> tails_;         // latest op of each stream; `none` never has one
  std::array<std::uint64_t, kAxes> in_group_;    // latest collective of each axis
  std::vector<std::vector<Prepared>> prepared_;  // by body, filled on first use
  graph::NodeSpec node_;
  std::uint64_t next_ = 0;
  std::uint32_t microbatch_ = 0;
  std::string text_;
  char ending_[48] = {};
  std::size_t ending_size_ = 0;
};

}  // namespace

std::optional<graph::Kernel> kernel_of(const Op& op) {
  if (op.kind != NodeKind::comp || op.op_class == OpClass::copy ||
      op.kernel.operation == graph::Operation::unsaid || op.matmul + op.vector + op.bytes == 0)
    return std::nullopt;
  graph::Kernel kernel = op.kernel;
  kernel.flops = op.matmul + op.vector;
  kernel.bytes = op.bytes;
  return kernel;
}

Result<void> unroll(const Program& program, std::uint32_t role, StringPool& pool,
                    graph::KernelTable& kernels,
                    const std::function<Result<void>(const graph::NodeSpec&)>& on_node,
                    NodeNames names) {
  return Unroller(program, program.roles[role], pool, kernels, on_node, names).run();
}

void collect_axes(const Program& program, const Role& role, std::array<bool, kAxes>& used) {
  for (const std::vector<Segment>& recipe : role.recipes) {
    for (const Segment& segment : recipe) {
      for (const Op& op : program.bodies[segment.body].ops) {
        if (op.kind == graph::NodeKind::coll && op.op_class != OpClass::copy)
          used[static_cast<std::size_t>(op.axis)] = true;
      }
    }
  }
}

void collect_kernels(const Program& program, const Role& role, graph::KernelTable& kernels) {
  for (const std::vector<Segment>& recipe : role.recipes) {
    for (const Segment& segment : recipe) {
      for (const Op& op : program.bodies[segment.body].ops) (void)interned(op, kernels);
    }
  }
}

std::vector<std::uint64_t> recipe_node_counts(const Program& program, const Role& role) {
  std::vector<std::uint64_t> in_body;
  in_body.reserve(program.bodies.size());
  for (const Body& body : program.bodies) {
    in_body.push_back(static_cast<std::uint64_t>(
        std::count_if(body.ops.begin(), body.ops.end(),
                      [](const Op& op) { return op.op_class != OpClass::copy; })));
  }
  std::vector<std::uint64_t> in_recipe;
  in_recipe.reserve(role.recipes.size());
  for (const std::vector<Segment>& recipe : role.recipes) {
    std::uint64_t nodes = 0;
    for (const Segment& segment : recipe) nodes += segment.count * in_body[segment.body];
    in_recipe.push_back(nodes);
  }
  return in_recipe;
}

std::uint64_t node_count(const Program& program, std::uint32_t role) {
  const Role& of = program.roles[role];
  const std::vector<std::uint64_t> in_recipe = recipe_node_counts(program, of);
  std::uint64_t nodes = 0;
  for (const TaskLoop& loop : of.tasks) {
    for (const Task& task : loop.tasks) nodes += loop.count * in_recipe[task.recipe];
  }
  return nodes;
}

std::vector<Task> expand_task_loops(std::span<const TaskLoop> loops) {
  std::vector<Task> tasks;
  for (const TaskLoop& loop : loops) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      for (Task task : loop.tasks) {
        task.microbatch += round * loop.stride;
        tasks.push_back(task);
      }
    }
  }
  return tasks;
}

}  // namespace orrery::workload
