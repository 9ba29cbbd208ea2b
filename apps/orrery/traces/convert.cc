// SPDX-License-Identifier: Apache-2.0
//
// orrery convert: from recorded traces to Chakra, and between Chakra and other forms.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/intake/formats/convert_file.h"
#include "orrery/present/traces/convert_link_text.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/trace_prefix.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

int convert_recorded(const RecordedTraces& options, Session& session) {
  auto job = study::job_options(options);
  if (!job) return session.fail(job.error());
  const std::string prefix = std::exchange(session.output, "");
  if (auto is_free = trace::check_prefix_unused(prefix, session.force); !is_free)
    return session.fail(is_free.error());
  job->force = session.force;
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  job->converted = [&](std::uint32_t done, std::uint32_t of) { progress.converting(done, of); };
  const auto report = intake::convert_job(*job, prefix);
  progress.clear();
  if (!report) return session.fail(report.error());
  return session.deliver(present::convert_job_text(*report, prefix, session.out_style()),
                         [&] { return present::convert_job_json(*report, prefix); });
}

int convert_other(const std::vector<std::string>& paths, const intake::ConvertFileOptions& other,
                  Session& session) {
  const auto done = intake::convert_file(paths, other);
  if (!done) return session.fail(done.error());
  return session.deliver(present::convert_file_text(*done, session.out_style()),
                         [&] { return present::convert_file_json(*done); });
}

constexpr std::string_view kRecorded = "recorded traces", kAstraText = "ASTRA-sim 1.0 text",
                           kPictures = "dot and GraphML";

struct ConvertOptions {
  std::vector<std::string> paths;
  RecordedTraces recorded;
  std::int64_t npus = 0, passes = 1;
  bool large = false;

  static constexpr auto fields =
      std::tuple{QuestionField{"paths", &ConvertOptions::paths, "TRACES", "", kAnswer,
                               "other.json.gz", "The same as --traces"},
                 QuestionStruct{"recorded", &ConvertOptions::recorded, SelectedRow{"traces"},
                                SelectedRow{.name = "rank", .modes = kRecorded},
                                SelectedRow{.name = "threads", .modes = kRecorded},
                                SelectedRow{.name = "no_link", .modes = kRecorded},
                                SelectedRow{.name = "tensors", .modes = kRecorded}},
                 QuestionGroup{"Other formats"},
                 QuestionField{"npus", &ConvertOptions::npus, "--npus", "N", kAnswer, "4",
                               "ASTRA-sim 1.0 text: for so many ranks"}
                     .only_for(kAstraText),
                 QuestionField{"passes", &ConvertOptions::passes, "--passes", "N", kAnswer, "2",
                               "ASTRA-sim 1.0 text: so many iterations"}
                     .only_for(kAstraText),
                 QuestionField{"large", &ConvertOptions::large, "--large", "", kAnswer, "true",
                               "dot and GraphML of more than 10,000 nodes"}
                     .only_for(kPictures)};
};

/// Which options apply.
std::string_view mode_of(const std::vector<std::string>& traces, const std::string& to) {
  if (study::is_recorded_traces(traces)) return kRecorded;
  const auto inputs = trace::inputs_in(traces.front());
  if (inputs && !inputs->empty() && inputs->front().format == trace::Format::astra_text)
    return kAstraText;
  return to.ends_with(".dot") || to.ends_with(".graphml") ? kPictures : "";
}

int convert(ConvertOptions& options, CLI::App& command, Session& session) {
  auto& traces = options.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return session.fail({Errc::usage, "", "nothing to convert", "give one or more traces"});
  if (session.output.empty())
    return session.fail({Errc::usage, "--output", "is missing",
                         "-o PREFIX for PREFIX.0.et …, or a file's name for one trace"});
  const std::string_view mode = mode_of(traces, session.output);
  if (auto fine = check_mode(command, mode); !fine) return session.fail(fine.error());
  if (mode == kRecorded) return convert_recorded(options.recorded, session);
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
  return [options, &command, &session] { return convert(*options, command, session); };
}

}  // namespace orrery::app
