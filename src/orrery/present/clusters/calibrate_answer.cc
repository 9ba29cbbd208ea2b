// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"

namespace orrery::present {

std::string device_text(const std::string& device, const std::string& driver) {
  if (driver.empty() || driver == device) return printable(device);
  return fmt::format("{} ({})", printable(device), printable(driver));
}

std::string held_out_error_text(double error, std::uint64_t points) {
  return points == 0 ? "-" : error_text(error);
}

void state_file(report::Answer& answer, std::string_view key, const std::string& path,
                const std::string& use) {
  if (!path.empty()) answer.line("wrote", printable(path) + use);
  answer.field(key, text_or_null(path));
}

}  // namespace orrery::present
