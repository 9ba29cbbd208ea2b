// SPDX-License-Identifier: Apache-2.0
//
// orrery obfuscate: traces that can be shown to others.
#include "orrery/intake/edit/obfuscate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "arguments.h"
#include "orrery/core/units.h"
#include "orrery/report/envelope.h"
#include "orrery/report/json.h"
#include "output_file.h"
#include "prefix.h"
#include "recorded.h"

namespace orrery::app {

namespace {

struct ObfuscateArguments {
  std::string from;
  std::string salt;
};

std::string obfuscated_text(const intake::ObfuscateReport& report, const std::string& to,
                            report::Style style) {
  const auto count = [](std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); };
  report::Sheet sheet(style, 18);
  sheet.add("written", fmt::format("{} rank{}, {} nodes → {}", report.ranks,
                                   report.ranks == 1 ? "" : "s", count(report.nodes), to));
  sheet.add("names", fmt::format("{} replaced", count(report.names)));
  sheet.add("attributes", fmt::format("{} kept, {} dropped", count(report.attributes_kept),
                                      count(report.attributes_dropped)));
  sheet.add("re-identification",
            fmt::format("{} of {} names ({}) are alone in how often they occur, as what, and how "
                        "long they take: whoever has the trace of the same job could tell them",
                        count(report.reidentification.unique), count(report.reidentification.names),
                        report::percent(report.reidentification.share())));
  return sheet.text();
}

int obfuscate(const ObfuscateArguments& arguments, Session& session) {
  const std::string to = std::exchange(session.output, "");
  if (arguments.from.empty() || to.empty())
    return session.fail(
        {Errc::usage, "", "needs a trace and --output", "orrery obfuscate chakra/w -o public/w"});
  if (study::are_recorded({arguments.from}))
    return session.fail({Errc::input_unsupported, arguments.from,
                         "is a recorded trace; Chakra traces are obfuscated",
                         "'orrery convert' makes one of it"});
  std::error_code ignored;
  const bool one = std::filesystem::is_regular_file(arguments.from, ignored);
  const auto free = one ? check_absent(to, session.force) : check_prefix_free(to, session.force);
  if (!free) return session.fail(free.error());
  Findings findings;
  const auto report =
      intake::obfuscate(arguments.from, to, arguments.salt, session.force, findings);
  if (!report) return session.fail(report.error(), findings);
  return session.deliver(obfuscated_text(*report, to, session.out_style()), [&] {
    std::string out;
    report::JsonWriter json(out);
    report::begin_envelope(json, "obfuscate");
    json.begin_object().field("ranks", report->ranks).field("nodes", report->nodes);
    json.field("names", report->names).field("attributes_kept", report->attributes_kept);
    json.field("attributes_dropped", report->attributes_dropped);
    json.key("reidentification").begin_object().field("names", report->reidentification.names);
    json.field("unique", report->reidentification.unique).end_object().end_object();
    report::end_envelope(json, findings);
    return out + '\n';
  });
}

}  // namespace

void add_obfuscate(CLI::App& table, Session& session) {
  CLI::App* command =
      table.add_subcommand("obfuscate", "Make Chakra traces that can be shown to others");
  command->description(
      "Make Chakra traces that can be shown to others.\n"
      "Only what a simulation needs goes through: the graph, durations, types and sizes (two "
      "digits).\n"
      "Names become numbers, or keyed hashes with --salt; shapes, schemas, process groups' names "
      "and\n"
      "everything else are left out. Says how well names could still be told.\n\n"
      "Examples:\n"
      "  orrery obfuscate chakra/w -o public/w\n"
      "  orrery obfuscate w.0.et --salt 'kept secret' -o public.0.et\n");
  const auto options = std::make_shared<ObfuscateArguments>();
  command->add_option("PREFIX", options->from, "Traces PREFIX.0.et …, or one file")->type_name("");
  command
      ->add_option("--salt", options->salt,
                   "Names become the same in all traces with this salt; keep it secret")
      ->type_name("TEXT");
  session.add_options(*command, true);
  command->callback([options, &session] {
    session.command = "obfuscate";
    session.action = [options, &session] { return obfuscate(*options, session); };
  });
}

}  // namespace orrery::app
