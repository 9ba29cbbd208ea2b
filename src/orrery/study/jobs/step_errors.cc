// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/step_errors.h"

#include <algorithm>
#include <cmath>

#include "orrery/config/parameters.h"
#include "orrery/platform/catalog/step_errors.h"

namespace orrery::study {

std::string_view job_kind(const workload::Spec& spec) {
  if (spec.lora) return "adapters";
  return spec.model.moe ? "experts" : "dense";
}

std::string products_text(const workload::Spec& spec) {
  const workload::Dtype type = spec.precision.product_type();
  const bool half = type == workload::Dtype::bf16 || type == workload::Dtype::fp16;
  return half ? "16 bits" : std::string(config::enum_name(type));
}

void add_step_errors(const workload::Spec& spec, const platform::Device& device,
                     sim::SimResult& result) {
  const auto is_predicted = [](const sim::ErrorClass& one) {
    return one.band && (one.band->lower != Time{} || one.band->upper != Time{});
  };
  const platform::StepErrors* const errors =
      platform::find_step_errors(job_kind(spec), products_text(spec));
  if (errors == nullptr || std::ranges::none_of(result.error_classes, is_predicted)) return;
  const auto bits =
      static_cast<std::int64_t>(8 * workload::bytes_of(spec.precision.product_type()));
  const auto share = [&](double of) {
    return Time(std::llround(of * static_cast<double>(result.end.count())));
  };
  const bool known = std::ranges::any_of(device.in_step.factors,
                                         [&](const auto& factor) { return factor.bits == bits; });
  for (const auto& [name, range] : platform::step_error_terms(known))
    if (errors->*range != platform::StepErrorRange{})
      result.error_classes.push_back(
          {std::string(name),
           {},
           sim::ErrorBand{share((errors->*range).lower), share((errors->*range).upper)}});
}

}  // namespace orrery::study
