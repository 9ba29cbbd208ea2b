// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/embeddings/shard_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/embeddings/embeddings.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {
namespace {

constexpr double kRoom = 0.8;  // share of the device memory: tasks of Lin et al. (TPDS 2024)
constexpr double kMostOfDevice = 0.5;  // minimum share of the slowest device for a cut
constexpr double kWorthCutting = 1e-3;
constexpr std::int64_t kNarrowest = 16;  // minimum features of a piece
constexpr int kMaxCuts = 64;

class Sharding {
 public:
  explicit Sharding(const ShardQuestion& question) : question_(question) {}

  Result<ShardAnswer> run() {
    if (auto fine = read(); !fine) return tl::unexpected(fine.error());
    for (std::size_t table = 0; table < made_.tables.size(); ++table) {
      ShardPiece piece{table, made_.tables[table].features, made_.tables[table].rows};
      made_.pieces.push_back(piece);
    }
    if (auto fine = settle_task(); !fine) return tl::unexpected(fine.error());
    const auto bounded = bound();
    if (!bounded) return tl::unexpected(bounded.error());
    made_.bound_us = *bounded;
    note_six();
    auto placed = question_.sharder.empty() ? search() : place_by_name();
    if (!placed) return tl::unexpected(placed.error());
    finish();
    return std::move(made_);
  }

 private:
  Result<void> read() {
    if (question_.devices < 1 || question_.devices > 65'536)
      return fail(Errc::usage, "--devices", "give 1 to 65536");
    if (question_.batch < question_.devices || question_.batch > (1ll << 32))
      return fail(Errc::usage, "--batch", "give at least one sample per device, at most 2^32");
    if (question_.memory && *question_.memory <= Bytes{})
      return fail(Errc::usage, "--memory", "is not a size", "--memory 64GB");
    if (question_.most_tables < 0 || question_.most_tables > 1'000'000'000)
      return fail(Errc::usage, "--most-tables", "give 1 to 1000000000, or 0: no limit");
    const auto text = config::read_text(question_.tables, limits::kMeasuredBytes);
    if (!text) return tl::unexpected(text.error());
    auto tables = read_embedding_tables(*text, question_.tables);
    if (!tables) return tl::unexpected(tables.error());
    made_.tables = *std::move(tables);
    const platform::DeviceEntry* device = platform::find_device(question_.device);
    if (device == nullptr) return tl::unexpected(unknown_device(question_.device));
    made_.device = device->name;
    made_.devices = question_.devices;
    made_.batch = question_.batch;
    made_.most_tables = question_.most_tables;
    made_.memory = question_.memory ? static_cast<double>(question_.memory->count())
                                    : kRoom * static_cast<double>(device->memory.count());
    return read_links();
  }

  /// Sets bandwidth (of the slowest dimension) and latency (sum over dimensions) of the catalog
  /// cluster with this number of devices.
  Result<void> read_links() {
    if (question_.devices < 2) return {};
    Question cluster;
    cluster.cluster = fmt::format("{}:{}", made_.device, question_.devices);
    Findings ignored_findings;
    const auto platform = read_platform(cluster, ignored_findings);
    if (!platform) return tl::unexpected(platform.error());
    for (const platform::Dimension& dimension : platform->dims) {
      const double link = dimension.bandwidth.count() / 1e6;
      if (made_.link <= 0 || link < made_.link) made_.link = link;
      made_.latency_us += dimension.latency_ns / 1e3;
    }
    return {};
  }

  /// Lookup time of a piece, cached.
  Result<double> us_of(const ShardPiece& piece) {
    const EmbeddingTable& table = made_.tables[piece.table];
    const auto pooling =
        std::max<std::int64_t>(1, std::llround(table.pooling / static_cast<double>(piece.rows_of)));
    const auto key = std::tuple(piece.table, piece.features, piece.rows, piece.rows_of);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    LookupQuestion lookup;
    lookup.lookup = {.tables = 1,
                     .batch = made_.batch,
                     .pooling = pooling,
                     .rows = piece.rows,
                     .features = piece.features};
    lookup.format = table.format;
    lookup.histogram = table.reuse;
    lookup.devices = {made_.device};
    const auto predicted = predict_lookup(lookup);
    if (!predicted)
      return fail(predicted.error().code, "table " + table.name, predicted.error().what,
                  predicted.error().hint);
    const LookupTime& time = predicted->times.back();  // Lin's model if it supports the device
    made_.model = time.model;
    return known_[key] = time.forward_us + time.backward_us;
  }

  /// Cuts tables that fit on no device by rows.
  Result<void> settle_task() {
    double all = 0;
    for (const EmbeddingTable& table : made_.tables) all += table.bytes();
    const double room = made_.memory * static_cast<double>(made_.devices);
    if (all > room)
      return fail(Errc::config_conflict, question_.tables,
                  fmt::format("its tables need {}, but {} devices have room for {}",
                              format_bytes(Bytes(static_cast<std::int64_t>(all))), made_.devices,
                              format_bytes(Bytes(static_cast<std::int64_t>(room)))),
                  "use more devices, or increase --memory");
    std::vector<ShardPiece> pieces;
    for (const ShardPiece& piece : made_.pieces) {
      const EmbeddingTable& table = made_.tables[piece.table];
      const auto parts = static_cast<std::int64_t>(std::ceil(table.bytes() / made_.memory));
      if (parts > 1 && question_.whole)
        return fail(Errc::config_conflict, "table " + table.name,
                    "no device has room for it, and --whole forbids cutting it", "omit --whole");
      for (std::int64_t part = 0; part < parts; ++part) {
        ShardPiece one = piece;
        one.rows = piece.rows / parts + (part < piece.rows % parts ? 1 : 0);
        one.rows_of = parts;
        pieces.push_back(one);
      }
    }
    made_.pieces = std::move(pieces);
    if (auto fine = check_count(); !fine) return fine;
    return make_task();
  }

  [[nodiscard]] Result<void> check_count() const {
    const auto pieces = static_cast<std::int64_t>(made_.pieces.size());
    if (made_.most_tables == 0 || pieces <= made_.most_tables * made_.devices) return {};
    return fail(
        Errc::config_conflict, "--most-tables",
        fmt::format("{} devices may hold {}, but there are {}", made_.devices,
                    made_.most_tables * made_.devices,
                    made_.pieces.size() == made_.tables.size()
                        ? fmt::format("{} tables", pieces)
                        : fmt::format("{} pieces: some tables do not fit on one device", pieces)),
        fmt::format("use --most-tables {}, or more devices",
                    (pieces + made_.devices - 1) / made_.devices));
  }

  Result<void> make_task() {
    task_ = {};
    task_.devices = static_cast<std::uint32_t>(made_.devices);
    task_.memory = made_.memory;
    task_.max_parts = static_cast<std::uint32_t>(made_.most_tables);
    task_.link = made_.link;
    task_.latency_us = made_.latency_us;
    for (const ShardPiece& piece : made_.pieces) {
      const EmbeddingTable& table = made_.tables[piece.table];
      const auto us = us_of(piece);
      if (!us) return tl::unexpected(us.error());
      model::TablePart part;
      part.us = *us;
      part.rows = static_cast<double>(piece.rows);
      part.features = static_cast<double>(piece.features);
      part.pooling = table.pooling / static_cast<double>(piece.rows_of);
      const double number = graph::bits_of(table.format) / 8.0;
      part.bytes = part.rows * part.features * number;
      part.exchanged = static_cast<double>(made_.batch) / static_cast<double>(made_.devices) *
                       part.features * number;
      task_.parts.push_back(part);
    }
    return {};
  }

  /// If tables may be cut, no piece is faster than its columns at the rate of the fastest width.
  Result<double> bound() {
    if (question_.whole) return model::lower_bound_us(task_);
    model::PlacementTask even = task_;
    double sum = 0;
    for (std::size_t i = 0; i < made_.pieces.size(); ++i) {
      ShardPiece piece = made_.pieces[i];
      double rate = task_.parts[i].us / static_cast<double>(piece.features);
      while (piece.features >= 2 * kNarrowest && piece.features % 2 == 0) {
        piece.features /= 2;
        const auto us = us_of(piece);
        if (!us) return tl::unexpected(us.error());
        rate = std::min(rate, *us / static_cast<double>(piece.features));
      }
      sum += rate * static_cast<double>(made_.pieces[i].features);
      even.parts[i].us = 0;
    }
    return sum / static_cast<double>(made_.devices) + model::lower_bound_us(even);
  }

  void note_six() {
    for (std::uint32_t i = 0; i < model::kSharders; ++i) {
      const auto sharder = static_cast<model::Sharder>(i);
      const auto placed = model::place_with(sharder, task_, seed());
      made_.baselines.push_back(
          {sharder, placed ? std::optional(model::cost_of(task_, *placed)) : std::nullopt});
    }
  }

  [[nodiscard]] std::uint64_t seed() const { return static_cast<std::uint64_t>(question_.seed); }

  [[nodiscard]] tl::unexpected<Error> no_room() const {
    return fail(Errc::config_conflict, question_.tables,
                "the tables fit in total, but no placement on the devices was found",
                "increase --memory or --most-tables slightly, or use more devices");
  }

  Result<void> place_by_name() {
    if (auto known = one_of("--sharder", question_.sharder, sharder_names()); !known) return known;
    std::uint32_t i = 0;
    while (model::name(static_cast<model::Sharder>(i)) != question_.sharder) ++i;
    auto placed = model::place_with(static_cast<model::Sharder>(i), task_, seed());
    if (!placed) return no_room();
    made_.placement = *std::move(placed);
    return {};
  }

  Result<void> search() {
    auto placed = model::search_placement(task_, seed());
    if (!placed) return no_room();
    made_.placement = *std::move(placed);
    for (int cuts = 0; !question_.whole && cuts < kMaxCuts; ++cuts) {
      const auto piece = piece_to_cut();
      if (!piece) break;
      const std::vector<ShardPiece> was = made_.pieces;
      const double cost = model::cost_of(task_, made_.placement).us();
      cut(*piece);
      if (auto fine = make_task(); !fine) return fine;
      placed = model::search_placement(task_, seed());
      if (placed && model::cost_of(task_, *placed).us() < cost * (1 - kWorthCutting)) {
        made_.placement = *std::move(placed);
        continue;
      }
      made_.pieces = was;
      return make_task();
    }
    return {};
  }

  /// The largest piece of the slowest device, if it has at least half of the device's time and can
  /// be halved.
  [[nodiscard]] std::optional<std::size_t> piece_to_cut() const {
    std::vector<double> us(task_.devices);
    for (std::size_t i = 0; i < made_.placement.size(); ++i)
      us[made_.placement[i]] += task_.parts[i].us;
    const auto longest =
        static_cast<std::uint32_t>(std::max_element(us.begin(), us.end()) - us.begin());
    std::optional<std::size_t> made;
    for (std::size_t i = 0; i < made_.placement.size(); ++i)
      if (made_.placement[i] == longest && (!made || task_.parts[i].us > task_.parts[*made].us))
        made = i;
    if (!made || task_.parts[*made].us < kMostOfDevice * us[longest] ||
        made_.pieces[*made].features < 2 * kNarrowest || made_.pieces[*made].features % 2 != 0)
      return std::nullopt;
    return made;
  }

  void cut(std::size_t number) {
    ShardPiece& piece = made_.pieces[number];
    piece.features /= 2;
    piece.columns_of *= 2;
    made_.pieces.push_back(piece);
  }

  void finish() {
    made_.cost = model::cost_of(task_, made_.placement);
    made_.loads.resize(static_cast<std::size_t>(made_.devices));
    made_.file = "table,device,features,rows\n";
    for (std::size_t i = 0; i < made_.pieces.size(); ++i) {
      ShardDevice& device = made_.loads[made_.placement[i]];
      ++device.pieces;
      device.us += task_.parts[i].us;
      device.bytes += task_.parts[i].bytes;
      device.sends += task_.parts[i].exchanged * static_cast<double>(made_.devices - 1);
      const ShardPiece& piece = made_.pieces[i];
      made_.file += fmt::format("{},{},{},{}\n", csv_cell(made_.tables[piece.table].name),
                                made_.placement[i], piece.features, piece.rows);
    }
    write_specification();
  }

  /// Requires that pieces are complete tables, in their order.
  void write_specification() {
    const auto& tables = made_.tables;
    const bool equivalent = std::all_of(
        tables.begin(), tables.end(),
        [&](const EmbeddingTable& table) { return table.features == tables.front().features; });
    if (!equivalent || made_.pieces.size() != tables.size()) return;
    std::string& text = made_.specification;
    text = fmt::format(
        "model:\n  name: sharded\n  kind: dlrm\n  dlrm:\n    dim: {0}\n"
        "    bottom_mlp: [512, 256, {0}]  # assumed: replace these two with your own\n"
        "    top_mlp: [512, 256, 1]\n    sharding: table\n    tables:\n",
        tables.front().features);
    for (const EmbeddingTable& table : tables)
      text += fmt::format("      - {{rows: {}, pooling: {}}}\n", table.rows,
                          std::max<std::int64_t>(1, std::llround(table.pooling)));
    text += fmt::format("    placement: [{}]\n", fmt::join(made_.placement, ", "));
  }

  const ShardQuestion& question_;
  ShardAnswer made_;
  model::PlacementTask task_;
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t>, double> known_;
};

}  // namespace

std::vector<std::string_view> sharder_names() {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < model::kSharders; ++i)
    names.push_back(model::name(static_cast<model::Sharder>(i)));
  return names;
}

Result<ShardAnswer> shard(const ShardQuestion& question) { return Sharding(question).run(); }

}  // namespace orrery::study
