// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_options.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::commands {

namespace {

/// Three quarters of the installed memory.
std::int64_t default_memory_limit() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 4 * 3;
}

/// "0.5,0.3,0.2": shares, at least one of them positive, normalized to a sum of 1.
Result<std::vector<double>> parse_shares(std::string_view text) {
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
    plan.communicate = bench::CommunicationMode::really;
  else if (options.communication == "predicted")
    plan.communicate = bench::CommunicationMode::delays;
  if (options.communication != "skip" && options.micro.enabled)
    return fail(Errc::usage, "--micro", "measures operators without communication",
                "leave '--communication' out");
  if (options.communication != "skip" && options.obfuscate.changes_sizes())
    return fail(Errc::usage, options.obfuscate.size.empty() ? "--obfuscate" : "--resize",
                "sizes of communications must match those of other ranks and of the run",
                "leave '--communication' out ('--obfuscate names' goes with it)");
  if (options.communication == "gloo" && !options.obfuscate.what.empty())
    return fail(Errc::usage, "--obfuscate", "applies to one rank, and gloo replays several",
                "'--communication predicted', or leave it out");
  if ((options.communication == "predicted") == options.run.empty())
    return fail(Errc::usage, "--run",
                options.run.empty() ? "is missing: predicted communication needs a run"
                                    : "is only for '--communication predicted'",
                "orrery bench run TRACE… --communication predicted --run FILE");
  if (!options.ranks.empty() && options.communication != "gloo")
    return fail(Errc::usage, "--ranks", "is only for '--communication gloo'",
                "'--replay-rank N' selects one rank to replay alone");
  if (!(options.timeout >= 0.1 && options.timeout <= 86'400))
    return fail(Errc::usage, "--timeout", "must be 0.1 to 86,400 seconds");
  return {};
}

Result<void> device_options(const BenchOptions& options) {
  if (options.play.device == "cpu") {
    if (options.play.synchronize)
      return fail(Errc::usage, "--synchronize", "has no effect on the host",
                  "leave it out, or give a '--torch-device'");
    return {};
  }
  const auto clash = [](const char* why, const char* instead) {
    return fail(Errc::usage, "--torch-device", why, instead);
  };
  if (options.communication == "gloo")
    return clash("gloo sends from the memory of the host",
                 "'--communication predicted', or leave it out");
  if (!options.words.empty() && options.words.front() == "generate")
    return clash("generated programs run on the host", "leave it out");
  if (!options.play.synchronize && (options.similarity || options.page.wanted()))
    return clash(
        "calls end before the device finishes, so that times of operators cannot be compared",
        "give '--synchronize', too");
  if (options.obfuscate.changes_sizes())
    return clash("sizes are tried in separate processes on the host",
                 "leave '--torch-device' out ('--obfuscate names' goes with it)");
  return {};
}

}  // namespace

std::vector<std::string_view> level_words() { return {"top", "kernel"}; }
std::vector<std::string_view> communication_words() { return {"skip", "gloo", "predicted"}; }

Result<bench::PlanOptions> plan_options(const BenchOptions& options) {
  bench::PlanOptions plan;
  plan.select.level =
      options.level == "top" ? bench::OperatorLevel::top : bench::OperatorLevel::kernel;
  auto part = bench::parse_part(options.subtrace);
  if (!part) return tl::unexpected(std::move(part.error()));
  plan.select.part = *std::move(part);
  plan.select.all_steps = options.all_steps;
  if (auto fitting = check_micro(options.micro); !fitting)
    return tl::unexpected(std::move(fitting.error()));
  if (auto known = check_obfuscate(options.obfuscate); !known)
    return tl::unexpected(std::move(known.error()));
  plan.kernels = options.micro.enabled;
  plan.memory_limit = options.memory_limit ? options.memory_limit->count() : default_memory_limit();
  auto shares = parse_shares(options.reuse);
  if (!shares) return tl::unexpected(std::move(shares.error()));
  plan.reuse = *std::move(shares);
  if (auto fine = communication_options(options, plan); !fine)
    return tl::unexpected(std::move(fine.error()));
  if (auto fine = device_options(options); !fine) return tl::unexpected(std::move(fine.error()));
  if (options.play.iterations == 0 || options.play.iterations > 100'000)
    return fail(Errc::usage, "--iterations", "must be 1 to 100,000");
  if (options.play.threads < 1 || options.play.threads > 1024)
    return fail(Errc::usage, "--threads", "must be 1 to 1,024");
  return plan;
}

}  // namespace orrery::commands
