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

void ShownWatch::estimated(std::uint32_t ranks, std::uint64_t bytes, double cpu_seconds) {
  constexpr double kLong = 30;
  if (cpu_seconds < kLong) return;
  const std::string cost =
      fmt::format("about {} of CPU time and {} of memory",
                  format_time(Time(static_cast<std::int64_t>(cpu_seconds) * 1'000'000'000'000)),
                  analysis::bytes_text(bytes));
  if (announce_) context_.note(fmt::format("the simulation needs {}, by its estimate", cost));
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
