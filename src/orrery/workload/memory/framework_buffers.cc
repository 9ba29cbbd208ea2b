// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/framework_buffers.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kThreads = 2;    ///< main thread and autograd thread
constexpr std::int64_t kStreams = 4;    ///< streams of Transformer Engine's grouped products
constexpr std::int64_t kMaxPeers = 7;   ///< other ranks of an island of eight
constexpr std::int64_t kWideBytes = 4;  ///< fp32

/// Ranks of its island with which a rank exchanges tokens directly; 0 if it does not.
std::int64_t direct_peers(const Program& program, const Op& op) {
  const bool exchanges = op.collective == graph::CollectiveType::all_to_all;
  if (!exchanges || dispatcher_of(program.spec) != Dispatcher::all_to_all) return 0;
  return std::min<std::int64_t>(program.mesh.extent(op.axis) - 1, kMaxPeers);
}

}  // namespace

std::int64_t workspace_bytes(const Spec& spec, const DeviceMemory& device) {
  const std::int64_t each = spec.kernels.deterministic ? device.deterministic : device.products;
  if (spec.kernels.framework != Framework::megatron) return kThreads * each;
  const bool grouped = spec.model.moe && spec.kernels.fusion().grouped;
  return kThreads * each + (1 + (grouped ? kStreams : 0)) * device.transformer;
}

std::int64_t communicator_bytes(const Program& program, const Role& role,
                                const DeviceMemory& device) {
  if (device.communicator == 0) return 0;
  std::array<std::int64_t, kAxes> peers{};
  std::array<bool, kAxes> used{};
  for (const std::vector<Segment>& recipe : role.recipes) {
    for (const Segment& segment : recipe) {
      for (const Op& op : program.bodies[segment.body].ops) {
        if (op.op_class != OpClass::communication || program.mesh.extent(op.axis) < 2) continue;
        const auto axis = static_cast<std::size_t>(op.axis);
        used[axis] = true;
        if (op.kind == graph::NodeKind::coll)
          peers[axis] = std::max(peers[axis], direct_peers(program, op));
      }
    }
  }
  std::int64_t total = 0;
  for (std::size_t axis = 0; axis < kAxes; ++axis)
    total += (used[axis] ? device.communicator : 0) + peers[axis] * device.peer;
  return total;
}

bool copies_gradients(const Spec& spec) {
  const Framework framework = spec.kernels.framework;
  const Precision& types = spec.precision;
  const bool copies = framework == Framework::megatron || framework == Framework::megatron_2021 ||
                      framework == Framework::deepspeed;
  // The kernel of a narrower optimizer reads them directly.
  return copies && bytes_of(types.optimizer) >= kWideBytes && types.master_weights &&
         bytes_of(types.gradients) == 2;
}

std::int64_t gradient_copies(const Program& program, const Role& role, const ModelState& state) {
  if (!copies_gradients(program.spec)) return 0;
  std::int64_t elements = 0;
  for (const std::vector<PartRun>& chunk : role.chunks) {
    for (const PartRun& run : chunk) {
      const Part& part = program.parts[run.part];
      elements += run.count * state.updated(part.trained());
    }
  }
  return kWideBytes * elements;
}

}  // namespace orrery::workload
