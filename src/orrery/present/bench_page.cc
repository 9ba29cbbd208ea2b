// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/bench_page.h"

#include <fmt/format.h>

#include <string>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/similarity_text.h"
#include "orrery/present/words.h"

namespace orrery::present {
namespace {

using report::PageReplay;

PageReplay::Side side_of(const bench::Taken& taken) {
  return {taken.count, taken.ns, taken.flops_rate(), taken.bytes_rate()};
}

PageReplay::Row row_of(const std::string& name, const bench::Compared& one) {
  return {name,
          std::string(bench::name(one.kind)),
          one.rule,
          side_of(one.recorded),
          side_of(one.replayed),
          one.kernels};
}

void add_facts(PageReplay& page, const Benchmark& benchmark, const bench::Coverage& coverage) {
  const bench::Similarity& alike = *benchmark.alike;
  const bench::Timing timing = bench::timing_of(benchmark.plan, *benchmark.outcome);
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) page.facts.emplace_back(label, text);
  };
  add("recording", fmt::format("rank {}, {}, level {}", benchmark.rank, printable(benchmark.file),
                               benchmark.level));
  add("replayed by", player(benchmark));
  const std::uint64_t called =
      coverage.of(bench::How::exact).count + coverage.of(bench::How::overload).count;
  add("operators",
      fmt::format("{}: {} called as recorded, {} by rules, {} not at all; {} failed",
                  count(coverage.all.count), count(called),
                  count(coverage.of(bench::How::rule).count),
                  count(coverage.of(bench::How::absent).count), count(timing.failed_operators)));
  if (benchmark.plan.timed)
    add("of recorded time",
        fmt::format("{} called as recorded, {} by rules",
                    share(coverage.of(bench::How::exact).recorded +
                              coverage.of(bench::How::overload).recorded,
                          coverage.all.recorded),
                    share(coverage.of(bench::How::rule).recorded, coverage.all.recorded)));
  add("iteration", fmt::format("{} in the median of {}", format_time(Time(timing.wall.half * 1000)),
                               count(benchmark.outcome->wall_ns.size())));
  add("operator mix", mix_words(alike));
  add("time", time_words(alike));
  add("memory", memory_words(alike));
  add("communication", comm_words(alike));
  add("busy", busy_words(alike));
}

}  // namespace

PageReplay bench_page(const Benchmark& benchmark) {
  const bench::Similarity& alike = *benchmark.alike;
  const bench::Coverage coverage = bench::coverage_of(benchmark.plan);
  PageReplay page;
  page.title = "Replay of " + printable(benchmark.file);
  page.timed = alike.timed;
  page.on_device = alike.on_device;
  add_facts(page, benchmark, coverage);
  for (const bench::Compared& one : alike.classes)
    if (one.recorded.count > 0) page.kinds.push_back(row_of(std::string(name(one.kind)), one));
  for (const bench::Compared& one : alike.names)
    page.operators.push_back(row_of(printable(one.name), one));
  for (const bench::Ran& one : alike.ran)
    page.ran.push_back({printable(one.name), one.recorded, one.replayed});
  for (const bench::RuleUse& use : coverage.rules)
    page.rules.push_back({use.rule, use.says, use.share.count, use.share.recorded.count() / 1000});
  for (const bench::CommCompared& one : alike.comms)
    page.comms.push_back({std::string(profile::name(one.kind)), one.recorded, one.replayed,
                          one.bytes, one.recorded_ns, one.replayed_ns});
  page.recorded_memory = alike.memory.recorded.most;
  page.replayed_memory = alike.memory.replayed.most;
  page.profiled_memory = alike.memory.profiled;
  return page;
}

}  // namespace orrery::present
