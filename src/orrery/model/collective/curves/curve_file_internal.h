// SPDX-License-Identifier: Apache-2.0
//
// The sections and keys of files of curves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/config/parameters.h"
#include "orrery/core/limits.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::config {

template <>
struct EnumNames<graph::CollectiveType> {
  using Word = EnumName<graph::CollectiveType>;
  static constexpr std::array names = {
      Word{"all_reduce", graph::CollectiveType::all_reduce},
      Word{"all_gather", graph::CollectiveType::all_gather},
      Word{"reduce_scatter", graph::CollectiveType::reduce_scatter},
      Word{"all_to_all", graph::CollectiveType::all_to_all},
      Word{"broadcast", graph::CollectiveType::broadcast},
      Word{"reduce", graph::CollectiveType::reduce}};
};

}  // namespace orrery::config

namespace orrery::model::curve_files {

inline constexpr std::int64_t kMaxSegments = 4096;

struct SegmentSection {
  Bytes to{};
  std::optional<Time> latency, time;
  std::optional<Bandwidth> bandwidth;

  static constexpr auto fields = std::tuple{
      config::field("to", &SegmentSection::to, "largest size of the segment", config::positive())
          .required(),
      config::field("latency", &SegmentSection::latency, "latency of all sizes up to `to`"),
      config::field("bandwidth", &SegmentSection::bandwidth,
                    "buffer bytes per second; none: the time does not depend on the size",
                    config::positive()),
      config::field("time", &SegmentSection::time,
                    "instead of both: time of the largest size, interpolated linearly from the "
                    "previous segment",
                    config::positive())};
};

struct ErrorSection {
  double median = 0, lower = 0, upper = 0;
  std::int64_t points = 0;
  std::optional<double> p90;

  static constexpr auto fields = std::tuple{
      config::field("median", &ErrorSection::median, "median of |predicted / measured - 1|",
                    config::at_least(0)),
      config::field("ninety", &ErrorSection::p90, "90th percentile of |predicted / measured - 1|",
                    config::at_least(0)),
      config::field("least", &ErrorSection::lower, "10th percentile of measured / predicted - 1",
                    config::between(-1, 1e3)),
      config::field("most", &ErrorSection::upper, "90th percentile of measured / predicted - 1",
                    config::between(-1, 1e3)),
      config::field("points", &ErrorSection::points, "number of held-out sizes",
                    config::at_least(0))};
};

struct CurveSection {
  std::string name, device, library;
  graph::CollectiveType collective = graph::CollectiveType::all_reduce;
  std::int64_t nodes = 1, ranks = 2;
  std::optional<Bandwidth> links, network;
  Bytes from{};
  std::vector<SegmentSection> segments;
  std::optional<ErrorSection> held_back;
  std::optional<std::string> driver, dtype, source;
  std::optional<std::int64_t> dropped;

  static constexpr auto fields = std::tuple{
      config::field("name", &CurveSection::name, "name of the curve, for readers"),
      config::field("device", &CurveSection::device, "device of the catalog").required(),
      config::field("driver", &CurveSection::driver, "name of the device in the measurement"),
      config::field("library", &CurveSection::library, "library and its version"),
      config::field("collective", &CurveSection::collective, "measured collective").required(),
      config::field("nodes", &CurveSection::nodes, "number of nodes",
                    config::between(1, limits::kRanks)),
      config::field("ranks", &CurveSection::ranks, "number of ranks",
                    config::between(2, limits::kRanks))
          .required(),
      config::field("dtype", &CurveSection::dtype, "data type of the elements"),
      config::field("links", &CurveSection::links, "link bandwidth of one GPU inside its node",
                    config::positive()),
      config::field("network", &CurveSection::network, "network bandwidth of one GPU between nodes",
                    config::positive()),
      config::field("from", &CurveSection::from, "smallest measured size"),
      config::field("stretches", &CurveSection::segments,
                    "segments of the curve, one straight line each",
                    config::between(1, kMaxSegments))
          .required(),
      config::field("dropped", &CurveSection::dropped, "number of sizes dropped as outliers",
                    config::at_least(0)),
      config::field("held_back", &CurveSection::held_back, "error at held-out sizes"),
      config::field("source", &CurveSection::source, "source of the measurement")};
};

struct FileSection {
  std::string file, sha256;

  static constexpr auto fields =
      std::tuple{config::field("file", &FileSection::file, "name of the file").required(),
                 config::field("sha256", &FileSection::sha256, "SHA-256 of its bytes")};
};

struct DroppedSection {
  std::string why;
  std::int64_t count = 1;

  static constexpr auto fields = std::tuple{
      config::field("why", &DroppedSection::why, "a finding").required(),
      config::field("count", &DroppedSection::count, "measurements", config::at_least(0))};
};

struct LeftOutSection {
  std::string what, why;

  static constexpr auto fields =
      std::tuple{config::field("what", &LeftOutSection::what, "measurements").required(),
                 config::field("why", &LeftOutSection::why, "reason")};
};

struct NotesSection {
  std::int64_t version = 1;
  std::string made_by;
  std::optional<std::string> made_on;
  std::vector<FileSection> made_from;
  std::vector<std::string> tools;
  std::vector<DroppedSection> dropped;
  std::vector<LeftOutSection> left_out;

  static constexpr auto fields = std::tuple{
      config::field("version", &NotesSection::version, "version of this format",
                    config::between(1, 1)),
      config::field("made_by", &NotesSection::made_by, "command"),
      config::field("made_on", &NotesSection::made_on, "date of the measurement"),
      config::field("made_from", &NotesSection::made_from, "input files",
                    config::between(0, 100'000)),
      config::field("tools", &NotesSection::tools, "measurement tools",
                    config::between(0, 100'000)),
      config::field("dropped", &NotesSection::dropped, "measurements", config::between(0, 100'000)),
      config::field("left_out", &NotesSection::left_out, "omitted curves",
                    config::between(0, 100'000))};
};

struct CurvesFile : NotesSection {
  std::vector<CurveSection> curves;

  static constexpr auto fields = std::tuple_cat(
      NotesSection::fields, std::tuple{config::field("curves", &CurvesFile::curves, "the curves",
                                                     config::between(1, 100'000))
                                           .required()});
};

}  // namespace orrery::model::curve_files
