// SPDX-License-Identifier: Apache-2.0
//
// Operators by the device time that they cause: by name, and by name and arguments, with the work
// that they do and the share of the device's roof that they reach.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/profile/inspection/activity.h"
#include "orrery/study/recordings/operators/alone_times.h"
#include "orrery/study/recordings/operators/operator_calls.h"
#include "orrery/study/recordings/operators/operator_text.h"
#include "orrery/study/recordings/views/builders.h"
#include "orrery/study/recordings/views/view_values.h"

namespace orrery::study {

namespace {

using report::Value;

struct OperatorRow {
  CallKey key{};
  std::uint64_t calls = 0, works = 0;
  Time own{}, with_children{};
  OperatorWork work{};
  AloneTimes alone{};

  void add(const OperatorCall& call, const OperatorWork& does, const AloneTimes& times) {
    ++calls;
    works += call.works;
    own += call.own;
    with_children += call.with_children;
    work += does;
    alone += times;
  }
};

/// recorded / alone of the kernels with a prediction.
Value factor_of(const AloneTimes& times) {
  if (times.alone == Time{}) return {};
  return factor_value(static_cast<double>(times.recorded.count()) /
                      static_cast<double>(times.alone.count()));
}

/// Rows by time, descending; those of equal time by their texts.
std::vector<OperatorRow> sorted_rows(const profile::Profile& p, const auto& rows) {
  std::vector<OperatorRow> sorted;
  for (const auto& [key, row] : rows) sorted.push_back(row);
  const auto texts = [&](const OperatorRow& row) {
    return std::tuple(-row.own.count(), p.string(row.key.name), p.string(row.key.dims),
                      p.string(row.key.types));
  };
  std::sort(sorted.begin(), sorted.end(), [&](const OperatorRow& left, const OperatorRow& right) {
    return texts(left) < texts(right);
  });
  return sorted;
}

ViewTable names_table() {
  return {.key = "names",
          .title = "operators by name",
          .columns = {{"rank", "rank", "the recorded rank"},
                      {"operator", "name", "the operator or annotation that launched the work"},
                      {"calls", "count", "calls that launched work themselves"},
                      {"works", "works", "kernels, copies and memsets that they launched"},
                      {"time", "time_ns", "sum of the lengths of these works"},
                      {"share", "time_share", "time / time of all device work"},
                      {"with children", "with_children_ns",
                       "time of these works and of those that operators inside launched"},
                      {"FLOP/s", "flop_per_s", "FLOPs of calls with known work / their time"},
                      {"bytes/s", "bytes_per_s", "bytes of calls with known work / their time"},
                      {"of roof", "roof_share", "time at the roof of the device / time"},
                      {"factor", "alone_ratio",
                       "recorded time / predicted time alone, of kernels with a prediction"}},
          .rows = {},
          .first = 20,
          .width = 120,
          .if_empty = "The recording has no timed device work.",
          .by_rank = true};
}

ViewTable shapes_table() {
  return {
      .key = "arguments",
      .title = "operators by name and arguments",
      .columns = {{"rank", "rank", "the recorded rank"},
                  {"operator", "name", "the operator or annotation that launched the work"},
                  {"shapes", "shapes", "shapes of its arguments, as in the recording"},
                  {"formats", "types", "types of its arguments, as in the recording"},
                  {"calls", "count", "calls that launched work themselves"},
                  {"time", "time_ns", "sum of the lengths of the works that they launched"},
                  {"", "time_share", "time / time of all device work"},
                  {"", "with_children_ns",
                   "time of these works and of those that operators inside launched"},
                  {"FLOPs", "call_flop", "FLOPs of a call, from its name and arguments"},
                  {"bytes", "call_bytes", "bytes of its tensors, each read or written once"},
                  {"FLOP/s", "flop_per_s", "FLOPs of calls with known work / their time"},
                  {"bytes/s", "bytes_per_s", "bytes of calls with known work / their time"},
                  {"of roof", "roof_share", "time at the roof of the device / time"},
                  {"bound by", "bound", "the roof: peak of the format, or bandwidth of the memory"},
                  {"", "alone_ns", "predicted time of its kernels on an idle device"},
                  {"factor", "alone_ratio",
                   "recorded time / predicted time alone, of kernels with a prediction"}},
      .rows = {},
      .first = 20,
      .width = 160,
      .if_empty = "",
      .by_rank = true};
}

class OperatorsView final : public ViewBuilder {
 public:
  OperatorsView() : models_(model::kernel_models({})) {}

  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    const OperatorCalls calls(p);
    AloneModels models(models_, p, calls);
    std::unordered_map<StringId, OperatorRow> by_name;
    std::map<CallKey, OperatorRow> by_arguments;
    for (const OperatorCall& call : calls.calls()) {
      const OperatorWork work = calls.work(call);
      const AloneTimes alone = models.times(call);
      OperatorRow& row = by_arguments[call.key];
      row.key = call.key;
      row.add(call, work, alone);
      OperatorRow& name = by_name[call.key.name];
      name.key.name = call.key.name;
      name.add(call, work, alone);
      known_ += work.recorded;
      if (call.key.name == StringId::empty) without_ += call.own;
      for (const profile::EventId e : calls.works(call))
        if (profile::Activity::device_use(p, e) == profile::DeviceUse::comm)
          communication_ += p.events[e].duration;
    }
    total_ += calls.total();
    devices_.insert(calls.devices().text());
    for (const OperatorRow& row : sorted_rows(p, by_name)) add_name(rank, calls, row);
    for (const OperatorRow& row : sorted_rows(p, by_arguments)) add_arguments(rank, calls, row);
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    View made{.kind = TraceView::operators, .facts = {}, .tables = {}};
    std::string devices;
    for (const std::string& one : devices_) devices += (devices.empty() ? "" : ", ") + one;
    made.facts.push_back({"device", "device_text", devices});
    if (total_ > Time{}) {
      made.facts.push_back({"work known", "known_work_share", share_value(known_, total_)});
      made.facts.push_back(
          {"communication", "communication_share", share_value(communication_, total_)});
      made.facts.push_back({"no operator", "no_operator_share", share_value(without_, total_)});
    }
    made.tables.push_back(std::move(names_));
    made.tables.push_back(std::move(arguments_));
    return made;
  }

 private:
  void add_name(const intake::RankTrace& rank, const OperatorCalls& calls, const OperatorRow& row) {
    names_.rows.push_back({rank.files.rank, operator_value(rank.profile.string(row.key.name)),
                           row.calls, row.works, row.own, share_value(row.own, calls.total()),
                           row.with_children, rate_value<FlopRate>(row.work.flop_per_s()),
                           rate_value<Bandwidth>(row.work.bytes_per_s()),
                           share_value(row.work.roof_share()), factor_of(row.alone)});
  }

  void add_arguments(const intake::RankTrace& rank, const OperatorCalls& calls,
                     const OperatorRow& row) {
    const profile::Profile& p = rank.profile;
    const std::string_view dims = p.string(row.key.dims), types = p.string(row.key.types);
    const auto known = static_cast<double>(row.work.calls);
    arguments_.rows.push_back(
        {rank.files.rank, operator_value(p.string(row.key.name)),
         text_value(dims).shown(shapes_text(dims)),
         text_value(types).shown(formats_text(dims, types)), row.calls, row.own,
         share_value(row.own, calls.total()), row.with_children,
         row.work.flop == 0 ? Value() : flop_value(row.work.flop / known),
         row.work.bytes == 0 ? Value()
                             : Value(Bytes(static_cast<std::int64_t>(row.work.bytes / known))),
         rate_value<FlopRate>(row.work.flop_per_s()), rate_value<Bandwidth>(row.work.bytes_per_s()),
         share_value(row.work.roof_share()), text_value(row.work.bound()),
         row.alone.alone == Time{} ? Value() : Value(row.alone.alone), factor_of(row.alone)});
  }

  std::vector<model::NamedKernelModel> models_;
  std::set<std::string> devices_;
  Time total_{}, known_{}, communication_{}, without_{};
  ViewTable names_ = names_table();
  ViewTable arguments_ = shapes_table();
};

}  // namespace

std::unique_ptr<ViewBuilder> operators_view() { return std::make_unique<OperatorsView>(); }

}  // namespace orrery::study
