// SPDX-License-Identifier: Apache-2.0
//
// orrery bench: recordings as benchmarks that run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
#include "addons/bench/text/bench_communication_text.h"
#include "addons/bench/text/bench_page.h"
#include "addons/bench/text/bench_text.h"
#include "apps/orrery/options/input_options.h"
#include "apps/orrery/output/report_files.h"
#include "apps/orrery/output_file.h"
#include "apps/orrery/progress.h"
#include "orrery/core/text/text.h"
#include "orrery/report/html/replay_page.h"
#include "orrery/trace/kineto/writer.h"

namespace orrery::app {

namespace {

Result<present::Benchmark> benchmark(BenchOptions& options, const std::vector<std::string>& traces,
                                     Session& session, Findings& findings) {
  const auto asked = plan_options(options);
  if (!asked) return tl::unexpected(asked.error());
  options.play.memory_limit = asked->memory_limit;
  const auto module = BenchModule::load();
  if (!module) return tl::unexpected(module.error());
  if (auto there = (*module)->use(options.play.device); !there)
    return tl::unexpected(std::move(there.error()));
  const std::int64_t begin = now_ns();
  const auto rank = read_one(options, traces, findings);
  auto planned = plan_rank(options, *asked, **module, rank, now_ns() - begin);
  if (!planned) return tl::unexpected(std::move(planned.error()));
  auto& [made, text] = *planned;
  if (!options.plan.empty())
    if (auto done = write_output(options.plan, text, session.force); !done)
      return tl::unexpected(std::move(done.error()));
  if (options.only_plan) return std::move(made);
  auto outcome = (*module)->play(text, options.play);
  if (!outcome) return tl::unexpected(std::move(outcome.error()));
  made.outcome = *std::move(outcome);
  if (options.play.device == "cpu" || options.play.synchronise)  // else times are those of calls
    made.similarity =
        bench::similarity_of(rank->profile, made.plan, *made.outcome, options.play.threads);
  made.tables = options.similarity;
  return std::move(made);
}

/// All ranks, each by a process of its own.
Result<std::vector<present::Benchmark>> benchmarks(const BenchOptions& options,
                                                   const std::vector<std::string>& traces,
                                                   Findings& findings) {
  auto asked = plan_options(options);
  if (!asked) return tl::unexpected(asked.error());
  const auto module = BenchModule::load();
  if (!module) return tl::unexpected(module.error());
  const auto ranks = ranks_asked(options, traces, findings);
  if (!ranks) return tl::unexpected(ranks.error());
  if (!options.memory_limit) asked->memory_limit /= static_cast<std::int64_t>(ranks->size());
  std::vector<Planned> planned;
  for (const intake::RankFiles& files : *ranks) {
    const std::int64_t begin = now_ns();
    auto rank = intake::read_rank(files, std::make_shared<StringPool>());
    if (rank) findings.merge(rank->findings);
    auto one = plan_rank(options, *asked, **module, rank, now_ns() - begin);
    if (!one) return tl::unexpected(std::move(one.error()));
    planned.push_back(*std::move(one));
  }
  std::vector<RankReplay> play;
  for (Planned& one : planned) play.push_back({one.made.rank, &one.made.plan, std::move(one.text)});
  std::vector<bench::RankPlan> plans;
  for (const RankReplay& rank : play) plans.push_back({rank.rank, rank.plan});
  if (auto agree = bench::check_agreement(plans); !agree)
    return tl::unexpected(std::move(agree.error()));
  std::vector<present::Benchmark> all;
  if (!options.only_plan) {
    ReplaySettings how = options.play;
    how.memory_limit = asked->memory_limit;
    how.timeout_ms = static_cast<std::int64_t>(options.timeout * 1000);
    auto outcomes = play_together(play, how);
    if (!outcomes) return tl::unexpected(std::move(outcomes.error()));
    for (std::size_t i = 0; i < planned.size(); ++i)
      planned[i].made.outcome = std::move((*outcomes)[i]);
  }
  for (Planned& one : planned) all.push_back(std::move(one.made));
  return all;
}

/// Writes all of them, or says which one is in the way before the first.
Result<void> write_program(const std::vector<bench::GeneratedFile>& files,
                           const std::string& folder, bool force) {
  for (const bench::GeneratedFile& file : files)
    if (auto absent = check_absent(folder + "/" + file.name, force); !absent) return absent;
  for (const bench::GeneratedFile& file : files)
    if (auto done = write_output(folder + "/" + file.name, file.text, force); !done) return done;
  return {};
}

Result<std::vector<bench::GeneratedFile>> program_of(const present::Benchmark& made,
                                                     const BenchOptions& options) {
  if (!options.micro.asked) return bench::generated_program(made.plan);
  const auto all = micro_of(made, options.micro, options.play.memory_limit);
  if (!all) return tl::unexpected(all.error());
  return bench::generated_microbenchmarks(*all);
}

int bench_generate(BenchOptions& options, const std::vector<std::string>& traces,
                   Session& session) {
  const std::string folder = std::exchange(session.output, {});
  if (folder.empty() || folder == "-")
    return session.fail({Errc::usage, "--output", "where is the program to go?",
                         "orrery bench generate TRACE -o FOLDER"});
  if (options.page.wanted())
    return session.fail({Errc::usage, "--html",
                         "is of a replay, and 'bench generate' plays nothing",
                         "orrery bench run TRACE --html FILE"});
  options.only_plan = true;
  if (options.communication == "gloo")
    return session.fail({Errc::usage, "--communication",
                         "programs of their own do not communicate with each other",
                         "skip, or predicted: then each communication is a delay"});
  Findings findings;
  const auto made = benchmark(options, traces, session, findings);
  if (!made) return session.fail(made.error(), findings);
  const auto files = program_of(*made, options);
  if (!files) return session.fail(files.error(), findings);
  if (auto done = write_program(*files, folder, session.force); !done)
    return session.fail(done.error(), findings);
  session.note(fmt::format("wrote {0}: cmake -S {0} -B {0}/build && cmake --build {0}/build",
                           shell_word(folder)));
  return session.deliver(present::bench_text(*made, findings, session.out_style()),
                         [&] { return present::bench_json(*made, findings); });
}

/// What options say that do not go together.
Result<void> check_page(const BenchOptions& options, const Session& session) {
  if (!options.page.wanted()) return {};
  if (options.only_plan)
    return fail(Errc::usage, "--html", "is of a replay, and --only-plan plays nothing",
                "give one of the two");
  if (options.micro.asked)
    return fail(Errc::usage, "--html", "is of a whole replay, and --micro times single operators",
                "give one of the two");
  if (options.page.path == "-" && session.json)
    return fail(Errc::usage, "", "only one thing can go to stdout", "");
  return {};
}

Result<void> write_page(const present::Benchmark& made, const Findings& findings, PageFile& page,
                        const Session& session) {
  if (!page.wanted()) return {};
  const report::PageReplay data = present::bench_page(made);
  const auto filled = [&](std::string_view empty) {
    return report::write_replay_html(data, findings, empty);
  };
  if (auto written = page.write(filled, session); !written) return tl::unexpected(written.error());
  return {};
}

int bench_run_ranks(BenchOptions& options, const std::vector<std::string>& traces,
                    Session& session) {
  for (const auto& [given, name] :
       {std::pair(!options.kineto.empty(), "--kineto"),
        std::pair(!options.plan.empty(), "--write-plan"),
        std::pair(options.page.wanted(), "--html"), std::pair(options.similarity, "--similarity"),
        std::pair(options.rank.has_value(), "--rank")})
    if (given)
      return session.fail({Errc::usage, name, "is of one rank, and with gloo several are replayed",
                           "'--ranks 0-3' says which"});
  Findings findings;
  const auto made = benchmarks(options, traces, findings);
  if (!made) return session.fail(made.error(), findings);
  return session.deliver(present::bench_ranks_text(*made, findings, session.out_style()),
                         [&] { return present::bench_ranks_json(*made, findings); });
}

int bench_run(BenchOptions& options, Session& session) {
  const std::string what = options.words.empty() ? "" : options.words.front();
  if (what == kPlayRank && options.words.size() == 1) return play_rank(session);
  const auto known = bench_words();
  if (std::find(known.begin(), known.end(), what) == known.end())
    return session.fail({Errc::usage, "bench",
                         what.empty() ? "what?" : fmt::format("there is no 'bench {}'", what),
                         "orrery bench run TRACE…, or orrery bench generate TRACE… -o FOLDER"});
  const std::vector<std::string> traces(options.words.begin() + 1, options.words.end());
  if (traces.empty())
    return session.fail(
        {Errc::usage, "bench " + what, "which recording?", "orrery bench " + what + " TRACE…"});
  if (what == "generate") return bench_generate(options, traces, session);
  if (options.communication == "gloo") return bench_run_ranks(options, traces, session);
  if (auto fine = check_page(options, session); !fine) return session.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  Findings findings;
  const bool only_plan = std::exchange(options.only_plan, options.only_plan || options.micro.asked);
  const auto made = benchmark(options, traces, session, findings);
  if (!made) return session.fail(made.error(), findings);
  if (options.micro.asked && !only_plan)
    return run_micro(*made, options.micro, options.play, findings, session);
  if (!options.kineto.empty() && made->outcome) {
    profile::Profile timeline = bench::timeline_of(made->plan, *made->outcome);
    timeline.rank = made->rank;
    if (auto done = trace::write_kineto(timeline, options.kineto, session.force); !done)
      return session.fail(done.error(), findings);
  }
  if (auto done = write_page(*made, findings, page, session); !done)
    return session.fail(done.error(), findings);
  if (options.page.path == "-") return kOk;
  const int code = session.deliver(present::bench_text(*made, findings, session.out_style()),
                                   [&] { return present::bench_json(*made, findings); });
  if (code == kOk) page.show(session);
  return code;
}

}  // namespace

std::vector<std::string_view> bench_words() { return {"run", "generate"}; }

Action add_bench(CLI::App& command, Session& session) {
  describe(command,
           "An execution trace has every operator with its arguments and tensors: enough to\n"
           "run them again without the training code and data. Values are generated within the\n"
           "ranges that operators need; operators that fail are counted and replaced by\n"
           "tensors of the recorded sizes. Needs PyTorch (./setup bench). 'generate' writes a\n"
           "program that does the same without Orrery, with its own CMakeLists.txt.\n"
           "\n"
           "Examples:\n"
           "  orrery bench run rank0.et.json --level kernel --kineto replayed.json\n"
           "  orrery bench generate rank0.et.json -o benchmark\n");
  const auto options = std::make_shared<BenchOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return bench_run(*options, session); };
}

}  // namespace orrery::app
