// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/fit_nets.h"

#include <algorithm>
#include <limits>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {
namespace {

/// The samples of one class on one device, by part.
struct NetSamples {
  NetTrainingRows learning, choosing, testing;
  std::vector<graph::Kernel> chosen, tested;
  std::array<std::int64_t, graph::kKernelSizes> lower{}, upper{};
};

void put(NetTrainingRows& rows, const Sample& sample) {
  rows.inputs.push_back(net_inputs(sample.kernel));
  rows.log2_seconds.push_back(sample.log2_seconds() -
                              exact_log2(std::max<double>(sample.kernel.launches, 1)));
}

NetSamples sorted_out(const Samples& samples) {
  NetSamples made;
  made.lower.fill(std::numeric_limits<std::int64_t>::max());
  for (const Sample& sample : samples) {
    for (std::size_t i = 0; i < graph::kKernelSizes; ++i) {
      made.lower[i] = std::min(made.lower[i], sample.kernel.sizes[i]);
      made.upper[i] = std::max(made.upper[i], sample.kernel.sizes[i]);
    }
    if (sample.part == 0) {
      put(made.testing, sample);
      made.tested.push_back(sample.kernel);
    } else if (sample.part == 1) {
      put(made.choosing, sample);
      made.chosen.push_back(sample.kernel);
    } else {
      put(made.learning, sample);
    }
  }
  return made;
}

/// Ratios measured / predicted.
std::vector<double> net_ratios(const Net& net, const std::vector<graph::Kernel>& kernels,
                               const NetTrainingRows& rows) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    ratios.push_back(exact_exp2(rows.log2_seconds[i] - net.log2_seconds(kernels[i])));
  return ratios;
}

}  // namespace

Result<std::string> fit_nets(const TrainingSet& set, const FitOptions& options,
                             const std::function<void(KernelFitReport)>& on_done) {
  std::vector<NetClass> learned;
  for (std::size_t which = 1; which < kKernelClasses; ++which) {
    const auto kernels = static_cast<KernelClass>(which);
    if (!options.wants(kernels)) continue;
    for (std::uint32_t device = 0; device < set.devices.size(); ++device) {
      const Samples all = on_device(set.samples[which], device);
      if (static_cast<std::int64_t>(all.size()) < kMinRows || !can_hold_out(all)) continue;
      const NetSamples samples = sorted_out(all);
      NetClass& is = learned.emplace_back();
      is.kernels = kernels;
      is.rows = static_cast<std::int64_t>(samples.learning.inputs.size());
      is.device = signature_of(kernels, *set.devices[device]);
      is.lower = samples.lower;
      is.upper = samples.upper;
      is.net = train_net(samples.learning, samples.choosing, options.net,
                         options.seed + (std::uint64_t{which} << 32) + device);
      is.seen = holdout_error(net_ratios(is.net, samples.chosen, samples.choosing));
      const auto last = net_ratios(is.net, samples.tested, samples.testing);
      KernelFitReport about;
      about.kernels = kernels;
      about.device = set.devices[device]->name;
      about.rows = is.rows;
      about.test_error = holdout_error(last);
      about.band = holdout_band(is.seen, false);
      about.inside = share_within_band(is.seen, last);
      is.seen.median_error = about.test_error.median_error;
      on_done(std::move(about));
    }
  }
  return write_nets(options.notes, learned);
}

}  // namespace orrery::model
