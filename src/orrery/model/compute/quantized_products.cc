// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/quantized_products.h"

#include <algorithm>
#include <utility>

namespace orrery::model {
namespace {

using graph::Kernel;

Kernel including_quantization(const Kernel& kernel) {
  Kernel including = kernel;
  including.traits &= static_cast<std::uint16_t>(~unsigned{graph::kQuantized});
  return including;
}

/// The cast of the first input of a product, in equally many launches.
Kernel cast_of(const Kernel& product) {
  Kernel cast;
  cast.operation = graph::Operation::cast;
  cast.a = graph::Format::bf16;
  cast.out = graph::Format::fp8;
  cast.launches = product.launches;
  const std::int64_t rows = product.sizes[0], row = product.sizes[2];
  cast.sizes = {rows * row, row};
  cast.bytes = 3 * rows * row;
  return cast;
}

class WithQuantizing final : public KernelModel {
 public:
  explicit WithQuantizing(std::shared_ptr<const KernelModel> model) : model_(std::move(model)) {}

  [[nodiscard]] std::optional<KernelTime> time(const Kernel& kernel,
                                               const Silicon& silicon) const override {
    if (!kernel.has(graph::kQuantized) || kernel.operation != graph::Operation::gemm)
      return model_->time(kernel, silicon);
    std::optional<KernelTime> time = model_->time(including_quantization(kernel), silicon);
    if (!time) return time;
    const std::optional<KernelTime> cast = model_->time(cast_of(kernel), silicon);
    if (!cast) return time;
    const double peak = silicon.rate(kernel.a);
    const double flops = 2.0 * static_cast<double>(kernel.sizes[0]) *
                         static_cast<double>(kernel.sizes[1]) *
                         static_cast<double>(kernel.sizes[2]);
    const double lower = std::min(peak > 0 ? flops / peak : 0, time->seconds);
    const double alone =
        std::max(time->seconds - cast->seconds, std::max(lower, time->seconds / 4));
    time->band.lower = std::max(time->band.lower * time->seconds / alone, -0.95);
    time->band.upper *= time->seconds / alone;
    time->seconds = alone;
    return time;
  }

 private:
  std::shared_ptr<const KernelModel> model_;
};

class UnquantizedFallback final : public KernelModel {
 public:
  explicit UnquantizedFallback(std::shared_ptr<const KernelModel> model)
      : model_(std::move(model)) {}

  [[nodiscard]] std::optional<KernelTime> time(const Kernel& kernel,
                                               const Silicon& silicon) const override {
    std::optional<KernelTime> time = model_->time(kernel, silicon);
    if (time || !kernel.has(graph::kQuantized)) return time;
    return model_->time(including_quantization(kernel), silicon);
  }

 private:
  std::shared_ptr<const KernelModel> model_;
};

}  // namespace

std::shared_ptr<const KernelModel> with_quantizing(std::shared_ptr<const KernelModel> model) {
  return std::make_shared<WithQuantizing>(std::move(model));
}

std::shared_ptr<const KernelModel> with_unquantized_fallback(
    std::shared_ptr<const KernelModel> model) {
  return std::make_shared<UnquantizedFallback>(std::move(model));
}

}  // namespace orrery::model
