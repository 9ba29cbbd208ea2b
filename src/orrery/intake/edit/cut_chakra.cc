// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "orrery/intake/edit/cut_internal.h"
#include "orrery/profile/iterations.h"
#include "orrery/trace/chakra/records/finding_attribute.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::intake {
namespace {

using trace::chakra::AttributeRecord;
using trace::chakra::MetadataRecord;
using trace::chakra::NodeRecord;

/// The values of a node that decide whether it is retained.
struct NodeSummary {
  std::uint64_t id = 0;
  std::uint64_t start = 0;
  std::uint64_t parent = 0;  ///< its first control dependency
  std::int64_t iteration = -1;
  bool has_parent = false;
  bool is_host = false;
};

NodeSummary summary_of(const NodeRecord& node) {
  NodeSummary summary;
  summary.id = node.id;
  summary.start = node.start_time_micros;
  summary.iteration = profile::iteration_number(node.name);
  if (!node.ctrl_deps.empty() && node.ctrl_deps.front() != node.id) {
    summary.parent = node.ctrl_deps.front();
    summary.has_parent = true;
  }
  for (const AttributeRecord& attribute : node.attributes) {
    if (attribute.name == "is_cpu_op") summary.is_host = attribute.bits != 0;
  }
  return summary;
}

class NodeSelection {
 public:
  explicit NodeSelection(std::vector<NodeSummary> nodes) : nodes_(std::move(nodes)) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      places_.emplace(nodes_[i].id, i);
      if (nodes_[i].start > 0 && (first_ == 0 || nodes_[i].start < first_))
        first_ = nodes_[i].start;
    }
  }
  [[nodiscard]] std::uint64_t first() const { return first_; }

  /// Retains nodes that begin between `from` and `to` (microseconds, absolute), and device work
  /// with its operator.
  void select_window(std::uint64_t from, std::uint64_t to) {
    for (const NodeSummary& node : nodes_) {
      const NodeSummary* decisive = &node;
      if (!node.is_host && node.has_parent) {
        const auto parent = places_.find(node.parent);
        if (parent != places_.end()) decisive = &nodes_[parent->second];
      }
      if (decisive->start >= from && decisive->start < to) selected_.insert(node.id);
    }
  }
  /// Retains `root` and all nodes below it.
  void select_subtree(std::uint64_t root) {
    for (const NodeSummary& node : nodes_) {
      std::unordered_set<std::uint64_t> passed;
      for (const NodeSummary* at = &node;;) {
        if (at->id == root) {
          selected_.insert(node.id);
          break;
        }
        if (!at->has_parent || !passed.insert(at->id).second) break;
        const auto parent = places_.find(at->parent);
        if (parent == places_.end()) break;
        at = &nodes_[parent->second];
      }
    }
  }
  [[nodiscard]] const std::vector<NodeSummary>& nodes() const { return nodes_; }
  [[nodiscard]] bool is_selected(std::uint64_t id) const { return selected_.count(id) > 0; }

 private:
  std::vector<NodeSummary> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::unordered_set<std::uint64_t> selected_;
  std::uint64_t first_ = 0;
};

std::uint64_t micros(Time t) { return static_cast<std::uint64_t>(t.count() / kPsPerUs); }

/// An iteration lasts until the next one begins.
Result<void> select_iteration(NodeSelection& selection, std::int64_t wanted,
                              const std::string& where, CutReport& report) {
  std::vector<std::int64_t> numbers;
  const NodeSummary* step = nullptr;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  for (const NodeSummary& node : selection.nodes()) {
    if (node.iteration < 0 || !node.is_host) continue;
    numbers.push_back(node.iteration);
    if (node.iteration == wanted && step == nullptr) step = &node;
  }
  if (step == nullptr) return no_iteration(where, wanted, numbers);
  if (step->start == 0) {
    selection.select_subtree(step->id);
    return {};
  }
  for (const NodeSummary& node : selection.nodes()) {
    if (node.iteration >= 0 && node.is_host && node.start > step->start)
      end = std::min(end, node.start);
  }
  selection.select_window(step->start, end);
  report.from = us(static_cast<std::int64_t>(step->start - selection.first()));
  report.to = end == std::numeric_limits<std::uint64_t>::max()
                  ? kTimeMax
                  : us(static_cast<std::int64_t>(end - selection.first()));
  return {};
}

Result<void> select_nodes(NodeSelection& selection, const CutOptions& options,
                          const std::string& where, CutReport& report) {
  if (options.iteration) return select_iteration(selection, *options.iteration, where, report);
  if (selection.first() == 0 && (options.from || options.to)) {
    return fail(Errc::usage, where, "the trace has no start times",
                "convert the recorded trace again, or cut an iteration");
  }
  const Time from = options.from.value_or(Time{});
  report.from = from;
  report.to = options.to.value_or(kTimeMax);
  selection.select_window(options.from ? selection.first() + micros(from) : 0,
                          options.to ? selection.first() + micros(*options.to)
                                     : std::numeric_limits<std::uint64_t>::max());
  return {};
}

Result<void> for_each_input_record(const trace::Input& input,
                                   const std::function<Result<void>(MetadataRecord&&)>& on_metadata,
                                   const std::function<Result<void>(NodeRecord&&)>& on_node) {
  auto source = trace::open(input);
  if (!source) return tl::unexpected(source.error());
  return trace::chakra::for_each_record(*std::move(source), input.name, on_metadata, on_node);
}

std::uint64_t drop_missing(const NodeSelection& selection, std::vector<std::uint64_t>& deps) {
  return std::erase_if(deps, [&](std::uint64_t id) { return !selection.is_selected(id); });
}

/// Removes the entries of removed dependencies from lists parallel to data_deps.
void drop_parallel_entries(const NodeSelection& selection, NodeRecord& node) {
  const auto drop = [&](auto& list) {
    if (list.size() != node.data_deps.size()) return;
    std::size_t retained = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (selection.is_selected(node.data_deps[i])) std::swap(list[retained++], list[i]);
    }
    list.resize(retained);
  };
  for (auto& attribute : node.attributes) {
    if (attribute.name == "dep_kinds") drop(attribute.texts);
    if (attribute.name == "dep_lags_ps") drop(attribute.list);
  }
}

}  // namespace

Result<CutReport> cut_chakra(const trace::Input& input, const CutOptions& options,
                             const std::string& path, Findings&) {
  std::vector<NodeSummary> summaries;
  auto done = for_each_input_record(
      input, [](MetadataRecord&&) -> Result<void> { return {}; },
      [&](NodeRecord&& node) -> Result<void> {
        summaries.push_back(summary_of(node));
        return {};
      });
  if (!done) return tl::unexpected(done.error());
  CutReport report;
  report.records = summaries.size();
  NodeSelection selection(std::move(summaries));
  if (done = select_nodes(selection, options, input.name, report); !done)
    return tl::unexpected(done.error());
  auto writer = trace::chakra::TraceWriter::create(path, {.force = options.force});
  if (!writer) return tl::unexpected(writer.error());
  constexpr std::uint64_t kMetadataNode = 1;
  done = for_each_input_record(
      input,
      [&](MetadataRecord&& metadata) {
        if (trace::chakra::remove_findings(metadata)) metadata.original = {};
        return writer->write(metadata);
      },
      [&](NodeRecord&& node) -> Result<void> {
        if (!selection.is_selected(node.id) && node.type != kMetadataNode) return {};
        drop_parallel_entries(selection, node);
        report.edges_cut += drop_missing(selection, node.data_deps);
        report.edges_cut += drop_missing(selection, node.ctrl_deps);
        node.original = {};
        ++report.retained;
        return writer->write(node);
      });
  if (!done) return tl::unexpected(done.error());
  if (done = writer->close(); !done) return tl::unexpected(done.error());
  return report;
}

}  // namespace orrery::intake
