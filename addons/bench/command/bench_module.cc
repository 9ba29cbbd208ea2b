// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>

#include "orrery/core/system/module_file.h"
#include "orrery/core/text/text.h"

namespace orrery::commands {

namespace {

constexpr const char* kGetIt =
    "from source: ./setup bench installs Debian's PyTorch (libtorch-dev, some 500 MB), then build "
    "Orrery again; as a package: install orrery-bench";

/// Parses "12 aten::mm", one line per name.
std::map<std::string, std::uint64_t> counts_of(std::string_view lines) {
  std::map<std::string, std::uint64_t> counts;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    const std::size_t space = std::min(line.find(' '), line.size());
    std::uint64_t count = 0;
    std::from_chars(line.data(), line.data() + space, count);
    counts[std::string(line.substr(std::min(space + 1, line.size())))] += count;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return counts;
}

bench::ReplayOutcome outcome_of(const OrreryBenchAnswer& answer) {
  bench::ReplayOutcome outcome;
  const std::size_t all = answer.steps * answer.iterations;
  outcome.prepare_ns = answer.prepare_ns;
  outcome.wall_ns.assign(answer.wall_ns, answer.wall_ns + answer.iterations);
  outcome.cpu_ns.assign(answer.cpu_ns, answer.cpu_ns + answer.iterations);
  outcome.begin_ns.assign(answer.begin_ns, answer.begin_ns + all);
  outcome.length_ns.assign(answer.length_ns, answer.length_ns + all);
  const std::size_t exchanged = answer.exchanges * answer.iterations;
  outcome.exchange_begin_ns.assign(answer.exchange_begin_ns, answer.exchange_begin_ns + exchanged);
  outcome.exchange_length_ns.assign(answer.exchange_length_ns,
                                    answer.exchange_length_ns + exchanged);
  outcome.failures.assign(answer.failures, answer.failures + answer.steps);
  for (std::size_t s = 0; s < answer.steps; ++s) {
    outcome.reasons.emplace_back(answer.reasons[s]);
    outcome.reshaped.push_back(answer.reshaped[s] != 0);
  }
  outcome.external_bytes = answer.external_bytes;
  outcome.copies_bytes = answer.copies_bytes;
  outcome.peak_bytes = answer.peak_bytes;
  if (answer.held_bytes != nullptr)
    outcome.held_bytes.assign(answer.held_bytes, answer.held_bytes + answer.steps);
  if (answer.most_bytes != nullptr)
    outcome.most_bytes.assign(answer.most_bytes, answer.most_bytes + answer.steps);
  outcome.operator_counts = counts_of(answer.operator_counts);
  outcome.energy_uj = answer.energy_uj;
  outcome.energy_ns = answer.energy_ns;
  return outcome;
}

/// "rc schema"
bench::Overload overload_of(std::string_view line) {
  bench::Overload overload;
  overload.runs = line.starts_with('r');
  overload.is_composite = line.size() > 1 && line[1] == 'c';
  overload.schema = std::string(line.substr(std::min<std::size_t>(3, line.size())));
  return overload;
}

}  // namespace

std::string bench_module_path() { return module_file("orrery_bench.so"); }

Result<std::unique_ptr<BenchModule>> BenchModule::load() {
  const std::string path = bench_module_path();
  if (path.empty())
    return fail(Errc::usage, "bench", "this program was built without PyTorch", kGetIt);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return fail(Errc::usage, path,
                fmt::format("cannot be loaded: {}", printable(why == nullptr ? "" : why, 200)),
                kGetIt);
  }
  auto module = std::make_unique<BenchModule>();
  OrreryBenchAbi* abi = nullptr;
  const auto find = [&](auto& function, const char* called) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, called));
    return function != nullptr;
  };
  const bool whole =
      find(abi, "orrery_bench_abi") && find(module->version_, "orrery_bench_version") &&
      find(module->use_, "orrery_bench_use") &&
      find(module->overloads_, "orrery_bench_overloads") &&
      find(module->play_, "orrery_bench_play") && find(module->free_, "orrery_bench_free");
  if (!whole || abi() != kOrreryBenchAbi)
    return fail(Errc::usage, path, "belongs to another version of Orrery",
                "build or install both together");
  return module;
}

Result<void> BenchModule::use(const std::string& device) const {
  const char* const why = use_(device.c_str());
  if (why == nullptr) return {};
  return fail(Errc::usage, "--torch-device",
              fmt::format("{}: {}", in_quotes(device), printable(why, 200)),
              "'cpu' is the host; a GPU needs PyTorch's library with CUDA (docs/bench.md)");
}

std::vector<bench::Overload> BenchModule::overloads(std::string_view name) const {
  std::vector<bench::Overload> all;
  const std::string called(name);
  std::string_view lines = overloads_(called.c_str());
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    all.push_back(overload_of(lines.substr(0, end)));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return all;
}

Result<bench::ReplayOutcome> BenchModule::play(const std::string& plan,
                                               const ReplaySettings& how) const {
  const OrreryBenchQuestion question{
      plan.data(),        plan.size(),
      how.warm_up,        how.iterations,
      how.threads,        how.wait_in_gaps ? 1 : 0,
      how.memory_limit,   how.store.empty() ? nullptr : how.store.c_str(),
      how.rank,           how.ranks.data(),
      how.ranks.size(),   how.timeout_ms,
      how.device.c_str(), how.synchronize ? 1 : 0};
  OrreryBenchAnswer* const answer = play_(&question);
  if (answer->error != nullptr) {
    const std::string why = printable(answer->error, 300);
    free_(answer);
    if (!how.store.empty())
      return fail(Errc::limit_exceeded, fmt::format("replay of rank {}", how.rank), why,
                  "the ranks must be recordings of one job; '--memory-limit' applies to each rank");
    return fail(Errc::limit_exceeded, "replay", why, "--memory-limit sets the memory for tensors");
  }
  bench::ReplayOutcome outcome = outcome_of(*answer);
  free_(answer);
  return outcome;
}

}  // namespace orrery::commands
