// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

/// As much of a node as decides whether it stays.
struct Brief {
  std::uint64_t id = 0;
  std::uint64_t start = 0;
  std::uint64_t parent = 0;  ///< its first control dependency
  std::int64_t iteration = -1;
  bool has_parent = false;
  bool host = false;
};

Brief brief_of(const NodeRecord& node) {
  Brief brief;
  brief.id = node.id;
  brief.start = node.start_time_micros;
  brief.iteration = profile::iteration_number(node.name);
  if (!node.ctrl_deps.empty() && node.ctrl_deps.front() != node.id) {
    brief.parent = node.ctrl_deps.front();
    brief.has_parent = true;
  }
  for (const AttributeRecord& attribute : node.attributes) {
    if (attribute.name == "is_cpu_op") brief.host = attribute.bits != 0;
  }
  return brief;
}

class Chooser {
 public:
  explicit Chooser(std::vector<Brief> nodes) : nodes_(std::move(nodes)) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      places_.emplace(nodes_[i].id, i);
      if (nodes_[i].start > 0 && (first_ == 0 || nodes_[i].start < first_))
        first_ = nodes_[i].start;
    }
  }
  [[nodiscard]] std::uint64_t first() const { return first_; }

  /// Keeps what begins from `from` to `to` (microseconds, absolute); device work as its operator.
  void keep_window(std::uint64_t from, std::uint64_t to) {
    for (const Brief& node : nodes_) {
      const Brief* decides = &node;
      if (!node.host && node.has_parent) {
        const auto parent = places_.find(node.parent);
        if (parent != places_.end()) decides = &nodes_[parent->second];
      }
      if (decides->start >= from && decides->start < to) kept_.insert(node.id);
    }
  }
  /// Keeps what hangs below `root`, and `root`.
  void keep_below(std::uint64_t root) {
    for (const Brief& node : nodes_) {
      std::unordered_set<std::uint64_t> passed;
      for (const Brief* at = &node;;) {
        if (at->id == root) {
          kept_.insert(node.id);
          break;
        }
        if (!at->has_parent || !passed.insert(at->id).second) break;
        const auto parent = places_.find(at->parent);
        if (parent == places_.end()) break;
        at = &nodes_[parent->second];
      }
    }
  }
  [[nodiscard]] const std::vector<Brief>& nodes() const { return nodes_; }
  [[nodiscard]] bool retained(std::uint64_t id) const { return kept_.count(id) > 0; }

 private:
  std::vector<Brief> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::unordered_set<std::uint64_t> kept_;
  std::uint64_t first_ = 0;
};

std::uint64_t micros(Time t) { return static_cast<std::uint64_t>(t.count() / kPsPerUs); }

/// An iteration lasts until the next one begins.
Result<void> choose_iteration(Chooser& chooser, std::int64_t wanted, const std::string& where,
                              CutReport& report) {
  std::vector<std::int64_t> numbers;
  const Brief* step = nullptr;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  for (const Brief& node : chooser.nodes()) {
    if (node.iteration < 0 || !node.host) continue;
    numbers.push_back(node.iteration);
    if (node.iteration == wanted && step == nullptr) step = &node;
  }
  if (step == nullptr) return no_iteration(where, wanted, numbers);
  if (step->start == 0) {
    chooser.keep_below(step->id);
    return {};
  }
  for (const Brief& node : chooser.nodes()) {
    if (node.iteration >= 0 && node.host && node.start > step->start)
      end = std::min(end, node.start);
  }
  chooser.keep_window(step->start, end);
  report.from = us(static_cast<std::int64_t>(step->start - chooser.first()));
  report.to = end == std::numeric_limits<std::uint64_t>::max()
                  ? kTimeMax
                  : us(static_cast<std::int64_t>(end - chooser.first()));
  return {};
}

Result<void> choose(Chooser& chooser, const CutOptions& options, const std::string& where,
                    CutReport& report) {
  if (options.iteration) return choose_iteration(chooser, *options.iteration, where, report);
  if (chooser.first() == 0 && (options.from || options.to)) {
    return fail(Errc::usage, where, "the trace has no start times",
                "convert the recorded trace again, or cut an iteration");
  }
  const Time from = options.from.value_or(Time{});
  report.from = from;
  report.to = options.to.value_or(kTimeMax);
  chooser.keep_window(options.from ? chooser.first() + micros(from) : 0,
                      options.to ? chooser.first() + micros(*options.to)
                                 : std::numeric_limits<std::uint64_t>::max());
  return {};
}

Result<void> each(const trace::Input& input,
                  const std::function<Result<void>(MetadataRecord&&)>& on_metadata,
                  const std::function<Result<void>(NodeRecord&&)>& on_node) {
  auto source = trace::open(input);
  if (!source) return tl::unexpected(source.error());
  return trace::chakra::for_each_record(*std::move(source), input.name, on_metadata, on_node);
}

std::uint64_t drop_missing(const Chooser& chooser, std::vector<std::uint64_t>& deps) {
  return std::erase_if(deps, [&](std::uint64_t id) { return !chooser.retained(id); });
}

/// Of lists that say something of each data dependency, what is said of those that go.
void drop_what_is_said(const Chooser& chooser, NodeRecord& node) {
  const auto drop = [&](auto& list) {
    if (list.size() != node.data_deps.size()) return;
    std::size_t retained = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (chooser.retained(node.data_deps[i])) std::swap(list[retained++], list[i]);
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
  std::vector<Brief> briefs;
  auto done = each(
      input, [](MetadataRecord&&) -> Result<void> { return {}; },
      [&](NodeRecord&& node) -> Result<void> {
        briefs.push_back(brief_of(node));
        return {};
      });
  if (!done) return tl::unexpected(done.error());
  CutReport report;
  report.records = briefs.size();
  Chooser chooser(std::move(briefs));
  if (done = choose(chooser, options, input.name, report); !done)
    return tl::unexpected(done.error());
  auto writer = trace::chakra::TraceWriter::create(path, {.force = options.force});
  if (!writer) return tl::unexpected(writer.error());
  constexpr std::uint64_t kMetadataNode = 1;
  done = each(
      input,
      [&](MetadataRecord&& metadata) {
        if (trace::chakra::remove_findings(metadata)) metadata.spelling = {};
        return writer->write(metadata);
      },
      [&](NodeRecord&& node) -> Result<void> {
        if (!chooser.retained(node.id) && node.type != kMetadataNode) return {};
        drop_what_is_said(chooser, node);
        report.edges_cut += drop_missing(chooser, node.data_deps);
        report.edges_cut += drop_missing(chooser, node.ctrl_deps);
        node.spelling = {};
        ++report.retained;
        return writer->write(node);
      });
  if (!done) return tl::unexpected(done.error());
  if (done = writer->close(); !done) return tl::unexpected(done.error());
  return report;
}

}  // namespace orrery::intake
