// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/answer/digest_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/analysis/metrics/widest_term.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/models/network_names.h"
#include "orrery/core/models/time_source_table.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/report/answer/number_text.h"

namespace orrery::report {

using analysis::Breakdown;
using analysis::Digest;

namespace {

/// "  83.3 %   857.5 ms": a column of shares, a column of times; on a page "83.3 %, 857.5 ms".
std::string part_text(const Answer& answer, const Breakdown& step, Time time) {
  if (answer.is_page()) return fmt::format("{}, {}", percent(step.share(time)), format_time(time));
  return fmt::format("{:>7}  {:>9}", percent(step.share(time)), format_time(time));
}

void state_step(Answer& answer, const Digest& digest) {
  const Breakdown& step = digest.step;
  const Style style = answer.style();
  std::string time = style.strong(format_time(step.step));
  if (digest.interval)
    time +=
        " " + analysis::interval_text(step.step, digest.interval->lower, digest.interval->upper);
  std::string more = plural(digest.ranks, "rank");
  if (digest.distinct > 0 && digest.distinct < digest.ranks)
    more += fmt::format(", {} distinct", count(digest.distinct));
  if (step.finished < digest.ranks) {
    more += fmt::format(", {} never finish", count(digest.ranks - step.finished));
  } else if (step.finished > 1 && step.fastest != step.slowest.front().finish) {
    more += fmt::format(", the first done after {}", format_time(step.fastest));
  }
  answer.line(digest.stalled ? style.bad("stalled") : "step time",
              fmt::format("{}{}{}", time, answer.is_page() ? ", " : "  ", more));
  answer.field("recorded_ns", digest.recorded);
  if (digest.recorded && !digest.stalled)
    answer.line("recorded", fmt::format("{}: {} simulated", format_time(*digest.recorded),
                                        relative_change(*digest.recorded, step.step)));
}

void state_breakdown(Answer& answer, const Breakdown& step) {
  constexpr std::size_t kSlowestShown = 3;
  answer.object("breakdown", [&] {
    answer.row("compute", "compute_ns", step.compute, part_text(answer, step, step.compute));
    const Time hidden = step.comm - step.comm_only;
    answer.row(
        "exposed comm", "exposed_comm_ns", step.comm_only,
        part_text(answer, step, step.comm_only) +
            (hidden > Time{} ? fmt::format("{}({} more hidden behind compute)",
                                           answer.is_page() ? " " : "  ", format_time(hidden))
                             : ""));
    answer.row("exposed memory", "exposed_memory_ns", step.memory_only,
               part_text(answer, step, step.memory_only));
    answer.row("idle", "idle_ns", step.idle, part_text(answer, step, step.idle));
    answer.field("comm_ns", step.comm).field("first_finish_ns", step.fastest);
    answer.field("median_finish_ns", step.median);
    Columns<analysis::SlowRank> columns;
    columns.field("rank", [](const auto& rank) { return rank.rank; })
        .field("finish_ns", [](const auto& rank) { return rank.finish; });
    answer.table("slowest",
                 std::span(step.slowest).first(std::min(kSlowestShown, step.slowest.size())),
                 columns);
  });
}

Value known(double number) { return number > 0 ? Value(number) : Value(); }

/// Utilization relative to the peaks of the formats of its products.
void state_format_utilization(Answer& answer, const Digest& digest) {
  const auto& by_format = digest.by_format;
  answer.field("product_formats", by_format ? Value(by_format->formats) : Value());
  answer.field("format_peak_flop_per_s", by_format ? Value(by_format->peak) : Value());
  answer.field("format_mfu", by_format ? Value(by_format->mfu) : Value());
  answer.field("format_hfu", by_format ? Value(by_format->hfu) : Value());
  if (by_format)
    answer.line("", fmt::format("MFU {}, HFU {} of {} ({})", percent(by_format->mfu),
                                percent(by_format->hfu), format_flops(FlopRate(by_format->peak)),
                                by_format->formats));
}

/// Throughput and FLOPs utilization.
void state_throughput(Answer& answer, const Digest& digest) {
  answer.object_or_null("throughput", digest.throughput.has_value(), [&] {
    const auto& [work, speed] = *digest.throughput;
    const bool tokens = speed.tokens > 0;
    std::string text =
        analysis::rate_text(tokens ? speed.tokens : speed.samples, tokens ? "tokens" : "samples");
    if (tokens) {
      const std::string rate = analysis::rate_text(speed.tokens / digest.ranks, "tokens");
      text += fmt::format(", {} per device", rate.substr(0, rate.find(' ')));
    }
    answer.line("throughput",
                fmt::format("{}; {} per device", text, format_flops(FlopRate(speed.flops))));
    answer.field("samples", work.samples).field("samples_per_s", speed.samples);
    answer.field("tokens", work.tokens > 0 ? Value(work.tokens) : Value());
    answer.field("tokens_per_s", known(speed.tokens));
    answer.field("device_tokens_per_s", known(speed.tokens / digest.ranks));
    answer.field("model_flop", work.model_flops).field("hardware_flop", work.hardware_flops);
    answer.field("device_model_flop_per_s", speed.flops);
    answer.field("peak_flop_per_s", known(digest.peak_flops));
    answer.field("peak_precision", text_or_null(digest.peak_precision));
    answer.field("mfu", speed.mfu).field("hfu", speed.hfu);
    if (!speed.mfu || !speed.hfu) {
      state_format_utilization(answer, digest);
      return;
    }
    text = fmt::format("MFU {}, HFU {} of {}", percent(*speed.mfu), percent(*speed.hfu),
                       format_flops(FlopRate(digest.peak_flops)));
    if (!digest.peak_precision.empty())
      text += fmt::format(" ({})", printable(digest.peak_precision));
    answer.line("utilization", text);
    state_format_utilization(answer, digest);
  });
  if (answer.is_page() && !digest.throughput && digest.mfu && digest.hfu)  // of traces
    answer.line("utilization",
                fmt::format("MFU {}, HFU {}", percent(*digest.mfu), percent(*digest.hfu)));
}

/// `size`: its bytes as text.
std::string comm_text(const analysis::CommKind& kind, const std::string& size) {
  std::string text = fmt::format("{} {}", count(kind.count), printable(kind.type));
  if (kind.members > 0) text += fmt::format(" among {}", count(kind.members));
  text += fmt::format(", {} {}", size, kind.one_size ? "each" : "total");
  text += fmt::format(": {} {}", format_time(kind.each), kind.waits ? "with waits" : "each");
  if (kind.busbw > 0) text += fmt::format(", busbw {}", format_bandwidth(Bandwidth(kind.busbw)));
  if (kind.of_bound) text += fmt::format(" ({} of the bound)", percent(*kind.of_bound));
  return text;
}

void state_comm(Answer& answer, const std::vector<analysis::CommKind>& kinds, bool all) {
  const std::size_t lines = all ? kinds.size() : std::min<std::size_t>(4, kinds.size());
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < lines; ++i) sizes.push_back(traffic_text(kinds[i].bytes));
  unify_bytes(sizes);
  for (std::size_t i = 0; i < lines; ++i)
    answer.line(i == 0 ? "communication" : "", comm_text(kinds[i], sizes[i]));
  if (kinds.size() > lines)
    answer.line("", fmt::format("and {} more kinds{}", kinds.size() - lines,
                                answer.is_page() ? "" : " (--all)"));
  if (kinds.empty()) answer.line("communication", "none");
}

/// Ranks that finish together share an entry: "0-3 370.1 ms, 5 361 ms".
void state_slowest(Answer& answer, const Digest& digest) {
  const Breakdown& step = digest.step;
  const auto& slowest = step.slowest;
  if (slowest.empty()) return;
  if (step.finished == digest.ranks && step.fastest == slowest.front().finish) {
    answer.line("slowest ranks", digest.ranks == 1 ? "one rank only" : "none: all finish together");
    return;
  }
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < slowest.size() && shown < 3; ++shown) {
    std::vector<std::uint32_t> together;
    const Time finish = slowest[i].finish;
    for (; i < slowest.size() && slowest[i].finish == finish; ++i)
      together.push_back(slowest[i].rank);
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", ranges(together, 3), format_time(finish));
  }
  answer.line("slowest ranks", fmt::format("{} (median {})", text, format_time(step.median)));
}

/// What a job needs, or the tensors of a trace: "69.62 GB of 84.99 GB: fits, 15.37 GB to spare
/// (stage 0)", "21.87 GB of 84.99 GB (rank 0)".
std::string memory_text(const Answer& answer, const analysis::MemoryPeak& memory) {
  const auto size = [&](Bytes bytes) {
    return memory.role.empty() ? format_bytes(bytes) : gigabytes(bytes.count());
  };
  const auto fit = memory.fit();
  std::string text = size(memory.need ? memory.need->total : memory.peak), who;
  if (fit) text += fmt::format(" of {}", size(memory.capacity));
  if (fit && (memory.need || fit == MemoryFit::no))
    text +=
        fmt::format(": {}, {}", memory_fit_text(*fit, answer.style()), spare_text(memory.spare()));
  if (memory.rank) who = fmt::format("rank {}", *memory.rank);
  if (!memory.role.empty()) who += (who.empty() ? "" : ", ") + printable(memory.role);
  return text + fmt::format(" ({})", who);
}

/// The first line of a step that cannot run.
void state_no_fit(Answer& answer, const std::optional<analysis::MemoryPeak>& memory) {
  if (!memory || memory->fit() != MemoryFit::no) return;
  answer.line(answer.style().bad("DOES NOT FIT"),
              fmt::format("a device needs {} of {}: {}",
                          gigabytes((memory->capacity - memory->spare()).count()),
                          gigabytes(memory->capacity.count()), spare_text(memory->spare())));
}

void state_memory(Answer& answer, const std::optional<analysis::MemoryPeak>& memory) {
  answer.object_or_null("memory", memory.has_value(), [&] {
    const auto fit = memory->fit();
    std::string text = memory_text(answer, *memory);
    if (answer.is_page() && memory->at)
      text += fmt::format(", {} into the step", format_time(*memory->at));
    answer.row("peak memory", "peak_bytes", memory->peak, text);
    answer.field("total_bytes", memory->need ? Value(memory->need->total) : Value());
    answer.field("rank", memory->rank).field("role", text_or_null(memory->role));
    answer.field("capacity_bytes", fit ? Value(memory->capacity) : Value());
    answer.field("fits", fit ? Value(memory->spare() >= Bytes{}) : Value());
    answer.field("verdict", fit ? Value(name(*fit)) : Value());
  });
}

/// "work 61.2 %, bandwidth 12 %"
std::string causes_text(const Digest& digest) {
  std::string text;
  for (std::size_t cause = 0; digest.path->by_cause && cause < result::kPathCauses; ++cause) {
    const Time time = (*digest.path->by_cause)[cause];
    if (time == Time{}) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "by cause: " : ", ",
                    name(static_cast<result::PathCause>(cause)), percent(digest.step.share(time)));
  }
  return text;
}

std::string longest_text(const std::vector<analysis::PathNode>& longest, bool with_cause) {
  std::string text;
  for (const analysis::PathNode& piece : longest) {
    const std::string label =
        piece.name.empty() ? fmt::format("node {}", piece.node) : printable(piece.name);
    text += fmt::format("{}{} {} (rank {}{})", text.empty() ? "longest: " : ", ", fit(label, 28),
                        format_time(piece.end - piece.start), piece.rank,
                        with_cause && piece.cause ? fmt::format(", {}", name(*piece.cause)) : "");
  }
  return text;
}

void state_path(Answer& answer, const Digest& digest) {
  answer.object_or_null("critical_path", digest.path.has_value(), [&] {
    const analysis::PathDigest& path = *digest.path;
    std::string text = fmt::format("{} compute, {} communication", format_time(path.compute),
                                   format_time(path.comm));
    if (path.memory > Time{}) text += fmt::format(", {} memory", format_time(path.memory));
    if (path.wait > Time{}) text += fmt::format(", {} waiting", format_time(path.wait));
    answer.line("critical path",
                fmt::format("{}, on {} of {} ranks", text, count(path.ranks), count(digest.ranks)));
    if (text = causes_text(digest); !text.empty()) answer.line("", text);
    if (!path.longest.empty()) answer.line("", longest_text(path.longest, answer.is_page()));
    answer.field("nodes", path.nodes).field("ranks", path.ranks);
    answer.field("compute_ns", path.compute).field("comm_ns", path.comm);
    answer.field("memory_ns", path.memory).field("wait_ns", path.wait);
    Columns<analysis::PathNode> columns;
    columns.field("rank", [](const auto& node) { return node.rank; })
        .field("node", [](const auto& node) { return node.node; })
        .field("name", [](const auto& node) { return node.name; })
        .field("kind", [](const auto& node) { return node.kind; })
        .field("start_ns", [](const auto& node) { return node.start; })
        .field("end_ns", [](const auto& node) { return node.end; });
    answer.table("longest", path.longest, columns);
  });
}

/// `low_error_ns` and `high_error_ns`.
template <class Row>
void add_error_columns(Columns<Row>& columns) {
  columns
      .field("low_error_ns",
             [](const Row& row) { return row.off ? Value(row.off->lower) : Value(); })
      .field("high_error_ns",
             [](const Row& row) { return row.off ? Value(row.off->upper) : Value(); });
}

/// The step's interval, or why it has none; its basis, and the share of the path whose error is not
/// known.
void state_interval(Answer& answer, const Digest& digest) {
  const std::string reason =
      digest.stalled ? "" : analysis::no_interval_reason(digest.errors, digest.step.step);
  if (!reason.empty()) answer.row("interval", "no_interval_reason", reason, "none: " + reason);
  answer.object_or_null("prediction_interval", digest.interval.has_value(), [&] {
    const std::string widest = analysis::widest_term_text(digest.errors, digest.step.step);
    std::string text =
        fmt::format("80 % prediction interval, from measured errors; widest term: {}", widest);
    if (const std::string unknown = analysis::unknown_part_text(digest.errors, digest.step.step);
        !unknown.empty())
      text += fmt::format("; {} has no known error and counts as {}", unknown,
                          analysis::unknown_error_text());
    answer.line("interval", text);
    answer.field("low_ns", digest.interval->lower).field("high_ns", digest.interval->upper);
    answer.field("unknown_ns", digest.interval->unknown).field("widest_term", widest);
  });
  Columns<result::ErrorClass> classes;
  classes.field("class", [](const auto& one) { return one.name; })
      .field("time_ns", [](const auto& one) { return one.time; });
  add_error_columns(classes);
  answer.table("error_classes", digest.errors, classes);
  answer.members([&](JsonWriter& json) {
    write_time_by_provenance(json, "time_by_basis", digest.time_by_provenance);
  });
  Columns<result::PredictedCollective> collectives;
  collectives.field("type", [](const auto& one) { return one.type; })
      .field("bytes", [](const auto& one) { return one.bytes; })
      .field("group_size", [](const auto& one) { return one.ranks; })
      .field("hosts", [](const auto& one) { return one.nodes; })
      .field("time_ns", [](const auto& one) { return one.time; })
      .field("source", [](const auto& one) { return one.source; })
      .field("algorithm", [](const auto& one) { return text_or_null(one.algorithm); });
  add_error_columns(collectives);
  answer.table("library_collectives", digest.predicted, collectives);
}

/// The row of a compute model; null: there is none of this name.
const TimeSourceEntry* find_compute_model(std::string_view name) {
  const auto* found =
      std::find_if(kTimeSourceTable.begin(), kTimeSourceTable.end(),
                   [&](const auto& row) { return is_compute_choice(row) && row.name == name; });
  return found == kTimeSourceTable.end() ? nullptr : found;
}

/// The source of compute times: Digest::compute in words.
std::string compute_text(const Digest& digest) {
  constexpr std::string_view kRecordedOr = "recorded_or_", kOnDevice = " on {}";
  std::string_view word = digest.compute;
  const std::string device =
      digest.device.empty() ? std::string("the device") : printable(digest.device);
  if (word == "replay") return "every node has its recorded duration";
  if (const TimeSourceEntry* model = find_compute_model(word))
    return fmt::format(fmt::runtime(model->summary), device);
  if (!word.starts_with(kRecordedOr)) return printable(word);
  std::string text = "recorded durations, else ";
  const std::size_t alone = text.size();
  for (word.remove_prefix(kRecordedOr.size()); !word.empty();) {
    const std::size_t end = word.find("_or_");
    const TimeSourceEntry* source = find_compute_model(word.substr(0, end));
    if (source == nullptr) return printable(digest.compute);
    std::string_view summary = source->summary;
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

void write_time_by_provenance(JsonWriter& json, std::string_view name,
                              const TimeByProvenance& time_by_provenance) {
  json.key(name).begin_array();
  for (std::size_t i = 0; i < kTimeProvenances; ++i)
    if (time_by_provenance[i] > Time{})
      json.begin_object()
          .field("basis", orrery::name(static_cast<TimeProvenance>(i)))
          .nanoseconds("time", time_by_provenance[i])
          .end_object();
  json.end_array();
}

void state_digest(Answer& answer, const Digest& digest, bool all) {
  state_no_fit(answer, digest.memory);
  state_step(answer, digest);
  state_breakdown(answer, digest.step);
  state_throughput(answer, digest);
  state_comm(answer, digest.comm, all);
  state_slowest(answer, digest);
  if (digest.worst_straggler)
    answer.line("waited for", fmt::format("rank {} most: others waited {} for it in total",
                                          digest.worst_straggler->rank,
                                          format_time(digest.worst_straggler->caused_wait)));
  state_memory(answer, digest.memory);
  for (const analysis::MemoryLevelUse& level : digest.remote_memory)
    answer.line(&level == digest.remote_memory.data() ? "remote memory" : "",
                remote_memory_text(level));
  state_path(answer, digest);
  state_interval(answer, digest);
  answer.line("models", models_text(digest));
}

}  // namespace orrery::report
