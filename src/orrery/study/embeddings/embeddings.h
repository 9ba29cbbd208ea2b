// SPDX-License-Identifier: Apache-2.0
//
// Embedding tables: reuse of rows, synthesized index streams with given reuse, and lookup times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/embedding/index_stream.h"
#include "orrery/model/embedding/lookup_traffic.h"
#include "orrery/trace/indices/lookups.h"

namespace orrery::study {

/// Reuse of the rows of one table in one file.
struct TableReuse {
  std::string where, table;  ///< file; table name, may be empty
  std::int64_t bags = 0;
  model::Reuse reuse;
};

/// Measures all tables of all files, in their order. Errc: those of trace::read_lookups.
[[nodiscard]] Result<std::vector<TableReuse>> measure_reuse(const std::vector<std::string>& files,
                                                            const trace::BagShape& shape);

/// Parses seventeen numbers, separated by commas or blanks, from `text` or from the file with that
/// name (it ignores lines that begin with #). Their sum must be within 5 % of 1, since published
/// numbers are rounded; the function normalizes it to 1. Errc: usage (not seventeen numbers, or not
/// shares), and those of reading the file.
[[nodiscard]] Result<model::ReuseHistogram> read_histogram(const std::string& text);
/// "0.5,0.25,…", in the form that read_histogram() parses.
[[nodiscard]] std::string format_histogram(const model::ReuseHistogram& shares);

/// Formats the stream with one bag per line, or as a NumPy array of int64 if `npy`.
[[nodiscard]] std::string format_stream(const std::vector<std::int64_t>& stream,
                                        std::int64_t pooling, bool npy);

/// A question about the time of a lookup.
struct LookupQuestion {
  model::Lookup lookup;  ///< sizes of 0: those of the indices
  graph::Format format = graph::Format::fp32;
  std::string indices;  ///< file with indices; may be empty
  trace::BagShape shape;
  std::optional<model::ReuseHistogram> histogram;
  std::vector<std::string> devices;
  std::string nets;  ///< file that `orrery dlrm lookup fit` wrote; may be empty
};

/// Share of lookups that hit the cache, by estimation method.
struct LookupHitRates {
  std::int64_t cached = 0;          ///< rows of a table that fit into the cache
  double lin = 0, uniform = 0;      ///< for uniform indices: formula of Lin et al., and exact
  std::optional<double> histogram;  ///< from the reuse histogram
  std::optional<double> summary;    ///< from ReuseSummary, the three numbers that a kernel stores
  std::optional<double> simulated;  ///< simulation of the cache with the indices of the file
};

/// The prediction of one model for one device.
struct LookupTime {
  /// "heuristic"; "lin", with Lin et al.'s measurements of the device; or "net", which predicts
  /// only times.
  std::string_view model;
  std::string device;
  LookupHitRates hits;
  double best_hits = 0;  ///< best available estimate, except simulation
  model::LookupTraffic forward;
  double backward_bytes = 0;
  double forward_us = 0, backward_us = 0;  ///< 0: no prediction
};

struct LookupAnswer {
  model::Lookup lookup;               ///< of the mean table, if tables differ
  std::optional<model::Reuse> reuse;  ///< reuse over all tables of the file; empty: no file
  /// Reuse histogram of the file, as given, or of uniform indices.
  model::ReuseHistogram shares{};
  model::ReuseSummary summary;  ///< for one table; `unique` is 0 for uniform indices
  std::vector<graph::Kernel>
      kernels;  ///< forward and backward, in the form that `orrery kernels` reads
  std::vector<LookupTime> times;
};

/// Predicts lookup times on each device. Errc: usage (missing sizes, an unknown device, a table
/// smaller than its indices, a device with unknown cache or memory), and those of reading indices.
[[nodiscard]] Result<LookupAnswer> predict_lookup(const LookupQuestion& question);

}  // namespace orrery::study
