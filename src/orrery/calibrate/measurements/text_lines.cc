// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/text_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/limits.h"

namespace orrery::calibrate {

TextLines::TextLines(trace::ByteSource& source, std::string where)
    : window_(source), where_(std::move(where)) {}

Result<bool> TextLines::next(std::string_view& line) {
  constexpr std::size_t kStep = 1u << 12;
  window_.consume(line_bytes_);
  line_bytes_ = 0;
  ++number_;
  for (std::size_t seen = 0;;) {
    const std::size_t end = window_.text().find('\n', seen);
    if (end != std::string_view::npos) {
      line = window_.text().substr(0, end);
      line_bytes_ = end + 1;
      break;
    }
    seen = window_.size();
    if (seen > limits::kJsonElementBytes)
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("a line longer than {} MiB", limits::kJsonElementBytes >> 20));
    const Result<bool> more = window_.need(std::max(kStep, 2 * seen));
    if (!more) return more;
    if (*more || window_.size() > seen) continue;
    if (seen == 0) return false;
    line = window_.text();
    line_bytes_ = seen;
    break;
  }
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return true;
}

std::string TextLines::place() const { return fmt::format("{}:{}", where_, number_); }

}  // namespace orrery::calibrate
