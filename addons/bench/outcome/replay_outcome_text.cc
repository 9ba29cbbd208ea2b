// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/replay_outcome_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "orrery/core/text/text.h"

namespace orrery::bench {
namespace {

constexpr std::string_view kFirst = "orrery outcome 1\n";
constexpr std::string_view kReason = "reason ";

/// Calls `fn(name, numbers)` for each column.
template <class Of, class Fn>
void for_each_column(Of& outcome, Fn&& fn) {
  fn("wall_ns", outcome.wall_ns);
  fn("cpu_ns", outcome.cpu_ns);
  fn("begin_ns", outcome.begin_ns);
  fn("length_ns", outcome.length_ns);
  fn("exchange_begin_ns", outcome.exchange_begin_ns);
  fn("exchange_length_ns", outcome.exchange_length_ns);
  fn("failures", outcome.failures);
  fn("reshaped", outcome.reshaped);
}

/// Calls `fn` for each single number.
template <class Of, class Fn>
void for_each_number(Of& outcome, Fn&& fn) {
  fn("prepare_ns", outcome.prepare_ns);
  fn("external_bytes", outcome.external_bytes);
  fn("copies_bytes", outcome.copies_bytes);
  fn("peak_bytes", outcome.peak_bytes);
}

/// Removes the line that begins with `word` from `text`, and returns the rest of the line.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(word.size(), end - word.size());
  text.remove_prefix(end + 1);
  return rest;
}

/// Numbers, each preceded by a space.
template <class List>
bool read_numbers(std::string_view line, List& list) {
  while (!line.empty()) {
    std::int64_t number = 0;
    const char* const begin = line.data() + 1;
    const auto [end, error] = std::from_chars(begin, line.data() + line.size(), number);
    if (line.front() != ' ' || error != std::errc{}) return false;
    list.push_back(static_cast<typename List::value_type>(number));
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return true;
}

bool fits(const ReplayOutcome& outcome, const ReplayPlan& plan) {
  const std::size_t iterations = outcome.wall_ns.size(), steps = plan.steps.size();
  const std::size_t exchanged = iterations * plan.exchanges.size();
  return outcome.cpu_ns.size() == iterations && outcome.begin_ns.size() == iterations * steps &&
         outcome.length_ns.size() == iterations * steps &&
         outcome.exchange_begin_ns.size() == exchanged &&
         outcome.exchange_length_ns.size() == exchanged && outcome.failures.size() == steps &&
         outcome.reshaped.size() == steps && outcome.reasons.size() == steps;
}

}  // namespace

std::string outcome_text(const ReplayOutcome& outcome) {
  std::string out(kFirst);
  for_each_column(outcome, [&](std::string_view name, const auto& numbers) {
    out += name;
    for (const auto number : numbers) out += fmt::format(" {}", static_cast<std::int64_t>(number));
    out += '\n';
  });
  for_each_number(outcome, [&](std::string_view name, std::int64_t number) {
    out += fmt::format("{} {}\n", name, number);
  });
  for (const std::string& reason : outcome.reasons)
    out += fmt::format("{}{}\n", kReason, printable(reason));
  return out;
}

Result<ReplayOutcome> read_outcome(std::string_view text, const ReplayPlan& plan) {
  ReplayOutcome outcome;
  bool good = text.starts_with(kFirst);
  text.remove_prefix(good ? kFirst.size() : 0);
  const auto read = [&](std::string_view name, auto& numbers) {
    const auto line = good ? take_line(text, name) : std::nullopt;
    good = line && read_numbers(*line, numbers);
  };
  for_each_column(outcome, read);
  for_each_number(outcome, [&](std::string_view name, std::int64_t& number) {
    std::vector<std::int64_t> one;
    read(name, one);
    good = good && one.size() == 1;
    if (good) number = one.front();
  });
  while (good && !text.empty()) {
    const auto reason = take_line(text, kReason);
    good = reason.has_value();
    if (good) outcome.reasons.emplace_back(*reason);
  }
  if (good && fits(outcome, plan)) return outcome;
  return fail(Errc::input_corrupt, "replay", "the result of a process cannot be read");
}

}  // namespace orrery::bench
