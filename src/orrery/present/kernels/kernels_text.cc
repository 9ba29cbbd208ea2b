// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/kernels/roofline_model.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using graph::Kernel;
using study::DeviceKernelEstimates;
using study::KernelEstimate;

namespace {

/// FLOP/s that a kernel could reach: of the matrix units, or beside them. 0: not known.
double peak_for(const Kernel& kernel, const model::Silicon& silicon) {
  return model::is_matrix_product(kernel.operation) ? silicon.rate(kernel.a) : silicon.vector;
}

std::string share_of(double part, double whole) {
  if (whole <= 0) return "-";
  const double share = part / whole;
  return report::percent(std::abs(share - 1) < 1e-9 ? 1 : share);
}

Time time_of(double seconds) {
  return Time(static_cast<std::int64_t>(std::ceil(std::min(seconds, 4e6) * 1e12)));
}

std::string device_text(const Kernel& kernel, const DeviceKernelEstimates& on,
                        report::Style style) {
  const double peak = peak_for(kernel, on.silicon);
  std::string text = "\n" + style.strong(printable(on.silicon.name));
  if (peak > 0)
    text += fmt::format("  {}{}", format_flops(FlopRate(peak)),
                        model::is_matrix_product(kernel.operation) ? "" : " (vector)");
  if (on.silicon.memory > 0)
    text += (peak > 0 ? ", " : "  ") + format_bandwidth(Bandwidth(on.silicon.memory));
  text += "\n";
  report::Table table({{"model"},
                       {"time", true},
                       {"TFLOP/s", true},
                       {"of peak", true},
                       {"GB/s", true},
                       {"memory", true},
                       {"80 % band", true},
                       {""}});
  for (const KernelEstimate& answer : on.models) {
    const double flops = static_cast<double>(kernel.flops) / answer.time.seconds;
    const double bytes = static_cast<double>(kernel.bytes) / answer.time.seconds;
    std::string note = answer.is_selected ? "auto" : "";
    if (answer.time.extrapolated) note += note.empty() ? "beyond" : ", beyond";
    table.row({std::string(name(answer.model)), format_time(time_of(answer.time.seconds)),
               tera_text(flops), share_of(flops, peak), fmt::format("{:.4g}", bytes * 1e-9),
               share_of(bytes, on.silicon.memory), error_band_text(answer.time.band), note});
  }
  text += table.empty() ? "no model says anything\n" : table.text(style);
  if (!on.table_silence.empty()) text += on.table_silence + "\n";
  return text;
}

void write_silicon(report::JsonWriter& json, const model::Silicon& silicon) {
  json.field("device", silicon.name).field("architecture", silicon.architecture);
  json.key("peak_by_format_flop_per_s").begin_object();
  for (std::size_t i = 1; i < graph::kFormats; ++i)
    if (silicon.peak[i] > 0) json.field(name(static_cast<graph::Format>(i)), silicon.peak[i]);
  json.end_object();
  json.field("vector_flop_per_s", silicon.vector)
      .field("memory_bytes_per_s", silicon.memory)
      .field("capacity_bytes", silicon.memory_bytes)
      .field("l2_bytes", silicon.l2_bytes)
      .field("shared_bytes", silicon.shared_bytes)
      .field("clock_hz", silicon.clock)
      .field("processors", silicon.processors);
}

std::string devices_text(report::Style style) {
  report::Table table({{"device"},
                       {"16 bit", true},
                       {"fp8", true},
                       {"fp4", true},
                       {"vector", true},
                       {"memory", true},
                       {"L2", true},
                       {"SMs", true}});
  const auto tera = [](double rate) { return rate > 0 ? tera_text(rate) : std::string("-"); };
  for (const platform::DeviceEntry& entry : platform::devices()) {
    const model::Silicon silicon = model::silicon_of(entry);
    const auto peak = [&](graph::Format format) {
      return silicon.peak[static_cast<std::size_t>(format)];
    };
    table.row({entry.name, tera(std::max(peak(graph::Format::bf16), peak(graph::Format::fp16))),
               tera(peak(graph::Format::fp8)), tera(peak(graph::Format::fp4_block)),
               tera(silicon.vector), tera(silicon.memory),
               entry.l2.count() > 0 ? format_bytes(entry.l2) : "-",
               entry.sms > 0 ? fmt::format("{}", entry.sms) : "-"});
  }
  return table.text(style);
}

}  // namespace

std::string tera_text(double rate) {
  return rate < 1e15 ? fmt::format("{:.4g}", rate * 1e-12) : fmt::format("{:.0f}", rate * 1e-12);
}

std::string scaled_text(double number, std::string_view unit) {
  constexpr std::array<std::string_view, 9> kPrefixes = {"",  "k", "M", "G", "T",
                                                         "P", "E", "Z", "Y"};
  std::size_t step = 0;
  for (; number >= 1000 && step + 1 < kPrefixes.size(); ++step) number /= 1000;
  return fmt::format("{:.4g} {}{}", number, kPrefixes[step], unit);
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

void write_kernel(report::JsonWriter& json, const Kernel& kernel) {
  json.field("operation", name(kernel.operation)).field("pass", name(kernel.pass));
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

std::string kernel_text(const Kernel& kernel, std::span<const DeviceKernelEstimates> answers,
                        const Findings& findings, report::Style style) {
  Kernel bare = kernel;
  bare.flops = bare.bytes = 0;
  std::string text = style.strong(graph::to_text(bare)) + "\n";
  text += scaled_text(static_cast<double>(kernel.flops), "FLOP") + ", " +
          scaled_text(static_cast<double>(kernel.bytes), "B");
  if (kernel.flops > 0 && kernel.bytes > 0)
    text += fmt::format(": {:.4g} FLOP per byte",
                        static_cast<double>(kernel.flops) / static_cast<double>(kernel.bytes));
  text += "\n";
  for (const DeviceKernelEstimates& on : answers) text += device_text(kernel, on, style);
  report::Sheet notes(style);
  report::add_findings(notes, findings, style);
  return text + (notes.text().empty() ? "" : "\n" + notes.text());
}

std::string kernel_json(const Kernel& kernel, std::span<const DeviceKernelEstimates> answers,
                        const Findings& findings) {
  return report::envelope("kernels", findings, [&](report::JsonWriter& json) {
    json.begin_object().key("kernel").begin_object().field("text", graph::to_text(kernel));
    write_kernel(json, kernel);
    json.field("launches", kernel.launches)
        .field("flop", kernel.flops)
        .field("bytes", kernel.bytes)
        .end_object();
    json.key("per_device").begin_array();
    for (const DeviceKernelEstimates& on : answers) {
      json.begin_object();
      write_silicon(json, on.silicon);
      json.key("models").begin_array();
      for (const KernelEstimate& answer : on.models) {
        const double seconds = answer.time.seconds;
        const double peak = peak_for(kernel, on.silicon);
        const double rate = static_cast<double>(kernel.flops) / seconds;
        json.begin_object().field("model", name(answer.model));
        json.nanoseconds("time", time_of(seconds))
            .field("flop_per_s", rate)
            .field("bytes_per_s", static_cast<double>(kernel.bytes) / seconds);
        json.key("peak_ratio");
        peak > 0 ? json.value(rate / peak) : json.null();
        write_band(json, answer.time.band);
        json.field("extrapolated", answer.time.extrapolated)
            .field("used", answer.is_selected)
            .end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().end_object();
  });
}

std::string kernel_list_text(report::Style style) {
  report::Table operations({{"operation"}, {"sizes"}});
  for (std::size_t i = 1; i < graph::kOperations; ++i) {
    const auto operation = static_cast<graph::Operation>(i);
    const auto names = graph::size_names(operation);
    operations.row({std::string(name(operation)), fmt::format("{}", fmt::join(names, " "))});
  }
  std::string formats, traits, passes;
  for (std::size_t i = 1; i < graph::kFormats; ++i)
    formats += fmt::format("{}{}", i == 1 ? "" : ", ", name(static_cast<graph::Format>(i)));
  for (std::size_t i = 0; i < graph::kPasses; ++i)
    passes += fmt::format("{}{}", i == 0 ? "" : ", ", name(static_cast<graph::Pass>(i)));
  for (std::size_t i = 0; i < graph::kTraits; ++i)
    traits += fmt::format("{}{}", i == 0 ? "" : ", ", graph::trait_name(i));
  report::Sheet sheet(style);
  sheet.add("formats", formats);
  sheet.add("passes", passes);
  sheet.add("traits", traits);
  return operations.text(style) + "\n" + sheet.text() +
         "\nTFLOP/s and TB/s, as data sheets have them:\n" + devices_text(style);
}

std::string kernel_list_json() {
  return report::envelope("kernels", {}, [](report::JsonWriter& json) {
    json.begin_object().key("kernel_operations").begin_array();
    for (std::size_t i = 1; i < graph::kOperations; ++i) {
      const auto operation = static_cast<graph::Operation>(i);
      json.begin_object().field("operation", name(operation)).key("size_names").begin_array();
      for (const std::string_view size : graph::size_names(operation)) json.value(size);
      json.end_array().end_object();
    }
    json.end_array().key("formats").begin_array();
    for (std::size_t i = 1; i < graph::kFormats; ++i)
      json.value(name(static_cast<graph::Format>(i)));
    json.end_array().key("passes").begin_array();
    for (std::size_t i = 0; i < graph::kPasses; ++i) json.value(name(static_cast<graph::Pass>(i)));
    json.end_array().key("traits").begin_array();
    for (std::size_t i = 0; i < graph::kTraits; ++i) json.value(graph::trait_name(i));
    json.end_array().key("per_device").begin_array();
    for (const platform::DeviceEntry& entry : platform::devices()) {
      json.begin_object();
      write_silicon(json, model::silicon_of(entry));
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
