// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/data_parallel_times.h"

#include <algorithm>

#include "orrery/estimate/program/op_costs_internal.h"

namespace orrery::estimate {

using workload::Op;
using workload::Phase;

namespace {

/// From this share of their time on, collectives wait for each other (as in OpCosts).
constexpr double kOneAfterAnother = 0.5;

/// Ops of a step, one after another on their streams.
class StepLine {
 public:
  void run(const Op& op, double duration) {
    double start = ends_[op.stream];
    for (const workload::Stream wait : op.waits)
      if (wait != workload::stream::none) start = std::max(start, ends_[wait]);
    ends_[op.stream] = start + duration;
    end_ = std::max(end_, start + duration);
  }
  [[nodiscard]] double end() const { return end_; }
  void begin_anew() { *this = {}; }

 private:
  std::array<double, 256> ends_{};
  double end_ = 0;
};

Result<double> sum_of(const std::vector<Op>& ops, const DataParallelWork& work, OpCosts& costs) {
  const auto asked = costs.alone(work.program(), ops);
  if (!asked) return tl::unexpected(asked.error());
  double sum = 0;
  for (const OpCosts::Cost& cost : *asked) sum += static_cast<double>(cost.duration);
  return sum;
}

Result<AfterPasses> after_passes(const DataParallelWork& work, Ends ends, double& together,
                                 OpCosts& costs) {
  const std::vector<Op> ops = work.step(ends);
  const auto asked = costs.alone(work.program(), ops);
  if (!asked) return tl::unexpected(asked.error());
  AfterPasses out;
  StepLine line;
  bool met = false;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto duration = static_cast<double>((*asked)[i].duration);
    const bool collective = ops[i].kind == graph::NodeKind::coll;
    if (collective && ops[i].axis == workload::Axis::model &&
        crosses_stages(work.program(), ops[i].axis)) {
      together = duration;
      out.before = line.end();
      met = true;
      line.begin_anew();
      continue;
    }
    if (ops[i].kind == graph::NodeKind::comp) out.kernels += duration;
    line.run(ops[i], duration);
  }
  (met ? out.after : out.before) = line.end();
  return out;
}

/// What sums of a layer's gradients take of kernels beside them.
Result<void> set_shares(const DataParallelWork& work, const LayerTimes& layer,
                        DataParallelTimes& out, OpCosts& costs) {
  const auto ops = work.data().reduce(work.trained(kLayerPlace), Phase::weight_grad);
  if (ops.empty()) return {};
  const auto asked = costs.alone(work.program(), {ops.front(), layer.product, layer.other});
  if (!asked) return tl::unexpected(asked.error());
  const auto products = costs.slowdown(work.program(), ops.front(), layer.product);
  if (!products) return tl::unexpected(products.error());
  const auto others = costs.slowdown(work.program(), ops.front(), layer.other);
  if (!others) return tl::unexpected(others.error());
  for (std::size_t i = 0; i < out.queued.size(); ++i) {
    const Op& other = layer.exchange[i];
    if (other.size == 0) continue;
    if (const auto known = costs.alone(work.program(), {other}); !known)
      return tl::unexpected(known.error());
    for (const Op& op : ops) {
      if (const auto known = costs.alone(work.program(), {op}); !known)
        return tl::unexpected(known.error());
      const auto share = costs.together(work.program(), op, other);
      if (!share) return tl::unexpected(share.error());
      out.queued[i] = out.queued[i] || *share > kOneAfterAnother;
    }
  }
  out.of_products = *products;
  out.of_others = *others;
  return {};
}

}  // namespace

namespace {

/// Simulates all that is new at once.
Result<void> ask_at_once(const DataParallelWork& work, const LayerTimes& layer, OpCosts& costs) {
  std::vector<Op> all{layer.product, layer.other};
  const auto add = [&](const std::vector<Op>& ops) {
    all.insert(all.end(), ops.begin(), ops.end());
  };
  const auto stages = static_cast<std::int32_t>(work.program().spec.parallel.pp);
  for (std::size_t ends = 0; ends < kEnds; ++ends)
    if (occurs(static_cast<Ends>(ends), stages)) add(work.step(static_cast<Ends>(ends)));
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (place != kLayerPlace && !work.data().gathers()) continue;
    add(work.data().reduce(work.trained(place), Phase::weight_grad));
    if (work.data().gathers()) add(work.data().gather(work.whole(place), Phase::forward));
  }
  for (const Op& op : layer.exchange)
    if (op.size > 0) all.push_back(op);
  if (auto asked = costs.alone(work.program(), all); !asked) return tl::unexpected(asked.error());
  return {};
}

}  // namespace

Result<DataParallelTimes> data_times(const DataParallelWork& work, const LayerTimes& layer,
                                     OpCosts& costs) {
  DataParallelTimes out;
  if (auto done = ask_at_once(work, layer, costs); !done) return tl::unexpected(done.error());
  const auto stages = static_cast<std::int32_t>(work.program().spec.parallel.pp);
  for (std::size_t ends = 0; ends < kEnds; ++ends) {
    if (!occurs(static_cast<Ends>(ends), stages)) continue;
    const auto step = after_passes(work, static_cast<Ends>(ends), out.together, costs);
    if (!step) return tl::unexpected(step.error());
    out.step[ends] = *step;
  }
  for (std::size_t place = 0; place < kPlaces && work.data().gathers(); ++place) {
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
    for (std::size_t ends = 0; ends < kEnds; ++ends) {
      if (!chunk_occurs(static_cast<Ends>(ends), stages, chunks)) continue;
      for (const Bucket& bucket : work.buckets(layers, static_cast<Ends>(ends))) {
        const auto ops = work.data().reduce(bucket.sum, Phase::weight_grad);
        all.insert(all.end(), ops.begin(), ops.end());
        if (!estimated) continue;
        const auto duration = sum_of(ops, work, costs);
        if (!duration) return tl::unexpected(duration.error());
        if (*duration > 0) out[ends].push_back({bucket.after, *duration});
      }
    }
    if (estimated) break;
    if (auto asked = costs.alone(work.program(), all); !asked)  // all that is new at once
      return tl::unexpected(asked.error());
  }
  return out;
}

}  // namespace orrery::estimate
