// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "orrery/calibrate/median.h"
#include "orrery/core/limits.h"
#include "orrery/core/text.h"

namespace orrery::calibrate {
namespace {

using Communicator = InspectorLogs::Communicator;
using Part = InspectorLogs::Part;
using Transfer = InspectorLogs::Transfer;

constexpr double kCold = 2;  // times the median

/// What rows are made of.
struct Shape {
  std::uint32_t collective = 0;
  std::int32_t ranks = 0, nodes = 0;
  std::int64_t bytes = 0;
  bool operator<(const Shape& other) const {
    return std::tie(collective, ranks, nodes, bytes) <
           std::tie(other.collective, other.ranks, other.nodes, other.bytes);
  }
};

/// Calls `each` with every stretch of neighbours that `same` says belong together.
template <class Items, class Same, class Each>
void for_stretches(const Items& items, Same same, Each each) {
  for (std::size_t first = 0; first < items.size();) {
    std::size_t last = first + 1;
    while (last < items.size() && same(items[first], items[last])) ++last;
    each(std::span(items).subspan(first, last - first));
    first = last;
  }
}

std::uint32_t index_of(std::string_view name) {
  const auto all = collectives();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Collective& one) { return one.name == name; });
  return static_cast<std::uint32_t>(found - all.begin());
}

class Joining {
 public:
  Joining(std::vector<const Communicator*> communicators, Into& into)
      : communicators_(std::move(communicators)), into_(into) {}

  /// All collectives of one kind and size in one communicator, by number and rank.
  void collectives_of(std::span<const Part> parts) {
    const Communicator& group = *communicators_[parts.front().communicator];
    std::vector<double> times;
    std::uint64_t lacking = 0;
    for_stretches(
        parts, [](const Part& a, const Part& b) { return a.number == b.number; },
        [&](std::span<const Part> ranks) {
          double shortest = ranks.front().time_us;
          std::int32_t told = 1;
          for (std::size_t i = 1; i < ranks.size(); ++i) {
            shortest = std::min(shortest, ranks[i].time_us);
            told += ranks[i].rank != ranks[i - 1].rank ? 1 : 0;
          }
          if (told < group.ranks) ++lacking;
          times.push_back(shortest);
        });
    const std::string_view name = collectives()[parts.front().collective].name;
    series({parts.front().collective, group.ranks, group.nodes, parts.front().bytes},
           std::move(times), lacking,
           fmt::format("communicator {}: {} of {} bytes", in_quotes(group.id), name,
                       parts.front().bytes));
  }

  /// All transfers of one size from one rank to another, sends first.
  void transfers_of(std::span<const Transfer> both) {
    const Communicator& group = *communicators_[both.front().communicator];
    const auto receives =
        std::find_if(both.begin(), both.end(), [](const Transfer& one) { return one.receive; });
    const auto sends = static_cast<std::size_t>(receives - both.begin());
    const bool joined = sends * 2 == both.size();
    std::vector<double> times;
    for (std::size_t i = 0; i < (joined ? sends : both.size()); ++i)
      times.push_back(joined ? std::min(both[i].time_us, both[i + sends].time_us)
                             : both[i].time_us);
    // Which nodes the two are on is known where there is one node, or one for each rank.
    std::int32_t nodes = 0;
    if (group.nodes == 1) nodes = 1;
    if (group.nodes > 1 && group.nodes == group.ranks) nodes = 2;
    const std::uint64_t lacking = joined ? 0 : times.size();
    series({index_of("send_recv"), 2, nodes, both.front().bytes}, std::move(times), lacking,
           fmt::format("communicator {}: {} to {}, {} bytes", in_quotes(group.id),
                       both.front().from, both.front().to, both.front().bytes));
  }

  Result<void> rows(const std::string& tool, const std::string& date) {
    for (auto& [shape, times] : shapes_) {
      MeasuredCollective row;
      row.collective = collectives()[shape.collective].name;
      row.bytes = shape.bytes;
      row.time_us = median(std::move(times));
      row.ranks = shape.ranks;
      row.nodes = shape.nodes;
      row.library = "nccl";
      row.tool = tool;
      row.date = date;
      if (auto added = add_row(std::move(row), "NCCL Inspector", into_); !added) return added;
    }
    return {};
  }

 private:
  void series(const Shape& shape, std::vector<double> times, std::uint64_t lacking,
              const std::string& place) {
    if (lacking > 0) into_.findings.add(FindingCode::waiting_included, place, lacking);
    if (times.front() > kCold * median(times)) {
      into_.findings.add(FindingCode::cold_measurement_dropped, place);
      times.erase(times.begin());
    }
    std::vector<double>& all = shapes_[shape];
    all.insert(all.end(), times.begin(), times.end());
  }

  std::vector<const Communicator*> communicators_;
  Into& into_;
  std::map<Shape, std::vector<double>> shapes_;
};

auto part_order(const Part& part) {
  return std::tie(part.communicator, part.collective, part.bytes, part.number, part.rank,
                  part.time_us);
}
auto transfer_order(const Transfer& one) {
  return std::tie(one.communicator, one.from, one.to, one.bytes, one.receive, one.number,
                  one.time_us);
}

}  // namespace

std::uint32_t InspectorLogs::number_of(const Communicator& communicator) {
  const auto next = static_cast<std::uint32_t>(communicators_.size());
  return communicators_.try_emplace(communicator, next).first->second;
}

void InspectorLogs::note(std::string tool, std::string date) {
  tool_ = std::max(tool_, std::move(tool));
  date_ = std::max(date_, std::move(date));
}

bool InspectorLogs::add(const Part& part) {
  if (parts_.size() + transfers_.size() >= limits::kInspectorOperations) return false;
  parts_.push_back(part);
  return true;
}

bool InspectorLogs::add(const Transfer& transfer) {
  if (parts_.size() + transfers_.size() >= limits::kInspectorOperations) return false;
  transfers_.push_back(transfer);
  return true;
}

Result<void> InspectorLogs::finish(Into& into) {
  std::vector<const Communicator*> communicators(communicators_.size());
  for (const auto& [communicator, number] : communicators_) communicators[number] = &communicator;
  Joining joining(std::move(communicators), into);
  const auto by = [](auto order) {
    return [order](const auto& a, const auto& b) { return order(a) < order(b); };
  };
  std::sort(parts_.begin(), parts_.end(), by(part_order));
  for_stretches(
      parts_,
      [](const Part& a, const Part& b) {
        return std::tie(a.communicator, a.collective, a.bytes) ==
               std::tie(b.communicator, b.collective, b.bytes);
      },
      [&](std::span<const Part> parts) { joining.collectives_of(parts); });
  std::sort(transfers_.begin(), transfers_.end(), by(transfer_order));
  for_stretches(
      transfers_,
      [](const Transfer& a, const Transfer& b) {
        return std::tie(a.communicator, a.from, a.to, a.bytes) ==
               std::tie(b.communicator, b.from, b.to, b.bytes);
      },
      [&](std::span<const Transfer> both) { joining.transfers_of(both); });
  Result<void> done = joining.rows(tool_, date_);
  *this = {};
  return done;
}

}  // namespace orrery::calibrate
