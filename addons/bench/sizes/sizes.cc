// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/sizes/sizes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "addons/bench/plan/fills.h"

namespace orrery::bench {
namespace {

bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

/// The cumulative products of `sizes`: 4, 12, 60 for [4,3,5].
std::vector<std::int64_t> ends_of(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 1;
  for (const std::int64_t size : sizes) ends.push_back(end *= size);
  return ends;
}

/// Equal sizes in any order: a transposition neither merges nor splits dimensions.
bool same_sizes(const TensorSpec& one, const TensorSpec& other) {
  std::vector<std::int64_t> left = one.sizes, right = other.sizes;
  for (auto* sizes : {&left, &right}) {
    std::erase(*sizes, 1);
    std::sort(sizes->begin(), sizes->end());
  }
  return left == right;
}

/// a × b, limited to the maximum size of a tensor.
std::int64_t times(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kBeyond = std::int64_t{1} << 62;
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kBeyond : std::min(product, kBeyond);
}

std::optional<std::int64_t> changed(std::int64_t value, const SizeChanges& changes) {
  const auto found = changes.find(value);
  if (found == changes.end()) return std::nullopt;
  return found->second;
}

/// Computes strides and offsets for changed sizes. Strides are dense except for gaps, which are
/// sizes themselves.
class Restrider {
 public:
  explicit Restrider(const SizeChanges& changes) : changes_(changes) {}

  [[nodiscard]] std::int64_t size(std::int64_t old) const {
    return changed(old, changes_).value_or(old);
  }

  /// Strides for dimensions with the old `sizes`; empty if a gap is not a size.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> strides(
      const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& old) const {
    if (old.size() != sizes.size()) return std::vector<std::int64_t>{};
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return old[a] != old[b] ? old[a] < old[b] : sizes[a] < sizes[b];
    });
    std::vector<std::int64_t> made = old;
    std::int64_t dense = 1, now = 1;
    for (const std::size_t d : order) {
      if (old[d] == 0) continue;
      if (sizes[d] == 1) {
        made[d] = now;
        continue;
      }
      if (old[d] != dense) {
        const auto gap = changed(old[d], changes_);
        if (!gap && old[d] % dense != 0) return std::nullopt;
        now = gap ? *gap : times(now, old[d] / dense);
        dense = old[d];
      }
      made[d] = now;
      dense = times(dense, sizes[d]);
      now = times(now, size(sizes[d]));
    }
    return made;
  }

  /// The offset of a view in the new sizes: it keeps the number of steps along each dimension, in
  /// multiples of the view's length if possible. Negative if there is no such offset.
  [[nodiscard]] std::int64_t offset(const TensorSpec& old, const TensorSpec& made) const {
    if (old.strides.empty() || made.strides.empty()) return old.offset;
    std::int64_t left = old.offset, at = 0;
    while (left > 0) {
      std::size_t widest = old.strides.size();
      for (std::size_t d = 0; d < old.strides.size(); ++d) {
        const bool usable = old.strides[d] > 0 && old.strides[d] <= left;
        if (usable && (widest == old.strides.size() || old.strides[d] > old.strides[widest]))
          widest = d;
      }
      if (widest == old.strides.size()) return at + left;
      const std::int64_t steps = left / old.strides[widest], own = old.sizes[widest];
      const std::int64_t now =
          own > 1 && steps % own == 0 ? times(steps / own, made.sizes[widest]) : size(steps);
      if (__builtin_add_overflow(at, times(now, made.strides[widest]), &at)) return -1;
      left -= steps * old.strides[widest];
    }
    return at;
  }

  [[nodiscard]] std::optional<TensorSpec> spec(const TensorSpec& old) const {
    TensorSpec made = old;
    for (std::int64_t& value : made.sizes) value = size(value);
    auto steps = strides(old.sizes, old.strides);
    if (!steps) return std::nullopt;
    made.strides = *std::move(steps);
    made.offset = offset(old, made);
    if (!reach_of(made)) return std::nullopt;
    return made;
  }

  void value(Value& value) const {
    if (value.kind == Value::Kind::integer) value.integer = size(value.integer);
    for (Value& item : value.items) this->value(item);
  }

 private:
  const SizeChanges& changes_;
};

/// Operators with a stride argument, and its position: the argument before it is the sizes.
constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kStrided = {
    {{"aten::as_strided", 2},
     {"aten::_reshape_alias", 2},
     {"aten::empty_strided", 1},
     {"aten::new_empty_strided", 2}}};

std::vector<std::int64_t> integers_of(const Value& list) {
  std::vector<std::int64_t> numbers;
  for (const Value& item : list.items) numbers.push_back(item.integer);
  return numbers;
}

/// Returns false if the strides have no equivalent in the new sizes.
bool change_arguments(std::string_view operation, ReplayStep& step, const Restrider& restrider) {
  std::optional<std::vector<std::int64_t>> strides;
  std::size_t place = step.arguments.size();
  for (const auto& [name, argument] : kStrided) {
    if (!operation.starts_with(name) || argument >= step.arguments.size()) continue;
    place = argument;
    strides = restrider.strides(integers_of(step.arguments[place - 1]),
                                integers_of(step.arguments[place]));
    if (!strides) return false;
  }
  for (std::size_t a = 0; a < step.arguments.size(); ++a) {
    Value& value = step.arguments[a];
    if (a != place) {
      restrider.value(value);
      continue;
    }
    for (std::size_t i = 0; i < strides->size(); ++i) value.items[i].integer = (*strides)[i];
  }
  return true;
}

}  // namespace

Sizes::Sizes(const ReplayPlan& plan) : plan_(plan) {
  std::set<std::int64_t> all;
  for (const SlotInfo& info : plan.info)
    for (const std::int64_t size : info.spec.sizes)
      if (size > 1) all.insert(size);
  for (const ReplayStep& step : plan.steps) relate(step);
  for (const auto& [value, products] : products_) {
    all.insert(value);
    for (const Factors& factors : products) all.insert(factors.begin(), factors.end());
  }
  all_.assign(all.begin(), all.end());
}

void Sizes::relate(const ReplayStep& step) {
  const bool call = step.kind == ReplayStep::Kind::call;
  if (!call && step.kind != ReplayStep::Kind::view) return;
  const std::string_view name = call ? std::string_view(plan_.operations[step.operation]) : "view";
  const bool parts = has_word(name, {"split", "chunk", "cat", "narrow", "slice"});
  const bool reshapes = has_word(name, {"view", "reshape", "flatten"});
  for (const Output& output : step.outputs) {
    const SlotInfo& made = plan_.info[output.slot];
    for (const Value& value : step.arguments)
      for_each_slot(value, [&](Slot slot) {
        const SlotInfo& from = plan_.info[slot];
        const bool shares = from.storage == made.storage && from.group == made.group;
        if (shares || reshapes) relate_view(from.spec, made.spec);
        if (parts) relate_parts(from.spec, made.spec);
      });
  }
}

/// Dimensions of both tensors end at common products; the parts between these ends are factors.
void Sizes::relate_view(const TensorSpec& from, const TensorSpec& to) {
  const auto count = elements_of(from);
  if (!count || *count < 2 || count != elements_of(to) || same_sizes(from, to)) return;
  const std::vector<std::int64_t> left = ends_of(from.sizes), right = ends_of(to.sizes);
  std::set<std::int64_t> ends(left.begin(), left.end());
  ends.insert(right.begin(), right.end());
  ends.erase(1);
  std::int64_t before = 1;
  for (const std::int64_t end : ends) {
    if (end % before != 0) return;
    before = end;
  }
  for (const auto* sizes : {&from.sizes, &to.sizes}) {
    std::int64_t begin = 1;
    for (const std::int64_t size : *sizes) {
      Factors factors;
      std::int64_t at = begin;
      for (auto end = ends.upper_bound(begin); end != ends.end() && *end <= begin * size; ++end) {
        factors.push_back(*end / at);
        at = *end;
      }
      begin *= size;
      add_product(size, std::move(factors));
    }
  }
}

void Sizes::relate_parts(const TensorSpec& one, const TensorSpec& other) {
  if (one.sizes.size() != other.sizes.size()) return;
  for (std::size_t d = 0; d < one.sizes.size(); ++d) {
    const std::int64_t large = std::max(one.sizes[d], other.sizes[d]);
    const std::int64_t small = std::min(one.sizes[d], other.sizes[d]);
    if (small > 1 && large != small && large % small == 0)
      add_product(large, {large / small, small});
  }
}

void Sizes::add_product(std::int64_t value, Factors factors) {
  if (factors.size() < 2) return;
  std::sort(factors.begin(), factors.end());
  std::vector<Factors>& known = products_[value];
  if (std::find(known.begin(), known.end(), factors) == known.end())
    known.push_back(std::move(factors));
}

std::vector<std::int64_t> Sizes::free_sizes() const {
  std::vector<std::int64_t> values;
  for (const std::int64_t value : all_)
    if (!products_.contains(value)) values.push_back(value);
  return values;
}

std::vector<std::vector<std::int64_t>> Sizes::products_of(std::int64_t size) const {
  const auto found = products_.find(size);
  return found == products_.end() ? std::vector<Factors>{} : found->second;
}

bool Sizes::add_products(SizeChanges& changes) const {
  for (const std::int64_t value : all_) {  // factors are smaller and come earlier
    const auto products = products_.find(value);
    if (products == products_.end()) continue;
    std::optional<std::int64_t> made;
    for (const Factors& factors : products->second) {
      std::int64_t product = 1;
      for (const std::int64_t factor : factors)
        if (__builtin_mul_overflow(product, changed(factor, changes).value_or(factor), &product))
          return false;
      if (made && *made != product) return false;
      made = product;
    }
    if (*made != value) changes[value] = *made;
  }
  return true;
}

std::optional<ReplayPlan> Sizes::resized(const SizeChanges& changes) const {
  SizeChanges all = changes;
  if (!add_products(all)) return std::nullopt;
  const Restrider restrider(all);
  ReplayPlan made = plan_;
  for (SlotInfo& info : made.info) {
    auto spec = restrider.spec(info.spec);
    if (!spec) {  // exact strides are needed only for tensors with their own memory
      info.spec.strides.clear();
      spec = restrider.spec(info.spec);
      if (!spec) return std::nullopt;
    }
    info.spec = *std::move(spec);
  }
  for (Storage& storage : made.storages) storage.bytes = 0;
  for (External& external : made.externals) {
    auto spec = restrider.spec(external.spec);
    if (!spec) return std::nullopt;
    external.spec = *std::move(spec);
    std::int64_t& bytes = made.storages[external.storage].bytes;
    bytes = std::max(bytes, *reach_of(external.spec));
  }
  std::fill(made.group_bytes.begin(), made.group_bytes.end(), 0);
  for (ReplayStep& step : made.steps) {
    if (step.kind == ReplayStep::Kind::call &&
        !change_arguments(made.operations[step.operation], step, restrider))
      return std::nullopt;
    for (Output& output : step.outputs) {
      if (step.kind == ReplayStep::Kind::view) {
        auto spec = restrider.spec(output.spec);
        if (!spec) return std::nullopt;
        made.info[output.slot].spec = *std::move(spec);
      }
      const SlotInfo& info = made.info[output.slot];
      output.spec = info.spec;
      if (info.group != kNoGroup)
        made.group_bytes[info.group] = std::max(made.group_bytes[info.group], *reach_of(info.spec));
    }
  }
  choose_fills(made);
  return made;
}

}  // namespace orrery::bench
