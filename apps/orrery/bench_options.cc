// SPDX-License-Identifier: Apache-2.0
#include "bench_options.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "orrery/core/text.h"
#include "orrery/core/units.h"

namespace orrery::app {

namespace {

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

Result<void> communication_options(const BenchOptions& options, bench::PlanOptions& plan) {
  if (options.communication == "gloo")
    plan.communicate = bench::Communicate::really;
  else if (options.communication == "predicted")
    plan.communicate = bench::Communicate::delays;
  else if (options.communication != "skip")
    return fail(
        Errc::usage, "--communication", in_quotes(options.communication) + " is none",
        "skip (leave it out), gloo (between processes) or predicted (as long as a run says)");
  if (options.communication != "skip" && options.micro.asked)
    return fail(Errc::usage, "--micro", "is of operators, without communication",
                "leave '--communication' out");
  if (options.communication != "skip" && options.obfuscate.changes_sizes())
    return fail(Errc::usage, options.obfuscate.size.empty() ? "--obfuscate" : "--size",
                "ranks and runs have to know the sizes of what is communicated",
                "leave '--communication' out ('--obfuscate names' goes with it)");
  if (options.communication == "gloo" && !options.obfuscate.what.empty())
    return fail(Errc::usage, "--obfuscate", "is of one rank, and with gloo several are replayed",
                "'--communication predicted', or leave it out");
  if ((options.communication == "predicted") == options.run.empty())
    return fail(Errc::usage, "--run",
                options.run.empty() ? "how long does communication take?"
                                    : "goes with '--communication predicted'",
                "orrery bench run TRACE… --communication predicted --run FILE");
  if (!options.ranks.empty() && options.communication != "gloo")
    return fail(Errc::usage, "--ranks", "goes with '--communication gloo'",
                "'--rank N' says which one is replayed alone");
  if (!(options.timeout >= 0.1 && options.timeout <= 86'400))
    return fail(Errc::usage, "--timeout", "is 0.1 to 86,400 seconds");
  return {};
}

Result<void> device_options(const BenchOptions& options) {
  if (options.play.device == "cpu") {
    if (options.play.synchronise)
      return fail(Errc::usage, "--synchronise", "on the host nothing has to be waited for",
                  "leave it out, or say on which '--device'");
    return {};
  }
  const auto clash = [](const char* why, const char* instead) {
    return fail(Errc::usage, "--device", why, instead);
  };
  if (options.communication == "gloo")
    return clash("gloo sends what is in the host's memory",
                 "'--communication predicted', or leave it out");
  if (!options.words.empty() && options.words.front() == "generate")
    return clash("programs of their own run on the host", "leave it out");
  if (!options.play.synchronise && (options.similarity || options.page.wanted()))
    return clash("calls end before the device has calculated, and kinds of work compare by time",
                 "'--synchronise', too");
  if (options.obfuscate.changes_sizes())
    return clash("sizes are tried in processes of their own, on the host",
                 "leave '--device' out ('--obfuscate names' goes with it)");
  return {};
}

}  // namespace

Result<bench::PlanOptions> plan_options(const BenchOptions& options) {
  bench::PlanOptions plan;
  if (options.level != "top" && options.level != "kernel")
    return fail(Errc::usage, "--level", in_quotes(options.level) + " is none",
                "top (the outermost operators) or kernel (those that do the work)");
  plan.select.level = options.level == "top" ? bench::Level::top : bench::Level::kernel;
  auto part = bench::parse_part(options.subtrace);
  if (!part) return tl::unexpected(std::move(part.error()));
  plan.select.part = *std::move(part);
  plan.select.all_steps = options.all_steps;
  if (auto fitting = check_micro(options.micro); !fitting)
    return tl::unexpected(std::move(fitting.error()));
  if (auto known = check_obfuscate(options.obfuscate); !known)
    return tl::unexpected(std::move(known.error()));
  plan.kernels = options.micro.asked;
  plan.memory_limit = usual_limit();
  if (!options.memory_limit.empty()) {
    const auto limit = parse_bytes(options.memory_limit, "--memory-limit");
    if (!limit) return tl::unexpected(limit.error());
    plan.memory_limit = limit->count();
  }
  auto shares = shares_of(options.reuse);
  if (!shares) return tl::unexpected(std::move(shares.error()));
  plan.reuse = *std::move(shares);
  if (auto fine = communication_options(options, plan); !fine)
    return tl::unexpected(std::move(fine.error()));
  if (auto fine = device_options(options); !fine) return tl::unexpected(std::move(fine.error()));
  if (options.play.iterations == 0 || options.play.iterations > 100'000)
    return fail(Errc::usage, "--iterations", "is 1 to 100,000");
  if (options.play.threads < 1 || options.play.threads > 1024)
    return fail(Errc::usage, "--threads", "is 1 to 1,024");
  return plan;
}

void add_replay_options(CLI::App& command, BenchOptions& options) {
  const auto option = [&](const char* names, auto& value, const char* about, const char* type) {
    return command.add_option(names, value, about)->type_name(type)->group("The replay");
  };
  option("--rank", options.rank, "Which of several ranks", "N");
  option("--level", options.level,
         "top: the outermost operators (any release has them); or kernel: those that do the work",
         "HOW");
  option("--subtrace", options.subtrace,
         "Only a part: scope=NAME (what the first range or operator with this in its name\n"
         "contains), layer=N or layers=N-M (what repeats as layers do), fewer=N (all, with so few\n"
         "layers), microbatches=N (all, with the first ones), or times since the step's begin "
         "(10ms-20ms)",
         "PART");
  command
      .add_flag("--all-steps", options.all_steps,
                "All steps of the recording; else the first whole one where steps are marked")
      ->group("The replay");
  option("--iterations", options.play.iterations, "How many count", "N");
  option("--warm-up", options.play.warm_up, "Iterations before those; at least one", "N");
  option("--threads", options.play.threads, "Of operators", "N");
  option("--device", options.play.device,
         "Play on cuda or cuda:N, with streams as recorded; else on the host (cpu)", "NAME");
  command
      .add_flag("--synchronise", options.play.synchronise,
                "Wait for the device after each operator: times are then the operators' own")
      ->group("The replay");
  command
      .add_flag("--think", options.play.think,
                "Wait where the recorded host did something else (needs a device trace, too)")
      ->group("The replay");
  option(
      "--communication", options.communication,
      "skip: left out; gloo: between processes, one for each rank; or predicted: delays of --run",
      "HOW");
  option("--run", options.run, "A run of the same job, which says how long communication takes",
         "FILE");
  option("--ranks", options.ranks, "With gloo: which ranks are replayed; else all", "LIST");
  option("--timeout", options.timeout, "With gloo: longest that a rank waits for others",
         "SECONDS");
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

}  // namespace orrery::app
