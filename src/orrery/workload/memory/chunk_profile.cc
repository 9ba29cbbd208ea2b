// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/chunk_profile.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace orrery::workload {
namespace {

bool is_working(const RetainedTensor& item) { return std::string_view(item.name) == "working"; }

/// Bytes of gathered weights and of gradient buckets during a pass through a chunk.
class Traffic {
 public:
  Traffic(const Program& program, const std::vector<std::uint32_t>& parts, const ModelState& state)
      : parallel_(program.spec.parallel), policy_(state.data().policy()) {
    for (const std::uint32_t part : parts) {
      weights_.push_back(state.gathered(program.parts[part].weights));
      if (policy_.keep_gathered) whole_ += weights_.back();
    }
    fill_buckets(program, parts, state.data());
  }

  [[nodiscard]] std::int64_t whole() const { return whole_; }

  /// Gathered weights while a pass is at `place`: its own and the prefetched ones.
  [[nodiscard]] std::int64_t gathered(std::size_t place, bool backward) const {
    if (policy_.keep_gathered) return 0;
    const std::int64_t maximum = backward ? policy_.prefetch_backward : parallel_.prefetch;
    std::int64_t total = 0;
    for (std::int64_t ahead = 0; ahead <= maximum; ++ahead) {
      const auto at = static_cast<std::int64_t>(place) + (backward ? -ahead : ahead);
      if (at < 0 || at >= static_cast<std::int64_t>(weights_.size())) break;
      total += weights_[static_cast<std::size_t>(at)];
    }
    return total;
  }

  /// Gradients in buckets, outside the accumulation buffer, while the backward pass is at `place`.
  [[nodiscard]] std::int64_t buckets(std::size_t place) const { return buckets_[place]; }

 private:
  /// The filling bucket and, if reductions overlap, the one before, which is being reduced.
  /// Unsharded gradients in the type of the messages need no extra memory: they are reduced in
  /// place.
  void fill_buckets(const Program& program, const std::vector<std::uint32_t>& parts,
                    const DataParallel& data) {
    const Precision& types = program.spec.precision;
    const bool apart = data.reduces_every_pass() || types.reduce != types.gradients;
    const bool overlap = policy_.overlap_gradients && program.spec.schedule.overlap;
    buckets_.assign(parts.size(), 0);
    if (!apart) return;
    Buckets buckets(data);
    Amount waiting, sent;
    for (std::size_t place = parts.size(); place-- > 0;) {
      const Elements ready = elements_of(program.parts[parts[place]].trained());
      waiting += data.shared(ready).total();
      buckets_[place] = data.reduce_bytes(waiting + (overlap ? sent : Amount(0))).value();
      const Elements full = buckets.add(ready);
      if (full.none()) continue;
      sent = full.total();
      waiting = waiting - sent;
    }
  }

  const Parallel& parallel_;
  const DataParallelPolicy& policy_;
  std::vector<std::int64_t> weights_, buckets_;  // by place
  std::int64_t whole_ = 0;
};

/// Bytes of Part::shared held by the places up to `place`, inclusive.
std::int64_t shared_by(const Program& program, const ChunkProfile& chunk, std::size_t place) {
  if (chunk.shared_place >= chunk.parts.size() || place < chunk.shared_place) return 0;
  return program.parts[chunk.parts[chunk.shared_place]].shared.bytes;
}

void raise(PassPeak& worst, const PassPeak& candidate, bool first) {
  if (first || candidate.live.total() > worst.live.total()) worst = candidate;
}

/// The parts of the chunk, and the sums over them.
ChunkProfile sums_of_chunk(const Program& program, std::vector<std::uint32_t> parts,
                           const Traffic& traffic) {
  ChunkProfile out;
  out.parts = std::move(parts);
  out.always_gathered = traffic.whole();
  out.shared_place = out.parts.size();
  for (std::size_t place = 0; place < out.parts.size(); ++place) {
    const Part& part = program.parts[out.parts[place]];
    out.retained += retained_bytes(part);
    out.split_backward += split_backward_bytes(part);
    if (part.shared.bytes == 0 || out.shared_place < place) continue;
    out.shared_place = place;
    out.retained += part.shared.bytes;
    out.split_backward += part.shared.bytes;
  }
  return out;
}

std::vector<std::uint32_t> parts_of(const std::vector<PartRun>& chunk) {
  std::vector<std::uint32_t> parts;
  for (const PartRun& run : chunk) parts.insert(parts.end(), run.count, run.part);
  return parts;
}

/// What each kind of pass adds at one place.
struct PlacePeaks {
  PassPeak forward, backward, input_grad, weight_grad;
};

/// Calls `on_place` for the places of the chunk, in the model's order.
template <class OnPlace>
void visit_places(const Program& program, const ChunkProfile& chunk, const Traffic& traffic,
                  const OnPlace& on_place) {
  const std::int64_t halves = chunk.split_backward - shared_by(program, chunk, chunk.shared_place);
  std::int64_t retained = 0, halfway = 0;  // sums over earlier places
  for (std::size_t place = 0; place < chunk.parts.size(); ++place) {
    const Part& part = program.parts[chunk.parts[place]];
    const std::int64_t half = split_backward_bytes(part), redone = recomputed_bytes(part);
    const std::int64_t whole = retained_bytes(part) + redone, working = working_bytes(part);
    const bool split_from = half > whole;
    const std::int64_t shared = shared_by(program, chunk, place);
    const std::int64_t own = retained + retained_bytes(part) + shared;
    const std::int64_t between = retained + std::max(whole, half) + (halves - halfway - half) +
                                 shared_by(program, chunk, chunk.shared_place);
    const std::int64_t ahead = traffic.gathered(place, false), back = traffic.gathered(place, true);
    const std::int64_t buckets = traffic.buckets(place);
    on_place(place,
             PlacePeaks{{place, 0, ahead, 0, {own, working, ahead}},
                        {place, 0, back, buckets, {own, working + redone, back + buckets}},
                        {place, place + (split_from ? 0 : 1), back, 0, {between, working, back}},
                        {place, 0, 0, buckets, {halfway + half + shared, 0, buckets}}});
    retained += retained_bytes(part);
    halfway += half;
  }
}

}  // namespace

std::int64_t retained_bytes(const Part& part) {
  std::int64_t total = 0;
  for (const RetainedTensor& item : part.retained) total += item.bytes;
  return total;
}

std::int64_t split_backward_bytes(const Part& part) {
  std::int64_t total = 0;
  for (const RetainedTensor& item : part.split_backward_tensors) total += item.bytes;
  return total;
}

std::int64_t working_bytes(const Part& part) {
  std::int64_t total = 0;
  for (const RetainedTensor& item : part.working_tensors)
    total += is_working(item) ? item.bytes : 0;
  return total;
}

std::int64_t recomputed_bytes(const Part& part) {
  std::int64_t total = 0;
  for (const RetainedTensor& item : part.working_tensors)
    total += is_working(item) ? 0 : item.bytes;
  return total;
}

const PassPeak& ChunkProfile::peak_of(TaskKind kind) const {
  switch (kind) {
    case TaskKind::forward:
      return forward;
    case TaskKind::backward:
      return backward;
    case TaskKind::input_grad:
      return input_grad;
    case TaskKind::weight_grad:
    case TaskKind::step:
      break;
  }
  return weight_grad;
}

ChunkProfile profile_chunk(const Program& program, const std::vector<PartRun>& chunk,
                           const ModelState& state) {
  std::vector<std::uint32_t> parts = parts_of(chunk);
  const Traffic traffic(program, parts, state);
  ChunkProfile out = sums_of_chunk(program, std::move(parts), traffic);
  visit_places(program, out, traffic, [&out](std::size_t place, const PlacePeaks& peaks) {
    const bool first = place == 0;
    raise(out.forward, peaks.forward, first);
    raise(out.backward, peaks.backward, first);
    raise(out.input_grad, peaks.input_grad, first);
    raise(out.weight_grad, peaks.weight_grad, first);
  });
  return out;
}

std::vector<std::int64_t> bytes_by_place(const Program& program, const std::vector<PartRun>& chunk,
                                         const ModelState& state, TaskKind kind) {
  std::vector<std::uint32_t> parts = parts_of(chunk);
  const Traffic traffic(program, parts, state);
  const ChunkProfile sums = sums_of_chunk(program, std::move(parts), traffic);
  std::vector<std::int64_t> out;
  visit_places(program, sums, traffic, [&](std::size_t, const PlacePeaks& peaks) {
    ChunkProfile at_place;
    at_place.forward = peaks.forward;
    at_place.backward = peaks.backward;
    at_place.input_grad = peaks.input_grad;
    at_place.weight_grad = peaks.weight_grad;
    out.push_back(at_place.peak_of(kind).live.total());
  });
  return out;
}

}  // namespace orrery::workload
