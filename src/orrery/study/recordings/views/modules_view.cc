// SPDX-License-Identifier: Apache-2.0
//
// The tree of modules, their operators and the kernels of these, with device times.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/study/recordings/operators/module_paths.h"
#include "orrery/study/recordings/operators/operator_calls.h"
#include "orrery/study/recordings/operators/operator_text.h"
#include "orrery/study/recordings/views/builders.h"
#include "orrery/study/recordings/views/view_values.h"

namespace orrery::study {

namespace {

using profile::EventId;
using profile::kNoEvent;
using report::Value;

struct KernelSum {
  std::uint64_t count = 0;
  Time time{};
};

struct OperatorSum {
  std::uint64_t calls = 0;
  Time time{};
  std::map<std::string_view, KernelSum> kernels;
};

/// Forward or backward operators of one name.
struct OperatorId {
  std::string_view name;
  bool backward = false;

  friend auto operator<=>(const OperatorId&, const OperatorId&) = default;
};

struct ModuleSum {
  Time own{}, with_children{};
  std::map<OperatorId, OperatorSum> operators;
  std::vector<std::uint32_t> children;
};

/// Entries by time, descending.
template <class Key, class Sum>
std::vector<std::pair<Key, const Sum*>> by_time(const std::map<Key, Sum>& sums) {
  std::vector<std::pair<Key, const Sum*>> sorted;
  for (const auto& [key, sum] : sums) sorted.emplace_back(key, &sum);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
    return left.second->time > right.second->time;
  });
  return sorted;
}

std::string indented(std::uint32_t depth, std::string_view text) {
  return std::string(2 * static_cast<std::size_t>(depth), ' ') + std::string(text);
}

/// The tree of one rank.
class ModuleTree {
 public:
  explicit ModuleTree(const profile::Profile& profile)
      : p_(profile), paths_(profile), calls_(profile), sums_(paths_.nodes().size()) {
    for (const OperatorCall& call : calls_.calls()) add(call);
    const auto& nodes = paths_.nodes();
    for (auto n = static_cast<std::uint32_t>(nodes.size()); n-- > 0;) {
      sums_[n].with_children += sums_[n].own;
      if (n > 0) sums_[nodes[n].parent].with_children += sums_[n].with_children;
    }
    for (std::uint32_t n = 1; n < nodes.size(); ++n) sums_[nodes[n].parent].children.push_back(n);
  }

  [[nodiscard]] ModuleSource source() const { return paths_.source(); }
  [[nodiscard]] Time total() const { return calls_.total(); }
  [[nodiscard]] Time outside() const { return sums_.front().own; }

  /// Appends the rows of all nodes with device time, depth first.
  void write(std::uint32_t rank, ViewTable& table) const { write_inside(rank, 0, "", table); }

 private:
  void add(const OperatorCall& call) {
    const EventId first = calls_.works(call).front();
    const profile::Work& work = p_.work(first);
    // The call is inside of everything that surrounds the launch; the operator may be unknown.
    const EventId at = work.call != kNoEvent ? work.call : work.op;
    const EventId place = call.op != kNoEvent ? call.op : at;
    ModuleSum& module = sums_[place == kNoEvent ? 0 : paths_.of(place)];
    module.own += call.own;
    OperatorSum& sum =
        module
            .operators[{p_.string(call.key.name), place != kNoEvent && paths_.is_backward(place)}];
    ++sum.calls;
    sum.time += call.own;
    for (const EventId e : calls_.works(call)) {
      KernelSum& kernel = sum.kernels[p_.name(e)];
      ++kernel.count;
      kernel.time += p_.events[e].duration;
    }
  }

  void write_inside(std::uint32_t rank, std::uint32_t node, const std::string& path,
                    ViewTable& table) const {
    const std::uint32_t depth = paths_.nodes()[node].depth;
    for (const auto& [id, sum] : by_time(sums_[node].operators)) {
      const std::string here = below(path, id.name.empty() ? "(no operator)" : id.name);
      write_row(rank, here, depth, "operator", operator_value(id.name).text(),
                operator_value(id.name), id.backward ? "backward" : "forward", sum->calls,
                sum->time, sum->time, table);
      for (const auto& [name, kernel] : by_time(sum->kernels))
        write_row(rank, below(here, name), depth + 1, "kernel", device_kernel_text(name),
                  Value(name), id.backward ? "backward" : "forward", kernel->count, kernel->time,
                  kernel->time, table);
    }
    for (const std::uint32_t child : sums_[node].children) {
      const ModuleSum& sum = sums_[child];
      if (sum.with_children == Time{}) continue;
      const ModuleNode& module = paths_.nodes()[child];
      const std::string here = below(path, module.name);
      write_row(rank, here, depth, "module", module.name, Value(module.name), "", module.calls,
                sum.own, sum.with_children, table);
      write_inside(rank, child, here, table);
    }
  }

  static std::string below(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "/" + std::string(name);
  }

  void write_row(std::uint32_t rank, const std::string& path, std::uint32_t depth,
                 std::string_view kind, std::string_view text, Value name, std::string_view pass,
                 std::uint64_t count, Time own, Time with_children, ViewTable& table) const {
    table.rows.push_back({rank, std::move(name).shown(indented(depth, text)), path, depth, kind,
                          text_value(pass), count, own, with_children,
                          share_value(with_children, total())});
  }

  const profile::Profile& p_;
  ModulePaths paths_;
  OperatorCalls calls_;
  std::vector<ModuleSum> sums_;  // by node
};

class ModulesView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const ModuleTree tree(rank.profile);
    tree.write(rank.files.rank, table_);
    sources_.insert(std::string(name(tree.source())));
    total_ += tree.total();
    outside_ += tree.outside();
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    View made{.kind = TraceView::modules, .facts = {}, .tables = {}};
    std::string sources;
    for (const std::string& one : sources_) sources += (sources.empty() ? "" : ", ") + one;
    made.facts.push_back({"modules from", "module_source", sources});
    if (total_ > Time{})
      made.facts.push_back({"outside", "outside_share", share_value(outside_, total_)});
    made.tables.push_back(std::move(table_));
    return made;
  }

 private:
  std::set<std::string> sources_;
  Time total_{}, outside_{};
  ViewTable table_{
      .key = "tree",
      .title = "modules",
      .columns = {{"rank", "rank", "the recorded rank"},
                  {"module, operator, kernel", "name", "as in the recording"},
                  {"", "path", "names from the outermost module, separated by /"},
                  {"", "depth", "0: outermost"},
                  {"", "node_kind", "module, operator or kernel"},
                  {"pass", "pass", "of operators and kernels: forward or backward"},
                  {"count", "count", "calls of the module or operator; launches of the kernel"},
                  {"own time", "time_ns", "device work that it launched, without inner modules"},
                  {"with children", "with_children_ns", "with inner modules"},
                  {"share", "time_share", "with children / time of all device work"}},
      .rows = {},
      .first = 60,
      .width = 110,
      .if_empty = "The recording has no timed device work.",
      .by_rank = true};
};

}  // namespace

std::unique_ptr<ViewBuilder> modules_view() { return std::make_unique<ModulesView>(); }

}  // namespace orrery::study
