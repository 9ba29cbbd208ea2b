// SPDX-License-Identifier: Apache-2.0
//
// Which device is to hold which embedding table.
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

/// What `sharder` may be called.
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
      QuestionField{"tables", &ShardQuestion::tables, "TABLES", "", kAnswer, "tables.csv",
                    "CSV with the columns name, rows, features, pooling; perhaps format and reuse"}
          .required(),
      QuestionField{"devices", &ShardQuestion::devices, "--devices", "N", kAnswer, "4", "How many"}
          .shows_default(),
      QuestionField{"device", &ShardQuestion::device, "--device", "NAME", kAnswer, "a100-40gb",
                    "Of the catalogue"}
          .shows_default(),
      QuestionField{"batch", &ShardQuestion::batch, "--batch", "N", kAnswer, "4096",
                    "Samples in a step, of all devices together"}
          .shows_default(),
      QuestionField{"memory", &ShardQuestion::memory, "--memory", "BYTES", kAnswer, "64GB",
                    "Of a device for tables; by default 0.8 of it"},
      QuestionField{"most_tables", &ShardQuestion::most_tables, "--most-tables", "N", kAnswer, "9",
                    "A device holds no more tables, or pieces of them; 0: no limit"},
      QuestionField{"sharder", &ShardQuestion::sharder, "--sharder", "NAME", kAnswer, "naive",
                    "One of the six instead of a search: naive, random, size_greedy, "
                    "lookup_greedy, norm_lookup_greedy, size_lookup_greedy",
                    sharder_names},
      QuestionField{"whole", &ShardQuestion::whole, "--whole", "", kAnswer, "true",
                    "Do not cut tables"},
      QuestionField{"seed", &ShardQuestion::seed, "--seed", "N", kAnswer, "2", "Of chance"}
          .shows_default()};
};

/// A table, or so many of its columns or rows.
struct ShardPiece {
  std::size_t table = 0;
  std::int64_t features = 0, rows = 0;
  std::int64_t columns_of = 1,
               rows_of = 1;  ///< one of so many pieces, side by side or one below another
};

struct ShardDevice {
  std::size_t pieces = 0;
  double us = 0, bytes = 0;
  double sends = 0;  ///< bytes to all others, in a pass
};

/// What one of the six says of tables as they are.
struct BaselineCost {
  model::Sharder sharder{};
  std::optional<model::PlacementCost> cost;  ///< empty: some table finds no room
};

struct ShardAnswer {
  std::string device;
  std::string_view model;  ///< who told the lookups' times: "lin" or "heuristic"
  std::int64_t devices = 0, batch = 0;
  double memory = 0;
  std::int64_t most_tables = 0;  ///< of a device; 0: no limit
  std::vector<EmbeddingTable> tables;
  std::vector<ShardPiece> pieces;
  model::Placement placement;  ///< by piece
  model::PlacementCost cost;
  double bound_us = 0;  ///< no placement costs less
  std::vector<ShardDevice> loads;
  std::vector<BaselineCost> baselines;
  double link = 0, latency_us = 0;  ///< bytes per microsecond
  std::string file;                 ///< CSV: table, device, columns, rows
  /// A dlrm's specification with the placement, YAML, whose MLPs are an example; empty where a
  /// specification cannot say it: tables were cut, or have not all as many features.
  std::string specification;
};

/// Tables are cut where a device has no room for them (by rows), and where the device that takes
/// longest has little but one of them (by columns, in halves), as long as that wins 0.1 %. Errc:
/// those of reading the file; usage for devices and numbers that cannot be; config_conflict where
/// all tables together do not fit, are more than all devices may hold, or nothing found fits.
[[nodiscard]] Result<ShardAnswer> shard(const ShardQuestion& question);

}  // namespace orrery::study
