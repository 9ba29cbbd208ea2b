// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "orrery/core/units.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"

namespace orrery::app {

namespace {

std::string quoted(const std::string& text) {
  std::string json;
  report::JsonWriter(json).value(text);
  return json;
}

}  // namespace

Progress::Progress(const Session& session)
    : begun_(std::chrono::steady_clock::now()), last_(begun_) {
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
  talk(fmt::format("\r\x1b[K{}", line));
  shown_ = true;
}

void Progress::reading(std::uint32_t ranks, std::uint32_t all) {
  if (!due()) return;
  if (how_ == How::json) {
    talk(fmt::format("{{\"progress\": {{\"phase\": \"read\", \"ranks\": {}, \"of\": {}}}}}\n",
                     ranks, all));
  } else {
    show(fmt::format("reading traces: {} of {}", format_count(ranks), format_count(all)));
  }
}

void Progress::simulating(std::uint32_t finished, std::uint32_t all, std::uint64_t messages) {
  if (!due()) return;
  if (how_ == How::json) {
    talk(
        fmt::format("{{\"progress\": {{\"phase\": \"simulate\", \"ranks\": {}, \"of\": {}, "
                    "\"messages\": {}}}}}\n",
                    finished, all, messages));
  } else {
    show(fmt::format("simulating: {} messages, {} of {} ranks done",
                     format_count(static_cast<std::int64_t>(messages)), format_count(finished),
                     format_count(all)));
  }
}

void Progress::writing(const std::string& path, std::uint64_t bytes, std::uint64_t of) {
  if (!due() || last_ - begun_ < std::chrono::seconds(1)) return;
  of = std::max(of, bytes);
  if (how_ == How::json) {
    talk(fmt::format(
        "{{\"progress\": {{\"phase\": \"write\", \"file\": {}, \"bytes\": {}, \"of\": {}}}}}\n",
        quoted(path), bytes, of));
  } else {
    const auto text = [](std::uint64_t size) {
      return format_bytes(Bytes(static_cast<std::int64_t>(size)));
    };
    show(fmt::format("writing {}: {} of about {}", report::printable(path), text(bytes), text(of)));
  }
}

void Progress::writing(const std::string& path) {
  if (how_ == How::json) {
    talk(fmt::format("{{\"progress\": {{\"phase\": \"write\", \"file\": {}}}}}\n", quoted(path)));
  } else if (how_ == How::line) {
    show("writing " + report::printable(path));
  }
}

void Progress::clear() {
  if (shown_) {
    talk("\r\x1b[K");
  }
  shown_ = false;
}

}  // namespace orrery::app
