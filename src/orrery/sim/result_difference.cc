// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/result_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace orrery::sim {

namespace {

std::string text(Time time) { return fmt::format("{} ps", time.count()); }
std::string text(Bytes bytes) { return fmt::format("{} bytes", bytes.count()); }
std::string text(std::uint64_t number) { return fmt::format("{}", number); }
template <class T>
std::string text(const std::optional<T>& value) {
  return value ? text(*value) : "none";
}

template <auto part>
std::string part_of(const RankResult& rank) {
  return text(rank.*part);
}

struct Part {
  const char* name;
  std::string (*of)(const RankResult&);
};

constexpr std::array kParts = {Part{"finish", part_of<&RankResult::finish>},
                               Part{"exposed_comm", part_of<&RankResult::exposed_comm>},
                               Part{"compute", part_of<&RankResult::compute>},
                               Part{"overlapped", part_of<&RankResult::overlapped>},
                               Part{"comm", part_of<&RankResult::comm>},
                               Part{"memory", part_of<&RankResult::memory>},
                               Part{"comm_only", part_of<&RankResult::comm_only>},
                               Part{"memory_only", part_of<&RankResult::memory_only>},
                               Part{"idle", part_of<&RankResult::idle>},
                               Part{"sent_bytes", part_of<&RankResult::sent_bytes>},
                               Part{"peak_memory", part_of<&RankResult::peak_memory>}};

template <class T>
std::optional<std::string> compare(const std::string& what, const T& a, const T& b) {
  if (a == b) return {};
  return fmt::format("{} is {} and {}", what, text(a), text(b));
}

std::optional<std::string> compare_ranks(const RankResults& a, const RankResults& b) {
  if (auto found = compare<std::uint64_t>("the number of ranks", a.size(), b.size())) return found;
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    if (a[rank] == b[rank]) continue;
    for (const Part& part : kParts) {
      const std::string one = part.of(a[rank]), other = part.of(b[rank]);
      if (one != other) return fmt::format("rank {}: {} is {} and {}", rank, part.name, one, other);
    }
    return fmt::format("rank {}", rank);
  }
  return {};
}

std::optional<std::string> compare_totals(const std::vector<CollectiveTotal>& a,
                                          const std::vector<CollectiveTotal>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::string what = fmt::format("{} among {}", a[i].type, a[i].group_size);
    if (a[i].type != b[i].type || a[i].group_size != b[i].group_size)
      return fmt::format("{} is in the place of {} among {}", what, b[i].type, b[i].group_size);
    const auto figure = [&](const char* name, auto one, auto other) {
      return compare(fmt::format("{}: {}", what, name), one, other);
    };
    if (auto found = figure("operations", a[i].operations, b[i].operations)) return found;
    if (auto found = figure("bytes", a[i].bytes, b[i].bytes)) return found;
    if (auto found = figure("bytes sent", a[i].sent, b[i].sent)) return found;
    if (auto found = figure("time", a[i].time, b[i].time)) return found;
  }
  return compare<std::uint64_t>("the number of kinds of collectives", a.size(), b.size());
}

std::optional<std::string> compare_stalls(const std::optional<StallReport>& a,
                                          const std::optional<StallReport>& b) {
  if (a.has_value() != b.has_value())
    return fmt::format("the {} run stalls, the other does not", a ? "first" : "second");
  if (!a) return {};
  if (auto found = compare("the time of the stall", a->at, b->at)) return found;
  return compare<std::uint64_t>("the number of ranks that never finish", a->unfinished_ranks,
                                b->unfinished_ranks);
}

std::optional<std::string> compare_classes(const SimResult& a, const SimResult& b) {
  for (std::size_t i = 0; i < std::min(a.error_classes.size(), b.error_classes.size()); ++i) {
    const ErrorClass &one = a.error_classes[i], &other = b.error_classes[i];
    if (one == other) continue;
    return fmt::format("the critical path has {} of {} and {} of {}", text(one.time), one.name,
                       text(other.time), other.name);
  }
  if (a.time_by_provenance != b.time_by_provenance) return "the provenance of the critical path";
  if (a.predicted != b.predicted) return "the library's times of collectives";
  if (a.memory != b.memory) return "the remote memory traffic";
  if (a.chunk_choices != b.chunk_choices) return "the choices for chunks of collectives";
  return compare<std::uint64_t>("the number of classes on the critical path",
                                a.error_classes.size(), b.error_classes.size());
}

}  // namespace

std::optional<std::string> first_difference(const SimResult& a, const SimResult& b) {
  if (auto found = compare_ranks(a.ranks, b.ranks)) return found;
  if (auto found = compare("the end of the step", a.end, b.end)) return found;
  if (auto found = compare_stalls(a.stall, b.stall)) return found;
  if (auto found = compare_totals(a.collectives, b.collectives)) return found;
  return compare_classes(a, b);
}

}  // namespace orrery::sim
