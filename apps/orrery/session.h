// SPDX-License-Identifier: Apache-2.0
//
// The context of a command on the command line: terminal, environment, browser.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/context.h"
#include "orrery/commands/output_file.h"

namespace orrery::app {

// Commands of the program can then be written like those of the library.
using namespace orrery::commands;  // NOLINT(google-build-using-namespace)

class Session final : public Context {
 public:
  Session();

  Action action;  ///< of the parsed command

  /// Whether stdout and stderr use colors: according to --color, then CLICOLOR_FORCE, NO_COLOR,
  /// TERM and whether it is a terminal.
  [[nodiscard]] report::Style out_style() const override { return style(1); }
  [[nodiscard]] report::Style err_style() const { return style(2); }

  /// Writes the error to stderr, and with --json as JSON to stdout.
  int fail(const Error& error, const Findings& findings = {}) const override;
  void report_error(const Error& error) const override;
  void note(std::string_view text) const override;
  void warn(std::string_view text) const override;
  /// Writes `text` to stdout. JSON goes to stdout with --json, or to the file of --output.
  int deliver(std::string_view text, const std::function<std::string()>& to_json,
              int code = kOk) const override;
  [[nodiscard]] std::unique_ptr<ProgressSink> start_progress() const override;
  [[nodiscard]] std::function<bool()> start_timer(double seconds) const override;
  void show_page(const std::string& path) const override;
  [[nodiscard]] std::string launcher_variable(const char* name) const override;
  [[nodiscard]] std::string program_file() const override;

 private:
  [[nodiscard]] report::Style style(int descriptor) const;
};

/// Writes `text` to stderr. Ignores a closed stderr.
void print_stderr(std::string_view text);

/// Writes all of `text` to stdout. False if that fails.
bool print(std::string_view text);

/// Ctrl-C ends the program with exit code 130. Neither Ctrl-C nor SIGTERM, SIGHUP or a closed pipe
/// leaves a partial file. Exceeding the limit on file sizes becomes a write error.
void install_signal_handlers();

}  // namespace orrery::app
