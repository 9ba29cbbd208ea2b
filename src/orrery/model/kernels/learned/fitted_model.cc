// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/fitted_model.h"

#include <fmt/format.h>

#include "orrery/model/kernels/learned/learned_model.h"
#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {
namespace {

/// The answers of `model`, with TimeSource::fitted.
class NamedFitted final : public KernelModel {
 public:
  explicit NamedFitted(std::unique_ptr<const KernelModel> model) : model_(std::move(model)) {}
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override {
    auto time = model_->time(kernel, silicon);
    if (time) time->source = TimeSource::fitted;
    return time;
  }

 private:
  std::unique_ptr<const KernelModel> model_;
};

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

Result<FittedModel> read_fitted_model(std::string_view text, std::string_view where) {
  FittedModel made;
  if (text.starts_with(kNetMagic)) {
    Result<NetModel> nets = NetModel::read(text, where);
    if (!nets) return tl::unexpected(std::move(nets.error()));
    made.about = counted(nets->classes().size(), "net", "nets");
    made.model = std::make_shared<NamedFitted>(std::make_unique<NetModel>(*std::move(nets)));
    return made;
  }
  Result<LearnedModel> trees = LearnedModel::read(text, where);
  if (!trees) return tl::unexpected(std::move(trees.error()));
  std::size_t classes = 0;
  for (std::size_t i = 1; i < kKernelClasses; ++i)
    classes += trees->find(static_cast<KernelClass>(i)) != nullptr ? 1 : 0;
  made.about = "trees of " + counted(classes, "class", "classes");
  made.model = std::make_shared<NamedFitted>(std::make_unique<LearnedModel>(*std::move(trees)));
  return made;
}

}  // namespace orrery::model
