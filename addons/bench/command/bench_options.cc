// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_options.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

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
    plan.communicate = bench::CommunicationMode::really;
  else if (options.communication == "predicted")
    plan.communicate = bench::CommunicationMode::delays;
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
  plan.kernels = options.micro.asked;
  plan.memory_limit = options.memory_limit ? options.memory_limit->count() : usual_limit();
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

}  // namespace orrery::app
