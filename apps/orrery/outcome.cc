// SPDX-License-Identifier: Apache-2.0
#include "outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/platform/networks.h"
#include "orrery/sim/difference.h"
#include "progress.h"

namespace orrery::app {

using graph::NodeKind;

namespace {

Result<sim::SimResult> simulate_once(const Inputs& inputs, const Session& session,
                                     sim::Options options) {
  Progress progress(session);
  const std::uint32_t ranks = inputs.workload.rank_count();
  if (progress.active()) {
    options.progress = [&](std::uint32_t finished, std::uint64_t messages) {
      progress.simulating(finished, ranks, messages);
    };
  }
  auto result = sim::simulate(inputs.workload, inputs.platform, options);
  progress.clear();
  return result;
}

}  // namespace

Result<Outcome> simulate(Inputs inputs, Findings findings, const Session& session,
                         const WorkOptions& work, bool record) {
  sim::Options options = simulation_options(work);
  options.record = record;
  options.keep_times = inputs.workload.spilled_bytes() == 0;
  // Of the two runs of --verify-fold the one that is recorded is the unfolded one.
  if (work.verify_fold && record) options.fold = false;
  auto result = simulate_once(inputs, session, options);
  if (!result) return tl::unexpected(result.error());
  Outcome outcome;
  if (work.verify_fold) {
    options.record = false;
    options.fold = !options.fold;
    const auto other = simulate_once(inputs, session, options);
    if (!other) return tl::unexpected(other.error());
    const sim::SimResult& folded = options.fold ? *other : *result;
    outcome.verified = Verification{sim::first_difference(folded, options.fold ? *result : *other),
                                    folded.savings};
  }
  findings.merge(result->findings);
  result->findings = {};
  if (inputs.program) {
    auto job = describe_job(*inputs.program, inputs.platform, record, findings);
    if (!job) return tl::unexpected(job.error());
    outcome.job = *std::move(job);
  }
  outcome.inputs = std::move(inputs);
  outcome.result = *std::move(result);
  outcome.findings = std::move(findings);
  return outcome;
}

std::optional<analysis::Throughput> Outcome::throughput() const {
  if (!job || result.stall) return std::nullopt;
  return analysis::throughput(job->work, result.end, result.ranks.size(),
                              inputs.platform.device.rated.count());
}

analysis::Breakdown break_down(const Outcome& outcome, std::size_t slowest) {
  std::vector<analysis::RankTimes> times;
  const sim::RankResults& ranks = outcome.result.ranks;
  times.reserve(ranks.simulated().size());
  for (const sim::RankResult& rank : ranks.simulated()) {
    times.push_back({rank.finish, rank.compute, rank.comm, rank.comm_only, rank.memory_only});
  }
  Time end = outcome.result.end;
  if (outcome.result.stall) end = std::max(end, outcome.result.stall->at);
  return analysis::break_down(times, end, slowest, ranks.classes());
}

ChainParts chain_parts(const Outcome& outcome) {
  ChainParts parts;
  const auto& chain = outcome.result.chain;
  Time before{};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const sim::ChainLink& link = chain[i];
    if (link.start > before) parts.wait += link.start - before;
    const Time length = link.end - std::max(link.start, std::min(before, link.end));
    before = std::max(before, link.end);
    switch (outcome.inputs.workload.graph(link.rank).kind(link.node)) {
      case NodeKind::comp:
        parts.compute += length;
        break;
      case NodeKind::mem_load:
      case NodeKind::mem_store:
        parts.memory += length;
        break;
      case NodeKind::send:
      case NodeKind::recv:
      case NodeKind::coll:
        parts.comm += length;
        break;
      case NodeKind::invalid:
      case NodeKind::metadata:
        break;
    }
    parts.longest.push_back(i);
  }
  const auto longer = [&](std::size_t a, std::size_t b) {
    const Time ta = chain[a].end - chain[a].start, tb = chain[b].end - chain[b].start;
    return ta != tb ? ta > tb : a < b;
  };
  const std::size_t keep = std::min<std::size_t>(2, parts.longest.size());
  std::partial_sort(parts.longest.begin(),
                    parts.longest.begin() + static_cast<std::ptrdiff_t>(keep), parts.longest.end(),
                    longer);
  parts.longest.resize(keep);
  return parts;
}

std::string compute_model(const platform::Platform& platform) {
  if (platform.replay_only) return "every node takes its recorded duration";
  const std::string roofline =
      platform.device.name.empty()
          ? "roofline"
          : fmt::format("roofline on {}", report::printable(platform.device.name));
  if (platform.device.roofline) return roofline;
  if (platform.device.roofline_without_duration)
    return fmt::format("recorded durations, else {}", roofline);
  return "recorded durations";
}

std::string_view compute_word(const platform::Platform& platform) {
  if (platform.replay_only) return "replay";
  if (platform.device.roofline) return "roofline";
  return platform.device.roofline_without_duration ? "recorded_or_roofline" : "recorded";
}

std::string network_model(const platform::Platform& platform) {
  const platform::NetworkEntry& network = platform::entry(platform.network);
  return fmt::format("{} ({})", network.name, network.model);
}

std::string shape(const platform::Platform& platform) {
  std::string text;
  for (const platform::Dimension& dim : platform.dims) {
    if (!text.empty()) text += " × ";
    switch (dim.block) {
      case platform::Block::ring:
        text += fmt::format("ring {}", dim.size);
        break;
      case platform::Block::fully_connected:
        text += fmt::format("fully connected {}", dim.size);
        break;
      case platform::Block::switched:
        text += fmt::format("switch {}", dim.size);
        break;
    }
  }
  return text;
}

}  // namespace orrery::app
