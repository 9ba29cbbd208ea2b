// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/data_parallel_times.h"

#include <algorithm>

#include "orrery/estimate/program/op_costs_internal.h"

namespace orrery::estimate {

using workload::Op;
using workload::Phase;

namespace {

/// Collectives wait for each other if their common time exceeds this share (as in OpCosts).
constexpr double kMinQueueShare = 0.5;

/// Schedules the ops of a step in sequence on their streams.
class StepScheduler {
 public:
  void run(const Op& op, double duration) {
    double start = ends_[op.stream];
    for (const workload::Stream wait : op.waits)
      if (wait != workload::stream::none) start = std::max(start, ends_[wait]);
    ends_[op.stream] = start + duration;
    end_ = std::max(end_, start + duration);
  }
  [[nodiscard]] double end() const { return end_; }
  void restart() { *this = {}; }

 private:
  std::array<double, 256> ends_{};
  double end_ = 0;
};

Result<double> sum_of(const std::vector<Op>& ops, const DataParallelWork& work, OpCosts& costs) {
  const auto op_times = costs.isolated_costs(work.program(), ops);
  if (!op_times) return tl::unexpected(op_times.error());
  double sum = 0;
  for (const OpCosts::Cost& cost : *op_times) sum += static_cast<double>(cost.duration);
  return sum;
}

Result<AfterPasses> after_passes(const DataParallelWork& work, ModelEnds ends,
                                 double& norm_reduction, OpCosts& costs) {
  const std::vector<Op> ops = work.step(ends);
  const auto op_times = costs.isolated_costs(work.program(), ops);
  if (!op_times) return tl::unexpected(op_times.error());
  AfterPasses out;
  StepScheduler line;
  bool seen = false;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto duration = static_cast<double>((*op_times)[i].duration);
    const bool collective = ops[i].kind == graph::NodeKind::coll;
    if (collective && ops[i].axis == workload::Axis::model &&
        crosses_stages(work.program(), ops[i].axis)) {
      norm_reduction = duration;
      out.before = line.end();
      seen = true;
      line.restart();
      continue;
    }
    if (ops[i].kind == graph::NodeKind::comp) out.kernels += duration;
    line.run(ops[i], duration);
  }
  (seen ? out.after : out.before) = line.end();
  return out;
}

/// Sets the share of the device that kernels lose to concurrent reductions of a layer's gradients.
/// simulate_at_once() has stored the costs of all these ops.
Result<void> set_shares(const DataParallelWork& work, const LayerTimes& layer,
                        DataParallelTimes& out, OpCosts& costs) {
  const auto ops = work.data().reduce(work.trained(kLayerPlace), Phase::weight_grad);
  if (ops.empty()) return {};
  const auto products = costs.slowdown(work.program(), ops.front(), layer.product);
  if (!products) return tl::unexpected(products.error());
  const auto others = costs.slowdown(work.program(), ops.front(), layer.other);
  if (!others) return tl::unexpected(others.error());
  for (std::size_t i = 0; i < out.queued.size(); ++i) {
    const Op& other = layer.exchange[i];
    if (other.size == 0) continue;
    for (const Op& op : ops) {
      const auto share = costs.contention(work.program(), op, other);
      if (!share) return tl::unexpected(share.error());
      out.queued[i] = out.queued[i] || *share > kMinQueueShare;
    }
  }
  out.product_slowdown = *products;
  out.other_slowdown = *others;
  return {};
}

/// Simulates all ops without known costs at once.
Result<void> simulate_at_once(const DataParallelWork& work, const LayerTimes& layer,
                              OpCosts& costs) {
  std::vector<Op> all{layer.product, layer.other};
  const auto add = [&](const std::vector<Op>& ops) {
    all.insert(all.end(), ops.begin(), ops.end());
  };
  const auto stages = static_cast<std::int32_t>(work.program().spec.parallel.pp);
  for (std::size_t ends = 0; ends < kModelEnds; ++ends)
    if (occurs(static_cast<ModelEnds>(ends), stages)) add(work.step(static_cast<ModelEnds>(ends)));
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (place != kLayerPlace && !work.data().gathers_weights()) continue;
    add(work.data().reduce(work.trained(place), Phase::weight_grad));
    if (work.data().gathers_weights()) add(work.data().gather(work.whole(place), Phase::forward));
  }
  for (const Op& op : layer.exchange)
    if (op.size > 0) all.push_back(op);
  if (auto op_times = costs.isolated_costs(work.program(), all); !op_times)
    return tl::unexpected(op_times.error());
  return {};
}

}  // namespace

Result<DataParallelTimes> data_times(const DataParallelWork& work, const LayerTimes& layer,
                                     OpCosts& costs) {
  DataParallelTimes out;
  if (auto done = simulate_at_once(work, layer, costs); !done) return tl::unexpected(done.error());
  const auto stages = static_cast<std::int32_t>(work.program().spec.parallel.pp);
  for (std::size_t ends = 0; ends < kModelEnds; ++ends) {
    if (!occurs(static_cast<ModelEnds>(ends), stages)) continue;
    const auto step = after_passes(work, static_cast<ModelEnds>(ends), out.norm_reduction, costs);
    if (!step) return tl::unexpected(step.error());
    out.step[ends] = *step;
  }
  for (std::size_t place = 0; place < kPlaces && work.data().gathers_weights(); ++place) {
    const auto gather = sum_of(work.data().gather(work.whole(place), Phase::forward), work, costs);
    if (!gather) return tl::unexpected(gather.error());
    const auto reduce =
        sum_of(work.data().reduce(work.trained(place), Phase::weight_grad), work, costs);
    if (!reduce) return tl::unexpected(reduce.error());
    out.gather[place] = *gather;
    out.reduce[place] = *reduce;
  }
  if (auto done = set_shares(work, layer, out, costs); !done) return tl::unexpected(done.error());
  return out;
}

Result<BucketReductions> bucket_reductions(const DataParallelWork& work, std::int64_t layers,
                                           std::int32_t chunks, OpCosts& costs) {
  const auto stages = static_cast<std::int32_t>(work.program().spec.parallel.pp);
  BucketReductions out;
  std::vector<Op> all;
  for (const bool estimated : {false, true}) {
    for (std::size_t ends = 0; ends < kModelEnds; ++ends) {
      if (!chunk_occurs(static_cast<ModelEnds>(ends), stages, chunks)) continue;
      for (const Bucket& bucket : work.buckets(layers, static_cast<ModelEnds>(ends))) {
        const auto ops = work.data().reduce(bucket.sum, Phase::weight_grad);
        all.insert(all.end(), ops.begin(), ops.end());
        if (!estimated) continue;
        const auto duration = sum_of(ops, work, costs);
        if (!duration) return tl::unexpected(duration.error());
        if (*duration > 0) out[ends].push_back({bucket.after, *duration});
      }
    }
    if (estimated) break;
    if (auto op_times = costs.isolated_costs(work.program(), all);
        !op_times)  // simulates all new ops
      return tl::unexpected(op_times.error());
  }
  return out;
}

}  // namespace orrery::estimate
