// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/intake/formats/chakra_json.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/file_sink.h"

namespace orrery::intake {
namespace {

using trace::chakra::MetadataRecord;
using trace::chakra::NodeRecord;

constexpr std::size_t kPiece = 1 << 16;

/// Writes one format. Nodes come first; edges follow when all nodes are known.
class Exporter {
 public:
  Exporter(std::string where, const ExportOptions& options, Findings& findings,
           const std::function<Result<void>(std::string_view)>& on_text)
      : where_(std::move(where)), options_(options), findings_(findings), on_text_(on_text) {}

  Result<void> metadata(const MetadataRecord& record) {
    if (options_.format != ExportFormat::json) return {};
    out_ += "{\"chakra\": ";
    append_json_text(out_, record.version.empty() ? trace::chakra::kVersion : record.version,
                     JsonBreaks::numbers);
    out_ += ",\n\"metadata\": ";
    append_json(out_, record);
    out_ += ",\n\"nodes\": [";
    has_begun_ = true;
    return {};
  }

  Result<void> node(const NodeRecord& record) {
    if (!has_begun_) begin();
    ++report_.nodes;
    if (options_.format != ExportFormat::json) {
      if (report_.nodes > options_.maximum_nodes) {
        return fail(
            Errc::limit_exceeded, where_,
            fmt::format("has more than {} nodes: too many for a graph", options_.maximum_nodes),
            "cut an iteration first, export JSON, or request a large graph");
      }
      ids_.push_back(record.id);
      for (const std::uint64_t from : record.data_deps) edges_.push_back({from, record.id, false});
      for (const std::uint64_t from : record.ctrl_deps) edges_.push_back({from, record.id, true});
    }
    switch (options_.format) {
      case ExportFormat::json:
        report_.edges += record.data_deps.size() + record.ctrl_deps.size();
        out_ += report_.nodes == 1 ? "\n" : ",\n";
        append_json(out_, record);
        break;
      case ExportFormat::dot:
        out_ += fmt::format("  n{} [label=", record.id);
        append_dot_text(out_, record.name);
        out_ += "];\n";
        break;
      case ExportFormat::graphml:
        out_ += fmt::format("    <node id=\"n{}\"><data key=\"label\">", record.id);
        append_xml_text(out_, record.name);
        out_ += fmt::format("</data><data key=\"type\">{}</data><data key=\"duration\">{}</data>",
                            trace::chakra::node_type_name(record.type), record.duration_micros);
        out_ += "</node>\n";
        break;
    }
    return out_.size() < kPiece ? Result<void>() : flush();
  }

  Result<ExportReport> finish() {
    if (!has_begun_) begin();
    if (options_.format == ExportFormat::json) {
      out_ += report_.nodes == 0 ? "]}\n" : "\n]}\n";
    } else {
      if (auto done = write_edges(); !done) return tl::unexpected(done.error());
      out_ += options_.format == ExportFormat::dot ? "}\n" : "  </graph>\n</graphml>\n";
    }
    if (auto done = flush(); !done) return tl::unexpected(done.error());
    return report_;
  }

 private:
  struct Edge {
    std::uint64_t from;
    std::uint64_t to;
    bool control;
  };

  void begin() {
    has_begun_ = true;
    switch (options_.format) {
      case ExportFormat::json:
        out_ += fmt::format("{{\"chakra\": \"{}\",\n\"nodes\": [", trace::chakra::kVersion);
        break;
      case ExportFormat::dot:
        out_ += "digraph chakra {\n  node [shape=box];\n";
        break;
      case ExportFormat::graphml:
        out_ +=
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
            "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
            "  <key id=\"type\" for=\"node\" attr.name=\"type\" attr.type=\"string\"/>\n"
            "  <key id=\"duration\" for=\"node\" attr.name=\"duration_micros\" "
            "attr.type=\"long\"/>\n"
            "  <key id=\"dependency\" for=\"edge\" attr.name=\"dependency\" "
            "attr.type=\"string\"/>\n"
            "  <graph id=\"chakra\" edgedefault=\"directed\">\n";
        break;
    }
  }

  Result<void> write_edges() {
    std::sort(ids_.begin(), ids_.end());
    for (const Edge& edge : edges_) {
      if (!std::binary_search(ids_.begin(), ids_.end(), edge.from)) {
        findings_.add(FindingCode::dangling_dep_dropped,
                      fmt::format("{} (node {})", where_, edge.to));
        continue;
      }
      ++report_.edges;
      if (options_.format == ExportFormat::dot) {
        out_ += fmt::format("  n{} -> n{}{};\n", edge.from, edge.to,
                            edge.control ? " [arrowhead=tee]" : "");
      } else {
        out_ += fmt::format(
            "    <edge source=\"n{}\" target=\"n{}\"><data key=\"dependency\">{}</data></edge>\n",
            edge.from, edge.to, edge.control ? "ctrl" : "data");
      }
      if (out_.size() < kPiece) continue;
      if (auto done = flush(); !done) return done;
    }
    return {};
  }

  Result<void> flush() {
    auto done = on_text_(out_);
    out_.clear();
    return done;
  }

  std::string where_;
  const ExportOptions& options_;
  Findings& findings_;
  const std::function<Result<void>(std::string_view)>& on_text_;
  ExportReport report_;
  bool has_begun_ = false;
  std::string out_;
  std::vector<std::uint64_t> ids_;
  std::vector<Edge> edges_;
};

/// Exports other layouts than the current one through a graph.
Result<void> export_graph(const std::string& path, Exporter& exporter, Findings& findings) {
  auto graph = trace::chakra::load_rank(path, std::make_shared<StringPool>(), graph::Repair::refuse,
                                        findings);
  if (!graph) return tl::unexpected(graph.error());
  const auto records = trace::chakra::records_of(*graph, findings);
  if (auto done = exporter.metadata(*records.metadata); !done) return done;
  for (const NodeRecord& node : records.nodes) {
    if (auto done = exporter.node(node); !done) return done;
  }
  return {};
}

}  // namespace

Result<ExportFormat> export_format_of(std::string_view path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".json")) return ExportFormat::json;
  if (name.ends_with(".dot") || name.ends_with(".gv")) return ExportFormat::dot;
  if (name.ends_with(".graphml")) return ExportFormat::graphml;
  return fail(Errc::usage, std::string(path), "the file extension does not specify a format",
              "use .json, .dot, .gv or .graphml");
}

Result<ExportReport> export_trace(const std::string& path, const ExportOptions& options,
                                  Findings& findings,
                                  const std::function<Result<void>(std::string_view)>& on_text) {
  auto source = trace::open_file(path);
  if (!source) return tl::unexpected(source.error());
  Exporter exporter(path, options, findings, on_text);
  auto done = trace::chakra::for_each_record(
      std::move(*source), path,
      [&](MetadataRecord&& metadata) { return exporter.metadata(metadata); },
      [&](NodeRecord&& node) { return exporter.node(node); });
  if (!done && done.error().code == Errc::input_unsupported)
    done = export_graph(path, exporter, findings);
  if (!done) return tl::unexpected(done.error());
  return exporter.finish();
}

Result<ExportReport> export_to_file(const std::string& path, const std::string& output,
                                    const ExportOptions& options, Findings& findings) {
  auto sink = trace::FileSink::create(output, {.force = options.force});
  if (!sink) return tl::unexpected(sink.error());
  auto report = export_trace(path, options, findings,
                             [&](std::string_view text) { return (*sink)->write(text); });
  if (!report) return report;
  if (auto done = (*sink)->close(); !done) return tl::unexpected(done.error());
  return report;
}

}  // namespace orrery::intake
