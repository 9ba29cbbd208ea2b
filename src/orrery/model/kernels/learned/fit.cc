// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "orrery/graph/content_hash.h"
#include "orrery/model/kernels/exact_math.h"
#include "orrery/model/kernels/heuristic.h"
#include "orrery/model/kernels/learned/model_file.h"

namespace orrery::model {
namespace {

using graph::Kernel;

constexpr double kStep = 1.0 / 1024;         // of a leaf: log2, 0.07 %
constexpr std::int64_t kLeastRows = 200;     // of a class
constexpr std::size_t kLeastLeftOut = 50;    // rows of a device that is left out
constexpr std::size_t kSmallClass = 10'000;  // rows
constexpr double kStrangeRatio = 50;         // median over the heuristic: another unit

/// One kernel of a measured row, ready to be learned.
struct Sample {
  std::array<Features, 2> features;  // by view
  std::array<double, 2> target{};    // log2 of measured over the heuristic's, by view
  std::uint32_t device = 0;
  std::uint32_t kind = 0;  // of device: those that compute alike count as one
  std::uint8_t part = 0;
  const Kernel* kernel = nullptr;
};
using Samples = std::vector<Sample>;

double quantile_of(std::vector<double>& values, double share) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Trees as text, over cuts that `forest` takes.
std::vector<std::string> encode(const std::vector<GrownTree>& trees, Forest& forest) {
  std::array<std::set<float>, kFeatures> thresholds;
  for (const GrownTree& tree : trees)
    for (const GrownNode& node : tree)
      if (node.feature >= 0)
        thresholds[static_cast<std::size_t>(node.feature)].insert(node.threshold);
  for (std::size_t i = 0; i < kFeatures; ++i)
    forest.set_cuts(i, {thresholds[i].begin(), thresholds[i].end()});
  std::vector<std::string> texts;
  for (const GrownTree& tree : trees) {
    std::string& text = texts.emplace_back();
    std::vector<std::uint32_t> open = {0};
    while (!open.empty()) {
      const GrownNode& node = tree[open.back()];
      open.pop_back();
      if (node.feature < 0) {
        append_leaf(text, static_cast<std::int32_t>(std::lround(node.value / kStep)));
        continue;
      }
      const auto& known = thresholds[static_cast<std::size_t>(node.feature)];
      append_split(
          text, static_cast<std::size_t>(node.feature),
          static_cast<std::size_t>(std::distance(known.begin(), known.find(node.threshold))));
      open.push_back(node.right);
      open.push_back(node.left);
    }
    forest.add(text);
  }
  return texts;
}

std::size_t index_of(View view) { return static_cast<std::size_t>(view); }

/// Devices of one architecture whose processors are equally wide.
std::uint32_t kind_of(const Silicon& silicon) {
  graph::ContentHash hash;
  hash.add(silicon.architecture);
  if (silicon.processors > 0 && silicon.clock > 0) {
    const double width =
        silicon.rate(graph::Format::bf16) / static_cast<double>(silicon.processors) / silicon.clock;
    hash.add(static_cast<std::uint64_t>(exact_log2(width + 1) + 0.5));
  }
  return static_cast<std::uint32_t>(hash.value());
}

struct Grown {
  LearnedTrees is;
  std::vector<std::string> trees;
};

/// Grows trees on the samples that `taken` takes.
template <class Taken>
Result<Grown> grow_trees(KernelClass kernels, View view, const Samples& samples,
                         const BoostOptions& options, const Taken& taken) {
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
    rows.weights.push_back(view == View::measured ? 1.0f : static_cast<float>(1 / share));
  }
  if (targets.empty()) return fail(Errc::input_empty, "fit", "no rows of a class");
  Grown grown;
  grown.is.bias = std::round(quantile_of(targets, 0.5) / kStep) * kStep;
  grown.is.step = kStep;
  Result<std::vector<GrownTree>> trees = grow(rows, grown.is.bias, options);
  if (!trees) return tl::unexpected(std::move(trees.error()));
  grown.trees = encode(*trees, grown.is.forest);
  return grown;
}

/// Measured over predicted, of the samples taken.
template <class Taken>
std::vector<double> ratios_of(const LearnedTrees& is, View view, const Samples& samples,
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

HeldBack held_back(std::vector<double> ratios) {
  HeldBack held;
  held.rows = static_cast<std::int64_t>(ratios.size());
  if (ratios.empty()) return held;
  held.least = quantile_of(ratios, 0.1);
  held.most = quantile_of(ratios, 0.9);
  for (double& ratio : ratios) ratio = std::abs(1 / ratio - 1);
  held.median_error = quantile_of(ratios, 0.5);
  return held;
}

/// A class with its trees as text.
struct Fitted {
  LearnedClass is;
  std::vector<std::string> measured, general;
};

class Fitting {
 public:
  Fitting(const MeasuredKernels& measured, std::span<const Silicon> silicons,
          const FitOptions& options)
      : measured_(measured), silicons_(silicons), options_(options) {}

  Result<std::string> run(const std::function<void(const FitReport&)>& report) {
    if (!can_grow()) return tl::unexpected(grow({}, 0, {}).error());
    if (Result<void> done = take_samples(); !done) return tl::unexpected(done.error());
    std::vector<Fitted> learned;
    for (std::size_t i = 1; i < kKernelClasses; ++i) {
      const auto kernels = static_cast<KernelClass>(i);
      const auto& only = options_.only;
      if (!only.empty() && std::find(only.begin(), only.end(), kernels) == only.end()) continue;
      if (static_cast<std::int64_t>(samples_[i].size()) < kLeastRows) continue;
      FitReport about;
      Result<Fitted> fitted = learn(kernels, samples_[i], about);
      if (!fitted) return tl::unexpected(std::move(fitted.error()));
      if (report) report(about);
      learned.push_back(*std::move(fitted));
    }
    if (learned.empty())
      return fail(Errc::input_empty, "fit", "no class of kernels has 200 measured rows");
    std::vector<WrittenClass> written;
    for (const Fitted& fitted : learned)
      written.push_back({&fitted.is, fitted.measured, fitted.general});
    return write_model(options_.notes, written);
  }

 private:
  Result<void> take_samples() {
    for (const std::string& name : measured_.devices) {
      const auto found = std::find_if(silicons_.begin(), silicons_.end(),
                                      [&](const Silicon& is) { return is.name == name; });
      if (found == silicons_.end())
        return fail(Errc::input_mismatch, "fit", "no data sheet of the device \"" + name + "\"",
                    "describe it in the file of devices, or rename it in the table");
      devices_.push_back(&*found);
    }
    for (std::size_t i = 0; i < measured_.size(); ++i) take_row(i);
    return check_units();
  }

  void take_row(std::size_t row) {
    const auto kernels = measured_.row(row);
    const Silicon& silicon = *devices_[measured_.device[row]];
    const int part = part_of(kernels, options_.boost.seed);
    std::vector<Sample> taken(kernels.size());
    for (const View view : {View::measured, View::general}) {
      double base = 0;
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        const KernelClass which = class_of(kernels[i]);
        Features& features = taken[i].features[index_of(view)];
        features = features_of(which, kernels[i], silicon, view);
        if (which == KernelClass::none || !features.said) return;
        base += exact_exp2(features.log2_base);
      }
      for (Sample& sample : taken)
        sample.target[index_of(view)] = exact_log2(measured_.seconds[row] / base);
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      taken[i].device = measured_.device[row];
      taken[i].kind = kind_of(silicon);
      taken[i].part = static_cast<std::uint8_t>(part);
      taken[i].kernel = &kernels[i];
      samples_[static_cast<std::size_t>(class_of(kernels[i]))].push_back(taken[i]);
    }
  }

  /// Milliseconds taken for microseconds, and the like.
  Result<void> check_units() const {
    for (std::size_t which = 1; which < kKernelClasses; ++which) {
      std::vector<std::vector<double>> targets(devices_.size());
      for (const Sample& sample : samples_[which])
        targets[sample.device].push_back(sample.target[0]);
      for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i].size() < 10) continue;
        const double ratio = exact_exp2(quantile_of(targets[i], 0.5));
        if (ratio < kStrangeRatio && ratio > 1 / kStrangeRatio) continue;
        return fail(Errc::input_range, "fit",
                    fmt::format("times of {} on {} are {:.3g} times what its data sheet suggests",
                                name(static_cast<KernelClass>(which)), devices_[i]->name, ratio),
                    "times have to be microseconds, figures of devices SI units");
      }
    }
    return {};
  }

  Result<Fitted> learn(KernelClass kernels, const Samples& samples, FitReport& about) {
    const auto trained = [](const Sample& sample) { return sample.part >= 2; };
    Result<Grown> grown = grow_trees(kernels, View::measured, samples, options_.boost, trained);
    if (!grown) return tl::unexpected(std::move(grown.error()));
    Result<Grown> general = grow_trees(kernels, View::general, samples, options_.general, trained);
    if (!general) return tl::unexpected(std::move(general.error()));
    Fitted fitted{{}, std::move(grown->trees), std::move(general->trees)};
    LearnedClass& is = fitted.is;
    is.kernels = kernels;
    is.rows = std::count_if(samples.begin(), samples.end(), trained);
    is.measured = std::move(grown->is);
    is.general = std::move(general->is);
    const auto held_in = [&](int part) {
      return ratios_of(is.measured, View::measured, samples,
                       [part](const Sample& sample) { return sample.part == part; });
    };
    std::vector<double> band = held_in(1);
    if (samples.size() < kSmallClass)
      if (Result<void> done = hold_back_in_turn(kernels, samples, band); !done)
        return tl::unexpected(std::move(done.error()));
    is.seen = held_back(std::move(band));
    const std::vector<double> last = held_in(0);
    about.kernels = kernels;
    about.rows = is.rows;
    about.seen = held_back(last);
    const auto inside = std::count_if(last.begin(), last.end(), [&](double r) {
      return r >= is.seen.least && r <= is.seen.most;
    });
    about.inside =
        static_cast<double>(inside) / static_cast<double>(std::max<std::size_t>(last.size(), 1));
    is.seen.median_error = about.seen.median_error;
    describe(samples, is);
    if (options_.leave_out)
      if (Result<void> done = leave_out(kernels, samples, is, about); !done)
        return tl::unexpected(done.error());
    return fitted;
  }

  /// A tenth of a small class is too little to set a band by: of its other tenths, too, each is
  /// held back once. What is tested on stays out.
  Result<void> hold_back_in_turn(KernelClass kernels, const Samples& samples,
                                 std::vector<double>& ratios) const {
    for (std::uint8_t part = 2; part < 10; ++part) {
      const Result<Grown> grown =
          grow_trees(kernels, View::measured, samples, options_.boost,
                     [&](const Sample& sample) { return sample.part != 0 && sample.part != part; });
      if (!grown) return tl::unexpected(grown.error());
      const auto of_part = ratios_of(grown->is, View::measured, samples,
                                     [&](const Sample& sample) { return sample.part == part; });
      ratios.insert(ratios.end(), of_part.begin(), of_part.end());
    }
    return {};
  }

  void describe(const Samples& samples, LearnedClass& is) const {
    is.least.fill(std::numeric_limits<std::int64_t>::max());
    std::set<std::uint32_t> devices;
    for (const Sample& sample : samples) {
      for (std::size_t i = 0; i < graph::kKernelSizes; ++i) {
        is.least[i] = std::min(is.least[i], sample.kernel->sizes[i]);
        is.most[i] = std::max(is.most[i], sample.kernel->sizes[i]);
      }
      devices.insert(sample.device);
    }
    for (const std::uint32_t device : devices)
      is.devices.push_back(likeness_of(is.kernels, *devices_[device]));
  }

  /// Each device once: trees grown on all others, asked about it.
  Result<void> leave_out(KernelClass kernels, const Samples& samples, LearnedClass& is,
                         FitReport& about) {
    std::vector<std::size_t> of_device(devices_.size());
    for (const Sample& sample : samples) ++of_device[sample.device];
    std::vector<double> all;
    for (std::uint32_t device = 0; device < devices_.size(); ++device) {
      const auto& skipped = options_.not_judged;
      if (of_device[device] < kLeastLeftOut || of_device[device] + kLeastLeftOut > samples.size() ||
          std::find(skipped.begin(), skipped.end(), devices_[device]->name) != skipped.end())
        continue;
      const Result<Grown> grown =
          grow_trees(kernels, View::general, samples, options_.general,
                     [&](const Sample& sample) { return sample.device != device; });
      if (!grown) return tl::unexpected(grown.error());
      std::vector<double> ratios =
          ratios_of(grown->is, View::general, samples,
                    [&](const Sample& sample) { return sample.device == device; });
      about.left_out.push_back({devices_[device]->name, held_back(ratios)});
      // As many of each device.
      const std::size_t stride = std::max<std::size_t>(1, ratios.size() / 1000);
      for (std::size_t i = 0; i < ratios.size(); i += stride) all.push_back(ratios[i]);
    }
    is.unseen = held_back(std::move(all));
    return {};
  }

  const MeasuredKernels& measured_;
  std::span<const Silicon> silicons_;
  const FitOptions& options_;
  std::vector<const Silicon*> devices_;
  std::array<Samples, kKernelClasses> samples_;
};

}  // namespace

int part_of(std::span<const Kernel> row, std::uint64_t seed) {
  graph::ContentHash hash;
  hash.add(seed);
  for (const Kernel& kernel : row) hash.add(graph::hash_of(kernel));
  return static_cast<int>(hash.value() % 10);
}

Result<std::string> fit(const MeasuredKernels& measured, std::span<const Silicon> silicons,
                        const FitOptions& options,
                        const std::function<void(const FitReport&)>& report) {
  return Fitting(measured, silicons, options).run(report);
}

}  // namespace orrery::model
