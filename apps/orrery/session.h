// SPDX-License-Identifier: Apache-2.0
//
// What all sub-commands share: the options every one has, where talk and data go, how a command
// ends.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/text/suggest.h"
#include "orrery/report/terminal_text.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// Exit codes that no Errc leads to.
inline constexpr int kOk = 0;
inline constexpr int kSaysNo = 1;
inline constexpr int kUsage = 2;
inline constexpr int kDefect = 70;
inline constexpr int kInterrupted = 130;

/// Runs a parsed command; returns the exit code.
using Action = std::function<int()>;

/// Options that every command has, and of --json, --output and --force what the table of commands
/// contains (Command::output).
struct OutputOptions {
  bool json = false;
  std::string output;
  bool force = false, quiet = false;
  std::string color = "auto", progress = "auto";
};

class Session : public OutputOptions {
 public:
  /// How this program was called, for commands that are to be typed.
  std::string program = "orrery";
  /// The sub-command that was asked for, for messages and the envelope.
  std::string command;
  std::string question;  ///< what was typed, as JSON; empty: nobody asked for JSON
  Action action;
  /// Options that ASTRA-sim would have ignored without a word (see arguments.h).
  std::vector<std::string> ignored_options;
  bool astra_options = false;  ///< ASTRA-sim's own options were typed
  bool congestion_aware_name =
      false;  ///< this program was called by the name of ASTRA-sim's congestion-aware one

  bool goes_on = false;  ///< what is in the output file is where the command goes on

  void add_options(CLI::App& command);
  /// Errc: output_exists.
  [[nodiscard]] Result<void> check_output() const;

  /// Colours on stdout and on stderr: --color, then CLICOLOR_FORCE, NO_COLOR, TERM and whether it
  /// is a terminal.
  [[nodiscard]] report::Style out_style() const { return style(1); }
  [[nodiscard]] report::Style err_style() const { return style(2); }

  /// Says why the command failed (stderr, and as JSON on stdout if asked for) and returns its exit
  /// code.
  int fail(const Error& error, const Findings& findings = {}) const;
  /// The stderr half of `fail`.
  void talk_error(const Error& error) const;
  /// One line on stderr, unless --quiet.
  void note(std::string_view text) const;
  void warn(std::string_view text) const;

  /// Hands over a finished command's data: `text` for people, `json()` with --json or --output.
  /// Returns `code`, or the exit code of a failed write.
  int deliver(std::string_view text, const std::function<std::string()>& to_json,
              int code = kOk) const;

 private:
  [[nodiscard]] report::Style style(int descriptor) const;
};

/// Writes `text` to stderr. Where nobody can read it the exit code has to do.
void talk(std::string_view text);

/// Writes all of `text` to stdout. False when stdout cannot take it.
bool print(std::string_view text);

/// Writes a file whole or not at all: a temporary beside it, then a rename. An existing file needs
/// `force`.
/// "-" is stdout. Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_output(const std::string& path, std::string_view text, bool force);

/// Ctrl-C ends the program with exit code 130; neither it nor SIGTERM, SIGHUP or a closed pipe
/// leaves a half-written file behind. A limit on the size of files becomes a write error.
void install_signal_handlers();

}  // namespace orrery::app
