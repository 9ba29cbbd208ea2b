// SPDX-License-Identifier: Apache-2.0
//
// orrery trace info: shows the contents of traces.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/commands/traces/trace_info_hangs.h"
#include "orrery/commands/traces/trace_info_views.h"
#include "orrery/intake/flight_records/dump_files.h"
#include "orrery/intake/messages/message_files.h"
#include "orrery/present/traces/inspect_answer.h"
#include "orrery/present/traces/inspect_structure_answer.h"
#include "orrery/present/traces/inspect_structure_svg.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/recordings/views/view.h"
#include "orrery/trace/chakra/load.h"

namespace orrery::commands {

namespace {

struct InspectOptions {
  std::vector<std::string> paths;
  std::string groups;
  bool structure = false;
  std::string plot;
  bool repair = false;
  std::vector<std::string> views;
  PageOptions page;
  RecordedTraces recorded;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &InspectOptions::paths, "PREFIX", "", kAnswer, "w",
                    "Chakra traces (their common prefix, or files), recorded traces, or dumps of "
                    "PyTorch's flight recorder (their folder, or files)"},
      QuestionField{"groups", &InspectOptions::groups, "--groups", "FILE", kAnswer, "groups.json",
                    "Process groups, JSON: {\"NAME\": [ranks]}; NAME is the pg_name of nodes"},
      QuestionField{
          "structure", &InspectOptions::structure, "--structure", "", kAnswer, "true",
          "Show the repeated parts of each rank's work instead: steps, microbatches, layers"},
      QuestionField{"plot", &InspectOptions::plot, "--plot", "FILE", kNothing, "structure.svg",
                    "Plot this structure as SVG (implies --structure)"},
      QuestionField{"repair", &InspectOptions::repair, "--repair", "", kAnswer, "true",
                    "Drop damaged nodes and edges, and count them"},
      QuestionStruct{"recorded", &InspectOptions::recorded},
      QuestionField{"views", &InspectOptions::views, "--view", "NAMES", kAnswer, "ranges",
                    study::kTraceViewHelp, study::trace_view_names}
          .comma_separated()
          .one_each(),
      QuestionStruct{"page", &InspectOptions::page,
                     SelectedRow{"path", "Write the tables of recorded traces as one web page"},
                     SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// A file, not a prefix. The reader refuses pipes, with a reason.
bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

Result<graph::Workload> read(const InspectOptions& options, const Context& context) {
  const graph::Repair repair = options.repair ? graph::Repair::repair : graph::Repair::refuse;
  const bool files = std::all_of(options.paths.begin(), options.paths.end(), is_file);
  if (!files && options.paths.size() > 1) {
    return fail(Errc::usage, "PREFIX", "give one prefix, or one or more files",
                "a prefix 'dir/w' stands for dir/w.0.et, dir/w.1.et, …");
  }
  if (!files) {
    Progress progress(context);
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
  if (options.paths.size() == 1 && intake::is_message_file(options.paths.front()))
    return intake::read_message_file(options.paths.front(), 0);
  return trace::chakra::load_files(options.paths, repair);
}

/// The repeated parts of the ranks' work.
int inspect_structure(const graph::Workload& workload, const std::string& name,
                      const std::string& plot, Context& context) {
  if (!plot.empty())
    if (auto done = write_output(plot, present::structure_svg(name, workload), context.force);
        !done)
      return context.fail(done.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_structure(answer, name, workload); });
}

int inspect_recorded_structure(const RecordedTraces& recorded, const std::string& plot,
                               Context& context) {
  study::Question question;
  question.recorded = recorded;
  ShownWatch watch(context);
  const auto workload = study::read_recorded_workload(question, 0, watch);
  if (!workload) return context.fail(workload.error());
  return inspect_structure(*workload, recorded.traces.front(), plot, context);
}

int inspect(InspectOptions& options, Context& context) {
  options.structure = options.structure || !options.plot.empty();
  if (!options.recorded.traces.empty() || study::is_recorded_traces(options.paths)) {
    auto& traces = options.recorded.traces;
    traces.insert(traces.end(), options.paths.begin(), options.paths.end());
    if (!options.views.empty() || options.page.wanted())
      return show_views(options.recorded, options.views, options.page, context);
    return options.structure ? inspect_recorded_structure(options.recorded, options.plot, context)
                             : inspect_recorded(options.recorded, context);
  }
  if (intake::has_flight_records(options.paths)) {
    if (options.structure || !options.views.empty() || options.page.wanted())
      return context.fail({Errc::usage, "--view", "dumps of the flight recorder have no views",
                           "orrery trace info FOLDER"});
    return inspect_flight_records(options.paths, context);
  }
  if (options.paths.empty())
    return context.fail({Errc::usage, "PREFIX", "no trace is given", "give one or more traces"});
  const auto workload = read(options, context);
  if (!workload) return context.fail(workload.error());
  if (!options.views.empty() || options.page.wanted())
    return context.fail({Errc::usage, options.views.empty() ? "--html" : "--view",
                         "shows recorded traces, not Chakra traces",
                         "orrery trace info rank0.kineto.json.gz --view operators"});
  if (options.structure)
    return inspect_structure(*workload, options.paths.front(), options.plot, context);
  const analysis::WorkloadSummary summary = analysis::summarize(*workload);
  const std::string name =
      options.paths.size() == 1
          ? options.paths.front()
          : fmt::format("{} and {} more", options.paths.front(), options.paths.size() - 1);
  return context.deliver(
      [&](report::Answer& answer) { present::state_workload(answer, name, *workload, summary); });
}

}  // namespace

Action add_trace_info(CommandOptions& command, Context& context) {
  describe(command,
           "Prints nodes by kind, work, traffic by operation and group, the longest chain,\n"
           "and differences between ranks. For recorded traces: iterations, kernels by time,\n"
           "communication, overlap, idle time, and the share of it in which the device waits\n"
           "for the host. --view shows tables of recorded traces. The view operators also\n"
           "compares kernels with their predicted times alone, as orrery kernels context does.\n"
           "For dumps of PyTorch's flight recorder: the collectives that are stuck, and why.\n"
           "\n"
           "Examples:\n"
           "  orrery trace info llama/w\n"
           "  orrery trace info rank0.kineto.json.gz\n"
           "  orrery trace info rank0.kineto.json.gz --view operators,gemms\n"
           "  orrery trace info rank0.kineto.json.gz --html rank0.html\n"
           "  orrery trace info nccl_traces/\n");
  return action_with_options(command, context, inspect);
}

}  // namespace orrery::commands
