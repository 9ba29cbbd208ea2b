// SPDX-License-Identifier: Apache-2.0
//
// orrery convert: from recorded traces to Chakra, and between Chakra and other forms.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "convert_text.h"
#include "orrery/core/units.h"
#include "orrery/report/envelope.h"
#include "other_formats.h"
#include "prefix.h"
#include "progress.h"
#include "recorded.h"

namespace orrery::app {

namespace {

std::string conversion_text(const intake::JobReport& report, const std::string& prefix,
                            report::Style style) {
  const bool one = report.converted.size() == 1;
  std::string text = fmt::format(
      "{}\n", style.strong(fmt::format("{} → {}.{}.et", ranks_of(report.job), prefix,
                                       one ? fmt::format("{}", report.written_as[0]) : "*")));
  text += "\n" + link_table(report, style) + "\n" + conversion_table(report, style) + "\n";
  report::Sheet sheet(style);
  text += job_text(report.job, style);
  report::add_findings(sheet, report.findings, style);
  return text + sheet.text() +
         fmt::format("\nNext: orrery check {0}\n      orrery run {0} --cluster cluster.yaml{1}\n",
                     prefix, one ? " --replicate" : "");
}

int convert_recorded(const RecordedTraces& options, Session& session) {
  auto job = study::job_options(options);
  if (!job) return session.fail(job.error());
  const std::string prefix = std::exchange(session.output, "");
  if (auto is_free = check_prefix_free(prefix, session.force); !is_free)
    return session.fail(is_free.error());
  job->force = session.force;
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  job->converted = [&](std::uint32_t done, std::uint32_t of) { progress.converting(done, of); };
  const auto report = intake::convert_job(*job, prefix);
  progress.clear();
  if (!report) return session.fail(report.error());
  return session.deliver(conversion_text(*report, prefix, session.out_style()), [&] {
    std::string out;
    report::JsonWriter json(out);
    report::begin_envelope(json, "convert");
    json.begin_object().field("prefix", prefix);
    write_ranks(json, *report);
    json.end_object();
    report::end_envelope(json, report->findings);
    return out + '\n';
  });
}

int convert(const RecordedTraces& options, const OtherFormats& other, Session& session) {
  if (options.traces.empty())
    return session.fail({Errc::usage, "", "nothing to convert", "give one or more traces"});
  if (session.output.empty())
    return session.fail({Errc::usage, "--output", "is missing",
                         "-o PREFIX for PREFIX.0.et …, or a file's name for one trace"});
  return study::are_recorded(options.traces) ? convert_recorded(options, session)
                                             : convert_other(options.traces, other, session);
}

}  // namespace

void add_convert(CLI::App& table, Session& session) {
  CLI::App* command =
      table.add_subcommand("convert", "Turn recorded traces into Chakra traces, and back to text");
  command->description(
      "Turn recorded traces into Chakra traces, one per rank, that 'orrery run' and ASTRA-sim "
      "take.\n"
      "Reads Kineto and PyTorch execution traces (linked with each other), Nsight Systems' SQLite\n"
      "exports, ASTRA-sim 1.0 text; found by content. The other way: a Chakra trace to JSON, dot "
      "or\n"
      "GraphML, by the ending of --output.\n\n"
      "Examples:\n"
      "  orrery convert --traces 'run/*.json.gz' -o chakra/w\n"
      "  orrery convert w.0.et -o w.0.json\n");
  const auto options = std::make_shared<RecordedTraces>();
  const auto other = std::make_shared<OtherFormats>();
  const auto more = std::make_shared<std::vector<std::string>>();
  command->add_option("TRACES", *more, "The same as --traces")->type_name("");
  add_recorded_options(*command, *options);
  add_other_formats(*command, *other);
  session.add_options(*command, true);
  command->callback([options, other, more, &session] {
    session.command = "convert";
    options->traces.insert(options->traces.end(), more->begin(), more->end());
    session.action = [options, other, &session] { return convert(*options, *other, session); };
  });
}

}  // namespace orrery::app
