// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/fills.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "addons/bench/recording/name_pattern.h"

namespace orrery::bench {
namespace {

constexpr double kUnbound = std::numeric_limits<double>::infinity();
constexpr std::int8_t kNowhere = -1;

/// An argument that contains indices, and the upper bound of these indices.
struct IndexRule {
  /// The operator's name without namespace and overload; '*' at its end matches any suffix.
  std::string_view name;
  std::int8_t index;      ///< position of the argument
  std::int8_t table;      ///< position of the indexed tensor …
  std::int8_t dimension;  ///< … and its dimension
  /// … or position of the argument that contains the dimension.
  std::int8_t dimension_in = kNowhere;
  std::int8_t value = kNowhere;  ///< alternatively: position of the argument with the bound
  bool rows = false;             ///< indices of rows of a lookup table: reuse applies
};

constexpr std::array kIndexRules = {
    IndexRule{"embedding", 1, 0, 0, kNowhere, kNowhere, true},
    IndexRule{"embedding_dense_backward", 1, 0, 0, kNowhere, 2, true},
    IndexRule{"embedding_backward", 1, 0, 0, kNowhere, 2, true},
    IndexRule{"embedding_bag", 1, 0, 0, kNowhere, kNowhere, true},
    IndexRule{"_embedding_bag", 1, 0, 0, kNowhere, kNowhere, true},
    IndexRule{"_embedding_bag_forward_only", 1, 0, 0, kNowhere, kNowhere, true},
    IndexRule{"_embedding_bag_backward", 1, 0, 0, kNowhere, 6, true},
    IndexRule{"_embedding_bag_backward", 3, 0, 0},
    IndexRule{"_embedding_bag_dense_backward", 1, 0, 0, kNowhere, 5, true},
    IndexRule{"_embedding_bag_dense_backward", 2, 0, 0},
    IndexRule{"_embedding_bag_sparse_backward", 1, 0, 0, kNowhere, 5, true},
    IndexRule{"_embedding_bag_sparse_backward", 3, 0, 0},
    IndexRule{"index_select", 2, 0, 0, 1},
    IndexRule{"gather", 2, 0, 0, 1},
    IndexRule{"gather_backward", 3, 1, 0, 2},
    IndexRule{"scatter*", 2, 0, 0, 1},
    IndexRule{"index_add*", 2, 0, 0, 1},
    IndexRule{"index_copy*", 2, 0, 0, 1},
    IndexRule{"index_fill*", 2, 0, 0, 1},
    IndexRule{"nll_loss", 1, 0, 1},
    IndexRule{"nll_loss_nd", 1, 0, 1},
    IndexRule{"nll_loss_forward", 1, 0, 1},
    IndexRule{"nll_loss2d_forward", 1, 0, 1},
    IndexRule{"nll_loss2d", 1, 0, 1},
    IndexRule{"nll_loss_backward", 2, 1, 1},
    IndexRule{"nll_loss2d_backward", 2, 1, 1},
    IndexRule{"cross_entropy_loss", 1, 0, 1},
    IndexRule{"one_hot", 0, 0, 0, kNowhere, 1},
    IndexRule{"index", 1, 0, 0},  // a list: item n indexes dimension n
    IndexRule{"index_put*", 1, 0, 0},
    IndexRule{"_index_put_impl_", 1, 0, 0},
};

/// An argument that contains the offsets of bags.
struct OffsetRule {
  std::string_view name;
  std::int8_t offsets;
  std::int8_t indices;
  std::int8_t include_last;  ///< position of the argument that tells whether the end is included
};

constexpr std::array kOffsetRules = {
    OffsetRule{"embedding_bag", 2, 1, 7},
    OffsetRule{"_embedding_bag", 2, 1, 7},
    OffsetRule{"_embedding_bag_forward_only", 2, 1, 7},
    OffsetRule{"_embedding_bag_backward", 2, 1, kNowhere},
    OffsetRule{"_embedding_bag_sparse_backward", 2, 1, kNowhere},
};

/// Requirements on the integers in a slot.
struct IndexRequirement {
  double below = kUnbound;
  bool rows = false;
  double step = 0;  ///< of a ramp; 0: none
  double end = 0;   ///< of a ramp
  double each = 0;  ///< all integers equal this value; 0: none

  [[nodiscard]] bool any() const { return below < kUnbound || step > 0 || each > 0; }
  void merge(const IndexRequirement& other) {
    below = std::min(below, other.below);
    rows = rows || other.rows;
    if (step == 0) step = other.step, end = other.end;
    if (each == 0) each = other.each;
  }
};

/// "aten::embedding_bag.padding_idx" → "embedding_bag"
std::string_view short_name(std::string_view operation) {
  const std::size_t colons = operation.find("::");
  if (colons != std::string_view::npos) operation.remove_prefix(colons + 2);
  return operation.substr(0, operation.find('.'));
}

class IndexRequirements {
 public:
  explicit IndexRequirements(const ReplayPlan& plan)
      : plan_(plan), requirements_(plan.info.size()) {}

  const std::vector<IndexRequirement>& propagate() {
    for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
      if (step->kind == ReplayStep::Kind::call || step->kind == ReplayStep::Kind::view)
        visit(*step);
    }
    return requirements_;
  }

 private:
  void visit(const ReplayStep& step) {
    IndexRequirement requirement;
    for (const Output& output : step.outputs) requirement.merge(requirements_[output.slot]);
    if (step.kind == ReplayStep::Kind::view) {
      require(step.arguments.front(), requirement);
      return;
    }
    const std::string_view name = short_name(plan_.operations[step.operation]);
    std::vector<bool> done(step.arguments.size(), false);
    for (const IndexRule& rule : kIndexRules) {
      if (!matches(rule.name, name) || !has(step, rule.index)) continue;
      require_below(step, rule);
      done[static_cast<std::size_t>(rule.index)] = true;
    }
    for (const OffsetRule& rule : kOffsetRules) {
      if (rule.name != name || !has(step, rule.offsets)) continue;
      require_offsets(step, rule);
      done[static_cast<std::size_t>(rule.offsets)] = true;
    }
    if (name == "cumsum" && requirement.step > 0)
      requirement.each = std::max(1.0, std::floor(requirement.step));
    if (name == "cumsum") requirement.step = 0;
    if (!requirement.any()) return;
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      if (!done[i]) require(step.arguments[i], requirement);
    }
  }

  static bool has(const ReplayStep& step, std::int8_t argument) {
    return argument >= 0 && static_cast<std::size_t>(argument) < step.arguments.size();
  }
  static const Value& at(const ReplayStep& step, std::int8_t argument) {
    return step.arguments[static_cast<std::size_t>(argument)];
  }

  void require(const Value& value, const IndexRequirement& requirement) {
    if (value.kind == Value::Kind::tensor && is_whole(plan_.info[value.slot].spec.dtype))
      requirements_[value.slot].merge(requirement);
    for (const Value& item : value.items) require(item, requirement);
  }

  [[nodiscard]] double upper_bound(const ReplayStep& step, const IndexRule& rule,
                                   std::size_t item) const {
    if (has(step, rule.value)) return static_cast<double>(at(step, rule.value).integer);
    if (!has(step, rule.table) || at(step, rule.table).kind != Value::Kind::tensor) return kUnbound;
    const TensorSpec& table = plan_.info[at(step, rule.table).slot].spec;
    const auto dimensions = static_cast<std::int64_t>(table.sizes.size());
    std::int64_t d = rule.dimension + static_cast<std::int64_t>(item);
    if (has(step, rule.dimension_in)) d = at(step, rule.dimension_in).integer;
    if (d < 0) d += dimensions;
    d = std::min(d, dimensions - 1);
    return d < 0 ? kUnbound : static_cast<double>(table.sizes[static_cast<std::size_t>(d)]);
  }

  void require_below(const ReplayStep& step, const IndexRule& rule) {
    const Value& index = at(step, rule.index);
    const std::size_t items = index.kind == Value::Kind::list ? index.items.size() : 1;
    for (std::size_t i = 0; i < items; ++i) {
      IndexRequirement requirement;
      requirement.below = upper_bound(step, rule, i);
      requirement.rows = rule.rows;
      require(index.kind == Value::Kind::list ? index.items[i] : index, requirement);
    }
  }

  void require_offsets(const ReplayStep& step, const OffsetRule& rule) {
    const Value& offsets = at(step, rule.offsets);
    const Value& indices = at(step, rule.indices);
    if (offsets.kind != Value::Kind::tensor || indices.kind != Value::Kind::tensor) return;
    const auto looked_up =
        static_cast<double>(elements_of(plan_.info[indices.slot].spec).value_or(0));
    auto bags = static_cast<double>(elements_of(plan_.info[offsets.slot].spec).value_or(0));
    if (has(step, rule.include_last) && at(step, rule.include_last).integer != 0) --bags;
    if (bags <= 0 || looked_up <= 0) return;
    IndexRequirement requirement;
    requirement.step = looked_up / bags;
    requirement.end = looked_up;
    require(offsets, requirement);
  }

  const ReplayPlan& plan_;
  std::vector<IndexRequirement> requirements_;
};

Fill fill_of(const External& external, const IndexRequirement& requirement, bool reuse) {
  const TensorSpec& spec = external.spec;
  const auto count = static_cast<double>(elements_of(spec).value_or(0));
  if (spec.dtype == Dtype::truth) return {Fill::Kind::whole, 1, 1};
  if (!is_whole(spec.dtype)) {
    const double rows =
        spec.sizes.size() < 2 || spec.sizes[0] == 0 ? count : static_cast<double>(spec.sizes[0]);
    const double row = rows > 0 ? count / rows : 1;
    return {Fill::Kind::uniform, 0, std::min(1.0, 2 / std::max(row, 1.0))};
  }
  if (requirement.step > 0) return {Fill::Kind::ramp, 0, requirement.end, requirement.step};
  if (requirement.each > 0) return {Fill::Kind::whole, requirement.each, requirement.each};
  if (requirement.below == kUnbound) return {Fill::Kind::whole, 1, 1};
  const double last = std::max(requirement.below - 1, 0.0);
  if (reuse && requirement.rows) return {Fill::Kind::reuse, 0, last + 1};
  return {Fill::Kind::whole, 0, last};
}

}  // namespace

void choose_fills(ReplayPlan& plan) {
  IndexRequirements all(plan);
  const std::vector<IndexRequirement>& requirements = all.propagate();
  std::vector<IndexRequirement> of_storage(plan.storages.size());
  for (const External& external : plan.externals)
    of_storage[external.storage].merge(requirements[external.slot]);
  std::vector<bool> done(plan.storages.size(), false);
  for (const External& external : plan.externals) {
    if (done[external.storage]) continue;
    done[external.storage] = true;
    plan.storages[external.storage].fill =
        fill_of(external, of_storage[external.storage], !plan.reuse.empty());
  }
}

}  // namespace orrery::bench
