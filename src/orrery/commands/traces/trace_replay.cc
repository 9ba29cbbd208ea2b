// SPDX-License-Identifier: Apache-2.0
//
// orrery trace replay: simulates a recording again.
#include <fmt/format.h>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/progress.h"
#include "orrery/core/text/units.h"
#include "orrery/present/traces/replay_answer.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/recordings/replay.h"
#include "orrery/trace/kineto/writer.h"

namespace orrery::commands {

namespace {

struct ReplayOptions {
  std::vector<std::string> paths, scales, without;
  bool learn = false;
  std::string kineto;
  RecordedTraces recorded;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &ReplayOptions::paths, "TRACES", "", kAnswer, "other.json.gz",
                    "Recorded traces, of one rank or several"},
      QuestionField{"scales", &ReplayOptions::scales, "--scale", "NAME=FACTOR", kAnswer,
                    "kernels=0.5",
                    "Scale recorded times of host, kernels, copies, communication, or of kernels "
                    "by part of their name"},
      QuestionField{
          "without", &ReplayOptions::without, "--ignore", "WHAT", kAnswer, "lags",
          "Ignore dependencies of a kind: lanes (order within a stream), lags, launch-latency, "
          "streams (waits for each other), threads (hand-offs), think-time, rendezvous"},
      QuestionField{"learn", &ReplayOptions::learn, "--learn", "", kAnswer, "true",
                    "Predict each step with the times of the step before it, and print the error"},
      QuestionField{"kineto", &ReplayOptions::kineto, "--kineto", "FILE", kNothing, "times.json",
                    "Write the simulated times as a trace for Perfetto and HTA; several ranks: "
                    "FILE.rank0.json …"},
      QuestionStruct{"recorded", &ReplayOptions::recorded}};
};

Error no_scale(const std::string& text) {
  return {Errc::usage, "--scale", fmt::format("'{}' is not NAME=FACTOR", text),
          "host, kernels, copies or communication, or part of a kernel's name: "
          "--scale kernels=0.5 --scale gemm=0.8; a factor is above 0 and at most 1000"};
}

Result<profile::CostScales> scales_of(const std::vector<std::string>& typed) {
  profile::CostScales scales;
  for (const std::string& text : typed) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) return tl::unexpected(no_scale(text));
    const std::string name = text.substr(0, equals);
    const auto factor = parse_number(text.substr(equals + 1));
    if (!factor || !(*factor > 0 && *factor <= 1000)) return tl::unexpected(no_scale(text));
    if (name == "host") {
      scales.host = *factor;
    } else if (name == "kernels") {
      scales.kernels = *factor;
    } else if (name == "copies") {
      scales.copies = *factor;
    } else if (name == "communication") {
      scales.communication = *factor;
    } else {
      scales.named.emplace_back(name, *factor);
    }
  }
  return scales;
}

Result<void> leave_out(const std::vector<std::string>& typed, study::ReplayQuestion& question) {
  for (const std::string& word : typed) {
    profile::IgnoredDependencies& out = question.leave_out;
    if (word == "lanes") {
      out.lanes = true;
    } else if (word == "lags") {
      out.lags = true;
    } else if (word == "launch-latency") {
      out.launch_latency = true;
    } else if (word == "streams") {
      out.across_streams = true;
    } else if (word == "threads") {
      out.between_threads = true;
    } else if (word == "think-time") {
      out.think_time = true;
    } else if (word == "rendezvous") {
      question.together = false;
    } else {
      return fail(Errc::usage, "--ignore", fmt::format("'{}' is not a kind of dependency", word),
                  "lanes, lags, launch-latency, streams, threads, think-time or rendezvous");
    }
  }
  return {};
}

Result<void> write_traces(const study::Replay& replay, const std::string& path, bool force) {
  for (const study::ReplayedRank& rank : replay.ranks) {
    std::string name = path;
    if (replay.ranks.size() > 1) {
      const std::size_t slash = path.rfind('/') + 1;  // npos + 1 == 0
      const std::size_t dot = path.find('.', slash);
      const std::size_t at = dot == std::string::npos ? path.size() : dot;
      name = fmt::format("{}.rank{}{}", path.substr(0, at), rank.rank, path.substr(at));
    }
    if (auto done = trace::write_kineto(*rank.profile, name, force); !done) return done;
  }
  return {};
}

int replay(ReplayOptions& options, Context& context) {
  study::ReplayQuestion question;
  question.recorded = options.recorded;
  auto& traces = question.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return context.fail(
        {Errc::usage, "TRACES", "nothing to replay", "orrery trace replay TRACE ..."});
  const auto scales = scales_of(options.scales);
  if (!scales) return context.fail(scales.error());
  question.scales = *scales;
  if (const auto fine = leave_out(options.without, question); !fine)
    return context.fail(fine.error());
  question.learn = options.learn;
  question.keep_profiles = !options.kineto.empty();
  ShownWatch watch(context);
  const auto replayed = study::replay(question, watch);
  watch.phase_done();
  if (!replayed) return context.fail(replayed.error());
  if (question.keep_profiles) {
    if (const auto done = write_traces(*replayed, options.kineto, context.force); !done)
      return context.fail(done.error(), replayed->findings);
  }
  return context.deliver([&](report::Answer& answer) { present::state_replay(answer, *replayed); });
}

}  // namespace

Action add_trace_replay(CommandOptions& command, Context& context) {
  describe(
      command,
      "Rebuilds the schedule from dependencies and resources: threads, streams,\n"
      "launches, synchronization, and communications that wait for all of their ranks.\n"
      "Durations are the recorded ones; start times are simulated.\n"
      "\n"
      "Examples:\n"
      "  orrery trace replay rank0.kineto.json.gz\n"
      "  orrery trace replay 'trace/rank*.json.gz' --scale kernels=0.5 --kineto faster.json\n");
  return action_with_options(command, context, replay);
}

}  // namespace orrery::commands
