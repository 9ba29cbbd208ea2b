// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/fit_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/model/kernels/learned/learned_model_file.h"
#include "orrery/model/kernels/learned/nearest_device.h"

namespace orrery::model {
namespace {

constexpr double kStep = 1.0 / 1024;         // resolution of leaves: log2, 0.07 %
constexpr std::size_t kMinLeftOut = 50;      // minimum rows of a device that is left out
constexpr std::size_t kSmallClass = 10'000;  // rows

/// Weight of the correction by trees for devices that were not measured; the heuristic has the rest
/// (in logarithms). Over 52 pairs of class and left-out device, the mean of median errors is 13.6 %
/// with this weight, 14.5 % with weight 1 and 14.8 % with weight 0. Whichever device is excluded
/// from the mean, 0.5 or 0.6 is best.
constexpr double kTreeWeight = 0.5;

/// Doubles the leaves for expert kernels.
BoosterOptions options_for(KernelClass kernels, BoosterOptions options) {
  switch (kernels) {
    case KernelClass::grouped_gemm_bf16:
    case KernelClass::grouped_gemm_fp8:
    case KernelClass::grouped_gemm_fp8_block:
    case KernelClass::grouped_gemm_fp4_block:
      options.leaves *= 2;
      options.depth += 2;
      return options;
    default:
      return options;
  }
}

/// Encodes trees as text, with leaves multiplied by `tree_weight` and thresholds from `forest`.
/// Errc: input_unsupported (more thresholds or nodes than a model can have).
Result<std::vector<std::string>> encode(const std::vector<GrownTree>& trees, double tree_weight,
                                        Forest& forest) {
  const auto strange = [] {
    return fail(Errc::input_unsupported, "fit",
                "XGBoost built trees that the model format does not support",
                "use XGBoost 1.7, or fit nets (--by nets)");
  };
  std::array<std::set<float>, kFeatures> thresholds;
  for (const GrownTree& tree : trees)
    for (const GrownNode& node : tree)
      if (node.feature >= 0)
        thresholds[static_cast<std::size_t>(node.feature)].insert(node.threshold);
  for (std::size_t i = 0; i < kFeatures; ++i)
    if (!forest.set_cuts(i, {thresholds[i].begin(), thresholds[i].end()})) return strange();
  std::vector<std::string> texts;
  for (const GrownTree& tree : trees) {
    std::string& text = texts.emplace_back();
    std::vector<std::uint32_t> open = {0};
    while (!open.empty()) {
      const GrownNode& node = tree[open.back()];
      open.pop_back();
      if (node.feature < 0) {
        append_leaf(text, static_cast<std::int32_t>(std::lround(tree_weight * node.value / kStep)));
        continue;
      }
      const auto& known = thresholds[static_cast<std::size_t>(node.feature)];
      append_split(
          text, static_cast<std::size_t>(node.feature),
          static_cast<std::size_t>(std::distance(known.begin(), known.find(node.threshold))));
      open.push_back(node.right);
      open.push_back(node.left);
    }
    if (!forest.add(text)) return strange();
  }
  return texts;
}

struct GrownTrees {
  LearnedTrees is;
  std::vector<std::string> trees;
};

/// Grows trees on the samples for which `taken` returns true.
template <class Taken>
Result<GrownTrees> grow_trees(KernelClass kernels, FeatureView view, const Samples& samples,
                              const BoosterOptions& options, const Taken& taken) {
  TrainingRows rows;
  rows.columns = feature_names(kernels).size();
  std::vector<double> targets;
  std::map<std::uint32_t, double> of_kind;
  std::size_t total = 0;
  for (const Sample& sample : samples) {
    if (!taken(sample)) continue;
    ++of_kind[sample.kind];
    ++total;
  }
  for (const Sample& sample : samples) {
    if (!taken(sample)) continue;
    const auto& values = sample.features[index_of(view)].values;
    rows.features.insert(rows.features.end(), values.begin(),
                         values.begin() + static_cast<std::ptrdiff_t>(rows.columns));
    targets.push_back(sample.target[index_of(view)]);
    rows.targets.push_back(static_cast<float>(targets.back()));
    const double share =
        static_cast<double>(of_kind.size()) * of_kind[sample.kind] / static_cast<double>(total);
    rows.weights.push_back(view == FeatureView::measured ? 1.0f : static_cast<float>(1 / share));
  }
  if (targets.empty()) return fail(Errc::input_empty, "fit", "no rows of a class");
  GrownTrees all_trees;
  const double bias = std::round(quantile_nearest(targets, 0.5) / kStep) * kStep;
  const double tree_weight = view == FeatureView::general ? kTreeWeight : 1;
  Result<std::vector<GrownTree>> trees = boost_trees(
      rows, bias, view == FeatureView::general ? options : options_for(kernels, options));
  if (!trees) return tl::unexpected(std::move(trees.error()));
  all_trees.is.bias = std::round(tree_weight * bias / kStep) * kStep;
  all_trees.is.step = kStep;
  Result<std::vector<std::string>> texts = encode(*trees, tree_weight, all_trees.is.forest);
  if (!texts) return tl::unexpected(std::move(texts.error()));
  all_trees.trees = *std::move(texts);
  return all_trees;
}

/// Ratios measured / predicted of these samples.
template <class Taken>
std::vector<double> ratios_of(const LearnedTrees& is, FeatureView view, const Samples& samples,
                              const Taken& taken) {
  std::vector<Bins> bins;
  std::vector<double> targets;
  for (const Sample& sample : samples) {
    if (!taken(sample)) continue;
    bins.push_back(is.forest.bins_of(sample.features[index_of(view)].values));
    targets.push_back(sample.target[index_of(view)]);
  }
  std::vector<std::int64_t> sums(bins.size());
  is.forest.sum(bins, sums);
  for (std::size_t i = 0; i < targets.size(); ++i)
    targets[i] = exact_exp2(targets[i] - is.bias - is.step * static_cast<double>(sums[i]));
  return targets;
}

/// A fitted class with its trees as text.
struct FittedClass {
  LearnedClass is;
  std::vector<std::string> measured, general;
};

/// Ratios measured / predicted by part, each predicted by trees that did not use the part.
using HeldParts = std::array<std::vector<double>, kParts>;

std::vector<double> all_but(const HeldParts& held, std::size_t part) {
  std::vector<double> all;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (i != part) all.insert(all.end(), held[i].begin(), held[i].end());
  return all;
}

/// The share of each part within the error band from the other parts. Source: Vovk,
/// "Cross-conformal predictors", Annals of Mathematics and Artificial Intelligence 74, 2015.
double inside_in_turn(const HeldParts& held) {
  double inside = 0, rows = 0;
  for (std::size_t part = 0; part < held.size(); ++part) {
    const auto count = static_cast<double>(held[part].size());
    inside += count * share_within_band(holdout_error(all_but(held, part)), held[part]);
    rows += count;
  }
  return inside / std::max(rows, 1.0);
}

class TreeFitter {
 public:
  TreeFitter(const TrainingSet& set, const FitOptions& options)
      : devices_(set.devices), options_(options) {}

  Result<FittedClass> learn(KernelClass kernels, const Samples& samples, KernelFitReport& about) {
    const auto trained = [](const Sample& sample) { return sample.part >= 2; };
    Result<GrownTrees> all_trees =
        grow_trees(kernels, FeatureView::measured, samples, options_.boost, trained);
    if (!all_trees) return tl::unexpected(std::move(all_trees.error()));
    Result<GrownTrees> general = GrownTrees{};
    const bool several = std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) {
      return sample.device != samples.front().device;
    });
    if (several)
      general = grow_trees(kernels, FeatureView::general, samples, options_.general, trained);
    if (!general) return tl::unexpected(std::move(general.error()));
    FittedClass fitted{{}, std::move(all_trees->trees), std::move(general->trees)};
    LearnedClass& is = fitted.is;
    is.kernels = kernels;
    is.rows = std::count_if(samples.begin(), samples.end(), trained);
    is.measured = std::move(all_trees->is);
    is.general = std::move(general->is);
    is.general.step = kStep;
    const auto held_in = [&](int part) {
      return ratios_of(is.measured, FeatureView::measured, samples,
                       [part](const Sample& sample) { return sample.part == part; });
    };
    HeldParts held;
    held[0] = held_in(0);
    held[1] = held_in(1);
    about.kernels = kernels;
    about.rows = is.rows;
    if (samples.size() < kSmallClass) {
      if (Result<void> done = hold_back_in_turn(kernels, samples, held); !done)
        return tl::unexpected(done.error());
      is.seen = about.test_error = holdout_error(all_but(held, held.size()));
      about.inside = inside_in_turn(held);
    } else {
      is.seen = holdout_error(held[1]);
      about.test_error = holdout_error(held[0]);
      about.inside = share_within_band(is.seen, held[0]);
      is.seen.median_error = about.test_error.median_error;
    }
    about.band = holdout_band(is.seen, false);
    describe(samples, is);
    if (options_.leave_out)
      if (Result<void> done = leave_out(kernels, samples, is, about); !done)
        return tl::unexpected(done.error());
    return fitted;
  }

 private:
  /// A tenth of a small class is too few rows for a test or an error band: each tenth is held out
  /// once.
  Result<void> hold_back_in_turn(KernelClass kernels, const Samples& samples,
                                 HeldParts& held) const {
    for (std::uint8_t part = 2; part < kParts; ++part) {
      const Result<GrownTrees> all_trees =
          grow_trees(kernels, FeatureView::measured, samples, options_.boost,
                     [&](const Sample& sample) { return sample.part != 0 && sample.part != part; });
      if (!all_trees) return tl::unexpected(all_trees.error());
      held[part] = ratios_of(all_trees->is, FeatureView::measured, samples,
                             [&](const Sample& sample) { return sample.part == part; });
    }
    return {};
  }

  void describe(const Samples& samples, LearnedClass& is) const {
    is.lower.fill(std::numeric_limits<std::int64_t>::max());
    std::set<std::uint32_t> devices;
    for (const Sample& sample : samples) {
      for (std::size_t i = 0; i < graph::kKernelSizes; ++i) {
        is.lower[i] = std::min(is.lower[i], sample.kernel.sizes[i]);
        is.upper[i] = std::max(is.upper[i], sample.kernel.sizes[i]);
      }
      devices.insert(sample.device);
    }
    for (const std::uint32_t device : devices)
      is.devices.push_back(signature_of(is.kernels, *devices_[device]));
  }

  /// Ratios measured / predicted of a device's rows, by trees grown without this device: relative
  /// to a measured device of its architecture if there is one, otherwise by the trees for any
  /// device.
  Result<std::vector<double>> predict_without(std::uint32_t device, KernelClass kernels,
                                              const Samples& samples) const {
    const Silicon& silicon = *devices_[device];
    std::vector<Silicon> others;
    for (std::uint32_t other = 0; other < devices_.size(); ++other)
      if (other != device && learned_from(other, samples)) others.push_back(*devices_[other]);
    const Silicon* const relative = nearest_measured_device(kernels, others, silicon);
    const FeatureView view = relative != nullptr ? FeatureView::measured : FeatureView::general;
    const Result<GrownTrees> all_trees =
        grow_trees(kernels, view, samples, relative != nullptr ? options_.boost : options_.general,
                   [&](const Sample& sample) { return sample.device != device; });
    if (!all_trees) return tl::unexpected(all_trees.error());
    Samples own = on_device(samples, device);
    if (relative != nullptr) {
      for (Sample& sample : own) {
        const double seconds = sample.log2_seconds();
        Features& features = sample.features[index_of(view)];
        features = features_relative_to(kernels, sample.kernel, silicon, *relative);
        sample.target[index_of(view)] = seconds - features.log2_base;
      }
    }
    return ratios_of(all_trees->is, view, own, [](const Sample&) { return true; });
  }

  static bool learned_from(std::uint32_t device, const Samples& samples) {
    return std::any_of(samples.begin(), samples.end(),
                       [device](const Sample& sample) { return sample.device == device; });
  }

  /// Leaves out each device once, and evaluates the trees grown on all others on it.
  Result<void> leave_out(KernelClass kernels, const Samples& samples, LearnedClass& is,
                         KernelFitReport& about) {
    std::vector<std::size_t> of_device(devices_.size());
    for (const Sample& sample : samples) ++of_device[sample.device];
    std::vector<double> all;
    for (std::uint32_t device = 0; device < devices_.size(); ++device) {
      const auto& skipped = options_.not_evaluated;
      if (of_device[device] < kMinLeftOut || of_device[device] + kMinLeftOut > samples.size() ||
          std::find(skipped.begin(), skipped.end(), devices_[device]->name) != skipped.end())
        continue;
      Result<std::vector<double>> on_done = predict_without(device, kernels, samples);
      if (!on_done) return tl::unexpected(on_done.error());
      const std::vector<double>& ratios = *on_done;
      about.left_out.push_back({devices_[device]->name, holdout_error(ratios)});
      // About the same number of ratios from each device.
      const std::size_t stride = std::max<std::size_t>(1, ratios.size() / 1000);
      for (std::size_t i = 0; i < ratios.size(); i += stride) all.push_back(ratios[i]);
    }
    is.unseen = holdout_error(std::move(all));
    return {};
  }

  const std::vector<const Silicon*>& devices_;
  const FitOptions& options_;
};

}  // namespace

Result<std::string> fit_trees(const TrainingSet& set, const FitOptions& options,
                              const std::function<void(KernelFitReport)>& on_done) {
  std::vector<FittedClass> learned;
  for (std::size_t which = 1; which < kKernelClasses; ++which) {
    const auto kernels = static_cast<KernelClass>(which);
    const Samples& samples = set.samples[which];
    if (!options.wants(kernels) || static_cast<std::int64_t>(samples.size()) < kMinRows ||
        !can_hold_out(samples))
      continue;
    KernelFitReport about;
    Result<FittedClass> fitted = TreeFitter(set, options).learn(kernels, samples, about);
    if (!fitted) return tl::unexpected(std::move(fitted.error()));
    on_done(std::move(about));
    learned.push_back(*std::move(fitted));
  }
  std::vector<SerializedClass> written;
  for (const FittedClass& fitted : learned)
    written.push_back({&fitted.is, fitted.measured, fitted.general});
  return write_model(options.notes, written);
}

}  // namespace orrery::model
