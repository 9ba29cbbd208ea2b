// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/pass_times.h"

#include <algorithm>
#include <array>

namespace orrery::estimate {

namespace {

constexpr std::size_t kMaxAhead = 8;  // parts that are gathered ahead

enum class PassKind : std::uint8_t { forward, backward, input, weight };

double duration_of(const PassTimes& of, PassKind kind) {
  switch (kind) {
    case PassKind::forward:
      return of.forward;
    case PassKind::input:
      return of.input;
    case PassKind::weight:
      return of.weight;
    case PassKind::backward:
      break;
  }
  return of.backward();
}

/// Relative slowdown of kernels if collectives take `share` of the device.
double slowdown(double share) { return share / (1 - std::min(share, 0.5)); }

/// A stage: its device and its network.
class PassScheduler {
 public:
  PassScheduler(const LayerTimes& layer, const DataParallelTimes& data,
                std::span<const Reduction> reductions, const ChunkShape& shape)
      : layer_(layer),
        data_(data),
        reductions_(reductions),
        shape_(shape),
        products_(slowdown(data.product_slowdown)),
        others_(slowdown(data.other_slowdown)),
        parts_(shape.layers + (has_embedding(shape.ends) ? 1 : 0) +
               (has_head(shape.ends) ? 1 : 0)) {}

  void carry(double until) { network_free_ = std::max(network_free_, now_ + until); }
  [[nodiscard]] double now() const { return now_; }
  /// Time that the last pass waited for the weights of its first part.
  [[nodiscard]] double waited() const { return waited_; }
  [[nodiscard]] double tail() const { return std::max(0.0, network_free_ - now_); }

  void pass(PassKind kind, bool gathers, bool reduces) {
    const bool forward = kind == PassKind::forward;
    const std::int32_t ahead = forward ? shape_.prefetch : shape_.prefetch_backward;
    std::array<double, kMaxAhead + 1> there{};  // ends of gathers in progress, by turn
    const auto gather = [&](std::int32_t turn) {
      if (turn >= parts_) return;
      network_free_ = std::max(network_free_, now_) + data_.gather[part_at(turn, forward)];
      there[static_cast<std::size_t>(turn) % there.size()] = network_free_;
    };
    if (gathers)
      for (std::int32_t turn = 0; turn < ahead; ++turn) gather(turn);
    now_ += duration_of(layer_.pass_overhead, kind);
    std::size_t next = 0;
    for (std::int32_t turn = 0; turn < parts_; ++turn) {
      if (gathers) {
        gather(turn + ahead);
        const double from = there[static_cast<std::size_t>(turn) % there.size()];
        if (turn == 0) waited_ = std::max(0.0, from - now_);
        now_ = std::max(now_, from);
      }
      const std::size_t part = part_at(turn, forward);
      run(layer_.parts[part], kind);
      if (!reduces) continue;
      if (shape_.timing == GradientTiming::shards) {
        network_free_ = std::max(network_free_, now_) + data_.reduce[part];
      } else {
        for (; next < reductions_.size() &&
               reductions_[next].after == static_cast<std::uint32_t>(turn + 1);
             ++next)
          network_free_ = std::max(network_free_, now_) + reductions_[next].duration;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t part_at(std::int32_t turn, bool forward) const {
    const std::int32_t at = forward ? turn : parts_ - 1 - turn;
    if (has_embedding(shape_.ends) && at == 0) return static_cast<std::size_t>(Place::embedding);
    if (has_head(shape_.ends) && at == parts_ - 1) return static_cast<std::size_t>(Place::head);
    return static_cast<std::size_t>(Place::layer);
  }

  /// Runs the kernels of a part, slowed while the network is busy.
  void run(const PartTimes& part, PassKind kind) {
    const double duration = duration_of(part.duration, kind);
    const double busy = network_free_ - now_;
    if (busy <= 0) {
      now_ += duration;
      return;
    }
    double lead = duration;
    for (std::size_t i = 0; i < data_.queued.size(); ++i)
      if (data_.queued[i]) lead = std::min(lead, duration_of(part.lead[i], kind));
    if (lead < duration) {  // the collectives of the part wait for the network
      now_ = std::max(now_ + lead, network_free_) + duration - lead;
      return;
    }
    const double slowed = duration + products_ * duration_of(part.products, kind) +
                          others_ * duration_of(part.others, kind);
    now_ = slowed <= busy ? now_ + slowed : network_free_ + duration * (1 - busy / slowed);
  }

  const LayerTimes& layer_;
  const DataParallelTimes& data_;
  std::span<const Reduction> reductions_;
  const ChunkShape& shape_;
  double products_, others_;
  std::int32_t parts_;
  double now_ = 0, network_free_ = 0, waited_ = 0;
};

PassTimes sum_over_parts(const LayerTimes& layer, PassTimes of(const PartTimes&),
                         std::int32_t layers, ModelEnds ends) {
  const auto at = [&](Place place) { return of(layer.parts[static_cast<std::size_t>(place)]); };
  const PassTimes one = at(Place::layer);
  const auto count = static_cast<double>(layers);
  PassTimes sum{count * one.forward, count * one.input, count * one.weight};
  if (has_embedding(ends)) sum = sum + at(Place::embedding);
  if (has_head(ends)) sum = sum + at(Place::head);
  return sum;
}

}  // namespace

PassTimes plain_passes(const LayerTimes& layer, std::int32_t layers, ModelEnds ends) {
  const auto duration = [](const PartTimes& part) { return part.duration; };
  return sum_over_parts(layer, duration, layers, ends) + layer.pass_overhead;
}

PassTimes kernels_of(const LayerTimes& layer, std::int32_t layers, ModelEnds ends) {
  const auto kernels = [](const PartTimes& part) { return part.products + part.others; };
  return sum_over_parts(layer, kernels, layers, ends);
}

ChunkPasses chunk_passes(const LayerTimes& layer, const DataParallelTimes& data,
                         std::span<const Reduction> reductions, const ChunkShape& shape,
                         double carried) {
  ChunkPasses out;
  out.plain = plain_passes(layer, shape.layers, shape.ends);
  out.duration = out.first = out.plain;
  if (shape.timing == GradientTiming::late) return out;
  const bool every = shape.timing != GradientTiming::once,
             shards = shape.timing == GradientTiming::shards;
  const PassKind gradient_pass = shape.split ? PassKind::weight : PassKind::backward;
  PassScheduler scheduler(layer, data, reductions, shape);
  if (every) {
    const auto run = [&](PassKind kind, double& duration, double& waited) {
      const double begin = scheduler.now();
      scheduler.pass(kind, shards, kind == PassKind::backward);
      duration = scheduler.now() - begin;
      waited = scheduler.waited();
    };
    const int rounds = std::min(shape.microbatches, 2);
    for (int round = 0; round < rounds; ++round) {
      run(PassKind::forward, out.duration.forward, out.saved_by_waiting.forward);
      if (round == 0) out.first.forward = out.duration.forward;
      if (shape.in_phases) continue;
      run(PassKind::backward, out.duration.weight, out.saved_by_waiting.weight);
      if (round == 0) out.first.weight = out.duration.weight;
    }
    for (int round = 0; round < rounds && shape.in_phases; ++round) {
      run(PassKind::backward, out.duration.weight, out.saved_by_waiting.weight);
      if (round == 0) out.first.weight = out.duration.weight;
    }
  } else {
    scheduler.carry(carried);
    scheduler.pass(gradient_pass, false, true);
    out.last_pass_extra = scheduler.now() - out.plain.weight - (shape.split ? 0 : out.plain.input);
  }
  out.reduction_tail = scheduler.tail();
  if (shards) return out;
  for (const Reduction& one : reductions) out.reduction_time += one.duration;
  return out;
}

}  // namespace orrery::estimate
