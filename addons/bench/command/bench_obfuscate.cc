// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_obfuscate.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/sizes/plan_obfuscation.h"
#include "addons/bench/sizes/plan_resize.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::commands {

namespace {

std::string percent(double ratio) { return fmt::format("{:+.1f} %", (ratio - 1) * 100); }

/// '1' for each step that fails or has unplanned sizes, otherwise '0'.
std::string try_plan(const bench::ReplayPlan& plan, const BenchModule& module,
                     const ReplaySettings& play) {
  const auto outcome = module.play(bench::plan_text(plan), play);
  std::string bad(plan.steps.size(), outcome ? '0' : '1');
  for (std::size_t s = 0; outcome && s < bad.size(); ++s)
    if (outcome->reshaped[s] || !outcome->reasons[s].empty()) bad[s] = '1';
  return bad;
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> block{};
  for (ssize_t got = 0; (got = ::read(from, block.data(), block.size())) != 0;) {
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  return text;
}

/// Tries the plan in a separate process, because some operators crash if sizes do not match. After
/// a crash, all steps count as failed.
Result<std::vector<bool>> try_in_process(const bench::ReplayPlan& plan, const BenchModule& module,
                                         const ReplaySettings& play) {
  std::array<int, 2> ends{};
  const auto no_process = [] {
    return fail(Errc::limit_exceeded, {}, "cannot start a process to try sizes");
  };
  if (::pipe(ends.data()) != 0) return no_process();
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return no_process();
  }
  if (child == 0) {
    ::close(ends[0]);
    (void)write_all(ends[1], try_plan(plan, module, play));
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string failures = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::vector<bool> bad(plan.steps.size(), true);
  for (std::size_t s = 0; failures.size() == bad.size() && s < bad.size(); ++s)
    bad[s] = failures[s] == '1';
  return bad;
}

}  // namespace

std::vector<std::string_view> obfuscate_words() { return {"names", "sizes"}; }

Result<void> check_obfuscate(const ObfuscateBench& options) {
  if (!options.size.empty())
    if (auto changes = bench::parse_size_changes(options.size); !changes)
      return tl::unexpected(std::move(changes.error()));
  if (options.what.empty() && !options.salt.empty())
    return fail(Errc::usage, "--salt", "is only for --obfuscate", "give --obfuscate, too");
  return {};
}

Result<std::string> obfuscate_plan(bench::ReplayPlan& plan, const ObfuscateBench& options,
                                   const BenchModule& module, ReplaySettings play) {
  play.warm_up = play.iterations = 1;
  play.wait_in_gaps = false;
  const bench::Trial trial = [&](const bench::ReplayPlan& tried) {
    return try_in_process(tried, module, play);
  };
  std::string done;
  if (!options.size.empty()) {
    const auto changes = bench::parse_size_changes(options.size);
    if (!changes) return tl::unexpected(changes.error());
    const auto resized = bench::resize(plan, *changes, play.memory_limit, trial);
    if (!resized) return tl::unexpected(resized.error());
    done = fmt::format("sizes {}; bytes {}, products {}", options.size, percent(resized->bytes),
                       percent(resized->flops));
  }
  if (options.what.empty()) return done;
  if (!done.empty()) done += "; ";
  bench::obfuscate_names(plan, options.salt);
  if (options.what == "names") return done + "names of recorded operators";
  const auto hidden = bench::obfuscate_sizes(plan, options.salt, play.memory_limit, trial);
  if (!hidden) return tl::unexpected(hidden.error());
  return done + fmt::format("names, and {} of {} of {} and more; bytes {}, products {}",
                            hidden->changed, present::plural(hidden->sizes, "size"),
                            bench::kMinHiddenSize, percent(hidden->work.bytes),
                            percent(hidden->work.flops));
}

}  // namespace orrery::commands
