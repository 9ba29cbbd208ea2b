// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from trees that were grown on measured tables and correct the heuristic.
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

/// How far times of kernels that were held back were from those predicted: measured / predicted.
struct HoldoutError {
  double median_error = 0;      ///< of |predicted / measured - 1|
  double lower = 1, upper = 1;  ///< the 10 % and 90 % quantiles of measured / predicted
  std::int64_t rows = 0;        ///< 0: not known
};

/// A device as far as it is told apart from others: by data sheet, not by name.
struct DeviceSignature {
  std::string name;
  double peak = 0;  ///< in the class's format, FLOP/s
  double memory = 0, clock = 0;
  std::int64_t processors = 0;
};

/// Trees, and what their sums mean.
struct LearnedTrees {
  double bias = 0;  ///< log2 of time over the heuristic's, before any tree
  double step = 0;  ///< log2 of what one step of a leaf multiplies by
  Forest forest;    ///< without trees where they wait

  /// Trees that are read when somebody asks for them: of a file that never goes away, a run needs
  /// few.
  struct DeferredTrees {
    std::vector<std::string_view> texts;
    std::once_flag once;
    Forest forest;
  };
  std::shared_ptr<DeferredTrees> waiting;  ///< null: they are all in `forest`

  /// With all trees. Thread-safe.
  [[nodiscard]] const Forest& all_trees() const;
  [[nodiscard]] std::size_t trees() const {
    return waiting ? waiting->texts.size() : forest.trees();
  }
};

/// What was learned of one class of kernels.
struct LearnedClass {
  KernelClass kernels = KernelClass::none;
  std::int64_t rows = 0;           ///< grown on so many
  HoldoutError seen;               ///< other sizes on the devices it was grown on
  HoldoutError unseen;             ///< devices left out, each once
  std::vector<Silicon> described;  ///< of `devices` those of the catalogue
  std::vector<DeviceSignature> devices;
  std::array<std::int64_t, graph::kKernelSizes> lower{}, upper{};  ///< sizes grown on
  LearnedTrees measured;  ///< for these devices (FeatureView::measured)
  LearnedTrees general;   ///< for all others (FeatureView::general)
};

/// Answers for the classes of its file. The band is the one that held-back kernels had: of other
/// sizes where the device is one it was grown on, of other devices elsewhere; twice as wide beyond
/// the sizes it was grown on. `extrapolated`: sizes or device are not like any of those. Nothing
/// for kernels of no class that it learned, on devices unlike all it knows if none was ever left
/// out, or where the heuristic has nothing. A device that is unlike all, but of the architecture of
/// one that was measured, is told from that one (learned/nearest_device.h), others by trees for any
/// device.
class LearnedModel final : public KernelModel {
 public:
  /// Reads a file that `fit_kernel_models` wrote. `where` names it in errors.
  /// Errc: input_corrupt, input_truncated, input_unsupported (another version or other features).
  /// `lasting`: the text stays where it is and is what `fit_kernel_models` wrote; its trees are
  /// read when needed.
  [[nodiscard]] static Result<LearnedModel> read(std::string_view text, std::string_view where,
                                                 bool lasting = false);
  /// The one that is built in (data/kernels/learned.txt), read when first asked for; null: none is.
  [[nodiscard]] static const LearnedModel* built_in();

  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;
  /// The same for many kernels on one device, several times as fast. As many `times` as `kernels`.
  void times(std::span<const graph::Kernel> kernels, const Silicon& silicon,
             std::span<std::optional<KernelTime>> times) const;

  /// Null: the class was not learned.
  [[nodiscard]] const LearnedClass* find(KernelClass kernels) const;

 private:
  std::array<std::shared_ptr<const LearnedClass>, kKernelClasses> classes_;
};

/// True where the class was grown on a device like this one: as many processors, peak and clock
/// within 3 %, memory within 5 %.
[[nodiscard]] bool is_seen(const LearnedClass& learned, const Silicon& silicon);

/// The same device, or one that computes alike: see is_seen.
[[nodiscard]] bool is_equivalent_device(const DeviceSignature& device,
                                        const DeviceSignature& other);

/// Whether every size that is said lies between these, in one launch; those that only refine
/// (graph::defining_sizes) where the kernels learned from said them, too.
[[nodiscard]] bool is_within_sizes(const graph::Kernel& kernel,
                                   const std::array<std::int64_t, graph::kKernelSizes>& lower,
                                   const std::array<std::int64_t, graph::kKernelSizes>& upper);

/// Without sizes that no kernel learned from said: of all of them the most is 0.
[[nodiscard]] graph::Kernel without_unlearned_sizes(
    const graph::Kernel& kernel, const std::array<std::int64_t, graph::kKernelSizes>& upper);

/// What held-back kernels had; twice as wide beyond, but times stay above 0.
[[nodiscard]] ErrorBand holdout_band(const HoldoutError& held, bool extrapolated);

/// How a device is told apart in this class.
[[nodiscard]] DeviceSignature signature_of(KernelClass kernels, const Silicon& silicon);

}  // namespace orrery::model
