// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "browser.h"
#include "orrery/core/text/text.h"
#include "orrery/report/json/envelope.h"
#include "terminal_progress.h"

namespace orrery::app {

namespace fs = std::filesystem;

Session::Session() {
  std::error_code ignored;
  temporary_folder = fs::temp_directory_path(ignored).string();
}

report::Style Session::style(int descriptor) const {
  if (color == "always") return {true};
  if (color == "never") return {false};
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? std::string_view(value) : std::string_view();
  };
  if (const auto forced = set("CLICOLOR_FORCE"); !forced.empty() && forced != "0") return {true};
  if (!set("NO_COLOR").empty() || set("TERM") == "dumb" || set("CLICOLOR") == "0") return {false};
  return {::isatty(descriptor) == 1};
}

void Session::report_error(const Error& error) const {
  const std::string text = printable_lines(to_string(error));
  print_stderr(fmt::format("orrery{}{}: {} {}\n", command.empty() ? "" : " ", command,
                           err_style().bad("error:"), text));
}

int Session::fail(const Error& error, const Findings& findings) const {
  report_error(error);
  if (json) print(report::error_envelope(command, error, findings));
  return exit_code(error.code);
}

void Session::note(std::string_view text) const {
  if (!quiet) print_stderr(fmt::format("orrery {}: {}\n", command, printable(text)));
}

void Session::warn(std::string_view text) const {
  if (!quiet)
    print_stderr(
        fmt::format("orrery {}: {} {}\n", command, err_style().warn("warning:"), printable(text)));
}

int Session::deliver(std::string_view text, const std::function<std::string()>& to_json,
                     int code) const {
  Result<void> done;
  if (!output.empty()) {
    done = write_output(output, document(to_json), force);
    if (done && !json && output != "-") done = write_output("-", text, false);
  } else {
    done = write_output("-", json ? document(to_json) : std::string(text), false);
  }
  return done ? code : fail(done.error());
}

std::unique_ptr<ProgressSink> Session::start_progress() const {
  return std::make_unique<TerminalProgress>(*this);
}

std::function<bool()> Session::start_timer(double seconds) const {
  using Clock = std::chrono::steady_clock;
  return [period = std::chrono::duration<double>(seconds), last = Clock::now()]() mutable {
    if (Clock::now() - last < period) return false;
    last = Clock::now();
    return true;
  };
}

void Session::show_page(const std::string& path) const { app::show_page(path, *this); }

std::string Session::launcher_variable(const char* name) const {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string Session::program_file() const {
  std::error_code error;
  const fs::path file = fs::read_symlink("/proc/self/exe", error);
  return error ? program : file.string();
}

}  // namespace orrery::app
