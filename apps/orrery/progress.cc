// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "orrery/core/units.h"

namespace orrery::app {

Progress::Progress(const Session& session) : last_(std::chrono::steady_clock::now()) {
  if (session.progress == "json") {
    how_ = How::json;
  } else if (session.progress == "auto" && !session.quiet && ::isatty(2) == 1) {
    const char* terminal = std::getenv("TERM");
    if (terminal != nullptr && std::string_view(terminal) != "dumb") how_ = How::line;
  }
}

bool Progress::due() {
  if (how_ == How::off) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return false;
  last_ = now;
  return true;
}

void Progress::show(const std::string& line) {
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::reading(std::uint32_t ranks, std::uint32_t all) {
  if (!due()) return;
  if (how_ == How::json) {
    fmt::print(stderr, "{{\"progress\": {{\"phase\": \"read\", \"ranks\": {}, \"of\": {}}}}}\n",
               ranks, all);
  } else {
    show(fmt::format("reading traces: {} of {}", format_count(ranks), format_count(all)));
  }
}

void Progress::simulating(std::uint32_t finished, std::uint32_t all, std::uint64_t messages) {
  if (!due()) return;
  if (how_ == How::json) {
    fmt::print(stderr,
               "{{\"progress\": {{\"phase\": \"simulate\", \"ranks\": {}, \"of\": {}, "
               "\"messages\": {}}}}}\n",
               finished, all, messages);
  } else {
    show(fmt::format("simulating: {} messages, {} of {} ranks done",
                     format_count(static_cast<std::int64_t>(messages)), format_count(finished),
                     format_count(all)));
  }
}

void Progress::clear() {
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
  shown_ = false;
}

}  // namespace orrery::app
