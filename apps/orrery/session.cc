// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "commands.h"
#include "orrery/core/suggest.h"
#include "orrery/core/text.h"
#include "orrery/report/envelope.h"
#include "output_file.h"

namespace orrery::app {

void Session::add_options(CLI::App& sub) {
  const Output& outputs = find_command(sub.get_name())->output;
  if (outputs.json) sub.add_flag("--json", json, "Print the result as JSON")->group("Output");
  if (!outputs.file.empty()) {
    sub.add_option("-o,--output", output, std::string(outputs.file))
        ->type_name("FILE")
        ->group("Output");
    sub.add_flag("--force", force, "Overwrite FILE")->group("Output");
  }
  sub.add_flag("-q,--quiet", quiet, "No notes, warnings or progress on stderr")->group("Output");
  sub.add_option("--color", color, "auto, always or never")->type_name("WHEN")->group("Output");
  sub.add_option("--progress", progress, "auto, never or json (lines on stderr)")
      ->type_name("HOW")
      ->group("Output");
}

Result<void> Session::check_options() const {
  if (auto fine = one_of("--color", color, {"auto", "always", "never"}); !fine) return fine;
  if (auto fine = one_of("--progress", progress, {"auto", "never", "json"}); !fine) return fine;
  // Better now than after an hour of simulation.
  return output.empty() || goes_on ? Result<void>{} : check_absent(output, force);
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

void Session::talk_error(const Error& error) const {
  const std::string text = printable_lines(to_string(error));
  talk(fmt::format("orrery{}{}: {} {}\n", command.empty() ? "" : " ", command,
                   err_style().bad("error:"), text));
}

int Session::fail(const Error& error, const Findings& findings) const {
  talk_error(error);
  if (json) print(report::error_envelope(command, error, findings));
  return exit_code(error.code);
}

void Session::note(std::string_view text) const {
  if (!quiet) talk(fmt::format("orrery {}: {}\n", command, printable(text)));
}

void Session::warn(std::string_view text) const {
  if (!quiet)
    talk(fmt::format("orrery {}: {} {}\n", command, err_style().warn("warning:"), printable(text)));
}

int Session::deliver(std::string_view text, const std::function<std::string()>& to_json,
                     int code) const {
  Result<void> done;
  if (!output.empty()) {
    done = write_output(output, to_json(), force);
    if (done && !json && output != "-") done = write_output("-", text, false);
  } else {
    done = write_output("-", json ? to_json() : std::string(text), false);
  }
  return done ? code : fail(done.error());
}

}  // namespace orrery::app
