// SPDX-License-Identifier: Apache-2.0
//
// Embedding tables: how often their rows are read again, streams of indices that are like it, and
// how long lookups take.
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

/// One table's indices in one file.
struct TableReuse {
  std::string where, table;  ///< file; name, may be empty
  std::int64_t bags = 0;
  model::Reuse reuse;
};

/// Of all tables in all files, in their order. Errc: those of trace::read_lookups.
[[nodiscard]] Result<std::vector<TableReuse>> measure_reuse(const std::vector<std::string>& files,
                                                            const trace::BagShape& shape);

/// Seventeen numbers between commas or blanks, themselves or in a file of that name (lines that
/// begin with # are passed over). They are made to sum to 1, which they have to do within 5 %:
/// published ones are rounded. Errc: usage (not seventeen numbers, or no shares), and those of
/// reading the file.
[[nodiscard]] Result<model::ReuseHistogram> read_histogram(const std::string& text);
/// "0.5,0.25,…", which read_histogram reads back.
[[nodiscard]] std::string format_histogram(const model::ReuseHistogram& shares);

/// The stream as one bag a line, or as NumPy's array of int64 where `npy`.
[[nodiscard]] std::string format_stream(const std::vector<std::int64_t>& stream,
                                        std::int64_t pooling, bool npy);

/// How long a lookup takes.
struct LookupQuestion {
  model::Lookup lookup;  ///< sizes of 0 are the indices' own
  graph::Format format = graph::Format::fp32;
  std::string indices;  ///< file; may be empty
  trace::BagShape shape;
  std::optional<model::ReuseHistogram> histogram;
  std::vector<std::string> devices;
  std::string nets;  ///< file that `orrery embeddings fit` wrote; may be empty
};

/// The share of lookups that the cache answers, by each way to tell.
struct LookupHitRates {
  std::int64_t cached = 0;          ///< rows of a table that there is room for
  double lin = 0, uniform = 0;      ///< of evenly distributed indices: as published, and exactly
  std::optional<double> histogram;  ///< by how often rows are read again
  std::optional<double> summary;    ///< by the three numbers that a kernel has room for
  std::optional<double> simulated;  ///< of the file's indices, one by one
};

/// What one model says on one device.
struct LookupTime {
  /// "heuristic"; "lin", with what Lin et al. measured of the device; or "net", which says times
  /// alone
  std::string_view model;
  std::string device;
  LookupHitRates hits;
  double best_hits = 0;  ///< those of the best way there is, except a simulated cache
  model::LookupTraffic forward;
  double backward_bytes = 0;
  double forward_us = 0, backward_us = 0;  ///< 0: the model says nothing
};

struct LookupAnswer {
  model::Lookup lookup;                ///< tables, if they differ, as their mean
  std::optional<model::Reuse> reuse;   ///< of the file, all tables together
  model::ReuseHistogram shares{};      ///< of the file, as given, or of evenly distributed indices
  model::ReuseSummary summary;         ///< of one table; unique 0 where indices are even
  std::vector<graph::Kernel> kernels;  ///< forward and backward, as `orrery kernels` takes them
  std::vector<LookupTime> times;
};

/// Errc: usage (sizes are missing, no such device, a table smaller than its indices, one whose
/// cache or memory is not known), and those of reading indices.
[[nodiscard]] Result<LookupAnswer> predict_lookup(const LookupQuestion& question);

}  // namespace orrery::study
