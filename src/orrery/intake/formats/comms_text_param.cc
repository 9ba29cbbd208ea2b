// SPDX-License-Identifier: Apache-2.0
//
// PARAM's records: what each waits for.
#include <algorithm>

#include "orrery/intake/formats/comms_text_internal.h"

namespace orrery::intake {
namespace {

using nlohmann::json;
using profile::Comm;
using profile::CommKind;

std::uint64_t* find(std::vector<std::pair<std::int64_t, std::uint64_t>>& list, std::int64_t key) {
  const auto at = std::find_if(list.rbegin(), list.rend(),
                               [&](const auto& entry) { return entry.first == key; });
  return at == list.rend() ? nullptr : &at->second;
}

/// a × b × …, or nothing where it does not fit or is negative.
std::optional<std::int64_t> product(std::initializer_list<std::optional<std::int64_t>> factors) {
  std::int64_t value = 1;
  for (const auto& factor : factors) {
    if (!factor || *factor < 0 || __builtin_mul_overflow(value, *factor, &value) ||
        value > std::int64_t{1} << 60)
      return std::nullopt;
  }
  return value;
}

}  // namespace

std::string ParamRank::group_of(const json& record) {
  const auto id = whole(record, "pg_id");
  const auto ranks = record.find("global_ranks");
  if (!id) return {};
  const std::string name = std::to_string(*id);
  const auto known = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const profile::Group& group) { return group.name == name; });
  if (known != groups_.end()) return name;
  if (ranks == record.end() || !ranks->is_array()) return {};
  profile::Group group;
  group.name = name;
  for (const json& rank : *ranks) {
    if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() >> 31 != 0) return {};
    group.ranks.push_back(rank.get<std::uint32_t>());
  }
  group.size = static_cast<std::int32_t>(group.ranks.size());
  groups_.push_back(std::move(group));
  return name;
}

void ParamRank::wait_for(const json& record) {
  NodeIds deps = host_;
  const auto request = whole(record, "req");
  const std::uint64_t* const known = request ? find(open_, *request) : nullptr;
  if (known != nullptr) {
    deps.push_back(*known);
  } else {  // for one that nothing names: for all
    for (const auto& [group, last] : last_) deps.push_back(last);
  }
  host_ = {file_.compute("wait", 0, deps)};
}

bool ParamRank::take_comm(const json& record, const std::string& place) {
  const std::string name = word(record, "comms");
  if (name == "init") {
    (void)group_of(record);
    return true;
  }
  Comm comm;
  comm.kind = profile::comm_kind_named(name);
  if (comm.kind == CommKind::wait) {
    wait_for(record);
    return true;
  }
  if (comm.kind == CommKind::unknown || comm.kind == CommKind::coalesced) {
    findings_.add(FindingCode::comm_kind_unknown, place);
    host_ = {file_.compute(name, 0, host_)};
    return true;
  }
  const bool send = comm.kind == CommKind::send;
  const bool message = send || comm.kind == CommKind::recv;
  comm.element_bytes = profile::element_bytes(word(record, "dtype"));
  comm.in_elements = whole(record, "in_msg_size").value_or(-1);
  comm.out_elements = whole(record, "out_msg_size").value_or(-1);
  const char* const side = message ? (send ? "dst_rank" : "src_rank") : "root";
  const auto peer = whole(record, side);
  if (peer && *peer >= 0 && *peer < std::int64_t{1} << 31)
    comm.peer = static_cast<std::int32_t>(*peer);
  const bool rooted = comm.kind == CommKind::broadcast || comm.kind == CommKind::reduce ||
                      comm.kind == CommKind::gather || comm.kind == CommKind::scatter;
  if (!message && !rooted) comm.peer = -1;

  const std::int64_t group = message ? -2 : whole(record, "pg_id").value_or(-1);
  NodeIds deps = host_;
  std::uint64_t* const last = find(last_, group);
  if (last != nullptr && !message) deps.push_back(*last);
  const std::uint64_t id =
      file_.comm(name, comm, comm.bytes(), 0, group_of(record), 0, place, deps);
  if (last != nullptr) {
    *last = id;
  } else {
    last_.emplace_back(group, id);
  }
  if (const auto request = whole(record, "req")) {
    if (std::uint64_t* const old = find(open_, *request)) {
      *old = id;
    } else {
      open_.emplace_back(*request, id);
    }
  }
  if (comm.kind == CommKind::barrier) host_ = {id};
  return true;
}

bool ParamRank::take_compute(const json& record) {
  const std::string name = word(record, "compute");
  const auto count = whole(record, "count").value_or(1);
  std::optional<std::int64_t> operations, elements;
  std::int64_t width = profile::element_bytes(word(record, "dtype"));
  if (name == "gemm") {
    const auto dim = [&](const char* key) {
      const auto all = whole(record, "mm_dim");
      return all ? all : whole(record, key);
    };
    const auto m = dim("mm0_dim0"), k = dim("mm0_dim1"), n = dim("mm1_dim1");
    operations = product({2, m, k, n, count});
    const auto left = product({m, k}), right = product({k, n}), out = product({m, n});
    if (left && right && out) elements = *left + *right + *out;
  } else if (name == "emb_lookup") {
    operations = elements = product({whole(record, "batch_size"), whole(record, "num_emb_tables"),
                                     whole(record, "bag_size"), whole(record, "emb_dim"), count});
    width = 4;
  }
  const auto bytes = product({elements, width == 0 ? 4 : width});
  if (!operations || !bytes) return false;
  host_ = {file_.work(name, *operations, *bytes, host_)};
  return true;
}

bool ParamRank::take(const json& record, const std::string& place) {
  if (!word(record, "comms").empty()) return take_comm(record, place);
  return !word(record, "compute").empty() && take_compute(record);
}

}  // namespace orrery::intake
