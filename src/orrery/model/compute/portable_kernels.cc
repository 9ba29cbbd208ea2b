// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/portable_kernels.h"

#include <algorithm>
#include <utility>

namespace orrery::model {
namespace {

/// Shares of cuDNN's rate that FlashAttention-2 reaches; linear between both sizes of heads.
struct RateShares {
  double narrow, wide;  ///< heads of 64, of 128 and more
};
constexpr RateShares kForward{0.79, 0.61}, kBackward{0.68, 0.63};
constexpr double kNarrow = 64, kWide = 128;
constexpr double kTritonRatio = 1.803;  ///< first version relative to the second: √(1.3 × 2.5)

class WithPortable final : public KernelModel {
 public:
  explicit WithPortable(std::shared_ptr<const KernelModel> model) : model_(std::move(model)) {}

  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override {
    constexpr unsigned kPortableTraits = graph::kPortable | graph::kFlashAttention1;
    if ((kernel.traits & kPortableTraits) == 0) return model_->time(kernel, silicon);
    graph::Kernel own = kernel;
    own.traits &= static_cast<std::uint16_t>(~kPortableTraits);
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
  const double triton_ratio = kernel.has(graph::kFlashAttention1) ? kTritonRatio : 1;
  if (!kernel.has(graph::kPortable) || silicon.architecture != "hopper") return triton_ratio;
  constexpr std::size_t kKeyDim = 5;
  const RateShares& shares = kernel.pass == graph::Pass::forward ? kForward : kBackward;
  const double wide = std::clamp(
      (static_cast<double>(kernel.sizes[kKeyDim]) - kNarrow) / (kWide - kNarrow), 0., 1.);
  return triton_ratio / (shares.narrow + (shares.wide - shares.narrow) * wide);
}

std::shared_ptr<const KernelModel> with_portable(std::shared_ptr<const KernelModel> model) {
  return std::make_shared<WithPortable>(std::move(model));
}

}  // namespace orrery::model
