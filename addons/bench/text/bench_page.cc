// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_page.h"

#include <fmt/format.h>

#include <string>

#include "addons/bench/text/bench_similarity_answer.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {
namespace {

using report::PageReplay;

PageReplay::Side side_of(const bench::ResourceUse& use) {
  return {use.count, use.ns, use.flops_rate(), use.bytes_rate()};
}

PageReplay::Row row_of(const std::string& name, const bench::OperatorComparison& one) {
  return {name,
          std::string(bench::name(one.kind)),
          one.rule,
          side_of(one.recorded),
          side_of(one.replayed),
          one.kernels};
}

void add_facts(PageReplay& page, const Benchmark& benchmark, const bench::Coverage& coverage) {
  const bench::Timing timing = bench::timing_of(benchmark.plan, *benchmark.outcome);
  report::Answer answer(page.facts);
  state_recording(answer, benchmark);
  const std::uint64_t called = coverage.of(bench::ReplayMethod::exact).count +
                               coverage.of(bench::ReplayMethod::overload).count;
  answer.line("operators",
              fmt::format("{}: {} called as recorded, {} replaced by rules, {} absent; {} failed",
                          count(coverage.all.count), count(called),
                          count(coverage.of(bench::ReplayMethod::rule).count),
                          count(coverage.of(bench::ReplayMethod::absent).count),
                          count(timing.failed_operators)));
  if (benchmark.plan.timed)
    answer.line(
        "of recorded time",
        fmt::format("{} called as recorded, {} replaced by rules",
                    share(coverage.of(bench::ReplayMethod::exact).recorded +
                              coverage.of(bench::ReplayMethod::overload).recorded,
                          coverage.all.recorded),
                    share(coverage.of(bench::ReplayMethod::rule).recorded, coverage.all.recorded)));
  answer.line("iteration", fmt::format("median {} of {}", format_time(ns(timing.wall.half)),
                                       count(benchmark.outcome->wall_ns.size())));
  state_similarity(answer, *benchmark.similarity);
}

}  // namespace

PageReplay bench_page(const Benchmark& benchmark) {
  const bench::Similarity& similarity = *benchmark.similarity;
  const bench::Coverage coverage = bench::coverage_of(benchmark.plan);
  PageReplay page;
  page.title = "Replay of " + printable(benchmark.file);
  page.timed = similarity.timed;
  page.on_device = similarity.on_device;
  add_facts(page, benchmark, coverage);
  for (const bench::OperatorComparison& one : similarity.classes)
    if (one.recorded.count > 0) page.kinds.push_back(row_of(std::string(name(one.kind)), one));
  for (const bench::OperatorComparison& one : similarity.names)
    page.operators.push_back(row_of(printable(one.name), one));
  for (const bench::OperatorCount& one : similarity.operator_counts)
    page.operator_counts.push_back({printable(one.name), one.recorded, one.replayed});
  for (const bench::RuleUse& use : coverage.rules)
    page.rules.push_back(
        {use.rule, use.description, use.share.count, use.share.recorded.count() / 1000});
  for (const bench::CommunicationComparison& one : similarity.communications)
    page.comms.push_back({std::string(profile::name(one.kind)), one.recorded, one.replayed,
                          one.bytes, one.recorded_ns, one.replayed_ns});
  page.recorded_memory = similarity.memory.recorded.most;
  page.replayed_memory = similarity.memory.replayed.most;
  page.profiled_memory = similarity.memory.profiled;
  return page;
}

}  // namespace orrery::present
