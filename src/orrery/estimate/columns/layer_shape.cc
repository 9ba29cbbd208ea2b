// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/layer_shape.h"

#include <algorithm>
#include <utility>

#include "orrery/workload/memory/chunk_profile.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::estimate {

using workload::LoweredPart;
using workload::Op;

namespace {

/// Per group, in an island of eight (workload/memory/device_memory).
constexpr std::int64_t kMaxPeers = 7;

void add_part(LayerShape& shape, std::size_t place, const LoweredPart& lowered,
              const workload::Mesh& mesh) {
  const workload::Part& part = lowered.part;
  shape.memory[place] = {workload::retained_bytes(part), workload::split_backward_bytes(part),
                         workload::working_bytes(part), workload::recomputed_bytes(part),
                         part.shared.bytes};
  shape.weights[place] = part.weights;
  shape.frozen[place] = part.frozen;
  for (const auto* ops : {&lowered.forward, &lowered.backward}) {
    for (const Op& op : *ops) {
      if (op.op_class != workload::OpClass::communication || mesh.extent(op.axis) < 2) continue;
      shape.axes[place] |= 1u << static_cast<unsigned>(op.axis);
      if (op.kind == graph::NodeKind::coll && op.phase == workload::Phase::weight_grad &&
          op.collective == graph::CollectiveType::all_gather && op.axis == workload::Axis::tp)
        shape.gathered[place] = std::max(shape.gathered[place], op.size * mesh.extent(op.axis));
    }
  }
}

/// Peers in all groups that exchange tokens or heads.
std::int64_t peers_of(const std::vector<Op>& ops, const workload::Mesh& mesh) {
  std::array<bool, workload::kAxes> counted{};
  std::int64_t peers = 0;
  for (const Op& op : ops) {
    if (op.kind != graph::NodeKind::coll || op.collective != graph::CollectiveType::all_to_all ||
        std::exchange(counted[static_cast<std::size_t>(op.axis)], true))
      continue;
    peers += std::min<std::int64_t>(mesh.extent(op.axis) - 1, kMaxPeers);
  }
  return peers;
}

/// Number of elements in all parts.
std::int64_t elements_in(const workload::LoweredModel& model) {
  std::int64_t sum = 0;
  for (const LoweredPart& part : model.parts) sum += part.part.weights.total();
  return sum;
}

}  // namespace

std::optional<PartsByPlace> places_of(const workload::LoweredModel& model) {
  PartsByPlace at{-1, -1, -1};
  for (const workload::PartRun& run : model.order) {
    const bool layer = model.parts[run.part].part.is_layer;
    const Place place = layer ? Place::layer : at[kLayerPlace] < 0 ? Place::embedding : Place::head;
    std::int32_t& here = at[static_cast<std::size_t>(place)];
    const bool again = layer && here == static_cast<std::int32_t>(run.part);
    const bool after = layer && at[static_cast<std::size_t>(Place::head)] >= 0;
    if ((here >= 0 && !again) || after) return std::nullopt;
    here = static_cast<std::int32_t>(run.part);
  }
  if (at[kLayerPlace] < 0) return std::nullopt;
  return at;
}

Result<LayerShape> layer_shape(const workload::Spec& spec) {
  const workload::Mesh mesh(spec);
  const auto model = workload::lower(spec, mesh, {});
  if (!model) return tl::unexpected(model.error());
  LayerShape shape;
  for (const workload::PartRun& run : model->order)
    if (model->parts[run.part].part.is_layer) shape.layers += run.count;
  const auto at = places_of(*model);
  if (!at) return shape;
  shape.uniform = true;
  for (std::size_t place = 0; place < kPlaces; ++place)
    if ((*at)[place] >= 0)
      add_part(shape, place, model->parts[static_cast<std::size_t>((*at)[place])], mesh);
  const LoweredPart& layer = model->parts[static_cast<std::size_t>((*at)[kLayerPlace])];
  shape.boundary = layer.part.boundary;
  if (workload::dispatcher_of(spec) == workload::Dispatcher::all_to_all)
    shape.peers = peers_of(layer.forward, mesh);
  if (!spec.model.tied_embeddings || spec.parallel.pp == 1 || spec.lora) return shape;
  workload::Spec single = spec;
  single.parallel.pp = 1;
  const auto single_model = workload::lower(single, workload::Mesh(single), {});
  if (!single_model) return tl::unexpected(single_model.error());
  shape.table = elements_in(*model) - elements_in(*single_model);
  return shape;
}

workload::Program empty_program(const workload::Spec& spec) {
  workload::Program program;
  program.spec = spec;
  program.mesh = workload::Mesh(spec);
  const std::uint32_t stages = program.mesh.size(workload::Dim::pp);
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    workload::Role role;
    role.where.stage = static_cast<std::int32_t>(stage);
    role.name = "stage";
    role.ranks = program.mesh.world() / stages;
    program.roles.push_back(std::move(role));
  }
  return program;
}

}  // namespace orrery::estimate
