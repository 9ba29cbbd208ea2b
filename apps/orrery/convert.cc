// SPDX-License-Identifier: Apache-2.0
//
// orrery convert: from recorded traces to Chakra, and between Chakra and other forms.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "inputs.h"
#include "orrery/intake/formats/convert_file.h"
#include "orrery/present/recorded_text.h"
#include "orrery/trace/io/prefix.h"
#include "progress.h"

namespace orrery::app {

namespace {

int convert_recorded(const RecordedTraces& options, Session& session) {
  auto job = study::job_options(options);
  if (!job) return session.fail(job.error());
  const std::string prefix = std::exchange(session.output, "");
  if (auto is_free = trace::check_prefix_free(prefix, session.force); !is_free)
    return session.fail(is_free.error());
  job->force = session.force;
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  job->converted = [&](std::uint32_t done, std::uint32_t of) { progress.converting(done, of); };
  const auto report = intake::convert_job(*job, prefix);
  progress.clear();
  if (!report) return session.fail(report.error());
  return session.deliver(present::conversion_text(*report, prefix, session.out_style()),
                         [&] { return present::conversion_json(*report, prefix); });
}

int convert_other(const std::vector<std::string>& paths, intake::OtherFormats& other,
                  Session& session) {
  other.to = std::exchange(session.output, "");
  other.force = session.force;
  const auto done = intake::convert_file(paths, other);
  if (!done) return session.fail(done.error());
  return session.deliver(present::converted_text(*done, session.out_style()),
                         [&] { return present::converted_json(*done); });
}

int convert(const RecordedTraces& options, intake::OtherFormats& other, Session& session) {
  if (options.traces.empty())
    return session.fail({Errc::usage, "", "nothing to convert", "give one or more traces"});
  if (session.output.empty())
    return session.fail({Errc::usage, "--output", "is missing",
                         "-o PREFIX for PREFIX.0.et …, or a file's name for one trace"});
  return study::are_recorded(options.traces) ? convert_recorded(options, session)
                                             : convert_other(options.traces, other, session);
}

void add_other_formats(CLI::App& command, intake::OtherFormats& options) {
  const char* const group = "Other formats";
  command.add_option("--npus", options.npus, "ASTRA-sim 1.0 text: for so many ranks")
      ->type_name("N")
      ->group(group);
  command.add_option("--passes", options.passes, "ASTRA-sim 1.0 text: so many iterations")
      ->type_name("N")
      ->group(group);
  command.add_flag("--large", options.large, "dot and GraphML of more than 10,000 nodes")
      ->group(group);
}

}  // namespace

Action add_convert(CLI::App& command, Session& session) {
  describe(command,
           "'orrery run' and ASTRA-sim read the result, one trace per rank.\n"
           "Reads Kineto (.pftrace, too) and PyTorch execution traces (linked with each\n"
           "other), Nsight Systems' SQLite exports, rocpd, ASTRA-sim 1.0 text; recognised by\n"
           "content. In the other direction: a Chakra trace to JSON, dot or GraphML, by the\n"
           "ending of --output.\n"
           "\n"
           "Examples:\n"
           "  orrery convert --traces 'run/*.json.gz' -o chakra/w\n"
           "  orrery convert w.0.et -o w.0.json\n");
  const auto options = std::make_shared<RecordedTraces>();
  const auto other = std::make_shared<intake::OtherFormats>();
  const auto more = std::make_shared<std::vector<std::string>>();
  command.add_option("TRACES", *more, "The same as --traces")->type_name("");
  add_recorded_options(command, *options);
  add_other_formats(command, *other);
  session.add_options(command);
  return [options, other, more, &session] {
    options->traces.insert(options->traces.end(), more->begin(), more->end());
    return convert(*options, *other, session);
  };
}

}  // namespace orrery::app
