// SPDX-License-Identifier: Apache-2.0
#include "terminal_progress.h"

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
constexpr auto kUnseen = std::chrono::seconds(1);  // shorter phases are not shown, to avoid flicker

std::string in_json(std::string_view text) {
  std::string json;
  report::JsonWriter(json).value(text);
  return json;
}

/// Cuts a line to the width of the terminal: a wrapped line could not be overwritten.
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

TerminalProgress::TerminalProgress(const Session& session) : begun_(Clock::now()), last_(begun_) {
  if (session.progress == "json") {
    output_ = Output::json;
  } else if (session.progress == "auto" && !session.quiet && ::isatty(2) == 1) {
    const char* terminal = std::getenv("TERM");
    if (terminal != nullptr && std::string_view(terminal) != "dumb") output_ = Output::line;
  }
}

/// "1.2e+03/s, 4 s left; best so far: …"
std::string TerminalProgress::about(const ProgressPhase& phase, std::uint64_t done,
                                    std::uint64_t of) const {
  const double seconds = std::chrono::duration<double>(last_ - begun_).count();
  if (!phase.show_rate || done <= phase.known || done >= of || seconds < 1) return phase.about;
  const double rate = static_cast<double>(done - phase.known) / seconds;
  const double remaining = static_cast<double>(of - done) / rate;
  return fmt::format("{:.3g}/s, {} left{}{}", rate,
                     format_time(Time(static_cast<std::int64_t>(remaining) * 1'000'000'000'000)),
                     phase.about.empty() ? "" : "; ", phase.about);
}

bool TerminalProgress::is_due() const {
  return output_ != Output::off && Clock::now() - last_ >= kBetween;
}

void TerminalProgress::show(const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) {
  last_ = Clock::now();
  if (output_ == Output::json) {
    print_stderr(
        fmt::format("{{\"progress\": {{\"phase\": {}, \"done\": {}, \"of\": {}, \"unit\": {}, "
                    "\"about\": {}}}}}\n",
                    in_json(phase.name), done, of == 0 ? "null" : std::to_string(of),
                    in_json(phase.unit), in_json(about(phase, done, of))));
    return;
  }
  std::string line(phase.words);
  if (of > 0)
    line += fmt::format(": {} of {}{}", amount(done, phase.unit), amount(of, phase.unit),
                        phase.unit == "bytes" ? "" : fmt::format(" {}", phase.unit));
  if (const std::string more = about(phase, done, of); !more.empty())
    line += fmt::format(" ({})", printable(more));
  print_stderr(fmt::format("\r\x1b[K{}", within_terminal(std::move(line))));
  shown_ = true;
}

void TerminalProgress::begin(const ProgressPhase& phase, std::uint64_t of) {
  if (output_ == Output::off || phase_ == phase.name) return;
  phase_ = phase.name;
  complete_ = false;
  begun_ = Clock::now();
  show(phase, 0, of);
}

void TerminalProgress::update(const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) {
  if (output_ == Output::off) return;
  if (phase_ != phase.name) {
    phase_ = phase.name;
    complete_ = false;
    begun_ = Clock::now();
    if (output_ == Output::json && (of == 0 || done < of)) return show(phase, done, of);
  }
  const bool end = of > 0 && done >= of;
  if (end && output_ == Output::json) {
    if (!std::exchange(complete_, true)) show(phase, done, of);
    return;
  }
  const auto now = Clock::now();
  if (now - last_ < kBetween || (output_ == Output::line && now - begun_ < kUnseen)) return;
  show(phase, done, of);
}

void TerminalProgress::clear() {
  if (shown_) {
    print_stderr("\r\x1b[K");
  }
  shown_ = false;
}

}  // namespace orrery::app
