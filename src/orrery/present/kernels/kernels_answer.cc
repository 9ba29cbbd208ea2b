// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/kernels_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/kernels/roofline_model.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using graph::Kernel;
using model::Silicon;
using report::Align;
using study::KernelEstimate;

namespace {

/// FLOP/s that a kernel could reach: of the matrix units, or of the vector units. 0: unknown.
double peak_for(const Kernel& kernel, const Silicon& silicon) {
  return model::is_matrix_product(kernel.operation) ? silicon.rate(kernel.a) : silicon.vector;
}

Time estimate_time(const KernelEstimate& estimate) {
  return Time(static_cast<std::int64_t>(std::ceil(std::min(estimate.time.seconds, 4e6) * 1e12)));
}

/// "h100-sxm  989 TFLOP/s, 3.35 TB/s"
std::string device_text(const Kernel& kernel, const Silicon& silicon, report::Style style) {
  const double peak = peak_for(kernel, silicon);
  std::string text = style.strong(printable(silicon.name));
  if (peak > 0)
    text += fmt::format("  {}{}", format_flops(FlopRate(peak)),
                        model::is_matrix_product(kernel.operation) ? "" : " (vector)");
  if (silicon.memory > 0)
    text += (peak > 0 ? ", " : "  ") + format_bandwidth(Bandwidth(silicon.memory));
  return text;
}

std::string estimate_note(const KernelEstimate& estimate) {
  if (!estimate.time.extrapolated) return estimate.is_selected ? "auto" : "";
  return estimate.is_selected ? "auto, extrapolated" : "extrapolated";
}

report::Columns<KernelEstimate> estimate_columns(const Kernel& kernel, const Silicon& silicon) {
  const auto per_second = [](std::int64_t work) {
    return [work](const auto& one) { return static_cast<double>(work) / one.time.seconds; };
  };
  const auto share_of = [](const auto& rate, double whole) {
    return [=](const KernelEstimate& one) -> std::string {
      const double share = rate(one) / whole;
      return whole <= 0 ? "-" : report::percent(std::abs(share - 1) < 1e-9 ? 1 : share);
    };
  };
  const auto flops = per_second(kernel.flops), bytes = per_second(kernel.bytes);
  const double peak = peak_for(kernel, silicon);
  report::Columns<KernelEstimate> columns;
  columns.add("model", "model", [](const auto& one) { return name(one.model); })
      .add("time", "time_ns", estimate_time)
      .add("TFLOP/s", "flop_per_s", flops, [=](const auto& one) { return tera_text(flops(one)); })
      .add(
          "of peak", "peak_ratio",
          [=](const auto& one) {
            return peak > 0 ? std::optional(flops(one) / peak) : std::nullopt;
          },
          share_of(flops, peak))
      .align(Align::right)
      .add("GB/s", "bytes_per_s", bytes,
           [=](const auto& one) { return fmt::format("{:.4g}", bytes(one) * 1e-9); })
      .show_number("memory", share_of(bytes, silicon.memory));
  add_error_band(columns, [](const auto& one) { return one.time.band; });
  columns.show("", estimate_note)
      .field("extrapolated", [](const auto& one) { return one.time.extrapolated; })
      .field("used", &KernelEstimate::is_selected);
  return columns;
}

void write_peak_rates(report::JsonWriter& json, const Silicon& silicon) {
  json.begin_object();
  for (std::size_t i = 1; i < graph::kFormats; ++i)
    if (silicon.peak[i] > 0) json.field(name(static_cast<graph::Format>(i)), silicon.peak[i]);
  json.end_object();
}

/// Data sheets of devices.
report::Columns<Silicon> silicon_columns() {
  const auto tera = [](const auto& rate) {
    return [rate](const Silicon& silicon) {
      const double number = std::invoke(rate, silicon);
      return number > 0 ? tera_text(number) : "-";
    };
  };
  const auto peak = [](graph::Format format) {
    return [i = static_cast<std::size_t>(format)](const auto& silicon) { return silicon.peak[i]; };
  };
  const auto peak_16_bit = [=](const Silicon& silicon) {
    return std::max(peak(graph::Format::bf16)(silicon), peak(graph::Format::fp16)(silicon));
  };
  const auto l2_text = [](const Silicon& silicon) {
    const Bytes l2(static_cast<std::int64_t>(silicon.l2_bytes));
    return l2.count() > 0 ? format_bytes(l2) : "-";
  };
  report::Columns<Silicon> columns;
  columns.add("device", "device", &Silicon::name)
      .field("architecture", &Silicon::architecture)
      .nested("peak_by_format_flop_per_s", write_peak_rates)
      .show_number("16 bit", tera(peak_16_bit))
      .show_number("fp8", tera(peak(graph::Format::fp8)))
      .show_number("fp4", tera(peak(graph::Format::fp4_block)))
      .add("vector", "vector_flop_per_s", &Silicon::vector, tera(&Silicon::vector))
      .add("memory", "memory_bytes_per_s", &Silicon::memory, tera(&Silicon::memory))
      .field("capacity_bytes", &Silicon::memory_bytes)
      .add("L2", "l2_bytes", &Silicon::l2_bytes, l2_text)
      .field("shared_bytes", &Silicon::shared_bytes)
      .field("clock_hz", &Silicon::clock)
      .add("SMs", "processors", &Silicon::processors, [](const auto& silicon) {
        return silicon.processors > 0 ? fmt::format("{}", silicon.processors) : "-";
      });
  return columns;
}

/// A line and a list with the same name: all values of an enumeration from `first` on.
template <class Name>
void state_names(report::Answer& answer, std::string_view key, std::size_t first, std::size_t end,
                 const Name& name_of) {
  std::vector<std::string_view> names;
  for (std::size_t i = first; i < end; ++i) names.push_back(name_of(i));
  answer.line(key, fmt::format("{}", fmt::join(names, ", "))).list(key, names);
}

}  // namespace

void state_kernel(report::Answer& answer, const Kernel& kernel,
                  std::span<const study::DeviceKernelEstimates> devices, const Findings& findings) {
  const auto flops = static_cast<double>(kernel.flops);
  const auto bytes = static_cast<double>(kernel.bytes);
  answer.title(kernel_name(kernel, true));
  answer.first(fmt::format("{}, {}{}", scaled_text(flops, "FLOP"), scaled_text(bytes, "B"),
                           kernel.flops > 0 && kernel.bytes > 0
                               ? fmt::format(": {:.4g} FLOP per byte", flops / bytes)
                               : ""));
  answer.object("kernel", [&] {
    answer.field("text", graph::to_text(kernel)).members([&](report::JsonWriter& json) {
      write_kernel(json, kernel);
    });
    answer.field("launches", kernel.launches).field("flop", kernel.flops);
    answer.field("bytes", kernel.bytes);
  });
  answer.each("per_device", devices, [&](report::Answer& element, const auto& device) {
    element.heading(device_text(kernel, device.silicon, element.style()));
    element.members(
        [&](report::JsonWriter& json) { write_members(json, device.silicon, silicon_columns()); });
    element.table("models", device.models, estimate_columns(kernel, device.silicon),
                  {.if_empty = "no model applies"});
    if (!device.table_silence.empty()) element.note(device.table_silence);
  });
  answer.findings(findings);
}

void state_kernel_list(report::Answer& answer) {
  std::vector<graph::Operation> operations;
  for (std::size_t i = 1; i < graph::kOperations; ++i)
    operations.push_back(static_cast<graph::Operation>(i));
  const auto size_text = [](auto operation) {
    return fmt::format("{}", fmt::join(graph::size_names(operation), " "));
  };
  report::Columns<graph::Operation> columns;
  columns.add("operation", "operation", [](auto operation) { return name(operation); })
      .show("sizes", size_text)
      .members([](auto& json, auto operation) {
        report::Answer(json).list("size_names", graph::size_names(operation));
      });
  answer.table("kernel_operations", operations, columns);
  state_names(answer, "formats", 1, graph::kFormats,
              [](std::size_t i) { return name(static_cast<graph::Format>(i)); });
  state_names(answer, "passes", 0, graph::kPasses,
              [](std::size_t i) { return name(static_cast<graph::Pass>(i)); });
  state_names(answer, "traits", 0, graph::kTraits, graph::trait_name);
  std::vector<Silicon> devices;
  for (const platform::DeviceEntry& entry : platform::devices())
    devices.push_back(model::silicon_of(entry));
  answer.heading("TFLOP/s and TB/s from data sheets:");
  answer.table("per_device", devices, silicon_columns());
}

}  // namespace orrery::present
