// SPDX-License-Identifier: Apache-2.0
//
// For tests: handmade dumps of flight recorders.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/intake/flight_records/dump_files.h"

namespace orrery::intake::testing {

/// The ring of a rank.
class Ring {
 public:
  explicit Ring(std::uint32_t rank) { dump_.rank = rank; }

  Ring& group(std::string name, std::vector<std::uint32_t> ranks) {
    dump_.dump.version = "2.4";
    dump_.dump.groups.push_back({std::move(name), "", std::move(ranks)});
    return *this;
  }
  Ring& call(const std::string& group, std::int64_t sequence, std::string operation,
             trace::flight_recorder::State state, std::vector<std::int64_t> sizes = {8}) {
    trace::flight_recorder::Record record;
    record.record_id = static_cast<std::int64_t>(dump_.dump.records.size()) + lost_;
    record.group = group;
    record.operation = std::move(operation);
    record.is_p2p = record.operation == "send" || record.operation == "recv";
    (record.is_p2p ? record.p2p_seq : record.collective_seq) = sequence;
    record.state = state;
    record.inputs = {{sizes}, {"Float"}};
    record.outputs = record.inputs;
    record.created_ns =
        1'764'000'000'000'000'000 + 10'000 * static_cast<std::int64_t>(dump_.dump.records.size());
    dump_.dump.records.push_back(std::move(record));
    return *this;
  }
  /// Of the last call: nanoseconds after the start of the job, and its kernel.
  Ring& at(std::int64_t nanoseconds, Time duration) {
    dump_.dump.records.back().created_ns = 1'764'000'000'000'000'000 + nanoseconds;
    dump_.dump.records.back().duration = duration;
    return *this;
  }
  Ring& peer(std::int64_t peer) {
    dump_.dump.records.back().peer = peer;
    return *this;
  }
  Ring& p2p() {
    auto& record = dump_.dump.records.back();
    record.is_p2p = true;
    std::swap(record.p2p_seq, record.collective_seq);
    return *this;
  }
  Ring& lost(std::int64_t records) {
    lost_ = records;
    return *this;
  }
  operator RankDump() const { return dump_; }  // NOLINT(google-explicit-constructor)

 private:
  RankDump dump_;
  std::int64_t lost_ = 0;
};

}  // namespace orrery::intake::testing
