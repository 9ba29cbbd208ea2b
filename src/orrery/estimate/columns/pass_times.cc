// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/pass_times.h"

#include <algorithm>
#include <array>

namespace orrery::estimate {

namespace {

constexpr std::size_t kMostAhead = 8;  // parts that are gathered ahead

enum class Which : std::uint8_t { forward, backward, input, weight };

double pick(const PassTimes& of, Which which) {
  switch (which) {
    case Which::forward:
      return of.forward;
    case Which::input:
      return of.input;
    case Which::weight:
      return of.weight;
    case Which::backward:
      break;
  }
  return of.backward();
}

/// By how much kernels take longer, where collectives take such a share.
double slower(double share) { return share / (1 - std::min(share, 0.5)); }

/// One stage's device, and the network beside it.
class PassLine {
 public:
  PassLine(const LayerTimes& layer, const DataParallelTimes& data, std::span<const Reduction> sent,
           const ChunkShape& shape)
      : layer_(layer),
        data_(data),
        sent_(sent),
        shape_(shape),
        products_(slower(data.of_products)),
        others_(slower(data.of_others)),
        parts_(shape.layers + (has_embedding(shape.ends) ? 1 : 0) +
               (has_head(shape.ends) ? 1 : 0)) {}

  void carry(double until) { free_ = std::max(free_, now_ + until); }
  [[nodiscard]] double now() const { return now_; }
  /// For the weights of the last pass's first part.
  [[nodiscard]] double waited() const { return waited_; }
  [[nodiscard]] double tail() const { return std::max(0.0, free_ - now_); }

  void pass(Which which, bool gathers, bool reduces) {
    const bool forward = which == Which::forward;
    const std::int32_t ahead = forward ? shape_.prefetch : shape_.prefetch_backward;
    std::array<double, kMostAhead + 1> there{};  // gatherings under way, by turn
    const auto gather = [&](std::int32_t turn) {
      if (turn >= parts_) return;
      free_ = std::max(free_, now_) + data_.gather[part_at(turn, forward)];
      there[static_cast<std::size_t>(turn) % there.size()] = free_;
    };
    if (gathers)
      for (std::int32_t turn = 0; turn < ahead; ++turn) gather(turn);
    now_ += pick(layer_.concurrent, which);
    std::size_t next = 0;
    for (std::int32_t turn = 0; turn < parts_; ++turn) {
      if (gathers) {
        gather(turn + ahead);
        const double from = there[static_cast<std::size_t>(turn) % there.size()];
        if (turn == 0) waited_ = std::max(0.0, from - now_);
        now_ = std::max(now_, from);
      }
      const std::size_t part = part_at(turn, forward);
      run(layer_.parts[part], which);
      if (!reduces) continue;
      if (shape_.way == GradientTiming::shards) {
        free_ = std::max(free_, now_) + data_.reduce[part];
      } else {
        for (; next < sent_.size() && sent_[next].after == static_cast<std::uint32_t>(turn + 1);
             ++next)
          free_ = std::max(free_, now_) + sent_[next].duration;
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

  /// A part's kernels, slower as long as the network is busy.
  void run(const PartTimes& part, Which which) {
    const double duration = pick(part.duration, which);
    const double busy = free_ - now_;
    if (busy <= 0) {
      now_ += duration;
      return;
    }
    double lead = duration;
    for (std::size_t i = 0; i < data_.queued.size(); ++i)
      if (data_.queued[i]) lead = std::min(lead, pick(part.lead[i], which));
    if (lead < duration) {  // and then its own collectives wait
      now_ = std::max(now_ + lead, free_) + duration - lead;
      return;
    }
    const double slowed =
        duration + products_ * pick(part.products, which) + others_ * pick(part.others, which);
    now_ = slowed <= busy ? now_ + slowed : free_ + duration * (1 - busy / slowed);
  }

  const LayerTimes& layer_;
  const DataParallelTimes& data_;
  std::span<const Reduction> sent_;
  const ChunkShape& shape_;
  double products_, others_;
  std::int32_t parts_;
  double now_ = 0, free_ = 0, waited_ = 0;
};

PassTimes in_rows(const LayerTimes& layer, PassTimes of(const PartTimes&), std::int32_t layers,
                  Ends ends) {
  const auto at = [&](Place place) { return of(layer.parts[static_cast<std::size_t>(place)]); };
  const PassTimes one = at(Place::layer);
  const auto count = static_cast<double>(layers);
  PassTimes sum{count * one.forward, count * one.input, count * one.weight};
  const auto add = [&](const PassTimes& more) {
    sum.forward += more.forward, sum.input += more.input, sum.weight += more.weight;
  };
  if (has_embedding(ends)) add(at(Place::embedding));
  if (has_head(ends)) add(at(Place::head));
  return sum;
}

}  // namespace

PassTimes plain_passes(const LayerTimes& layer, std::int32_t layers, Ends ends) {
  PassTimes sum = in_rows(
      layer, [](const PartTimes& part) { return part.duration; }, layers, ends);
  sum.forward += layer.concurrent.forward;
  sum.input += layer.concurrent.input;
  sum.weight += layer.concurrent.weight;
  return sum;
}

PassTimes kernels_of(const LayerTimes& layer, std::int32_t layers, Ends ends) {
  return in_rows(
      layer,
      [](const PartTimes& part) {
        return PassTimes{part.products.forward + part.others.forward,
                         part.products.input + part.others.input,
                         part.products.weight + part.others.weight};
      },
      layers, ends);
}

ChunkPasses chunk_passes(const LayerTimes& layer, const DataParallelTimes& data,
                         std::span<const Reduction> sent, const ChunkShape& shape, double carried) {
  ChunkPasses out;
  out.plain = plain_passes(layer, shape.layers, shape.ends);
  out.duration = out.first = out.plain;
  if (shape.way == GradientTiming::late) return out;
  const bool every = shape.way != GradientTiming::once,
             shards = shape.way == GradientTiming::shards;
  const Which making = shape.split ? Which::weight : Which::backward;
  PassLine line(layer, data, sent, shape);
  if (every) {
    const auto run = [&](Which which, double& duration, double& waited) {
      const double begin = line.now();
      line.pass(which, shards, which == Which::backward);
      duration = line.now() - begin;
      waited = line.waited();
    };
    const int rounds = std::min(shape.microbatches, 2);
    for (int round = 0; round < rounds; ++round) {
      run(Which::forward, out.duration.forward, out.waited.forward);
      if (round == 0) out.first.forward = out.duration.forward;
      if (shape.in_phases) continue;
      run(Which::backward, out.duration.weight, out.waited.weight);
      if (round == 0) out.first.weight = out.duration.weight;
    }
    for (int round = 0; round < rounds && shape.in_phases; ++round) {
      run(Which::backward, out.duration.weight, out.waited.weight);
      if (round == 0) out.first.weight = out.duration.weight;
    }
  } else {
    line.carry(carried);
    line.pass(making, false, true);
    out.last = line.now() - out.plain.weight - (shape.split ? 0 : out.plain.input);
  }
  out.tail = line.tail();
  if (shards) return out;
  for (const Reduction& one : sent) out.sums += one.duration;
  return out;
}

}  // namespace orrery::estimate
