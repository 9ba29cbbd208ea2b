// SPDX-License-Identifier: Apache-2.0
//
// Device work by kind of computation, with the names of what has no known kind, and kernels by
// length.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/profile/inspection/activity.h"
#include "orrery/study/recordings/operators/operator_calls.h"
#include "orrery/study/recordings/operators/operator_text.h"
#include "orrery/study/recordings/views/builders.h"
#include "orrery/study/recordings/views/view_values.h"
#include "orrery/trace/operators/kernel_parts.h"

namespace orrery::study {

namespace {

using graph::Operation;
using profile::EventId;
using profile::Kind;
using report::Share;
using report::Value;

/// How a category is known. `record`: copies, memsets and communication.
enum class CategoryBasis : std::uint8_t { record, operator_arguments, kernel_name, unknown };

constexpr std::string_view kCommunication = "communication";

/// A graph::Operation's name or "communication"; empty: unknown.
struct Category {
  std::string_view name;
  CategoryBasis basis = CategoryBasis::unknown;
};

Category category_of(const profile::Profile& p, const OperatorCalls& calls,
                     const OperatorCall& call, EventId e) {
  const Kind kind = p.events[e].kind;
  if (kind == Kind::memset) return {graph::name(Operation::copy), CategoryBasis::record};
  if (kind == Kind::memcpy) {
    const Operation copy = trace::operators::copy_operation(p.name(e));
    return {graph::name(copy == Operation::unsaid ? Operation::copy : copy), CategoryBasis::record};
  }
  if (profile::Activity::device_use(p, e) == profile::DeviceUse::comm)
    return {kCommunication, CategoryBasis::record};
  if (const graph::Kernel* const kernel = calls.kernel(call);
      kernel != nullptr && kernel->operation != Operation::unsaid)
    return {graph::name(kernel->operation), CategoryBasis::operator_arguments};
  const Operation by_name = trace::operators::operation_of_device_kernel(p.name(e));
  if (by_name == Operation::unsaid) return {};
  return {graph::name(by_name), CategoryBasis::kernel_name};
}

struct WorkSum {
  std::uint64_t works = 0;
  Time time{};

  void add(Time length) {
    ++works;
    time += length;
  }
};

struct CategoryRow {
  WorkSum sum;
  std::map<std::string_view, WorkSum> kernels;
};

/// The name with the most time, of equal ones the first.
const std::pair<const std::string_view, WorkSum>& longest(const CategoryRow& row) {
  return *std::max_element(
      row.kernels.begin(), row.kernels.end(),
      [](const auto& left, const auto& right) { return left.second.time < right.second.time; });
}

/// Upper limits of the lengths in the table; the last row is above all of them.
constexpr std::array kLengths = {us(1),  us(2),   us(5),   us(10),   us(20),
                                 us(50), us(100), us(500), us(1'000)};
/// Kernels below are short: a launch lasts about as long.
constexpr Time kShort = us(10);

class CategoriesView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    const OperatorCalls calls(p);
    std::map<std::string_view, CategoryRow> rows;
    std::array<WorkSum, kLengths.size() + 1> lengths{};
    for (const OperatorCall& call : calls.calls()) {
      for (const EventId e : calls.works(call)) {
        const Time length = p.events[e].duration;
        const Category category = category_of(p, calls, call, e);
        CategoryRow& row = rows[category.name];
        row.sum.add(length);
        row.kernels[p.name(e)].add(length);
        by_basis_[static_cast<std::size_t>(category.basis)] += length;
        if (p.events[e].kind != Kind::kernel) continue;
        const auto bin = std::upper_bound(kLengths.begin(), kLengths.end(), length);
        lengths[static_cast<std::size_t>(bin - kLengths.begin())].add(length);
        kernels_.add(length);
        if (length < kShort) short_.add(length);
      }
    }
    total_ += calls.total();
    add_categories(rank, calls.total(), rows);
    add_lengths(rank, lengths);
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    View made{.kind = TraceView::categories, .facts = {}, .tables = {}};
    const auto basis = [&](CategoryBasis of) {
      return share_value(by_basis_[static_cast<std::size_t>(of)], total_);
    };
    if (total_ > Time{}) {
      made.facts.push_back({"recorded", "recorded_share", basis(CategoryBasis::record)});
      made.facts.push_back(
          {"by operator", "by_operator_share", basis(CategoryBasis::operator_arguments)});
      made.facts.push_back(
          {"by kernel", "by_kernel_name_share", basis(CategoryBasis::kernel_name)});
      made.facts.push_back({"unknown", "unknown_share", basis(CategoryBasis::unknown)});
      made.facts.push_back({"short kernels", "short_kernel_count", short_.works});
      made.facts.push_back(
          {"their time", "short_kernel_time_share", share_value(short_.time, kernels_.time)});
    }
    for (ViewTable* table : {&categories_, &unknown_, &lengths_})
      made.tables.push_back(std::move(*table));
    return made;
  }

 private:
  void add_categories(const intake::RankTrace& rank, Time total,
                      const std::map<std::string_view, CategoryRow>& rows) {
    std::vector<std::pair<std::string_view, const CategoryRow*>> sorted;
    for (const auto& [name, row] : rows) sorted.emplace_back(name, &row);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
      return left.second->sum.time > right.second->sum.time;
    });
    for (const auto& [name, row] : sorted) {
      const std::string_view kernel = longest(*row).first;
      categories_.rows.push_back({rank.files.rank,
                                  name.empty() ? Value().shown("(unknown)") : Value(name),
                                  row->sum.works, row->sum.time, share_value(row->sum.time, total),
                                  Value(kernel).shown(device_kernel_text(kernel))});
      if (name.empty()) add_unknown(rank, total, *row);
    }
  }

  void add_unknown(const intake::RankTrace& rank, Time total, const CategoryRow& row) {
    std::vector<std::pair<std::string_view, WorkSum>> sorted(row.kernels.begin(),
                                                             row.kernels.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
      return left.second.time > right.second.time;
    });
    for (const auto& [name, sum] : sorted)
      unknown_.rows.push_back({rank.files.rank, Value(name).shown(device_kernel_text(name)),
                               sum.works, sum.time, share_value(sum.time, total)});
  }

  void add_lengths(const intake::RankTrace& rank,
                   const std::array<WorkSum, kLengths.size() + 1>& lengths) {
    WorkSum all;
    for (const WorkSum& sum : lengths) all.works += sum.works, all.time += sum.time;
    if (all.works == 0) return;
    for (std::size_t bin = 0; bin < lengths.size(); ++bin)
      lengths_.rows.push_back(
          {rank.files.rank, bin == 0 ? Value(Time{}) : Value(kLengths[bin - 1]),
           bin < kLengths.size() ? Value(kLengths[bin]) : Value(), lengths[bin].works,
           Share{static_cast<double>(lengths[bin].works) / static_cast<double>(all.works)},
           lengths[bin].time, share_value(lengths[bin].time, all.time)});
  }

  Time total_{};
  std::array<Time, 4> by_basis_{};  // by CategoryBasis
  WorkSum kernels_{}, short_{};
  ViewTable categories_{
      .key = "categories",
      .title = "device work by category",
      .columns = {{"rank", "rank", "the recorded rank"},
                  {"category", "category", "kind of computation; null: unknown"},
                  {"works", "works", "kernels, copies and memsets"},
                  {"time", "time_ns", "sum of their lengths"},
                  {"share", "time_share", "time / time of all device work"},
                  {"most time in", "kernel_name", "the kernel with most of the time"}},
      .rows = {},
      .first = 30,
      .width = 100,
      .if_empty = "The recording has no timed device work.",
      .by_rank = true};
  ViewTable unknown_{.key = "unknown",
                     .title = "kernels of unknown category",
                     .columns = {{"rank", "rank", "the recorded rank"},
                                 {"kernel of unknown category", "name", "as in the recording"},
                                 {"works", "works", "how often it ran"},
                                 {"time", "time_ns", "sum of the lengths"},
                                 {"share", "time_share", "time / time of all device work"}},
                     .rows = {},
                     .first = 10,
                     .width = 100,
                     .if_empty = "",
                     .by_rank = true};
  ViewTable lengths_{.key = "lengths",
                     .title = "kernels by length",
                     .columns = {{"rank", "rank", "the recorded rank"},
                                 {"from", "min_ns", "length of the kernel, at least"},
                                 {"below", "limit_ns", "length of the kernel, below; null: none"},
                                 {"kernels", "count", "kernels of these lengths"},
                                 {"share", "count_share", "of all kernels"},
                                 {"time", "time_ns", "sum of their lengths"},
                                 {"of time", "time_share", "time / time of all kernels"}},
                     .rows = {},
                     .first = 20,
                     .width = 80,
                     .if_empty = "",
                     .by_rank = true};
};

}  // namespace

std::unique_ptr<ViewBuilder> categories_view() { return std::make_unique<CategoriesView>(); }

}  // namespace orrery::study
