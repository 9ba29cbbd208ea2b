// SPDX-License-Identifier: Apache-2.0
//
// Parts that answers of calibrations share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/present/number_text.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// "h100-sxm (NVIDIA H100 80GB HBM3)": a device, and its name in the measurements where it differs.
[[nodiscard]] std::string device_text(const std::string& device, const std::string& driver);

/// "3.2 %"; "-" for an error of no held-out points.
[[nodiscard]] std::string held_out_error_text(double error, std::uint64_t points);

/// Date and input files (name, sha256) of measurements. An empty date is not known.
template <class File>
void state_source(report::Answer& answer, const std::string& date, const std::vector<File>& files) {
  if (!date.empty()) answer.line("measured on", date);
  report::Columns<File> columns;
  columns.field("file", &File::name).field("sha256", &File::sha256);
  answer.field("recorded_on", text_or_null(date)).table("inputs", files, columns);
}

/// A file that was written; an empty path: none. `use`: text after it.
void state_file(report::Answer& answer, std::string_view key, const std::string& path,
                const std::string& use = {});

}  // namespace orrery::present
