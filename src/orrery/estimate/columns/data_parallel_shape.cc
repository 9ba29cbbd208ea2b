// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/data_parallel_shape.h"

#include <algorithm>

#include "orrery/workload/assembly/optimizer_step.h"
#include "orrery/workload/assembly/pass_writer.h"
#include "orrery/workload/memory/framework_buffers.h"

namespace orrery::estimate {

using workload::Amount;
using workload::Elements;
using workload::Op;
using workload::Sharding;
using workload::Weights;

namespace {

constexpr std::int64_t kWideBytes = 4;  ///< fp32

std::uint32_t axes_of(const std::vector<Op>& ops) {
  std::uint32_t bits = 0;
  for (const Op& op : ops)
    if (op.op_class == workload::OpClass::communication)
      bits |= 1u << static_cast<unsigned>(op.axis);
  return bits;
}

}  // namespace

std::array<std::int64_t, kPlaces> parts_of(std::int64_t layers, ModelEnds ends) {
  return {has_embedding(ends) ? 1 : 0, layers, has_head(ends) ? 1 : 0};
}

DataParallelWork::DataParallelWork(const workload::Spec& spec, const LayerShape& layer)
    : program_(empty_program(spec)), data_(spec, program_.mesh), layer_(layer) {}

Elements DataParallelWork::trained(std::size_t place) const {
  return workload::elements_of(layer_.trained(place));
}

Elements DataParallelWork::whole(std::size_t place) const {
  return workload::elements_of(layer_.weights[place]);
}

std::vector<Op> DataParallelWork::step(ModelEnds ends) const {
  const workload::Spec& spec = program_.spec;
  const auto counts = parts_of(layer_.layers / spec.parallel.pp, ends);
  workload::OptimizerWork work;
  std::vector<workload::LoweredPart> parts(kPlaces);
  workload::Chunk chunk;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (counts[place] == 0) continue;
    const Amount count = counts[place];
    const auto times = [&](Elements of) { return Elements{of.dense * count, of.expert * count}; };
    const Weights weights = layer_.trained(place);
    const std::int64_t experts = std::min(weights.matrices, weights.expert);
    work.unsharded = work.unsharded + times(trained(place));
    work.shard = work.shard + times(data_.shard(trained(place)));
    work.matrices = work.matrices + times({weights.matrices - experts, experts});
    work.replicated += Amount(weights.replicated) * count;
    parts[place].part.weights = layer_.weights[place];
    parts[place].part.frozen = layer_.frozen[place];
    chunk.parts.push_back(
        {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(counts[place]), -1});
  }
  if (ends == ModelEnds::embedding || ends == ModelEnds::head)
    work.tied_table_elements = layer_.table;
  if (spec.parallel.sharding != Sharding::zero3) work.shard = data_.shard(work.unsharded);
  if (data_.reduces_after_backward())
    work.pending_gradients = workload::buckets_of(parts, {chunk}, data_);
  return workload::optimizer_step_ops(spec, program_.mesh, data_, work);
}

std::vector<Bucket> DataParallelWork::buckets(std::int64_t layers, ModelEnds ends) const {
  std::vector<Bucket> out;
  const auto counts = parts_of(layers, ends);
  workload::Buckets buckets(data_);
  std::uint32_t parts = 0;
  for (std::size_t place = kPlaces; place-- > 0;) {
    for (std::int64_t i = 0; i < counts[place]; ++i) {
      const Elements full = buckets.add(trained(place));
      ++parts;
      if (!full.none()) out.push_back({parts, full});
    }
  }
  const Elements left = buckets.flush();
  if (!left.none() && !out.empty() && out.back().after == parts)
    out.back().sum = out.back().sum + left;
  else if (!left.none())
    out.push_back({parts, left});
  return out;
}

std::vector<std::int64_t> DataParallelWork::gradient_bytes(std::int64_t layers,
                                                           ModelEnds ends) const {
  const workload::Spec& spec = program_.spec;
  const auto counts = parts_of(layers, ends);
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < kPlaces; ++place)
    places.insert(places.end(), static_cast<std::size_t>(counts[place]), place);
  std::vector<std::int64_t> bytes(places.size());
  if (!data_.reduces_every_pass() && spec.precision.reduce == spec.precision.gradients)
    return bytes;
  const bool overlap = data_.policy().overlap_gradients && spec.schedule.overlap;
  workload::Buckets buckets(data_);
  Amount waiting, sent;
  for (std::size_t at = places.size(); at-- > 0;) {
    waiting += data_.shared(trained(places[at])).total();
    bytes[at] = data_.reduce_bytes(waiting + (overlap ? sent : Amount(0))).value();
    const Elements full = buckets.add(trained(places[at]));
    if (full.none()) continue;
    sent = full.total();
    waiting = waiting - sent;
  }
  return bytes;
}

void DataParallelWork::set_state(DataParallelShape& out) const {
  const workload::ModelState rule(program_.spec, program_.mesh);
  const bool copies = workload::copies_gradients(program_.spec);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const Weights &weights = layer_.weights[place], &frozen = layer_.frozen[place];
    workload::ModelStateBytes& sum = out.state[place];
    for (const auto& each :
         {rule.dense(weights, frozen), rule.experts(weights, frozen), rule.tables(weights)}) {
      sum.weights += each.weights;
      sum.gradients += each.gradients;
      sum.optimizer += each.optimizer;
    }
    out.gathered[place] = rule.gathered(weights);
    if (copies) out.copies[place] = kWideBytes * rule.updated(layer_.trained(place));
  }
}

DataParallelShape DataParallelWork::shape() const {
  DataParallelShape out;
  out.stride = program_.mesh.stride(workload::Dim::pp);
  set_state(out);
  for (std::size_t i = 0; i < kModelEnds; ++i) {
    const auto counts = parts_of(layer_.layers, static_cast<ModelEnds>(i));
    out.axes[i] = axes_of(step(static_cast<ModelEnds>(i)));
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if (counts[place] == 0) continue;
      if (!data_.reduces_after_backward())
        out.axes[i] |= axes_of(data_.reduce(trained(place), workload::Phase::weight_grad));
      if (data_.gathers_weights())
        out.axes[i] |= axes_of(data_.gather(whole(place), workload::Phase::forward));
    }
  }
  return out;
}

}  // namespace orrery::estimate
