// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/explanation/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "orrery/analysis/explanation/explain_internal.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/text/suggest.h"

namespace orrery::analysis {

using result::kNone;
using result::Run;
using result::Span;

namespace {

constexpr std::size_t kMaxCandidates = 10'000;  // names searched for the nearest one

std::string_view trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

/// Removes `word` and a following number from the front of `text`.
std::optional<std::uint64_t> take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return std::nullopt;
  std::string_view rest = trimmed(text.substr(word.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end == rest.data()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  text = trimmed(rest);
  return number;
}

const MetricInfo* metric_called(std::string_view what) {
  std::string name(what);
  std::replace(name.begin(), name.end(), '-', '_');
  return find_metric(name);
}

std::string no_spans(const Run& run) {
  if (run.spans == result::SpanChoice::all) return "";
  return run.spans == result::SpanChoice::none
             ? "the run file contains no spans (--spans none)"
             : "the run file contains only the spans of the critical path (--spans critical)";
}

/// The index of the span of this node, or kNone. O(log spans).
std::uint32_t find_span(const result::Timeline& timeline, std::uint64_t node) {
  const auto& spans = timeline.spans;
  const auto found =
      std::lower_bound(spans.begin(), spans.end(), node,
                       [](const Span& span, std::uint64_t id) { return span.node < id; });
  if (found == spans.end() || found->node != node) return kNone;
  return static_cast<std::uint32_t>(found - spans.begin());
}

/// The rank that finishes last among those with the node; ties: the lowest; kNone: none. A rank
/// that never finished counts as the slowest. O(ranks × log spans).
std::uint32_t slowest_rank_with(const Run& run, std::uint64_t node) {
  std::uint32_t slowest = kNone;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    const Time end = run.ranks[r].finish.value_or(kTimeMax);
    if (slowest != kNone && end <= run.ranks[slowest].finish.value_or(kTimeMax)) continue;
    if (find_span(run.timeline(r), node) != kNone) slowest = r;
  }
  return slowest;
}

Result<Explanation> of_node(const Run& run, std::uint64_t node, std::optional<std::uint64_t> rank,
                            std::string_view what) {
  if (rank && *rank >= run.ranks.size()) {
    return fail(Errc::usage, std::string(what),
                fmt::format("rank {} does not exist: the run has {}", *rank,
                            plural(run.ranks.size(), "rank")));
  }
  const std::uint32_t at = rank ? static_cast<std::uint32_t>(*rank) : slowest_rank_with(run, node);
  const std::uint32_t span = at == kNone ? kNone : find_span(run.timeline(at), node);
  if (span != kNone) return explain_node(run, at, span);
  return fail(Errc::usage, std::string(what),
              rank ? fmt::format("rank {} has no node {} that ran", *rank, node)
                   : fmt::format("no rank has a node {} that ran", node),
              no_spans(run));
}

Result<Explanation> of_collective(const Run& run, std::uint64_t number, std::string_view what) {
  const std::uint32_t count = run.collective_count();
  if (number < count) return explain_collective(run, static_cast<std::uint32_t>(number));
  if (count == 0) return fail(Errc::usage, std::string(what), "the run has no collectives");
  return fail(Errc::usage, std::string(what),
              fmt::format("collective {} does not exist: collectives are numbered 0 to {}", number,
                          count - 1));
}

Error unknown(const Run* run, std::string_view what) {
  std::vector<std::string_view> candidates = metric_names();
  if (run != nullptr) {
    for (std::uint32_t n = 1; n < std::min<std::size_t>(run->names.size(), kMaxCandidates); ++n)
      candidates.push_back(run->names[n]);
  }
  std::string hint = did_you_mean(what, candidates);
  if (hint.empty()) {
    hint = run == nullptr ? "metrics: " + join(metric_names())
                          : "give a metric, \"node N\", \"rank R node N\", \"collective N\" or a "
                            "node's name; metrics: " +
                                join(metric_names());
  }
  return {
      Errc::usage, std::string(what),
      run == nullptr ? "unknown metric" : "neither a metric nor a node or collective of this run",
      std::move(hint)};
}

}  // namespace

std::vector<std::string_view> metric_names() {
  std::vector<std::string_view> names;
  for (const MetricInfo& info : metric_table()) names.push_back(info.name);
  return names;
}

Result<Explanation> explain_metric(std::string_view what) {
  if (const MetricInfo* info = metric_called(trimmed(what))) return describe_metric(*info);
  return tl::unexpected<Error>(unknown(nullptr, what));
}

Result<Explanation> explain(const Run& run, std::string_view what) {
  const std::string_view query = trimmed(what);
  if (const MetricInfo* info = metric_called(query)) return explain_metric_of(run, *info);
  std::string_view rest = query;
  const auto rank = take(rest, "rank ");
  if (const auto node = take(rest, "node "); node && rest.empty())
    return of_node(run, *node, rank, query);
  rest = query;
  if (const auto number = take(rest, "collective "); number && rest.empty())
    return of_collective(run, *number, query);
  for (std::uint32_t n = 1; n < run.names.size(); ++n) {
    if (run.names[n] != query) continue;
    Explanation made = explain_name(run, n);
    if (!made.title.empty()) return made;
  }
  return tl::unexpected<Error>(unknown(&run, query));
}

}  // namespace orrery::analysis
