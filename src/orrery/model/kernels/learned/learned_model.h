// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from trees that are trained on measured tables and correct the heuristic.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/learned/forest.h"
#include "orrery/model/kernels/learned/kernel_class.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

/// The error at held-out kernels.
struct HoldoutError {
  double median_error = 0;      ///< of |predicted / measured - 1|
  double lower = 1, upper = 1;  ///< the 10 % and 90 % quantiles of measured / predicted
  std::int64_t rows = 0;        ///< number of held-out kernels; 0: unknown
};

/// The identity of a device: its data sheet, not its name.
struct DeviceSignature {
  std::string name;
  double peak = 0;  ///< in the format of the class, FLOP/s
  double memory = 0, clock = 0;
  std::int64_t processors = 0;
};

/// Trees, and the scale of their sums.
struct LearnedTrees {
  double bias = 0;  ///< log2 of (time / heuristic's time) before any tree
  double step = 0;  ///< log2 of the factor of one step of a leaf
  Forest forest;    ///< without trees if these are deferred

  /// Trees that are read on first use: the file stays available, and a run needs few of its trees.
  struct DeferredTrees {
    std::vector<std::string_view> texts;
    std::once_flag once;
    Forest forest;
  };
  std::shared_ptr<DeferredTrees> deferred;  ///< null: all trees are in `forest`

  /// The forest with all trees. Thread-safe.
  [[nodiscard]] const Forest& all_trees() const;
  [[nodiscard]] std::size_t trees() const {
    return deferred ? deferred->texts.size() : forest.trees();
  }
};

/// The trained model of one class of kernels.
struct LearnedClass {
  KernelClass kernels = KernelClass::none;
  std::int64_t rows = 0;                 ///< number of training rows
  HoldoutError seen;                     ///< at other sizes on devices of the training
  HoldoutError unseen;                   ///< on held-out devices, each held out once
  std::vector<Silicon> described;        ///< those of `devices` that the catalog contains
  std::vector<DeviceSignature> devices;  ///< of the training
  std::array<std::int64_t, graph::kKernelSizes> lower{}, upper{};  ///< limits of training sizes
  LearnedTrees measured;  ///< for `devices` (FeatureView::measured)
  LearnedTrees general;   ///< for all others (FeatureView::general)
};

/// Predicts kernels of the classes in its file. The error band is that of held-out kernels: at
/// other sizes if the device is one of the training, otherwise on other devices. Outside the
/// training sizes it is twice as wide. `extrapolated`: the sizes or the device are outside the
/// training.
///
/// No prediction for kernels of other classes, for unknown devices if no device was held out, and
/// if the heuristic has none. An unknown device of the architecture of a measured device is
/// predicted from the latter (learned/nearest_device.h); other unknown devices by the general
/// trees.
class LearnedModel final : public KernelModel {
 public:
  /// Reads a file that `fit_kernel_models` wrote. `where` is its name in errors.
  /// Errc: input_corrupt, input_truncated, input_unsupported (another version or other features).
  /// `lasting`: the text outlives the model and is unmodified output of `fit_kernel_models`; trees
  /// are read when needed.
  [[nodiscard]] static Result<LearnedModel> read(std::string_view text, std::string_view where,
                                                 bool lasting = false);
  /// The built-in model (data/kernels/learned.txt), read at the first call. Null: there is none.
  [[nodiscard]] static const LearnedModel* built_in();
  /// The built-in model of Ada (data/kernels/learned_ada.txt), fitted to tables of an L40S alone. It
  /// answers only for devices with the data sheet of an L40S. Null: there is none.
  [[nodiscard]] static const LearnedModel* built_in_ada();

  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;
  /// Like time(), for many kernels on one device, several times as fast. `times` and `kernels` have
  /// equal sizes.
  void times(std::span<const graph::Kernel> kernels, const Silicon& silicon,
             std::span<std::optional<KernelTime>> times) const;

  /// Null: the file does not contain the class.
  [[nodiscard]] const LearnedClass* find(KernelClass kernels) const;

 private:
  std::array<std::shared_ptr<const LearnedClass>, kKernelClasses> classes_;
};

/// Whether the class was trained on an equivalent device: equal number of processors, peak and
/// clock within 3 %, memory bandwidth within 5 %.
[[nodiscard]] bool is_seen(const LearnedClass& learned, const Silicon& silicon);

/// Whether both are equivalent, as defined at is_seen().
[[nodiscard]] bool is_equivalent_device(const DeviceSignature& device,
                                        const DeviceSignature& other);

/// Whether the sizes of one launch are within these limits. Refining sizes (those after
/// graph::defining_sizes) count only if the kernel and the training kernels have them. False for
/// several launches, except for products, whose rows are divided among launches.
[[nodiscard]] bool is_within_sizes(const graph::Kernel& kernel,
                                   const std::array<std::int64_t, graph::kKernelSizes>& lower,
                                   const std::array<std::int64_t, graph::kKernelSizes>& upper);

/// The kernel without refining sizes that no training kernel has (their upper limit is 0).
[[nodiscard]] graph::Kernel without_unlearned_sizes(
    const graph::Kernel& kernel, const std::array<std::int64_t, graph::kKernelSizes>& upper);

/// The band of held-out kernels; twice as wide if extrapolated, but times stay above 0.
[[nodiscard]] ErrorBand holdout_band(const HoldoutError& held, bool extrapolated);

/// The identity of a device for this class.
[[nodiscard]] DeviceSignature signature_of(KernelClass kernels, const Silicon& silicon);

}  // namespace orrery::model
