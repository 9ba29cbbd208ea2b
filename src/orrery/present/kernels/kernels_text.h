// SPDX-License-Identifier: Apache-2.0
//
// Kernels and figures about them, as answers about kernels write them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/table/measured_table.h"
#include "orrery/model/time_estimate.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// "989.4", "15000": of 10^12 per second.
[[nodiscard]] std::string tera_text(double rate);
/// "-3.1 to +4.0 %"; "-" of an empty one.
[[nodiscard]] std::string error_band_text(const model::ErrorBand& band);
/// "gemm forward bf16": operation, pass and first format; with `shape` all except FLOPs and bytes.
[[nodiscard]] std::string kernel_name(const graph::Kernel& kernel, bool shape);
/// "gemm forward bf16,bf16>bf16 transposed_b": all that the kernels of the class share.
[[nodiscard]] std::string kernel_class_name(const model::MeasuredKernelClass& measured);

/// `names`: recorded devices that are not in the catalog.
void state_unknown_devices(report::Answer& answer, const std::set<std::string>& names);
/// Members "operation" and "pass"; with `shape` "operand_formats", "sizes" and "traits", else
/// "format", the first.
void write_kernel(report::JsonWriter& json, const graph::Kernel& kernel, bool shape = true);
/// The member "error_interval"; null for an empty one.
void write_band(report::JsonWriter& json, const model::ErrorBand& band);

/// A column for people and programs; `band(row)` returns an ErrorBand.
template <class Row, class Band>
void add_error_band(report::Columns<Row>& columns, const Band& band) {
  columns.show_number("80 % interval", [=](const auto& row) { return error_band_text(band(row)); })
      .members([=](report::JsonWriter& json, const auto& row) { write_band(json, band(row)); });
}

}  // namespace orrery::present
