// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Assign embedding tables to devices: `orrery dlrm shard`.
struct DlrmShardQuestion {
  /// Number of devices. Default: 8.
  std::optional<std::int64_t> devices{};
  /// Device of the catalog. Default: h100-sxm.
  std::optional<std::string> device{};
  /// Samples per step, over all devices. Default: 65536.
  std::optional<std::int64_t> batch{};
  /// Memory per device for tables; by default 0.8 of its memory. A size: 64MB.
  std::optional<std::string> memory{};
  /// Maximum number of tables or pieces of tables per device; 0: no limit. Default: 0.
  std::optional<std::int64_t> most_tables{};
  /// Use a known sharder: naive, random, size_greedy, lookup_greedy, norm_lookup_greedy,
  /// size_lookup_greedy. One of naive, random, size_greedy, lookup_greedy, norm_lookup_greedy,
  /// size_lookup_greedy.
  std::optional<std::string> sharder{};
  /// Do not cut tables into pieces.
  std::optional<bool> whole{};
  /// Random seed. Default: 1.
  std::optional<std::int64_t> seed{};
  /// Plot the lookup time of each device as SVG.
  std::optional<std::string> plot{};
  /// Write the placement to FILE as CSV ('-' for stdout), or to FILE.yaml as a DLRM specification.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// CSV with the columns name, rows, features, pooling; optionally format and reuse.
  std::optional<std::string> tables{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("devices", devices);
    text.add("device", device);
    text.add("batch", batch);
    text.add("memory", memory);
    text.add("most_tables", most_tables);
    text.add("sharder", sharder);
    text.add("whole", whole);
    text.add("seed", seed);
    text.add("plot", plot);
    text.add("output", output);
    text.add("force", force);
    text.add("tables", tables);
    return text.finish();
  }
};

[[nodiscard]] inline Answer dlrm_shard(const DlrmShardQuestion& question,
                                       const CallOptions& options = {}) {
  return call("dlrm shard", question.json(), options);
}

/// Measure the reuse of embedding rows, and predict lookups: `orrery dlrm lookup`.
struct DlrmLookupQuestion {
  /// File with the first index of each bag. Only for 'histogram', 'time'.
  std::optional<std::string> offsets{};
  /// File with the number of indices of each bag. Only for 'histogram', 'time'.
  std::optional<std::string> lengths{};
  /// Number of tables; a file has the bags of the first, then of the second …. Only for
  /// 'histogram', 'time'. Default: 0.
  std::optional<std::int64_t> tables{};
  /// Bags per table. Only for 'synthesize', 'time'. Default: 0.
  std::optional<std::int64_t> bags{};
  /// Lookups per bag. Only for 'histogram', 'synthesize', 'time'. Default: 0.
  std::optional<std::int64_t> pooling{};
  /// Rows per table. Only for 'synthesize', 'time'. Default: 0.
  std::optional<std::int64_t> rows{};
  /// Numbers per row (embedding dimension). Only for 'time'. Default: 0.
  std::optional<std::int64_t> features{};
  /// Format of the weights; by default fp32. Only for 'time'. Default: fp32.
  std::optional<std::string> dtype{};
  /// Shares of rows by number of reads: 17 numbers, or a file of them. Only for 'synthesize',
  /// 'time'.
  std::optional<std::string> histogram{};
  /// File of indices whose histogram to use. Only for 'synthesize', 'time'.
  std::optional<std::string> like{};
  /// Devices of the catalog, separated by commas; by default h100-sxm. Only for 'time'.
  std::vector<std::string> device{};
  /// Random seed; by default 1. Only for 'synthesize', 'fit'. Default: 1.
  std::optional<std::int64_t> seed{};
  /// time: neural networks that 'dlrm lookup fit' wrote. Only for 'time'.
  std::optional<std::string> lookup_model{};
  /// fit: number of epochs; by default 120. Only for 'fit'. Default: 0.
  std::optional<std::int64_t> epochs{};
  /// Write the JSON to FILE ('-' for stdout); synthesize: the stream; fit: the nets.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// histogram FILES, synthesize, or time [FILE].
  std::vector<std::string> words{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("offsets", offsets);
    text.add("lengths", lengths);
    text.add("tables", tables);
    text.add("bags", bags);
    text.add("pooling", pooling);
    text.add("rows", rows);
    text.add("features", features);
    text.add("dtype", dtype);
    text.add("histogram", histogram);
    text.add("like", like);
    text.add("device", device);
    text.add("seed", seed);
    text.add("lookup_model", lookup_model);
    text.add("epochs", epochs);
    text.add("output", output);
    text.add("force", force);
    text.add("words", words);
    return text.finish();
  }
};

[[nodiscard]] inline Answer dlrm_lookup(const DlrmLookupQuestion& question,
                                        const CallOptions& options = {}) {
  return call("dlrm lookup", question.json(), options);
}

}  // namespace orrery::api
