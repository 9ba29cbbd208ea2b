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
#include "question_options.h"

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

int convert_other(const std::vector<std::string>& paths, const intake::OtherFormats& other,
                  Session& session) {
  const auto done = intake::convert_file(paths, other);
  if (!done) return session.fail(done.error());
  return session.deliver(present::converted_text(*done, session.out_style()),
                         [&] { return present::converted_json(*done); });
}

struct ConvertOptions {
  std::vector<std::string> paths;
  RecordedTraces recorded;
  std::int64_t npus = 0, passes = 1;
  bool large = false;

  static constexpr auto fields =
      std::tuple{QuestionField{"paths", &ConvertOptions::paths, "TRACES", "", kAnswer,
                               "other.json.gz", "The same as --traces"},
                 QuestionPart{"recorded", &ConvertOptions::recorded},
                 QuestionGroup{"Other formats"},
                 QuestionField{"npus", &ConvertOptions::npus, "--npus", "N", kAnswer, "4",
                               "ASTRA-sim 1.0 text: for so many ranks"},
                 QuestionField{"passes", &ConvertOptions::passes, "--passes", "N", kAnswer, "2",
                               "ASTRA-sim 1.0 text: so many iterations"},
                 QuestionField{"large", &ConvertOptions::large, "--large", "", kAnswer, "true",
                               "dot and GraphML of more than 10,000 nodes"}};
};

int convert(ConvertOptions& options, Session& session) {
  auto& traces = options.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return session.fail({Errc::usage, "", "nothing to convert", "give one or more traces"});
  if (session.output.empty())
    return session.fail({Errc::usage, "--output", "is missing",
                         "-o PREFIX for PREFIX.0.et …, or a file's name for one trace"});
  if (study::are_recorded(traces)) return convert_recorded(options.recorded, session);
  return convert_other(traces,
                       {.to = std::exchange(session.output, ""),
                        .npus = options.npus,
                        .passes = options.passes,
                        .large = options.large,
                        .force = session.force},
                       session);
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
  const auto options = std::make_shared<ConvertOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return convert(*options, session); };
}

}  // namespace orrery::app
