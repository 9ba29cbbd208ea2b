// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_text.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/core/text/text.h"

namespace orrery::present {

std::string tera_text(double rate) {
  return rate < 1e15 ? fmt::format("{:.4g}", rate * 1e-12) : fmt::format("{:.0f}", rate * 1e-12);
}

std::string error_band_text(const model::ErrorBand& band) {
  if (band == model::ErrorBand{}) return "-";
  const auto percents = [](double share) {
    if (std::abs(share) < 0.0005) return std::string("0");
    return std::abs(share) < 0.0995 ? fmt::format("{:+.1f}", share * 100)
                                    : fmt::format("{:+.0f}", share * 100);
  };
  return fmt::format("{} to {} %", percents(band.lower), percents(band.upper));
}

std::string kernel_name(const graph::Kernel& kernel, bool shape) {
  if (!shape)
    return fmt::format("{} {} {}", name(kernel.operation), name(kernel.pass), name(kernel.a));
  graph::Kernel bare = kernel;
  bare.flops = bare.bytes = 0;
  return graph::to_text(bare);
}

std::string kernel_class_name(const model::MeasuredKernelClass& measured) {
  graph::Kernel kernel = measured.lower;
  kernel.sizes = {};
  return graph::to_text(kernel);
}

void state_unknown_devices(report::Answer& answer, const std::set<std::string>& names) {
  for (const std::string& name : names)
    answer.line("skipped", fmt::format("{}: not in the catalog (specify it with --device)",
                                       name.empty() ? "a device without a name" : in_quotes(name)));
  answer.list("unknown_devices", names);
}

void write_kernel(report::JsonWriter& json, const graph::Kernel& kernel, bool shape) {
  json.field("operation", name(kernel.operation)).field("pass", name(kernel.pass));
  if (!shape) {
    json.field("format", name(kernel.a));
    return;
  }
  json.key("operand_formats").begin_object();
  json.field("a", name(kernel.a)).field("b", name(kernel.b)).field("out", name(kernel.out));
  json.end_object().key("sizes").begin_object();
  const auto names = graph::size_names(kernel.operation);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (kernel.sizes[i] > 0) json.field(names[i], kernel.sizes[i]);
  json.end_object().key("traits").begin_array();
  for (std::size_t bit = 0; bit < graph::kTraits; ++bit)
    if ((kernel.traits >> bit & 1) != 0) json.value(graph::trait_name(bit));
  json.end_array();
}

void write_band(report::JsonWriter& json, const model::ErrorBand& band) {
  json.key("error_interval");
  if (band == model::ErrorBand{}) {
    json.null();
    return;
  }
  json.begin_object().field("low_error", band.lower).field("high_error", band.upper).end_object();
}

}  // namespace orrery::present
