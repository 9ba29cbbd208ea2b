// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/comms_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "orrery/graph/graph.h"
#include "orrery/intake/convert/group_node.h"
#include "orrery/intake/convert/node_builder.h"
#include "orrery/intake/formats/comms_text_internal.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/json_document.h"

namespace orrery::intake {
namespace {

using nlohmann::json;
using profile::CommKind;
using trace::chakra::attribute_bool;
using trace::chakra::attribute_int32;
using trace::chakra::attribute_int64;
using trace::chakra::attribute_string;
using trace::chakra::NodeRecord;

/// Reads the records of a file: PARAM records into `param`, MPI calls into `calls`.
Result<void> read_file(const std::string& path, ParamConverter* param, std::vector<MpiEvent>& calls,
                       Findings& findings) {
  auto file = trace::open_file(path);
  if (!file) return tl::unexpected(file.error());
  auto source = trace::decompress(std::move(*file), path);
  if (!source) return tl::unexpected(source.error());
  trace::json::Document document(**source, path, findings);
  const auto handle = [&](simdjson::ondemand::object& element, std::uint64_t offset) {
    std::string_view start, duration, raw;
    simdjson::ondemand::value value;
    // An object whose members could not be iterated must not be read again.
    const auto find = [&](const char* key, std::string_view& token) {
      const auto found = element.find_field_unordered(key).get(value);
      if (found == simdjson::SUCCESS) token = value.raw_json_token();
      return found == simdjson::SUCCESS || found == simdjson::NO_SUCH_FIELD;
    };
    if (!find("ts", start) || !find("dur", duration)) return false;
    if (element.reset().error() != simdjson::SUCCESS ||
        element.raw_json().get(raw) != simdjson::SUCCESS)
      return false;
    const json record = json::parse(raw, nullptr, false);
    const std::string place = fmt::format("{}:byte {}", path, offset);
    if (!record.is_object()) return false;
    if (record.contains("ph")) {
      auto event = mpi_event(record, start, duration);
      if (!event && record["ph"] == "X") return false;
      if (!event) findings.add(FindingCode::event_not_kept, place);
      if (event) calls.push_back(std::move(*event));
      return true;
    }
    return param != nullptr && param->add(record, place);
  };
  while (true) {
    auto more = document.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    const bool list = document.key().empty() || document.key() == "traceEvents";
    if (!list || !document.is_array()) continue;
    if (auto done = document.for_each_element(handle); !done) return done;
  }
}

}  // namespace

std::optional<std::int64_t> integer_member(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() >> 62 != 0) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (!found->is_string()) return std::nullopt;
  const std::string& text = found->get_ref<const std::string&>();
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char* const begin = text.data() + (hex ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::string text_member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<void> RankWriter::open(const OutputFiles& target, std::string_view schema) {
  auto writer = trace::chakra::TraceWriter::create(fmt::format("{}.{}.et", target.prefix, rank_),
                                                   {.force = target.force, .skip_sync = true});
  if (!writer) return tl::unexpected(writer.error());
  writer_ = std::move(*writer);
  trace::chakra::MetadataRecord metadata;
  metadata.version = trace::chakra::kVersion;
  metadata.add(attribute_string("schema", std::string(schema)));
  metadata.add(attribute_int64("rank", rank_));
  return writer_->write(metadata);
}

Result<void> RankWriter::close(const std::vector<profile::Group>& groups) {
  NodeRecord node = group_node(groups);
  if (!node.name.empty()) {
    node.id = next_++;
    write(node);
  }
  if (error_) return tl::unexpected(*error_);
  ++report_.ranks;
  return writer_->close();
}

NodeRecord& RankWriter::start(std::string_view name, std::int64_t duration, const NodeIds& deps) {
  record_ = {};
  record_.id = next_++;
  record_.name = name;
  record_.type = static_cast<std::uint64_t>(graph::NodeKind::comp);
  record_.duration_micros = static_cast<std::uint64_t>(duration / kPsPerUs);
  record_.data_deps = deps;
  std::sort(record_.data_deps.begin(), record_.data_deps.end());
  record_.data_deps.erase(std::unique(record_.data_deps.begin(), record_.data_deps.end()),
                          record_.data_deps.end());
  if (duration % kPsPerUs != 0) record_.add(attribute_int64("duration_ps", duration));
  return record_;
}

void RankWriter::write(const NodeRecord& node) {
  ++report_.nodes;
  report_.edges += node.data_deps.size();
  if (error_) return;
  if (auto done = writer_->write(node); !done) error_ = done.error();
}

std::uint64_t RankWriter::finish() {
  write(record_);
  return record_.id;
}

std::uint64_t RankWriter::compute(std::string_view name, std::int64_t duration,
                                  const NodeIds& deps) {
  start(name, duration, deps).add(attribute_bool("is_cpu_op", true));
  return finish();
}

std::uint64_t RankWriter::work(std::string_view name, std::int64_t operations, std::int64_t bytes,
                               const NodeIds& deps) {
  NodeRecord& node = start(name, 0, deps);
  node.add(attribute_bool("is_cpu_op", false));
  node.add(attribute_int64("num_ops", operations));
  node.add(trace::chakra::attribute_uint64("tensor_size", static_cast<std::uint64_t>(bytes)));
  return finish();
}

std::uint64_t RankWriter::comm(std::string_view name, const profile::Comm& comm, std::int64_t bytes,
                               std::int32_t tag, std::string_view group, std::int64_t duration,
                               const std::string& place, const NodeIds& deps) {
  NodeRecord& node = start(name, duration, deps);
  const bool send = comm.kind == CommKind::send;
  const bool message = is_message(comm.kind);
  if (bytes < 0) findings_.add(FindingCode::comm_size_unknown, place);
  if (message && comm.peer < 0) findings_.add(FindingCode::comm_peer_unknown, place);
  if (message && (bytes < 0 || comm.peer < 0)) return finish();
  const auto self = static_cast<std::int32_t>(rank_);
  if (message) {
    node.type = static_cast<std::uint64_t>(send ? graph::NodeKind::send : graph::NodeKind::recv);
    node.add(attribute_int32("comm_src", send ? self : comm.peer));
    node.add(attribute_int32("comm_dst", send ? comm.peer : self));
    node.add(attribute_int32("comm_tag", tag));
    ++(send ? report_.sends : report_.receives);
  } else {
    node.type = static_cast<std::uint64_t>(graph::NodeKind::coll);
    node.add(attribute_int64("comm_type", static_cast<std::int64_t>(collective_type(comm.kind))));
    if (comm.peer >= 0) node.add(attribute_int32("root", comm.peer));
    ++report_.collectives;
  }
  if (bytes >= 0) node.add(attribute_int64("comm_size", bytes));
  if (!group.empty()) node.add(attribute_string("pg_name", std::string(group)));
  return finish();
}

Result<CommsTextReport> convert_comms_text(const std::vector<std::string>& paths,
                                           const std::string& prefix, bool force,
                                           Findings& findings) {
  const OutputFiles target{prefix, force};
  CommsTextReport report;
  std::vector<MpiEvent> calls;
  for (std::uint32_t rank = 0; rank < paths.size(); ++rank) {
    RankWriter file(rank, report, findings);
    ParamConverter param(file, findings);
    if (auto done = file.open(target, "param_comms"); !done) return tl::unexpected(done.error());
    const std::uint64_t before = report.nodes;
    if (auto done = read_file(paths[rank], &param, calls, findings); !done)
      return tl::unexpected(done.error());
    if (report.nodes == before) continue;  // MPI calls, or no records: the file is not created
    if (paths.size() > 1) findings.add(FindingCode::rank_from_order, paths[rank]);
    if (auto done = file.close(param.groups()); !done) return tl::unexpected(done.error());
  }
  const std::string where = paths.empty() ? prefix : paths.front();
  if (!calls.empty()) {
    if (report.ranks != 0) {
      return fail(Errc::input_mismatch, where, "some files contain MPI calls and others do not",
                  "convert them separately");
    }
    if (auto done = convert_mpi(std::move(calls), where, target, report, findings); !done)
      return tl::unexpected(done.error());
  }
  if (report.ranks == 0)
    return fail(Errc::input_empty, where, "contains no communication and no MPI call");
  return report;
}

}  // namespace orrery::intake
