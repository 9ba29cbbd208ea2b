// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/fitted.h"

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/graph/content_hash.h"
#include "orrery/model/kernels/learned/fitted_model.h"
#include "orrery/study/measured.h"

namespace orrery::study {

using platform::ComputeModel;

Result<Fitted> read_fitted(const std::string& path) {
  const auto text = config::read_text(path, limits::kMeasuredBytes);
  if (!text) return tl::unexpected(text.error());
  auto read = model::read_fitted_model(*text, path);
  if (!read) return tl::unexpected(read.error());
  graph::ContentHash hash;
  hash.add(*text);
  return Fitted{std::move(read->model), hash.value(), std::move(read->about)};
}

Result<Fitted> read_fitted_for(const Question& question, const platform::Platform& platform,
                               Findings& findings) {
  const platform::Device& device = platform.device;
  if (device.kernel_model.empty()) return Fitted{};
  const bool typed = !question.kernel_model.empty();
  const bool asked =
      device.compute != ComputeModel::recorded && device.compute != ComputeModel::roofline;
  if (platform.rules == platform::Rules::astra || platform.replay_only || !asked) {
    findings.add(FindingCode::key_without_effect,
                 typed ? "--kernel-model" : "/device/kernel_model");
    return Fitted{};
  }
  return read_fitted(place_of_kernels(question, device.kernel_model, typed));
}

}  // namespace orrery::study
