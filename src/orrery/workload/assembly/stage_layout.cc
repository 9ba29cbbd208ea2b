// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/stage_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "orrery/workload/assembly/activation_offload.h"
#include "orrery/workload/assembly/layer_partition.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::workload {
namespace {

/// The receiving chunk and the direction identify a message between two neighbors, since a chunk
/// has one neighbor on each side.
std::uint32_t message_id_of(std::uint32_t receiving_chunk, bool gradients) {
  return 1 + 2 * receiving_chunk + (gradients ? 1 : 0);
}

}  // namespace

std::vector<std::vector<PipePosition>> pipe_positions(const PipelineOrder& order) {
  std::vector<std::vector<PipePosition>> out(order.stages, std::vector<PipePosition>(order.chunks));
  for (std::uint32_t pipe = 0; pipe < order.pipes.size(); ++pipe) {
    for (std::uint32_t i = 0; i < order.pipes[pipe].size(); ++i) {
      const ChunkPlace& place = order.pipes[pipe][i];
      out[place.stage][place.chunk] = {pipe, i};
    }
  }
  return out;
}

Result<StageLayout> StageLayout::make(const Spec& spec, const Mesh& mesh, const Position& where,
                                      const PipelineOrder& order, const Lowering& lowering,
                                      std::vector<LoweredPart>& parts) {
  StageLayout shape;
  shape.order_ = &order;
  shape.message_shares_ = scatters_sends(spec) ? spec.parallel.tp : 1;
  shape.message_format_ = format_of(spec.precision.activations);
  shape.places_ = pipe_positions(order);
  shape.first_part_ = static_cast<std::uint32_t>(parts.size());
  auto model = lowering(spec, mesh, where);
  if (!model) return tl::unexpected(model.error());
  shape.stages_ = partition(*model, spec.schedule, order.pipes.front().size());
  if (spec.offload.activations > 0)
    offload_activations(*model, shape.stages_, spec.offload.activations);

  std::int64_t boundary = 0;
  for (std::vector<PartRun>& stage : shape.stages_) {
    if (!stage.empty()) boundary = model->parts[stage.back().part].part.boundary;
    shape.boundary_bytes_.push_back(boundary);
    for (PartRun& run : stage) run.part += shape.first_part_;
  }
  const std::size_t count = model->parts.size();
  shape.without_copy_.resize(count);
  std::iota(shape.without_copy_.begin(), shape.without_copy_.end(), shape.first_part_);
  std::move(model->parts.begin(), model->parts.end(), std::back_inserter(parts));
  const bool copies_table = spec.model.tied_embeddings || spec.model.mtp_layers > 0;
  if (!copies_table || order.stages == 1) return shape;

  Spec single = spec;
  single.parallel.pp = 1;
  auto whole = lowering(single, Mesh(single), where);
  if (!whole) return tl::unexpected(whole.error());
  for (std::size_t i = 0; i < std::min(count, whole->parts.size()); ++i) {
    const std::int64_t copy =
        parts[shape.first_part_ + i].part.weights.total() - whole->parts[i].part.weights.total();
    if (copy == 0) continue;
    shape.table_copy_elements_ = copy;
    shape.without_copy_[i] = static_cast<std::uint32_t>(parts.size());
    parts.push_back(std::move(whole->parts[i]));
  }
  return shape;
}

bool StageLayout::holds_both_tables(std::uint32_t stage) const {
  const auto holds = [&](std::uint32_t index) {
    return std::any_of(places_[stage].begin(), places_[stage].end(),
                       [&](const PipePosition& place) { return place.index == index; });
  };
  return holds(0) && holds(static_cast<std::uint32_t>(stages_.size()) - 1);
}

std::int64_t StageLayout::tied_table_elements(std::uint32_t stage) const {
  const std::uint32_t first = order_->pipes.front().front().stage;
  const std::uint32_t last = order_->pipes.front().back().stage;
  if (order_->pipes.size() > 1 || first == last) return 0;
  return stage == first || stage == last ? table_copy_elements_ : 0;
}

Message StageLayout::message(std::uint32_t stage, std::uint32_t chunk, std::uint32_t pipe,
                             std::int64_t neighbor, bool gradients, bool send) const {
  const std::vector<ChunkPlace>& line = order_->pipes[pipe];
  if (neighbor < 0 || neighbor >= static_cast<std::int64_t>(line.size())) return {};
  const ChunkPlace& other = line[static_cast<std::size_t>(neighbor)];
  if (other.stage == stage) return {};
  const std::uint32_t own = places_[stage][chunk].index;
  Message out;
  out.size = boundary_bytes_[std::min<std::size_t>(own, static_cast<std::size_t>(neighbor))];
  if (message_shares_ > 1 && out.size % message_shares_ == 0) {
    out.size /= message_shares_;
    out.is_scattered = true;
    out.format = message_format_;
  }
  out.peer_offset = static_cast<std::int32_t>(other.stage) - static_cast<std::int32_t>(stage);
  out.message_id = message_id_of(send ? other.chunk : chunk, gradients);
  if (send) {
    out.stream = gradients ? stream::send_backward(chunk) : stream::send_forward(chunk);
  } else {
    out.stream = gradients ? stream::receive_backward(chunk) : stream::receive_forward(chunk);
  }
  return out;
}

std::vector<Chunk> StageLayout::chunks(std::uint32_t stage) const {
  std::vector<Chunk> out(order_->chunks);
  const bool both = holds_both_tables(stage);
  for (std::uint32_t c = 0; c < order_->chunks; ++c) {
    const PipePosition& place = places_[stage][c];
    Chunk& chunk = out[c];
    chunk.parts = stages_[place.index];
    for (PartRun& run : chunk.parts) {
      if (both) run.part = without_copy_[run.part - first_part_];
    }
    const std::int64_t before = std::int64_t{place.index} - 1,
                       after = std::int64_t{place.index} + 1;
    chunk.receive_activations = message(stage, c, place.pipe, before, false, false);
    chunk.send_activations = message(stage, c, place.pipe, after, false, true);
    chunk.receive_gradients = message(stage, c, place.pipe, after, true, false);
    chunk.send_gradients = message(stage, c, place.pipe, before, true, true);
  }
  return out;
}

}  // namespace orrery::workload
