// SPDX-License-Identifier: Apache-2.0
//
// Places embedding tables on devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/embedding/table_placement.h"
#include "orrery/study/embeddings/embedding_tables.h"
#include "orrery/study/questions/question_rows.h"

namespace orrery::study {

/// Valid values of `sharder`.
[[nodiscard]] std::vector<std::string_view> sharder_names();

struct ShardQuestion {
  std::string tables;
  std::int64_t devices = 8;
  std::string device = "h100-sxm";
  std::int64_t batch = 65'536;
  std::optional<Bytes> memory;
  std::int64_t most_tables = 0;
  std::string sharder;
  bool whole = false;
  std::int64_t seed = 1;

  static constexpr auto fields = std::tuple{
      QuestionField{
          "tables", &ShardQuestion::tables, "TABLES", "", kAnswer, "tables.csv",
          "CSV with the columns name, rows, features, pooling; optionally format and reuse"}
          .required(),
      QuestionField{"devices", &ShardQuestion::devices, "--devices", "N", kAnswer, "4",
                    "Number of devices"}
          .shows_default(),
      QuestionField{"device", &ShardQuestion::device, "--device", "NAME", kAnswer, "a100-40gb",
                    "Device of the catalog"}
          .shows_default(),
      QuestionField{"batch", &ShardQuestion::batch, "--batch", "N", kAnswer, "4096",
                    "Samples per step, over all devices"}
          .shows_default(),
      QuestionField{"memory", &ShardQuestion::memory, "--memory", "BYTES", kAnswer, "64GB",
                    "Memory per device for tables; by default 0.8 of its memory"},
      QuestionField{"most_tables", &ShardQuestion::most_tables, "--most-tables", "N", kAnswer, "9",
                    "Maximum number of tables or pieces of tables per device; 0: no limit"},
      QuestionField{"sharder", &ShardQuestion::sharder, "--sharder", "NAME", kAnswer, "naive",
                    "Use a known sharder: naive, random, size_greedy, lookup_greedy, "
                    "norm_lookup_greedy, size_lookup_greedy",
                    sharder_names},
      QuestionField{"whole", &ShardQuestion::whole, "--whole", "", kAnswer, "true",
                    "Do not cut tables into pieces"},
      QuestionField{"seed", &ShardQuestion::seed, "--seed", "N", kAnswer, "2", "Random seed"}
          .shows_default()};
};

/// A table, or a part of its columns or rows.
struct ShardPiece {
  std::size_t table = 0;
  std::int64_t features = 0, rows = 0;
  /// Number of equal pieces that the columns, and the rows, of the table are cut into.
  std::int64_t columns_of = 1, rows_of = 1;
};

struct ShardDevice {
  std::size_t pieces = 0;
  double us = 0, bytes = 0;
  double sends = 0;  ///< bytes sent to all other devices in a pass
};

/// The cost of one of the six fixed sharders. Only tables that fit on no device are cut.
struct BaselineCost {
  model::Sharder sharder{};
  std::optional<model::PlacementCost> cost;  ///< empty: a table does not fit
};

struct ShardAnswer {
  std::string device;
  std::string_view model;  ///< model of the lookup times: "lin" or "heuristic"
  std::int64_t devices = 0, batch = 0;
  double memory = 0;
  std::int64_t most_tables = 0;  ///< maximum per device; 0: no limit
  std::vector<EmbeddingTable> tables;
  std::vector<ShardPiece> pieces;
  model::Placement placement;  ///< device of each piece
  model::PlacementCost cost;
  double bound_us = 0;  ///< lower bound of the cost of any placement
  std::vector<ShardDevice> loads;
  std::vector<BaselineCost> baselines;
  double link = 0, latency_us = 0;  ///< `link`: bytes per microsecond
  std::string file;                 ///< CSV: table, device, features, rows
  /// Specification of a DLRM with this placement, YAML. Its MLPs are examples. Empty if a
  /// specification cannot express the placement: a table is cut, or tables differ in their number
  /// of features.
  std::string specification;
};

/// Places tables on devices. It cuts a table into rows if the table fits on no device. It halves
/// the columns of a table that dominates the slowest device as long as each cut saves 0.1 %. Errc:
/// those of reading the file; usage for invalid devices and numbers; config_conflict if the tables
/// exceed the total memory or the total number of tables, or if no placement fits.
[[nodiscard]] Result<ShardAnswer> shard(const ShardQuestion& question);

}  // namespace orrery::study
