// SPDX-License-Identifier: Apache-2.0
//
// orrery bench: replays recordings as benchmarks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "addons/bench/command/bench_micro.h"
#include "addons/bench/command/bench_module.h"
#include "addons/bench/command/bench_options.h"
#include "addons/bench/command/bench_rank.h"
#include "addons/bench/command/bench_ranks.h"
#include "addons/bench/command/rows.h"
#include "addons/bench/outcome/replay_timeline.h"
#include "addons/bench/plan/rank_agreement.h"
#include "addons/bench/programs/generated_program.h"
#include "addons/bench/text/bench_answer.h"
#include "addons/bench/text/bench_communication_answer.h"
#include "addons/bench/text/bench_page.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/core/text/text.h"
#include "orrery/report/html/replay_page.h"
#include "orrery/trace/kineto/writer.h"

namespace orrery::commands {

namespace {

Result<present::Benchmark> benchmark(BenchOptions& options, const std::vector<std::string>& traces,
                                     Context& context, Findings& findings) {
  const auto asked = plan_options(options);
  if (!asked) return tl::unexpected(asked.error());
  options.play.memory_limit = asked->memory_limit;
  const auto module = BenchModule::load();
  if (!module) return tl::unexpected(module.error());
  if (auto there = (*module)->use(options.play.device); !there)
    return tl::unexpected(std::move(there.error()));
  const std::int64_t begin = now_ns();
  const auto rank = read_selected_rank(options, traces, findings);
  auto planned = plan_rank(options, *asked, **module, rank, now_ns() - begin);
  if (!planned) return tl::unexpected(std::move(planned.error()));
  auto& [replay, text] = *planned;
  if (!options.plan.empty())
    if (auto done = write_output(options.plan, text, context.force); !done)
      return tl::unexpected(std::move(done.error()));
  if (options.only_plan) return std::move(replay);
  auto outcome = (*module)->play(text, options.play);
  if (!outcome) return tl::unexpected(std::move(outcome.error()));
  replay.outcome = *std::move(outcome);
  // Otherwise times are those of launches.
  if (options.play.device == "cpu" || options.play.synchronize)
    replay.similarity =
        bench::similarity_of(rank->profile, replay.plan, *replay.outcome, options.play.threads);
  replay.tables = options.similarity;
  return std::move(replay);
}

/// Benchmarks of all ranks, each in a separate process.
Result<std::vector<present::Benchmark>> benchmarks(const BenchOptions& options,
                                                   const std::vector<std::string>& traces,
                                                   Findings& findings) {
  auto asked = plan_options(options);
  if (!asked) return tl::unexpected(asked.error());
  const auto module = BenchModule::load();
  if (!module) return tl::unexpected(module.error());
  const auto ranks = selected_ranks(options, traces, findings);
  if (!ranks) return tl::unexpected(ranks.error());
  if (!options.memory_limit) asked->memory_limit /= static_cast<std::int64_t>(ranks->size());
  std::vector<PlannedRank> planned;
  for (const intake::RankFiles& files : *ranks) {
    const std::int64_t begin = now_ns();
    auto rank = intake::read_rank(files, std::make_shared<StringPool>());
    if (rank) findings.merge(rank->findings);
    auto one = plan_rank(options, *asked, **module, rank, now_ns() - begin);
    if (!one) return tl::unexpected(std::move(one.error()));
    planned.push_back(*std::move(one));
  }
  std::vector<RankReplay> play;
  for (PlannedRank& one : planned)
    play.push_back({one.benchmark.rank, &one.benchmark.plan, std::move(one.text)});
  std::vector<bench::RankPlan> plans;
  for (const RankReplay& rank : play) plans.push_back({rank.rank, rank.plan});
  if (auto agree = bench::check_agreement(plans); !agree)
    return tl::unexpected(std::move(agree.error()));
  std::vector<present::Benchmark> all;
  if (!options.only_plan) {
    ReplaySettings how = options.play;
    how.memory_limit = asked->memory_limit;
    how.timeout_ms = static_cast<std::int64_t>(options.timeout * 1000);
    auto outcomes = replay_ranks(play, how);
    if (!outcomes) return tl::unexpected(std::move(outcomes.error()));
    for (std::size_t i = 0; i < planned.size(); ++i)
      planned[i].benchmark.outcome = std::move((*outcomes)[i]);
  }
  for (PlannedRank& one : planned) all.push_back(std::move(one.benchmark));
  return all;
}

/// Writes all files, or none if one of them exists.
Result<void> write_program(const std::vector<bench::GeneratedFile>& files,
                           const std::string& folder, bool force) {
  for (const bench::GeneratedFile& file : files)
    if (auto absent = check_absent(folder + "/" + file.name, force); !absent) return absent;
  for (const bench::GeneratedFile& file : files)
    if (auto done = write_output(folder + "/" + file.name, file.text, force); !done) return done;
  return {};
}

Result<std::vector<bench::GeneratedFile>> program_of(const present::Benchmark& replay,
                                                     const BenchOptions& options) {
  if (!options.micro.enabled) return bench::generated_program(replay.plan);
  const auto all =
      bench::microbenchmarks_of(replay.plan, options.micro.filter, options.play.memory_limit);
  if (!all) return tl::unexpected(all.error());
  return bench::generated_microbenchmarks(*all);
}

int bench_generate(BenchOptions& options, const std::vector<std::string>& traces,
                   Context& context) {
  const std::string folder = std::exchange(context.output, {});
  if (folder.empty() || folder == "-")
    return context.fail(
        {Errc::usage, "--output", "is missing", "orrery bench generate TRACE -o FOLDER"});
  if (options.page.wanted())
    return context.fail({Errc::usage, "--html",
                         "shows a replay, and 'bench generate' replays nothing",
                         "orrery bench run TRACE --html FILE"});
  options.only_plan = true;
  if (options.communication == "gloo")
    return context.fail({Errc::usage, "--communication",
                         "generated programs do not communicate with each other",
                         "give skip, or predicted: then each communication is a delay"});
  Findings findings;
  const auto replay = benchmark(options, traces, context, findings);
  if (!replay) return context.fail(replay.error(), findings);
  const auto files = program_of(*replay, options);
  if (!files) return context.fail(files.error(), findings);
  if (auto done = write_program(*files, folder, context.force); !done)
    return context.fail(done.error(), findings);
  context.note(fmt::format("wrote {0}: cmake -S {0} -B {0}/build && cmake --build {0}/build",
                           shell_word(folder)));
  return context.deliver(
      [&](report::Answer& answer) { present::state_benchmark(answer, *replay, findings); });
}

/// Checks the options of the page against the others.
Result<void> check_page(const BenchOptions& options, const Context& context) {
  if (!options.page.wanted()) return {};
  if (options.only_plan)
    return fail(Errc::usage, "--html", "shows a replay, and --only-plan replays nothing",
                "give one of the two");
  if (options.micro.enabled)
    return fail(Errc::usage, "--html", "shows a full replay, and --micro measures single operators",
                "give one of the two");
  if (options.page.path == "-" && context.json)
    return fail(Errc::usage, "", "only one thing can go to stdout", "");
  return {};
}

Result<void> write_page(const present::Benchmark& replay, const Findings& findings, PageFile& page,
                        const Context& context) {
  if (!page.wanted()) return {};
  const report::PageReplay data = present::bench_page(replay);
  const auto filled = [&](std::string_view empty) {
    return report::write_replay_html(data, findings, empty);
  };
  if (auto written = page.write(filled, context); !written) return tl::unexpected(written.error());
  return {};
}

int bench_run_ranks(BenchOptions& options, const std::vector<std::string>& traces,
                    Context& context) {
  for (const auto& [given, name] :
       {std::pair(!options.kineto.empty(), "--kineto"),
        std::pair(!options.plan.empty(), "--write-plan"),
        std::pair(options.page.wanted(), "--html"), std::pair(options.similarity, "--similarity"),
        std::pair(options.rank.has_value(), "--replay-rank")})
    if (given)
      return context.fail({Errc::usage, name, "applies to one rank, and gloo replays several",
                           "'--ranks 0-3' selects them"});
  Findings findings;
  const auto ranks = benchmarks(options, traces, findings);
  if (!ranks) return context.fail(ranks.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_bench_ranks(answer, *ranks, findings); });
}

int bench_run(BenchOptions& options, Context& context) {
  const std::string what = options.words.empty() ? "" : options.words.front();
  const bool gloo = options.communication == "gloo";
  if (what == kPlayRank || gloo || options.obfuscate.changes_sizes())
    if (auto fine = context.check_program(gloo ? "--communication" : "--resize"); !fine)
      return context.fail(fine.error());
  if (what == kPlayRank && options.words.size() == 1) return replay_rank(context);
  const auto known = bench_words();
  if (std::find(known.begin(), known.end(), what) == known.end())
    return context.fail(
        {Errc::usage, "bench",
         what.empty() ? "no mode is given" : fmt::format("there is no 'bench {}'", what),
         "orrery bench run TRACE…, or orrery bench generate TRACE… -o FOLDER"});
  const std::vector<std::string> traces(options.words.begin() + 1, options.words.end());
  if (traces.empty())
    return context.fail({Errc::usage, "bench " + what, "no recording is given",
                         "orrery bench " + what + " TRACE…"});
  if (what == "generate") return bench_generate(options, traces, context);
  if (gloo) return bench_run_ranks(options, traces, context);
  if (auto fine = check_page(options, context); !fine) return context.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  Findings findings;
  const bool only_plan =
      std::exchange(options.only_plan, options.only_plan || options.micro.enabled);
  const auto replay = benchmark(options, traces, context, findings);
  if (!replay) return context.fail(replay.error(), findings);
  if (options.micro.enabled && !only_plan)
    return run_micro(*replay, options.micro, options.play, findings, context);
  if (!options.kineto.empty() && replay->outcome) {
    profile::Profile timeline = bench::timeline_of(replay->plan, *replay->outcome);
    timeline.rank = replay->rank;
    if (auto done = trace::write_kineto(timeline, options.kineto, context.force); !done)
      return context.fail(done.error(), findings);
  }
  if (auto done = write_page(*replay, findings, page, context); !done)
    return context.fail(done.error(), findings);
  if (options.page.path == "-") return kOk;
  const int code = context.deliver(
      [&](report::Answer& answer) { present::state_benchmark(answer, *replay, findings); });
  if (code == kOk) page.show(context);
  return code;
}

}  // namespace

std::vector<std::string_view> bench_words() { return {"run", "generate"}; }

Action add_bench(CommandOptions& command, Context& context) {
  describe(command,
           "Runs the operators of an execution trace again, without the training code and\n"
           "data: the trace contains their arguments and tensors. Values are generated\n"
           "within the ranges that operators need; operators that fail are counted and\n"
           "replaced by tensors of the recorded sizes. Needs PyTorch (./setup bench).\n"
           "'generate' writes a program that does the same without Orrery, with its own\n"
           "CMakeLists.txt.\n"
           "\n"
           "Examples:\n"
           "  orrery bench run rank0.et.json --level kernel --kineto replayed.json\n"
           "  orrery bench generate rank0.et.json -o benchmark\n");
  return action_with_options(command, context, bench_run);
}

}  // namespace orrery::commands
