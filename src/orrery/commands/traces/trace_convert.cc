// SPDX-License-Identifier: Apache-2.0
//
// orrery trace convert: converts recorded traces to Chakra, and Chakra traces to other formats.
#include <functional>
#include <memory>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/progress.h"
#include "orrery/intake/flight_records/recorded_workload.h"
#include "orrery/intake/formats/convert_file.h"
#include "orrery/intake/messages/message_files.h"
#include "orrery/present/traces/convert_link_answer.h"
#include "orrery/study/jobs/workload_to_chakra.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/trace_prefix.h"

namespace orrery::commands {

namespace {

int convert_recorded(const RecordedTraces& options, Context& context) {
  auto job = study::job_options(options);
  if (!job) return context.fail(job.error());
  const std::string prefix = std::exchange(context.output, "");
  if (auto is_free = trace::check_prefix_unused(prefix, context.force); !is_free)
    return context.fail(is_free.error());
  job->force = context.force;
  Progress progress(context);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  job->converted = [&](std::uint32_t done, std::uint32_t of) { progress.converting(done, of); };
  const auto report = intake::convert_job(*job, prefix);
  progress.clear();
  if (!report) return context.fail(report.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_convert_job(answer, *report, prefix); });
}

int convert_other(const std::vector<std::string>& paths, const intake::ConvertFileOptions& other,
                  Context& context) {
  const auto done = intake::convert_file(paths, other);
  if (!done) return context.fail(done.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_converted_file(answer, *done); });
}

/// Converts what `read` returns, a workload of all ranks.
int convert_workload(const std::function<Result<graph::Workload>()>& read, Context& context) {
  const std::string prefix = std::exchange(context.output, "");
  if (auto is_free = trace::check_prefix_unused(prefix, context.force); !is_free)
    return context.fail(is_free.error());
  auto workload = read();
  if (!workload) return context.fail(workload.error());
  const auto written = study::write_chakra_workload(*workload, prefix, context.force);
  if (!written) return context.fail(written.error());
  intake::ConvertedFile done;
  done.to = prefix + ".*.et";
  done.per_rank = false;
  done.ranks = written->ranks;
  done.nodes = written->nodes;
  for (const std::uint32_t graph : workload->graph_of_rank)
    done.edges += workload->graphs[graph]->edge_count();
  done.findings = std::move(workload->findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_converted_file(answer, done); });
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
                               "other.json.gz", "Same as --traces"},
                 QuestionStruct{"recorded", &ConvertOptions::recorded, SelectedRow{"traces"},
                                SelectedRow{.name = "rank", .modes = kRecorded},
                                SelectedRow{.name = "threads", .modes = kRecorded},
                                SelectedRow{.name = "no_link", .modes = kRecorded},
                                SelectedRow{.name = "tensors", .modes = kRecorded}},
                 QuestionGroup{"Other formats"},
                 QuestionField{"npus", &ConvertOptions::npus, "--npus", "N", kAnswer, "4",
                               "ASTRA-sim 1.0 text: number of ranks"}
                     .only_for(kAstraText),
                 QuestionField{"passes", &ConvertOptions::passes, "--passes", "N", kAnswer, "2",
                               "ASTRA-sim 1.0 text: number of iterations"}
                     .only_for(kAstraText),
                 QuestionField{"large", &ConvertOptions::large, "--large", "", kAnswer, "true",
                               "Allow dot and GraphML with more than 10,000 nodes"}
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

int convert(ConvertOptions& options, CommandOptions& command, Context& context) {
  auto& traces = options.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return context.fail({Errc::usage, "", "nothing to convert", "give one or more traces"});
  if (context.output.empty())
    return context.fail({Errc::usage, "--output", "is missing",
                         "-o PREFIX for PREFIX.0.et …, or a file's name for one trace"});
  const std::string_view mode = mode_of(traces, context.output);
  if (auto fine = check_mode(command, mode); !fine) return context.fail(fine.error());
  if (mode == kRecorded) return convert_recorded(options.recorded, context);
  if (traces.size() == 1 && intake::is_message_file(traces.front()))
    return convert_workload([&] { return intake::read_message_file(traces.front(), 0); }, context);
  if (intake::has_flight_records(traces))
    return convert_workload([&] { return intake::read_flight_record_workload(traces, 0); },
                            context);
  return convert_other(traces,
                       {.to = std::exchange(context.output, ""),
                        .npus = options.npus,
                        .passes = options.passes,
                        .large = options.large,
                        .force = context.force},
                       context);
}

}  // namespace

Action add_trace_convert(CommandOptions& command, Context& context) {
  describe(command,
           "'orrery run' and ASTRA-sim read the result, one trace per rank. Reads Kineto\n"
           "(.pftrace, too) and PyTorch execution traces (linked with each other), Nsight\n"
           "Systems' SQLite exports, rocpd, XPlane (JAX, TensorFlow), RunMetadata (TensorFlow),\n"
           "ASTRA-sim 1.0 text, htsim's connection matrices, ns-3's lists of flows, GOAL\n"
           "schedules, FlexFlow's task graphs (dot), TensorFlow's cost graphs and dumps of\n"
           "PyTorch's flight recorder; recognizes them by content.\n"
           "Also converts a Chakra trace to JSON, dot or GraphML, by the ending of --output.\n"
           "\n"
           "Examples:\n"
           "  orrery trace convert --traces 'run/*.json.gz' -o chakra/w\n"
           "  orrery trace convert w.0.et -o w.0.json\n");
  const auto options = std::make_shared<ConvertOptions>();
  add_fields(command, *options);
  context.add_options(command);
  return [options, &command, &context] { return convert(*options, command, context); };
}

}  // namespace orrery::commands
