// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory_profile.h"

#include <algorithm>

namespace orrery::workload {
namespace {

std::int64_t sum(const std::vector<Kept>& items) {
  std::int64_t total = 0;
  for (const Kept& item : items) total += item.bytes;
  return total;
}

/// How weights and gradients of a chunk's places come and go.
class Traffic {
 public:
  Traffic(const Program& program, const std::vector<std::uint32_t>& parts, const StateRule& state)
      : parallel_(program.spec.parallel),
        overlap_(parallel_.overlap_gradients && program.spec.schedule.overlap),
        cast_(program.spec.precision.reduce != program.spec.precision.gradients) {
    for (const std::uint32_t part : parts) {
      weights_.push_back(state.gathered(program.parts[part].weights));
      gradients_.push_back(state.reduced(program.parts[part].weights));
      all_gradients_ += gradients_.back();
      if (keeps_whole()) whole_ += weights_.back();
    }
  }

  [[nodiscard]] std::int64_t whole() const { return whole_; }

  /// Weights that are whole while a pass is at `place`: its own and those fetched ahead.
  [[nodiscard]] std::int64_t gathered(std::size_t place, bool backward) const {
    if (parallel_.sharding != Sharding::zero3 || keeps_whole()) return 0;
    std::int64_t total = 0;
    for (std::int64_t ahead = 0; ahead <= parallel_.prefetch; ++ahead) {
      const auto at = static_cast<std::int64_t>(place) + (backward ? -ahead : ahead);
      if (at < 0 || at >= static_cast<std::int64_t>(weights_.size())) break;
      total += weights_[static_cast<std::size_t>(at)];
    }
    return total;
  }

  /// Gradients apart from where they are accumulated, while the backward pass is at `place`: those
  /// that are being made and, when reductions overlap, those on their way. Unsharded gradients that
  /// are sent as they are need no room: they are reduced in place.
  [[nodiscard]] std::int64_t buckets(std::size_t place) const {
    switch (parallel_.sharding) {
      case Sharding::none:
      case Sharding::zero1:
        return cast_ ? filled_bucket(place) : 0;
      case Sharding::zero2:
        return filled_bucket(place);
      case Sharding::zero3:
        break;
    }
    const bool more = overlap_ && place + 1 < gradients_.size();
    return gradients_[place] + (more ? gradients_[place + 1] : 0);
  }

 private:
  [[nodiscard]] bool keeps_whole() const {
    return parallel_.sharding == Sharding::zero3 && parallel_.keep_gathered;
  }
  [[nodiscard]] std::int64_t filled_bucket(std::size_t place) const {
    const std::int64_t one =
        std::min(all_gradients_, std::max(parallel_.bucket.count(), gradients_[place]));
    return std::min(all_gradients_, overlap_ ? 2 * one : one);
  }

  const Parallel& parallel_;
  bool overlap_, cast_;
  std::vector<std::int64_t> weights_, gradients_;
  std::int64_t all_gradients_ = 0, whole_ = 0;
};

void raise(Worst& worst, const Worst& candidate, bool first) {
  if (first || candidate.alive.total() > worst.alive.total()) worst = candidate;
}

}  // namespace

std::int64_t kept_bytes(const Part& part) { return sum(part.kept); }
std::int64_t transient_bytes(const Part& part) { return sum(part.transient); }
std::int64_t redone_bytes(const Part&) { return 0; }

const Worst& ChunkProfile::worst(TaskKind kind) const {
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

ChunkProfile profile(const Program& program, const std::vector<PartRun>& chunk,
                     const StateRule& state) {
  ChunkProfile out;
  for (const PartRun& run : chunk) out.parts.insert(out.parts.end(), run.count, run.part);
  const Traffic traffic(program, out.parts, state);
  out.whole = traffic.whole();
  for (const std::uint32_t index : out.parts) {
    out.kept += kept_bytes(program.parts[index]);
    out.redone += redone_bytes(program.parts[index]);
  }
  std::int64_t kept = 0, redone = 0;  // up to and with the place
  for (std::size_t place = 0; place < out.parts.size(); ++place) {
    const Part& part = program.parts[out.parts[place]];
    kept += kept_bytes(part);
    redone += redone_bytes(part);
    const std::int64_t working = transient_bytes(part);
    const std::int64_t ahead = traffic.gathered(place, false), back = traffic.gathered(place, true);
    const std::int64_t buckets = traffic.buckets(place);
    const bool first = place == 0;
    raise(out.forward, {place, ahead, 0, {kept, working, ahead}}, first);
    raise(out.backward, {place, back, buckets, {kept, working, back + buckets}}, first);
    raise(out.input_grad, {place, back, 0, {out.kept + out.redone - redone, working, back}}, first);
    raise(out.weight_grad, {place, 0, buckets, {kept + redone, 0, buckets}}, first);
  }
  return out;
}

}  // namespace orrery::workload
