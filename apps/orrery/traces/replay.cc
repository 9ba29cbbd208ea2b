// SPDX-License-Identifier: Apache-2.0
//
// orrery replay: a recording played again.
#include "orrery/study/recordings/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/core/text/units.h"
#include "orrery/present/traces/replay_text.h"
#include "orrery/trace/kineto/writer.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

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
                    "What takes another time than it took, as a multiple: host, kernels, copies, "
                    "communication, or part of a kernel's name"},
      QuestionField{"without", &ReplayOptions::without, "--without", "WHAT", kAnswer, "lags",
                    "Leave out, to see what it is worth: lanes (streams are apart), lags, "
                    "launch-latency, streams (their waits for each other), threads (their "
                    "hand-offs), think-time, rendezvous"},
      QuestionField{"learn", &ReplayOptions::learn, "--learn", "", kAnswer, "true",
                    "Each step but the first takes the times of the one before: how well the next "
                    "one can be known"},
      QuestionField{"kineto", &ReplayOptions::kineto, "--kineto", "FILE", kNothing, "times.json",
                    "Write the simulated times as a trace that Perfetto and HTA read; of several "
                    "ranks one file each, FILE.rank0.json …"},
      QuestionStruct{"recorded", &ReplayOptions::recorded}};
};

Error no_scale(const std::string& text) {
  return {Errc::usage, "--scale", fmt::format("'{}' is no NAME=FACTOR", text),
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
      return fail(Errc::usage, "--without", fmt::format("'{}' is none of them", word),
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

int replay(ReplayOptions& options, Session& session) {
  study::ReplayQuestion question;
  question.recorded = options.recorded;
  auto& traces = question.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return session.fail({Errc::usage, "TRACES", "nothing to replay", "orrery replay TRACE ..."});
  const auto scales = scales_of(options.scales);
  if (!scales) return session.fail(scales.error());
  question.scales = *scales;
  if (const auto fine = leave_out(options.without, question); !fine)
    return session.fail(fine.error());
  question.learn = options.learn;
  question.keep_profiles = !options.kineto.empty();
  ShownWatch watch(session);
  const auto replayed = study::replay(question, watch);
  watch.phase_done();
  if (!replayed) return session.fail(replayed.error());
  if (question.keep_profiles) {
    if (const auto done = write_traces(*replayed, options.kineto, session.force); !done)
      return session.fail(done.error(), replayed->findings);
  }
  return session.deliver(present::replay_text(*replayed, session.out_style()),
                         [&] { return present::replay_json(*replayed); });
}

}  // namespace

Action add_replay(CLI::App& command, Session& session) {
  describe(command,
           "The schedule is rebuilt from dependencies and resources alone: threads, streams,\n"
           "launches, synchronisation, communication as a meeting of ranks. Durations are the\n"
           "recorded ones; start times are simulated.\n"
           "\n"
           "Examples:\n"
           "  orrery replay rank0.kineto.json.gz\n"
           "  orrery replay 'trace/rank*.json.gz' --scale kernels=0.5 --kineto faster.json\n");
  const auto options = std::make_shared<ReplayOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return replay(*options, session); };
}

}  // namespace orrery::app
