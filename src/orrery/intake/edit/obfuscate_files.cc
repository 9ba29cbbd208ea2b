// SPDX-License-Identifier: Apache-2.0
//
// Obfuscates the files of a job.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <tuple>

#include "orrery/core/system/atomic_file.h"
#include "orrery/intake/edit/obfuscate.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::intake {

using trace::chakra::MetadataRecord;
using trace::chakra::NodeRecord;

namespace {

namespace fs = std::filesystem;

struct Signature {
  std::uint64_t type = 0, count = 0, micros = 0;

  friend bool operator<(const Signature& a, const Signature& b) {
    return std::tie(a.type, a.count, a.micros) < std::tie(b.type, b.count, b.micros);
  }
};
using Signatures = std::map<std::string, Signature>;  // by alias

Reidentification reidentify(const Signatures& signatures) {
  std::map<Signature, std::uint64_t> shared;
  for (const auto& [alias, signature] : signatures) ++shared[signature];
  Reidentification result;
  result.names = signatures.size();
  for (const auto& [signature, names] : shared) result.unique += names == 1 ? 1 : 0;
  return result;
}

using OnNode = std::function<Result<void>(NodeRecord&&)>;

Result<void> each_node(const std::string& path, const OnNode& on_node) {
  auto source = trace::open_file(path);
  if (!source) return tl::unexpected(source.error());
  return trace::chakra::for_each_record(
      *std::move(source), path, [](MetadataRecord&&) -> Result<void> { return {}; }, on_node);
}

/// The earliest recorded start; 0 if there is none.
Result<std::uint64_t> origin_of(const std::string& path) {
  std::uint64_t first = 0;
  const auto done = each_node(path, [&](NodeRecord&& node) -> Result<void> {
    if (node.start_time_micros > 0 && (first == 0 || node.start_time_micros < first))
      first = node.start_time_micros;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return first;
}

Result<void> rewrite(const std::string& from, const std::string& to, FilePlacement how,
                     std::uint64_t origin, Obfuscator& obfuscator, Signatures& signatures,
                     ObfuscateReport& report) {
  auto writer = trace::chakra::TraceWriter::create(to, how);
  if (!writer) return tl::unexpected(writer.error());
  if (auto done = writer->write(obfuscator.metadata()); !done) return done;
  const auto done = each_node(from, [&](NodeRecord&& node) -> Result<void> {
    const NodeRecord out = obfuscator.node(node, origin);
    report.attributes_retained += out.attributes.size();
    report.attributes_dropped += node.attributes.size() - out.attributes.size();
    ++report.nodes;
    Signature& signature = signatures[out.name];
    signature.type = out.type;
    ++signature.count;
    signature.micros += out.duration_micros;
    return writer->write(out);
  });
  if (!done) return done;
  return writer->close();
}

Result<void> write_groups(const graph::Workload& workload, const std::string& to, bool force,
                          Obfuscator& obfuscator) {
  if (workload.groups.empty()) return {};
  std::string text = "{";
  for (const auto& [name, group] : workload.groups) {
    text += fmt::format("{}\n  \"{}\": [{}]", text.size() > 1 ? "," : "", obfuscator.group(name),
                        fmt::join(group.ranks, ", "));
  }
  text += "\n}\n";
  return write_file_atomically((fs::path(to).parent_path() / "comm_group.json").string(), text,
                               {.force = force});
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

Result<ObfuscateReport> obfuscate(const std::string& from, const std::string& to,
                                  std::string_view salt, bool force, Findings& findings) {
  ObfuscateReport report;
  Obfuscator obfuscator(salt);
  Signatures signatures;
  std::vector<std::pair<std::string, std::string>> files;
  graph::Workload workload;
  if (is_file(from)) {
    files.emplace_back(from, to);
    const auto graph = trace::chakra::load_rank(from, std::make_shared<StringPool>(),
                                                graph::Repair::repair, findings, &workload.groups);
    if (!graph) return tl::unexpected(graph.error());
  } else {
    auto loaded = trace::chakra::load_workload(from, {graph::Repair::repair, 0, "", true, {}});
    if (!loaded) return tl::unexpected(loaded.error());
    workload = *std::move(loaded);
    findings.merge(workload.findings);
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
      files.emplace_back(workload.files[rank], fmt::format("{}.{}.et", to, rank));
  }
  // One origin for all ranks, so that their starts stay comparable.
  std::uint64_t origin = 0;
  for (const auto& [source, target] : files) {
    const auto first = origin_of(source);
    if (!first) return tl::unexpected(first.error());
    if (*first > 0 && (origin == 0 || *first < origin)) origin = *first;
  }
  const FilePlacement how{.force = force, .skip_sync = files.size() > 1};
  for (const auto& [source, target] : files) {
    if (auto done = rewrite(source, target, how, origin, obfuscator, signatures, report); !done)
      return tl::unexpected(done.error());
    ++report.ranks;
  }
  if (auto done = write_groups(workload, to, force, obfuscator); !done)
    return tl::unexpected(done.error());
  report.names = obfuscator.names();
  report.reidentification = reidentify(signatures);
  return report;
}

}  // namespace orrery::intake
