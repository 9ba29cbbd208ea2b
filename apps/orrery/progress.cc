// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/terminal_text.h"

namespace orrery::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr auto kUnseen = std::chrono::seconds(1);  // shorter phases do not flicker past

std::string in_json(std::string_view text) {
  std::string json;
  report::JsonWriter(json).value(text);
  return json;
}

/// As much of a line as the terminal has room for: the rest would stay there when the next is
/// written over it.
std::string within_terminal(std::string line) {
  winsize size{};
  if (::ioctl(2, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || line.size() < size.ws_col)
    return line;
  std::size_t end = size.ws_col - 1u;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  line.resize(end);
  return line;
}

std::string amount(std::uint64_t number, std::string_view unit) {
  const auto value = static_cast<std::int64_t>(number);
  return unit == "bytes" ? format_bytes(Bytes(value)) : format_count(value);
}

}  // namespace

Progress::Progress(const Session& session) : begun_(Clock::now()), last_(begun_) {
  if (session.progress == "json") {
    how_ = How::json;
  } else if (session.progress == "auto" && !session.quiet && ::isatty(2) == 1) {
    const char* terminal = std::getenv("TERM");
    if (terminal != nullptr && std::string_view(terminal) != "dumb") how_ = How::line;
  }
}

void Progress::show(const Phase& phase, std::uint64_t done, std::uint64_t of) {
  last_ = Clock::now();
  if (how_ == How::json) {
    talk(
        fmt::format("{{\"progress\": {{\"phase\": {}, \"done\": {}, \"of\": {}, \"unit\": {}, "
                    "\"about\": {}}}}}\n",
                    in_json(phase.name), done, of == 0 ? "null" : std::to_string(of),
                    in_json(phase.unit), in_json(phase.about)));
    return;
  }
  std::string line(phase.words);
  if (of > 0)
    line += fmt::format(": {} of {}{}", amount(done, phase.unit), amount(of, phase.unit),
                        phase.unit == "bytes" ? "" : fmt::format(" {}", phase.unit));
  if (!phase.about.empty()) line += fmt::format(" ({})", printable(phase.about));
  talk(fmt::format("\r\x1b[K{}", within_terminal(std::move(line))));
  shown_ = true;
}

void Progress::begin(const Phase& phase, std::uint64_t of) {
  if (how_ == How::off || phase_ == phase.name) return;
  phase_ = phase.name;
  through_ = false;
  begun_ = Clock::now();
  show(phase, 0, of);
}

void Progress::tell(const Phase& phase, std::uint64_t done, std::uint64_t of) {
  if (how_ == How::off) return;
  if (phase_ != phase.name) {
    phase_ = phase.name;
    through_ = false;
    begun_ = Clock::now();
    if (how_ == How::json && (of == 0 || done < of)) return show(phase, done, of);
  }
  const bool end = of > 0 && done >= of;
  if (end && how_ == How::json) {
    if (!std::exchange(through_, true)) show(phase, done, of);
    return;
  }
  const auto now = Clock::now();
  if (now - last_ < kBetween || (how_ == How::line && now - begun_ < kUnseen)) return;
  show(phase, done, of);
}

void Progress::reading(std::uint32_t ranks, std::uint32_t all) {
  tell({"read", "reading traces", "ranks"}, ranks, all);
}

void Progress::converting(std::uint32_t ranks, std::uint32_t all) {
  tell({"convert", "converting traces", "ranks"}, ranks, all);
}

void Progress::simulating(std::uint32_t finished, std::uint32_t all, std::uint64_t messages) {
  if (how_ == How::off) return;
  tell({"simulate", "simulating", "ranks",
        format_count(static_cast<std::int64_t>(messages)) + " messages"},
       finished, all);
}

void Progress::writing_ranks(std::uint64_t ranks, std::uint64_t all) {
  tell({"write", "writing traces", "ranks"}, ranks, all);
}

void Progress::writing(const std::string& path, std::uint64_t bytes, std::uint64_t of) {
  if (how_ == How::off) return;
  tell({"write", "writing", "bytes", path}, bytes, of == 0 ? 0 : std::max(of, bytes + 1));
}

void Progress::written(const std::string& path, std::uint64_t bytes) {
  if (how_ == How::off) return;
  tell({"write", "writing", "bytes", path}, bytes, bytes);
}

void Progress::clear() {
  if (shown_) {
    talk("\r\x1b[K");
  }
  shown_ = false;
}

void ShownWatch::spilled(std::uint64_t bytes, const std::string& folder) {
  if (!announce_) return;
  session_.note(fmt::format(
      "half of the memory was full; {} of the traces are in a temporary file in {} (--stream)",
      format_bytes(Bytes(static_cast<std::int64_t>(bytes))), folder));
}

}  // namespace orrery::app
