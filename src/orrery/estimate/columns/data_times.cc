// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/data_times.h"

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
  void run(const Op& op, double takes) {
    double start = ends_[op.stream];
    for (const workload::Stream wait : op.waits)
      if (wait != workload::stream::none) start = std::max(start, ends_[wait]);
    ends_[op.stream] = start + takes;
    end_ = std::max(end_, start + takes);
  }
  [[nodiscard]] double end() const { return end_; }
  void begin_anew() { *this = {}; }

 private:
  std::array<double, 256> ends_{};
  double end_ = 0;
};

Result<double> sum_of(const std::vector<Op>& ops, const DataWork& work, OpCosts& costs) {
  const auto asked = costs.alone(work.program(), ops);
  if (!asked) return tl::unexpected(asked.error());
  double sum = 0;
  for (const OpCosts::Cost& cost : *asked) sum += static_cast<double>(cost.takes);
  return sum;
}

Result<AfterPasses> after_passes(const DataWork& work, Ends ends, double& together,
                                 OpCosts& costs) {
  const std::vector<Op> ops = work.step(ends);
  const auto asked = costs.alone(work.program(), ops);
  if (!asked) return tl::unexpected(asked.error());
  AfterPasses out;
  StepLine line;
  bool met = false;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto takes = static_cast<double>((*asked)[i].takes);
    const bool collective = ops[i].kind == graph::NodeKind::coll;
    if (collective && ops[i].axis == workload::Axis::model &&
        crosses_stages(work.program(), ops[i].axis)) {
      together = takes;
      out.before = line.end();
      met = true;
      line.begin_anew();
      continue;
    }
    if (ops[i].kind == graph::NodeKind::comp) out.kernels += takes;
    line.run(ops[i], takes);
  }
  (met ? out.after : out.before) = line.end();
  return out;
}

/// What sums of a layer's gradients take of kernels beside them.
Result<void> set_shares(const DataWork& work, const LayerTimes& layer, DataTimes& out,
                        OpCosts& costs) {
  const auto ops = work.data().reduce(work.trained(kLayerPlace), Phase::weight_grad);
  if (ops.empty()) return {};
  const auto asked = costs.alone(work.program(), {ops.front(), layer.product, layer.other});
  if (!asked) return tl::unexpected(asked.error());
  const auto products = costs.taken(work.program(), ops.front(), layer.product);
  if (!products) return tl::unexpected(products.error());
  const auto others = costs.taken(work.program(), ops.front(), layer.other);
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

Result<DataTimes> data_times(const DataWork& work, const LayerTimes& layer, OpCosts& costs) {
  DataTimes out;
  const bool staged = work.program().spec.parallel.pp > 1;
  for (std::size_t ends = 0; ends < kEnds; ++ends) {
    if (staged == (static_cast<Ends>(ends) == Ends::both)) continue;
    if (!staged && static_cast<Ends>(ends) != Ends::both) continue;
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

Result<std::vector<Reduction>> reductions(const DataWork& work, std::int64_t layers, Ends ends,
                                          OpCosts& costs) {
  std::vector<Reduction> out;
  for (const Bucket& bucket : work.buckets(layers, ends)) {
    const auto takes = sum_of(work.data().reduce(bucket.sum, Phase::weight_grad), work, costs);
    if (!takes) return tl::unexpected(takes.error());
    if (*takes > 0) out.push_back({bucket.after, *takes});
  }
  return out;
}

}  // namespace orrery::estimate
