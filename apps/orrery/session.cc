// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "command.h"
#include "orrery/core/text/text.h"
#include "orrery/report/json/envelope.h"
#include "output_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

std::vector<std::string_view> color_words() { return {"auto", "always", "never"}; }
std::vector<std::string_view> progress_words() { return {"auto", "never", "json"}; }

constexpr auto kOutputFields =
    std::tuple{QuestionField{"json", &OutputOptions::json, "--json", "", kNothing, "true",
                             "Print the result as JSON"},
               QuestionField{"output", &OutputOptions::output, "-o,--output", "FILE", kNothing,
                             "out.json", kWritesJson},
               QuestionField{"force", &OutputOptions::force, "--force", "", kNothing, "true",
                             "Overwrite FILE"},
               QuestionField{"quiet", &OutputOptions::quiet, "-q,--quiet", "", kNothing, "true",
                             "No notes, warnings or progress on stderr"},
               QuestionField{"color", &OutputOptions::color, "--color", "WHEN", kNothing, "never",
                             "auto, always or never", color_words},
               QuestionField{"progress", &OutputOptions::progress, "--progress", "HOW", kNothing,
                             "never", "auto, never or json (lines on stderr)", progress_words}};

}  // namespace

constexpr const auto& question_table(const OutputOptions*) { return kOutputFields; }
constexpr std::string_view question_group(const OutputOptions*) { return "Output"; }

void Session::add_options(CLI::App& sub) {
  const Command& command_row = *find_command(sub.get_name());
  const Output& outputs = command_row.output;
  add_fields(sub, static_cast<OutputOptions&>(*this), [&](std::string_view name, std::string_view) {
    return name == "json"                        ? outputs.json
           : name == "output" || name == "force" ? !outputs.file.empty()
                                                 : true;
  });
  if (!outputs.file.empty())
    sub.get_option("--output")->description(output_description(command_row));
}

Result<void> Session::check_output() const {
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
  const auto document = [&] { return report::with_question(to_json(), question); };
  Result<void> done;
  if (!output.empty()) {
    done = write_output(output, document(), force);
    if (done && !json && output != "-") done = write_output("-", text, false);
  } else {
    done = write_output("-", json ? document() : std::string(text), false);
  }
  return done ? code : fail(done.error());
}

}  // namespace orrery::app
