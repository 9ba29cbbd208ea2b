// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/units.h"

namespace orrery::commands {

void Progress::reading(std::uint32_t ranks, std::uint32_t all) {
  update({"read", "reading traces", "ranks"}, ranks, all);
}

void Progress::converting(std::uint32_t ranks, std::uint32_t all) {
  update({"convert", "converting traces", "ranks"}, ranks, all);
}

void Progress::simulating(std::uint32_t finished, std::uint32_t all, std::uint64_t messages) {
  if (!active()) return;
  update({"simulate", "simulating", "ranks", analysis::count(messages) + " messages"}, finished,
         all);
}

void ShownWatch::simulations(std::uint32_t count) { series_ = {count}; }

void ShownWatch::estimated(std::uint32_t ranks, std::uint64_t bytes, double cpu_seconds) {
  constexpr double kLong = 30;
  if (series_.expected < 2) {
    if (cpu_seconds >= kLong)
      note_cost(ranks, "the simulation needs {}, by its estimate", bytes, cpu_seconds);
    return;
  }
  ++series_.estimated;
  series_.most_bytes = std::max(series_.most_bytes, bytes);
  series_.cpu_seconds += cpu_seconds;
  const std::uint32_t all = std::max(series_.expected, series_.estimated);
  const double total = series_.cpu_seconds * all / series_.estimated;
  if (total < kLong || series_.is_noted) return;
  series_.is_noted = true;
  note_cost(ranks, fmt::format("{} simulations need {{}}, by their estimates", all),
            series_.most_bytes, total);
}

void ShownWatch::note_cost(std::uint32_t ranks, const std::string& sentence, std::uint64_t bytes,
                           double cpu_seconds) {
  constexpr double kMostSeconds = 9e6;  // some 100 days; Time holds 2^63 picoseconds
  const bool more = cpu_seconds > kMostSeconds;
  const auto seconds = static_cast<std::int64_t>(more ? kMostSeconds : cpu_seconds);
  const std::string cost =
      fmt::format("{} {} of CPU time and {} of memory", more ? "more than" : "about",
                  format_time(Time(seconds * 1'000'000'000'000)), analysis::bytes_text(bytes));
  if (announce_) context_.note(fmt::format(fmt::runtime(sentence), cost));
  progress_.begin({"simulate", "simulating", "ranks", cost}, ranks);
}

void Progress::writing_ranks(std::uint64_t ranks, std::uint64_t all) {
  update({"write", "writing traces", "ranks"}, ranks, all);
}

void Progress::writing(const std::string& path, std::uint64_t bytes, std::uint64_t of) {
  if (!active()) return;
  update({"write", "writing", "bytes", path}, bytes, of == 0 ? 0 : std::max(of, bytes + 1));
}

void Progress::written(const std::string& path, std::uint64_t bytes) {
  if (!active()) return;
  update({"write", "writing", "bytes", path}, bytes, bytes);
}

void ShownWatch::spilled(std::uint64_t bytes, const std::string& folder) {
  if (!announce_) return;
  context_.note(fmt::format(
      "the traces filled half of the memory; {} of them are in a temporary file in {} (--stream)",
      analysis::bytes_text(bytes), folder));
}

}  // namespace orrery::commands
