// SPDX-License-Identifier: Apache-2.0
//
// orrery inspect: what is in a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "orrery/present/traces/inspect_structure_svg.h"
#include "orrery/present/traces/inspect_structure_text.h"
#include "orrery/present/traces/inspect_text.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/trace/chakra/load.h"
#include "output_file.h"
#include "progress.h"
#include "question_options.h"
#include "traces/recorded_traces.h"

namespace orrery::app {

namespace {

struct InspectOptions {
  std::vector<std::string> paths;
  std::string groups;
  bool structure = false;
  std::string plot;
  bool repair = false;
  RecordedTraces recorded;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &InspectOptions::paths, "PREFIX", "", kAnswer, "w",
                    "Traces: their common prefix, or files; recorded ones, too"},
      QuestionField{
          "groups", &InspectOptions::groups, "--groups", "FILE", kAnswer, "groups.json",
          "Process groups, JSON: {\"NAME\": [ranks]}; NAME is what nodes have as pg_name"},
      QuestionField{"structure", &InspectOptions::structure, "--structure", "", kAnswer, "true",
                    "What each rank's work is made of, instead: steps, microbatches, layers, as "
                    "they repeat"},
      QuestionField{"plot", &InspectOptions::plot, "--plot", "FILE", kNothing, "structure.svg",
                    "... drawn into an SVG"},
      QuestionField{"repair", &InspectOptions::repair, "--repair", "", kAnswer, "true",
                    "Drop damaged nodes and edges, and count them"},
      QuestionStruct{"recorded", &InspectOptions::recorded}};
};

/// Not a prefix. Pipes are refused by the reader, which says why.
bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

Result<graph::Workload> read(const InspectOptions& options, const Session& session) {
  const graph::Repair repair = options.repair ? graph::Repair::repair : graph::Repair::refuse;
  const bool files = std::all_of(options.paths.begin(), options.paths.end(), is_file);
  if (!files && options.paths.size() > 1) {
    return fail(Errc::usage, "PREFIX", "give one prefix, or one or more files",
                "a prefix 'dir/w' stands for dir/w.0.et, dir/w.1.et, …");
  }
  if (!files) {
    Progress progress(session);
    trace::chakra::LoadOptions load;
    load.repair = repair;
    load.group_file = options.groups;
    load.progress = [&](std::uint32_t done, std::uint32_t all) { progress.reading(done, all); };
    auto workload = trace::chakra::load_workload(options.paths.front(), load);
    if (!workload && workload.error().code == Errc::input_not_found &&
        workload.error().hint.empty()) {
      workload.error().hint =
          "give a trace file, or the common prefix of several: 'dir/w' stands for dir/w.0.et, …";
    }
    return workload;
  }
  return trace::chakra::load_files(options.paths, repair);
}

/// What the ranks' work is made of.
int inspect_structure(const graph::Workload& workload, const std::string& name,
                      const std::string& plot, Session& session) {
  if (!plot.empty())
    if (auto done = write_output(plot, present::structure_svg(name, workload), session.force);
        !done)
      return session.fail(done.error());
  return session.deliver(present::structure_text(name, workload, session.out_style()),
                         [&] { return present::structure_json(name, workload); });
}

int inspect_recorded_structure(const RecordedTraces& recorded, const std::string& plot,
                               Session& session) {
  study::Question question;
  question.recorded = recorded;
  ShownWatch watch(session);
  const auto workload = study::read_recorded_workload(question, 0, watch);
  if (!workload) return session.fail(workload.error());
  return inspect_structure(*workload, recorded.traces.front(), plot, session);
}

int inspect(InspectOptions& options, Session& session) {
  options.structure = options.structure || !options.plot.empty();
  if (!options.recorded.traces.empty() || study::is_recorded_traces(options.paths)) {
    auto& traces = options.recorded.traces;
    traces.insert(traces.end(), options.paths.begin(), options.paths.end());
    return options.structure ? inspect_recorded_structure(options.recorded, options.plot, session)
                             : inspect_recorded(options.recorded, session);
  }
  if (options.paths.empty())
    return session.fail({Errc::usage, "PREFIX", "nothing to look at", "give one or more traces"});
  const auto workload = read(options, session);
  if (!workload) return session.fail(workload.error());
  if (options.structure)
    return inspect_structure(*workload, options.paths.front(), options.plot, session);
  const analysis::WorkloadSummary summary = analysis::summarize(*workload);
  const std::string name =
      options.paths.size() == 1
          ? options.paths.front()
          : fmt::format("{} and {} more", options.paths.front(), options.paths.size() - 1);
  return session.deliver(present::inspect_text(name, *workload, summary, session.out_style()),
                         [&] { return present::inspect_json(name, *workload, summary); });
}

}  // namespace

Action add_inspect(CLI::App& command, Session& session) {
  describe(command,
           "Nodes by kind, work, traffic by operation and group, the longest chain,\n"
           "differences between ranks. Of recorded traces: iterations, kernels by time,\n"
           "communication, overlap, idle time, and how much of it the device waits for the\n"
           "host.\n"
           "\n"
           "Examples:\n"
           "  orrery inspect llama/w\n"
           "  orrery inspect rank0.kineto.json.gz\n");
  const auto options = std::make_shared<InspectOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return inspect(*options, session); };
}

}  // namespace orrery::app
