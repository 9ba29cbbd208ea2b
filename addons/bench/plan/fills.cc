// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/fills.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace orrery::bench {
namespace {

constexpr double kUnbound = std::numeric_limits<double>::infinity();
constexpr std::int8_t kNowhere = -1;

/// An argument that holds indices, and what they are less than.
struct IndexRule {
  std::string_view name;  ///< of the operator, without namespace and overload; '*' at its end
  std::int8_t index;      ///< which argument
  std::int8_t table;      ///< the tensor that is indexed …
  std::int8_t dimension;  ///< … along this
  std::int8_t dimension_in = kNowhere;  ///< … or along what this argument says
  std::int8_t value = kNowhere;         ///< or: less than this argument
  bool rows = false;                    ///< of a table that is looked up: reuse matters
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
    IndexRule{"index", 1, 0, 0},  // a list: the n-th along dimension n
    IndexRule{"index_put*", 1, 0, 0},
    IndexRule{"_index_put_impl_", 1, 0, 0},
};

/// Where bags begin.
struct OffsetRule {
  std::string_view name;
  std::int8_t offsets;
  std::int8_t indices;
  std::int8_t include_last;  ///< the argument that says whether the end is there, too
};

constexpr std::array kOffsetRules = {
    OffsetRule{"embedding_bag", 2, 1, 7},
    OffsetRule{"_embedding_bag", 2, 1, 7},
    OffsetRule{"_embedding_bag_forward_only", 2, 1, 7},
    OffsetRule{"_embedding_bag_backward", 2, 1, kNowhere},
    OffsetRule{"_embedding_bag_sparse_backward", 2, 1, kNowhere},
};

/// What a slot's whole numbers have to be like.
struct Wish {
  double below = kUnbound;
  bool rows = false;
  double step = 0;  ///< of a ramp; 0 = none
  double end = 0;   ///< of a ramp
  double each = 0;  ///< all the same; 0 = not wished

  [[nodiscard]] bool any() const { return below < kUnbound || step > 0 || each > 0; }
  void merge(const Wish& other) {
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

bool is_called(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

class Wishes {
 public:
  explicit Wishes(const ReplayPlan& plan) : plan_(plan), wishes_(plan.info.size()) {}

  const std::vector<Wish>& follow() {
    for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
      if (step->kind == ReplayStep::Kind::call || step->kind == ReplayStep::Kind::view)
        look_at(*step);
    }
    return wishes_;
  }

 private:
  void look_at(const ReplayStep& step) {
    Wish wish;
    for (const Output& output : step.outputs) wish.merge(wishes_[output.slot]);
    if (step.kind == ReplayStep::Kind::view) {
      hand_on(step.arguments.front(), wish);
      return;
    }
    const std::string_view name = short_name(plan_.operations[step.operation]);
    std::vector<bool> done(step.arguments.size(), false);
    for (const IndexRule& rule : kIndexRules) {
      if (!is_called(rule.name, name) || !has(step, rule.index)) continue;
      bound(step, rule);
      done[static_cast<std::size_t>(rule.index)] = true;
    }
    for (const OffsetRule& rule : kOffsetRules) {
      if (rule.name != name || !has(step, rule.offsets)) continue;
      spread(step, rule);
      done[static_cast<std::size_t>(rule.offsets)] = true;
    }
    if (name == "cumsum" && wish.step > 0) wish.each = std::max(1.0, std::floor(wish.step));
    if (name == "cumsum") wish.step = 0;
    if (!wish.any()) return;
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      if (!done[i]) hand_on(step.arguments[i], wish);
    }
  }

  static bool has(const ReplayStep& step, std::int8_t argument) {
    return argument >= 0 && static_cast<std::size_t>(argument) < step.arguments.size();
  }
  static const Value& at(const ReplayStep& step, std::int8_t argument) {
    return step.arguments[static_cast<std::size_t>(argument)];
  }

  void hand_on(const Value& value, const Wish& wish) {
    if (value.kind == Value::Kind::tensor && is_whole(plan_.info[value.slot].spec.dtype))
      wishes_[value.slot].merge(wish);
    for (const Value& item : value.items) hand_on(item, wish);
  }

  [[nodiscard]] double along(const ReplayStep& step, const IndexRule& rule,
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

  void bound(const ReplayStep& step, const IndexRule& rule) {
    const Value& index = at(step, rule.index);
    const std::size_t items = index.kind == Value::Kind::list ? index.items.size() : 1;
    for (std::size_t i = 0; i < items; ++i) {
      Wish wish;
      wish.below = along(step, rule, i);
      wish.rows = rule.rows;
      hand_on(index.kind == Value::Kind::list ? index.items[i] : index, wish);
    }
  }

  void spread(const ReplayStep& step, const OffsetRule& rule) {
    const Value& offsets = at(step, rule.offsets);
    const Value& indices = at(step, rule.indices);
    if (offsets.kind != Value::Kind::tensor || indices.kind != Value::Kind::tensor) return;
    const auto looked_up =
        static_cast<double>(elements_of(plan_.info[indices.slot].spec).value_or(0));
    auto bags = static_cast<double>(elements_of(plan_.info[offsets.slot].spec).value_or(0));
    if (has(step, rule.include_last) && at(step, rule.include_last).integer != 0) --bags;
    if (bags <= 0 || looked_up <= 0) return;
    Wish wish;
    wish.step = looked_up / bags;
    wish.end = looked_up;
    hand_on(offsets, wish);
  }

  const ReplayPlan& plan_;
  std::vector<Wish> wishes_;
};

Fill fill_of(const External& external, const Wish& wish, bool reuse) {
  const TensorSpec& spec = external.spec;
  const auto count = static_cast<double>(elements_of(spec).value_or(0));
  if (spec.dtype == Dtype::truth) return {Fill::Kind::whole, 1, 1};
  if (!is_whole(spec.dtype)) {
    const double rows =
        spec.sizes.size() < 2 || spec.sizes[0] == 0 ? count : static_cast<double>(spec.sizes[0]);
    const double row = rows > 0 ? count / rows : 1;
    return {Fill::Kind::uniform, 0, std::min(1.0, 2 / std::max(row, 1.0))};
  }
  if (wish.step > 0) return {Fill::Kind::ramp, 0, wish.end, wish.step};
  if (wish.each > 0) return {Fill::Kind::whole, wish.each, wish.each};
  if (wish.below == kUnbound) return {Fill::Kind::whole, 1, 1};
  const double last = std::max(wish.below - 1, 0.0);
  if (reuse && wish.rows) return {Fill::Kind::reuse, 0, last + 1};
  return {Fill::Kind::whole, 0, last};
}

}  // namespace

void choose_fills(ReplayPlan& plan) {
  Wishes all(plan);
  const std::vector<Wish>& wishes = all.follow();
  std::vector<Wish> of_storage(plan.storages.size());
  for (const External& external : plan.externals)
    of_storage[external.storage].merge(wishes[external.slot]);
  std::vector<bool> done(plan.storages.size(), false);
  for (const External& external : plan.externals) {
    if (done[external.storage]) continue;
    done[external.storage] = true;
    plan.storages[external.storage].fill =
        fill_of(external, of_storage[external.storage], !plan.reuse.empty());
  }
}

}  // namespace orrery::bench
