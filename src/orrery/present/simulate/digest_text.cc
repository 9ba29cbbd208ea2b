// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/digest_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/analysis/value_text.h"
#include "orrery/core/models/network_names.h"
#include "orrery/core/models/time_source_table.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/simulate/run_text.h"

namespace orrery::present {

using analysis::Breakdown;
using analysis::Digest;
using report::percent;
using report::Sheet;
using report::Style;

namespace {

void add_times(Sheet& sheet, const Digest& digest, Style style) {
  const Breakdown& step = digest.step;
  const auto part = [&](std::string_view label, Time time, const std::string& more = {}) {
    sheet.add(label,
              fmt::format("{:>7}  {:>9}{}", percent(step.share(time)), format_time(time), more));
  };
  std::string more = plural(digest.ranks, "rank");
  if (digest.distinct > 0 && digest.distinct < digest.ranks)
    more += fmt::format(", {} distinct", count(digest.distinct));
  if (step.finished < digest.ranks) {
    more += fmt::format(", {} never finish", count(digest.ranks - step.finished));
  } else if (step.finished > 1 && step.fastest != step.slowest.front().finish) {
    more += fmt::format(", the first done after {}", format_time(step.fastest));
  }
  std::string time = style.strong(format_time(step.step));
  if (digest.band)
    time += " " + analysis::interval_text(step.step, digest.band->lower, digest.band->upper);
  sheet.add(digest.stalled ? style.bad("stalled") : "step time", fmt::format("{}  {}", time, more));
  if (digest.recorded && !digest.stalled) {
    sheet.add("recorded", fmt::format("{}: {} simulated", format_time(*digest.recorded),
                                      relative_change(*digest.recorded, step.step)));
  }
  part("compute", step.compute);
  std::string hidden;
  if (step.comm > step.comm_only) {
    hidden =
        fmt::format("  ({} more hides behind compute)", format_time(step.comm - step.comm_only));
  }
  part("exposed comm", step.comm_only, hidden);
  part("exposed memory", step.memory_only);
  part("idle", step.idle);
}

/// What people quote.
void add_yield(Sheet& sheet, const Digest& digest) {
  if (!digest.yield) return;
  const analysis::Throughput& speed = digest.yield->speed;
  const bool tokens = speed.tokens > 0;
  std::string text =
      analysis::rate_text(tokens ? speed.tokens : speed.samples, tokens ? "tokens" : "samples");
  if (tokens) {
    const std::string rate = analysis::rate_text(speed.tokens / digest.ranks, "tokens");
    text += fmt::format(", {} per device", rate.substr(0, rate.find(' ')));
  }
  sheet.add("throughput",
            fmt::format("{}; {} per device", text, format_flops(FlopRate(speed.flops))));
  if (!speed.mfu || !speed.hfu) return;
  text = fmt::format("MFU {}, HFU {} of {}", percent(*speed.mfu), percent(*speed.hfu),
                     format_flops(FlopRate(digest.peak_flops)));
  if (!digest.peak_precision.empty())
    text += fmt::format(" ({})", printable(digest.peak_precision));
  sheet.add("utilisation", text);
}

std::string comm_text(const analysis::CommKind& kind) {
  std::string text = fmt::format("{} {}", count(kind.count), printable(kind.type));
  if (kind.members > 0) text += fmt::format(" among {}", count(kind.members));
  text += fmt::format(", {} {}", format_bytes(kind.bytes), kind.one_size ? "each" : "in all");
  text += fmt::format(": {} {}", format_time(kind.each), kind.waits ? "with waits" : "each");
  if (kind.busbw > 0) text += fmt::format(", busbw {}", format_bandwidth(Bandwidth(kind.busbw)));
  if (kind.of_bound) text += fmt::format(" ({} of the bound)", percent(*kind.of_bound));
  return text;
}

void add_comm(Sheet& sheet, const std::vector<analysis::CommKind>& kinds, bool all) {
  const std::size_t lines = all ? kinds.size() : std::min<std::size_t>(4, kinds.size());
  for (std::size_t i = 0; i < lines; ++i)
    sheet.add(i == 0 ? "communication" : "", comm_text(kinds[i]));
  if (kinds.size() > lines)
    sheet.add("", fmt::format("and {} kinds more (--all)", kinds.size() - lines));
  if (kinds.empty()) sheet.add("communication", "none");
}

/// Ranks that finish together stand together: "0-3 370.1 ms, 5 361 ms".
void add_slowest(Sheet& sheet, const Digest& digest) {
  const Breakdown& step = digest.step;
  const auto& slowest = step.slowest;
  if (slowest.empty()) return;
  if (step.finished == digest.ranks && step.fastest == slowest.front().finish) {
    sheet.add("slowest ranks", digest.ranks == 1 ? "one rank only" : "none: all finish together");
    return;
  }
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < slowest.size() && shown < 3; ++shown) {
    std::vector<std::uint32_t> together;
    const Time finish = slowest[i].finish;
    for (; i < slowest.size() && slowest[i].finish == finish; ++i)
      together.push_back(slowest[i].rank);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", report::ranges(together, 3),
                        format_time(finish));
  }
  sheet.add("slowest ranks", fmt::format("{} (median {})", text, format_time(step.median)));
}

void add_waits(Sheet& sheet, const Digest& digest) {
  if (!digest.waited_for) return;
  sheet.add("waited for",
            fmt::format("rank {} most: others waited {} for it, summed over them",
                        digest.waited_for->rank, format_time(digest.waited_for->caused)));
}

void add_memory(Sheet& sheet, const Digest& digest, Style style) {
  if (!digest.memory) return;
  const analysis::MemoryPeak& peak_rank = *digest.memory;
  const auto size = [&](Bytes bytes) {
    return peak_rank.role.empty() ? format_bytes(bytes) : gigabytes(bytes.count());
  };
  std::string text = size(peak_rank.peak), who;
  if (peak_rank.capacity > Bytes{}) text += fmt::format(" of {}", size(peak_rank.capacity));
  if (peak_rank.rank) who = fmt::format("rank {}", *peak_rank.rank);
  if (!peak_rank.role.empty()) who += (who.empty() ? "" : ", ") + printable(peak_rank.role);
  text += fmt::format(" ({})", who);
  if (peak_rank.capacity > Bytes{} && peak_rank.peak > peak_rank.capacity)
    text += ": " + style.bad(size(peak_rank.peak - peak_rank.capacity) + " too much");
  sheet.add("peak memory", text);
}

void add_remote_memory(Sheet& sheet, const std::vector<analysis::MemoryLevelUse>& levels) {
  for (const analysis::MemoryLevelUse& level : levels)
    sheet.add(&level == levels.data() ? "remote memory" : "", report::remote_memory_text(level));
}

void add_path(Sheet& sheet, const Digest& digest) {
  if (!digest.path) return;
  const analysis::PathDigest& path = *digest.path;
  std::string text = fmt::format("{} compute, {} communication", format_time(path.compute),
                                 format_time(path.comm));
  if (path.memory > Time{}) text += fmt::format(", {} memory", format_time(path.memory));
  if (path.wait > Time{}) text += fmt::format(", {} waiting", format_time(path.wait));
  sheet.add("critical path",
            fmt::format("{}, on {} of {} ranks", text, count(path.ranks), count(digest.ranks)));
  text.clear();
  for (std::size_t cause = 0; path.by_cause && cause < result::kPathCauses; ++cause) {
    const Time time = (*path.by_cause)[cause];
    if (time == Time{}) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "by cause: " : ", ",
                    name(static_cast<result::PathCause>(cause)), percent(digest.step.share(time)));
  }
  if (!text.empty()) sheet.add("", text);
  text.clear();
  for (const analysis::PathNode& piece : path.longest) {
    const std::string label =
        piece.name.empty() ? fmt::format("node {}", piece.node) : printable(piece.name);
    text += fmt::format("{}{} {} (rank {})", text.empty() ? "its longest: " : ", ",
                        report::fit(label, 28), format_time(piece.end - piece.start), piece.rank);
  }
  sheet.add("", text);
}

/// What the step's band is, and what it leaves out.
void add_band(Sheet& sheet, const Digest& digest) {
  if (!digest.band) return;
  std::string text = "80 % of true steps, by how far off the models were";
  if (const Time unknown = digest.band->unknown; unknown > Time{}) {
    std::string_view longest;
    for (const result::ErrorClass& one : digest.errors)
      if (!one.off && longest.empty()) longest = one.name;
    text += fmt::format("; nothing is known of {} of the critical path (most: {})",
                        percent(digest.step.share(unknown)), printable(longest));
  }
  sheet.add("band", text);
}

/// Where times of compute nodes come from: study::compute_word in words.
std::string compute_text(const Digest& digest) {
  constexpr std::string_view kRecordedOr = "recorded_or_", kOnDevice = " on {}";
  std::string_view word = digest.compute;
  const std::string device =
      digest.device.empty() ? std::string("the device") : printable(digest.device);
  if (word == "replay") return "every node takes its recorded duration";
  if (const auto choice = platform::compute_model(word))
    return fmt::format(fmt::runtime(entry(*choice).summary), device);
  if (!word.starts_with(kRecordedOr)) return printable(word);
  std::string text = "recorded durations, else ";
  const std::size_t alone = text.size();
  for (word.remove_prefix(kRecordedOr.size()); !word.empty();) {
    const std::size_t end = word.find("_or_");
    const auto source = platform::compute_model(word.substr(0, end));
    if (!source) return printable(digest.compute);
    std::string_view summary = entry(*source).summary;
    if (summary.ends_with(kOnDevice)) summary.remove_suffix(kOnDevice.size());
    text += fmt::format("{}{}", text.size() == alone ? "" : " or ", summary);
    word.remove_prefix(end == std::string_view::npos ? word.size() : end + 4);
  }
  return fmt::format("{} on {}", text, device);
}

}  // namespace

std::string models_text(const Digest& digest) {
  std::string network = digest.network;
  if (const NetworkModelEntry* entry = find_network_model(network))
    network += fmt::format(" ({})", entry->model);
  const std::string compute = compute_text(digest);
  const std::string in_step =
      digest.in_step.empty() ? "" : fmt::format(" ({})", printable(digest.in_step));
  const std::string collectives =
      digest.collectives.empty() ? "" : "; collectives: " + printable(digest.collectives);
  return fmt::format("network {}; compute: {}{}{}; {} rules", printable(network), compute, in_step,
                     collectives, printable(digest.rules));
}

void add_digest(Sheet& sheet, const Digest& digest, Style style, bool all) {
  add_times(sheet, digest, style);
  add_yield(sheet, digest);
  add_comm(sheet, digest.comm, all);
  add_slowest(sheet, digest);
  add_waits(sheet, digest);
  add_memory(sheet, digest, style);
  add_remote_memory(sheet, digest.remote_memory);
  add_path(sheet, digest);
  add_band(sheet, digest);
  sheet.add("models", models_text(digest));
}

}  // namespace orrery::present
