// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/learned_model.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/core/statistics/exact_math.h"
#include "orrery/model/kernels/heuristic/chip.h"
#include "orrery/model/kernels/learned/nearest_device.h"

namespace orrery::model {

extern const std::string_view kLearnedText;     // data/kernels/learned.txt
extern const std::string_view kLearnedAdaText;  // data/kernels/learned_ada.txt

namespace {

using graph::Kernel;
using graph::Operation;

constexpr std::size_t kBlock = 64;  // kernels per block, so that their bins stay in the cache
constexpr double kBeyondWider = 2;

bool equivalent(double a, double b, double max_ratio = 1.03) {
  return a <= max_ratio * b && b <= max_ratio * a;
}

/// Data sheets of one device differ by this factor (B200: 7.7 and 8 TB/s).
constexpr double kMemoryAlike = 1.05;

/// Whether one of the two sizes from `first` on is outside the training sizes.
bool is_elsewhere(const LearnedClass& is, const Kernel& kernel, std::size_t first) {
  for (std::size_t i = first; i < first + 2; ++i)
    if (kernel.sizes[i] < is.lower[i] || kernel.sizes[i] > is.upper[i]) return true;
  return false;
}

/// Whether the trees do not apply to the kernel. Either its rows of experts are not gathered, but
/// all training kernels include the gathering of rows. Or the training contains only the heads of
/// one model, which do not apply to other heads.
bool is_outside_training(const LearnedClass& is, const Kernel& kernel) {
  constexpr std::size_t kTokens = 4, kKeyDim = 5, kN = 2;
  switch (is.kernels) {
    case KernelClass::attention_latent:
    case KernelClass::attention_latent_decode:
      return is_elsewhere(is, kernel, kKeyDim);
    case KernelClass::batched_gemm_bf16:
      return is_elsewhere(is, kernel, kN);
    default:
      return kernel.operation == Operation::grouped_gemm && kernel.sizes[kTokens] == 0 &&
             is.lower[kTokens] > 0;
  }
}

/// The time of a product at the peak of its format; 0 for other kernels.
double least_seconds(const Kernel& kernel, const Silicon& silicon) {
  const Product product = product_of(kernel);
  const double peak = silicon.rate(product.format);
  return peak > 0 ? 2 * product.count * product.m * product.n * product.k / peak : 0;
}

KernelTime kernel_time_of(const LearnedClass& is, const Kernel& kernel, double log2_base,
                          std::int64_t steps, const LearnedTrees& trees, const Silicon& silicon,
                          bool seen) {
  const bool within = is_within_sizes(kernel, is.lower, is.upper);
  KernelTime time;
  time.seconds = exact_exp2(log2_base + trees.bias + trees.step * static_cast<double>(steps));
  // No measured device was faster than its data sheet, but general trees can predict it.
  if (!seen) time.seconds = std::max(time.seconds, least_seconds(kernel, silicon));
  time.source = TimeSource::learned;
  time.band = holdout_band(seen ? is.seen : is.unseen, !within);
  time.extrapolated = !seen || !within;
  return time;
}

}  // namespace

bool is_within_sizes(const Kernel& kernel,
                     const std::array<std::int64_t, graph::kKernelSizes>& lower,
                     const std::array<std::int64_t, graph::kKernelSizes>& upper) {
  // Launches of a product share its rows; other kernels were measured only with one launch.
  const bool sliced = kernel.operation == Operation::gemm;
  if (kernel.launches != 1 && !sliced) return false;
  const std::size_t sizes = graph::size_names(kernel.operation).size();
  const std::size_t defining = graph::defining_sizes(kernel.operation);
  for (std::size_t i = 0; i < sizes; ++i) {
    if (i >= defining && (kernel.sizes[i] == 0 || upper[i] == 0)) continue;
    const std::int64_t launches = i == 0 ? std::max<std::int64_t>(kernel.launches, 1) : 1;
    const std::int64_t size = kernel.sizes[i] == 0 ? 0 : (kernel.sizes[i] - 1) / launches + 1;
    if (size < lower[i] || size > upper[i]) return false;
  }
  return true;
}

Kernel without_unlearned_sizes(const Kernel& kernel,
                               const std::array<std::int64_t, graph::kKernelSizes>& upper) {
  Kernel known = kernel;
  for (std::size_t i = graph::defining_sizes(kernel.operation); i < known.sizes.size(); ++i)
    if (upper[i] == 0) known.sizes[i] = 0;
  return known;
}

ErrorBand holdout_band(const HoldoutError& held, bool extrapolated) {
  return ErrorBand{held.lower - 1, held.upper - 1}.widened(extrapolated ? kBeyondWider : 1);
}

bool is_equivalent_device(const DeviceSignature& device, const DeviceSignature& other) {
  return device.processors == other.processors && equivalent(device.peak, other.peak) &&
         equivalent(device.memory, other.memory, kMemoryAlike) &&
         equivalent(device.clock, other.clock);
}

DeviceSignature signature_of(KernelClass kernels, const Silicon& silicon) {
  return {silicon.name, peak_for(traits_of(kernels).format, silicon), silicon.memory, silicon.clock,
          silicon.processors};
}

bool is_seen(const LearnedClass& learned, const Silicon& silicon) {
  const DeviceSignature like = signature_of(learned.kernels, silicon);
  return std::any_of(
      learned.devices.begin(), learned.devices.end(),
      [&](const DeviceSignature& device) { return is_equivalent_device(device, like); });
}

const Forest& LearnedTrees::all_trees() const {
  if (!deferred) return forest;
  std::call_once(deferred->once, [this] {
    deferred->forest = forest;
    for (const std::string_view text : deferred->texts) ORRERY_CHECK(deferred->forest.add(text));
  });
  return deferred->forest;
}

namespace {

/// Null: the program has no such file. Dies of a damaged one.
std::unique_ptr<const LearnedModel> read_built_in(std::string_view text, std::string_view file) {
  if (text.empty()) return nullptr;
  Result<LearnedModel> read = LearnedModel::read(text, file, true);
  ORRERY_CHECK(read.has_value());
  return std::make_unique<const LearnedModel>(*std::move(read));
}

}  // namespace

const LearnedModel* LearnedModel::built_in() {
  static const auto model = read_built_in(kLearnedText, "data/kernels/learned.txt");
  return model.get();
}

const LearnedModel* LearnedModel::built_in_ada() {
  static const auto model = read_built_in(kLearnedAdaText, "data/kernels/learned_ada.txt");
  return model.get();
}

const LearnedClass* LearnedModel::find(KernelClass kernels) const {
  return classes_[static_cast<std::size_t>(kernels)].get();
}

std::optional<KernelTime> LearnedModel::time(const Kernel& kernel, const Silicon& silicon) const {
  std::optional<KernelTime> answer;
  times({&kernel, 1}, silicon, {&answer, 1});
  return answer;
}

void LearnedModel::times(std::span<const Kernel> kernels, const Silicon& silicon,
                         std::span<std::optional<KernelTime>> times) const {
  ORRERY_CHECK(kernels.size() == times.size());
  std::array<Bins, kBlock> bins;
  std::array<std::int64_t, kBlock> sums;
  std::array<std::size_t, kBlock> places;
  std::array<double, kBlock> bases;
  std::fill(times.begin(), times.end(), std::nullopt);
  // Each block of kernels is predicted class by class, so that kernels of one class share walks.
  for (std::size_t begin = 0; begin < kernels.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, kernels.size());
    std::array<KernelClass, kBlock> class_at{};
    std::array<bool, kKernelClasses> asked{};
    for (std::size_t i = begin; i < end; ++i) {
      class_at[i - begin] = class_of(kernels[i]);
      asked[static_cast<std::size_t>(class_at[i - begin])] = true;
    }
    for (std::size_t which = 1; which < kKernelClasses; ++which) {
      const LearnedClass* const is = asked[which] ? classes_[which].get() : nullptr;
      if (is == nullptr) continue;
      const bool seen = is_seen(*is, silicon);
      if (!seen && is->unseen.rows == 0) continue;
      const Silicon* const relative =
          seen ? &silicon : nearest_measured_device(is->kernels, is->described, silicon);
      const LearnedTrees& trees = relative != nullptr ? is->measured : is->general;
      const Forest& forest = trees.all_trees();
      std::size_t count = 0;
      for (std::size_t i = begin; i < end; ++i) {
        if (class_at[i - begin] != is->kernels || is_outside_training(*is, kernels[i])) continue;
        const Kernel known = without_unlearned_sizes(kernels[i], is->upper);
        const Features features =
            seen || relative == nullptr
                ? features_of(is->kernels, known, silicon,
                              seen ? FeatureView::measured : FeatureView::general)
                : features_relative_to(is->kernels, known, silicon, *relative);
        if (!features.said) continue;
        bins[count] = forest.bins_of(features.values);
        bases[count] = features.log2_base;
        places[count++] = i;
      }
      if (count == 0) continue;
      forest.sum(std::span(bins).first(count), std::span(sums).first(count));
      for (std::size_t i = 0; i < count; ++i)
        times[places[i]] =
            kernel_time_of(*is, kernels[places[i]], bases[i], sums[i], trees, silicon, seen);
    }
  }
}

}  // namespace orrery::model
