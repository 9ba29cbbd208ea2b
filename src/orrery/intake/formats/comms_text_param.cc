// SPDX-License-Identifier: Apache-2.0
//
// Converts PARAM records: finds what each record waits for.
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

/// a × b × …, or nothing on overflow or for negative factors.
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

std::string ParamConverter::group_of(const json& record) {
  const auto id = integer_member(record, "pg_id");
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

void ParamConverter::wait_for(const json& record) {
  NodeIds deps = host_dependencies_;
  const auto request = integer_member(record, "req");
  const std::uint64_t* const known = request ? find(comm_of_request_, *request) : nullptr;
  if (known != nullptr) {
    deps.push_back(*known);
  } else {  // a wait without a request waits for all of them
    for (const auto& [group, last] : last_of_group_) deps.push_back(last);
  }
  host_dependencies_ = {file_.compute("wait", 0, deps)};
}

bool ParamConverter::add_comm(const json& record, const std::string& place) {
  const std::string name = text_member(record, "comms");
  if (name == "init") {
    (void)group_of(record);
    return true;
  }
  Comm comm;
  comm.kind = profile::comm_kind_of_name(name);
  if (comm.kind == CommKind::wait) {
    wait_for(record);
    return true;
  }
  if (comm.kind == CommKind::unknown || comm.kind == CommKind::coalesced) {
    findings_.add(FindingCode::comm_kind_unknown, place);
    host_dependencies_ = {file_.compute(name, 0, host_dependencies_)};
    return true;
  }
  const bool send = comm.kind == CommKind::send;
  const bool message = is_message(comm.kind);
  comm.element_bytes = profile::element_bytes(text_member(record, "dtype"));
  comm.in_elements = integer_member(record, "in_msg_size").value_or(-1);
  comm.out_elements = integer_member(record, "out_msg_size").value_or(-1);
  const char* const side = message ? (send ? "dst_rank" : "src_rank") : "root";
  const auto peer = integer_member(record, side);
  if (peer && *peer >= 0 && *peer < std::int64_t{1} << 31)
    comm.peer = static_cast<std::int32_t>(*peer);
  if (!message && !is_rooted(comm.kind)) comm.peer = -1;

  const std::int64_t group = message ? -2 : integer_member(record, "pg_id").value_or(-1);
  NodeIds deps = host_dependencies_;
  std::uint64_t* const last = find(last_of_group_, group);
  if (last != nullptr && !message) deps.push_back(*last);
  const std::uint64_t id =
      file_.comm(name, comm, comm.bytes(), 0, group_of(record), 0, place, deps);
  if (last != nullptr) {
    *last = id;
  } else {
    last_of_group_.emplace_back(group, id);
  }
  if (const auto request = integer_member(record, "req")) {
    if (std::uint64_t* const old = find(comm_of_request_, *request)) {
      *old = id;
    } else {
      comm_of_request_.emplace_back(*request, id);
    }
  }
  if (comm.kind == CommKind::barrier) host_dependencies_ = {id};
  return true;
}

bool ParamConverter::add_compute(const json& record) {
  const std::string name = text_member(record, "compute");
  const auto count = integer_member(record, "count").value_or(1);
  std::optional<std::int64_t> operations, elements;
  std::int64_t width = profile::element_bytes(text_member(record, "dtype"));
  if (name == "gemm") {
    const auto dim = [&](const char* key) {
      const auto all = integer_member(record, "mm_dim");
      return all ? all : integer_member(record, key);
    };
    const auto m = dim("mm0_dim0"), k = dim("mm0_dim1"), n = dim("mm1_dim1");
    operations = product({2, m, k, n, count});
    const auto left = product({m, k}), right = product({k, n}), out = product({m, n});
    if (left && right && out) elements = *left + *right + *out;
  } else if (name == "emb_lookup") {
    operations = elements =
        product({integer_member(record, "batch_size"), integer_member(record, "num_emb_tables"),
                 integer_member(record, "bag_size"), integer_member(record, "emb_dim"), count});
    width = 4;
  }
  const auto bytes = product({elements, width == 0 ? 4 : width});
  if (!operations || !bytes) return false;
  host_dependencies_ = {file_.work(name, *operations, *bytes, host_dependencies_)};
  return true;
}

bool ParamConverter::add(const json& record, const std::string& place) {
  if (!text_member(record, "comms").empty()) return add_comm(record, place);
  return !text_member(record, "compute").empty() && add_compute(record);
}

}  // namespace orrery::intake
