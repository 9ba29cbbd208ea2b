// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/portable_kernels.h"

#include <algorithm>
#include <utility>

namespace orrery::model {
namespace {

/// Shares of cuDNN's rate that FlashAttention-2 reaches; between the two sizes of heads evenly.
struct Reached {
  double narrow, wide;  ///< heads of 64, of 128 and more
};
constexpr Reached kForward{0.79, 0.61}, kBackward{0.68, 0.63};
constexpr double kNarrow = 64, kWide = 128;
constexpr double kOfTriton = 1.803;  ///< times as long as the second version: √(1.3 × 2.5)

class WithPortable final : public KernelModel {
 public:
  explicit WithPortable(std::shared_ptr<const KernelModel> model) : model_(std::move(model)) {}

  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override {
    constexpr unsigned kOurs = graph::kPortable | graph::kFirst;
    if ((kernel.traits & kOurs) == 0) return model_->time(kernel, silicon);
    graph::Kernel own = kernel;
    own.traits &= static_cast<std::uint16_t>(~kOurs);
    std::optional<KernelTime> time = model_->time(own, silicon);
    if (time) time->seconds *= portable_kernel_slowdown(kernel, silicon);
    return time;
  }

 private:
  std::shared_ptr<const KernelModel> model_;
};

}  // namespace

double portable_kernel_slowdown(const graph::Kernel& kernel, const Silicon& silicon) {
  if (kernel.operation != graph::Operation::attention) return 1;
  const double of_triton = kernel.has(graph::kFirst) ? kOfTriton : 1;
  if (!kernel.has(graph::kPortable) || silicon.architecture != "hopper") return of_triton;
  constexpr std::size_t kKeyDim = 5;
  const Reached& reached = kernel.pass == graph::Pass::forward ? kForward : kBackward;
  const double wide = std::clamp(
      (static_cast<double>(kernel.sizes[kKeyDim]) - kNarrow) / (kWide - kNarrow), 0., 1.);
  return of_triton / (reached.narrow + (reached.wide - reached.narrow) * wide);
}

std::shared_ptr<const KernelModel> with_portable(std::shared_ptr<const KernelModel> model) {
  return std::make_shared<WithPortable>(std::move(model));
}

}  // namespace orrery::model
