// SPDX-License-Identifier: Apache-2.0
//
// orrery bench: recordings as benchmarks that run.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "arguments.h"
#include "bench_module.h"
#include "inputs.h"
#include "orrery/bench/generate.h"
#include "orrery/bench/plan_text.h"
#include "orrery/bench/planner.h"
#include "orrery/bench/timeline.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/bench_page.h"
#include "orrery/present/bench_text.h"
#include "orrery/report/html_replay.h"
#include "orrery/trace/kineto/writer.h"
#include "output_file.h"
#include "progress.h"
#include "report_files.h"

namespace orrery::app {

namespace {

struct BenchOptions {
  std::vector<std::string> words;
  std::optional<std::uint32_t> rank;
  std::string level = "top";
  std::string scope, memory_limit, reuse, plan, kineto;
  bool all_steps = false, only_plan = false, similarity = false;
  BenchPlay play;
  PageOptions page;
};

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Three quarters of what is installed.
std::int64_t usual_limit() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 4 * 3;
}

/// "0.5,0.3,0.2": shares, of which at least one is positive; made to sum to 1.
Result<std::vector<double>> shares_of(std::string_view text) {
  std::vector<double> shares;
  double sum = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto share = parse_number(text.substr(0, end), "--reuse");
    if (!share) return tl::unexpected(share.error());
    if (*share < 0 || shares.size() == 17)
      return fail(Errc::usage, "--reuse", "takes up to 17 shares, none of them negative",
                  "--reuse 0.6,0.3,0.1: of the rows that are used, 60 % once, 30 % twice, …");
    shares.push_back(*share);
    sum += *share;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!shares.empty() && !(sum > 0))
    return fail(Errc::usage, "--reuse", "all shares are 0", "--reuse 0.6,0.3,0.1");
  for (double& share : shares) share /= sum;
  return shares;
}

Result<bench::PlanOptions> plan_options(const BenchOptions& options) {
  bench::PlanOptions plan;
  if (options.level != "top" && options.level != "kernel")
    return fail(Errc::usage, "--level", in_quotes(options.level) + " is none",
                "top (the outermost operators) or kernel (those that do the work)");
  plan.select.level = options.level == "top" ? bench::Level::top : bench::Level::kernel;
  plan.select.scope = options.scope;
  plan.select.all_steps = options.all_steps;
  plan.memory_limit = usual_limit();
  if (!options.memory_limit.empty()) {
    const auto limit = parse_bytes(options.memory_limit, "--memory-limit");
    if (!limit) return tl::unexpected(limit.error());
    plan.memory_limit = limit->count();
  }
  auto shares = shares_of(options.reuse);
  if (!shares) return tl::unexpected(std::move(shares.error()));
  plan.reuse = *std::move(shares);
  if (options.play.iterations == 0 || options.play.iterations > 100'000)
    return fail(Errc::usage, "--iterations", "is 1 to 100,000");
  if (options.play.threads < 1 || options.play.threads > 1024)
    return fail(Errc::usage, "--threads", "is 1 to 1,024");
  return plan;
}

/// The rank to be replayed: the one asked for, or the only one that there is.
Result<intake::RankTrace> read_one(const BenchOptions& options,
                                   const std::vector<std::string>& traces, Findings& findings) {
  intake::JobOptions job;
  job.traces = traces;
  const auto ranks = intake::find_ranks(job, findings);
  if (!ranks) return tl::unexpected(ranks.error());
  const intake::RankFiles* chosen = &ranks->front();
  if (options.rank || ranks->size() > 1) {
    chosen = nullptr;
    for (const intake::RankFiles& files : *ranks)
      if (options.rank && files.rank == *options.rank) chosen = &files;
    if (chosen == nullptr && !(options.rank && ranks->size() == 1))
      return fail(Errc::usage, "--rank",
                  fmt::format("which of ranks {} to {}?", ranks->front().rank, ranks->back().rank),
                  "orrery bench run --rank N TRACE…");
    if (chosen == nullptr) chosen = &ranks->front();
  }
  auto read = intake::read_rank(*chosen, std::make_shared<StringPool>());
  if (read) findings.merge(read->findings);
  return read;
}

Result<present::Benchmark> benchmark(const BenchOptions& options,
                                     const std::vector<std::string>& traces, Session& session,
                                     Findings& findings) {
  const auto asked = plan_options(options);
  if (!asked) return tl::unexpected(asked.error());
  const auto module = BenchModule::load();
  if (!module) return tl::unexpected(module.error());
  present::Benchmark made;
  const std::int64_t begin = now_ns();
  const auto rank = read_one(options, traces, findings);
  if (!rank) return tl::unexpected(rank.error());
  made.load_ns = now_ns() - begin;
  auto plan = bench::make_plan(rank->profile, **module, *asked);
  if (!plan) return tl::unexpected(std::move(plan.error()));
  const std::string text = bench::plan_text(*plan);
  made.plan_ns = now_ns() - begin - made.load_ns;
  made.plan = *std::move(plan);
  made.rank = rank->files.rank;
  made.file = rank->profile.where;
  made.framework = (*module)->version();
  made.level = options.level;
  if (!options.plan.empty())
    if (auto done = write_output(options.plan, text, session.force); !done)
      return tl::unexpected(std::move(done.error()));
  if (options.only_plan) return made;
  BenchPlay play = options.play;
  play.memory_limit = asked->memory_limit;
  auto outcome = (*module)->play(text, play);
  if (!outcome) return tl::unexpected(std::move(outcome.error()));
  made.outcome = *std::move(outcome);
  made.alike = bench::similarity_of(rank->profile, made.plan, *made.outcome, play.threads);
  made.tables = options.similarity;
  return made;
}

/// Writes all of them, or says which one is in the way before the first.
Result<void> write_program(const bench::Plan& plan, const std::string& folder, bool force) {
  const std::vector<bench::GeneratedFile> files = bench::generated_program(plan);
  for (const bench::GeneratedFile& file : files)
    if (auto absent = check_absent(folder + "/" + file.name, force); !absent) return absent;
  for (const bench::GeneratedFile& file : files)
    if (auto done = write_output(folder + "/" + file.name, file.text, force); !done) return done;
  return {};
}

int bench_generate(BenchOptions& options, const std::vector<std::string>& traces,
                   Session& session) {
  const std::string folder = std::exchange(session.output, {});
  if (folder.empty() || folder == "-")
    return session.fail({Errc::usage, "--output", "where is the program to go?",
                         "orrery bench generate TRACE -o FOLDER"});
  options.only_plan = true;
  Findings findings;
  const auto made = benchmark(options, traces, session, findings);
  if (!made) return session.fail(made.error(), findings);
  if (auto done = write_program(made->plan, folder, session.force); !done)
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

int bench_run(BenchOptions& options, Session& session) {
  const std::string what = options.words.empty() ? "" : options.words.front();
  if (what != "run" && what != "generate")
    return session.fail({Errc::usage, "bench",
                         what.empty() ? "what?" : in_quotes(what) + " is nothing that it can do",
                         "orrery bench run TRACE…, or orrery bench generate TRACE… -o FOLDER"});
  const std::vector<std::string> traces(options.words.begin() + 1, options.words.end());
  if (traces.empty())
    return session.fail(
        {Errc::usage, "bench " + what, "which recording?", "orrery bench " + what + " TRACE…"});
  if (what == "generate") return bench_generate(options, traces, session);
  if (auto fine = check_page(options, session); !fine) return session.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  Findings findings;
  const auto made = benchmark(options, traces, session, findings);
  if (!made) return session.fail(made.error(), findings);
  if (!options.kineto.empty() && made->outcome) {
    const profile::Profile timeline = bench::timeline_of(made->plan, *made->outcome);
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

void add_replay_options(CLI::App& command, BenchOptions& options) {
  const auto option = [&](const char* names, auto& value, const char* about, const char* type) {
    return command.add_option(names, value, about)->type_name(type)->group("The replay");
  };
  option("--rank", options.rank, "Which of several ranks", "N");
  option("--level", options.level,
         "top: the outermost operators (any release has them); or kernel: those that do the work",
         "HOW");
  option("--scope", options.scope,
         "Only what the first range or operator with this in its name "
         "contains",
         "NAME");
  command
      .add_flag("--all-steps", options.all_steps,
                "All steps of the recording; else the first whole one where steps are marked")
      ->group("The replay");
  option("--iterations", options.play.iterations, "How many count", "N");
  option("--warm-up", options.play.warm_up, "Iterations before those; at least one", "N");
  option("--threads", options.play.threads, "Of operators", "N");
  command
      .add_flag("--think", options.play.think,
                "Wait where the recorded host did something else (needs a device trace, too)")
      ->group("The replay");
  option("--reuse", options.reuse,
         "Of the rows of tables that are looked up, the shares used once, twice, 3 to 4 times, "
         "5 to 8 …; else evenly drawn",
         "SHARES");
  command
      .add_flag("--similarity", options.similarity,
                "Say by kind of work and by operator how alike recording and replay are")
      ->group("The replay");
  option("--memory-limit", options.memory_limit,
         "Most that tensors may take; else three quarters of the machine's", "SIZE");
  command.add_flag("--only-plan", options.only_plan, "Plan and say what would be replayed")
      ->group("The replay");
}

}  // namespace

void add_bench(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand(
      "bench", "Replay a recording's operators on this machine, and time them");
  command->description(
      "Replay a recording's operators on this machine, and time them.\n"
      "An execution trace has every operator with its arguments and tensors: that is enough to "
      "run\n"
      "them again, without the code and the data that it came of. Values are made up, within the\n"
      "ranges that operators need; what fails is counted and replaced by tensors of the recorded\n"
      "sizes. Needs PyTorch (./setup bench). 'generate' writes a program that does the same "
      "without\n"
      "Orrery, with its own CMakeLists.txt.\n\n"
      "Examples:\n"
      "  orrery bench run rank0.et.json --level kernel --kineto replayed.json\n"
      "  orrery bench generate rank0.et.json -o benchmark\n");
  const auto options = std::make_shared<BenchOptions>();
  command->add_option("WHAT", options->words, "run or generate, then the recording's files")
      ->type_name("");
  add_replay_options(*command, *options);
  session.add_options(*command, true);
  const auto output = [&](const char* names, auto& value, const char* about) {
    command->add_option(names, value, about)->type_name("FILE")->group("Output");
  };
  output("--kineto", options->kineto, "Write what was measured as a trace");
  output("--html", options->page.path, "Write recording and replay, side by side, as one web page");
  output("--write-plan", options->plan, "Write the steps as text ('-' for stdout)");
  add_page_options(*command, options->page);
  command->callback([options, &session] {
    session.command = "bench";
    session.action = [options, &session] { return bench_run(*options, session); };
  });
}

}  // namespace orrery::app
