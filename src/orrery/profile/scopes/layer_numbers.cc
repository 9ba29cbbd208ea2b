// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/scopes/layer_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "orrery/profile/iterations.h"

namespace orrery::profile {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Two kinds of ranges that do not mix: modules, and ranges of users.
enum class RangeKind : std::uint8_t { none, module, user };
constexpr std::size_t kRangeKinds = 3;

/// A name, split at its last number.
struct CutName {
  std::string kind;  ///< the name without the number
  std::int64_t number = 0;
};

std::optional<CutName> cut_at_number(std::string_view name) {
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  CutName made;
  const auto [end, error] =
      std::from_chars(name.data() + first, name.data() + last + 1, made.number);
  if (error != std::errc{}) return std::nullopt;
  made.kind = std::string(name.substr(0, first)) + std::string(name.substr(last + 1));
  return made;
}

/// The ranges with one number of a family.
struct Member {
  StringId name = StringId::empty;
  std::uint64_t calls = 0, operators = 0;
};

/// Ranges whose names differ only in their last number.
struct Family {
  std::map<std::int64_t, Member> members;
  std::set<StringId> around;  ///< names of the directly enclosing ranges
  std::set<StringId> roots;   ///< names of the outermost enclosing ranges
  std::uint64_t operators = 0;
  bool several_names = false;  ///< two names have the same number
};

/// The enclosing ranges of one kind.
struct EnclosingRanges {
  EventId range = kNoEvent;  ///< the innermost
  EventId root = kNoEvent;   ///< the outermost
};

/// True for user ranges named "layer" or "block". Other ranges with numbers are steps,
/// microbatches, batches.
bool is_layer_name(std::string_view kind) {
  std::string lower(kind);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower.find("layer") != std::string::npos || lower.find("block") != std::string::npos;
}

class LayerFinder {
 public:
  LayerFinder(const Profile& profile, const std::vector<StepScope>& of)
      : profile_(profile),
        of_(of),
        operators_(profile.events.size()),
        kinds_(profile.events.size()) {
    for (auto& one : around_) one.assign(profile.events.size(), EnclosingRanges{});
  }

  LayerNumbers find() {
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane)
      if (!profile_.lanes[lane].device) add_lane(lane);
    const Family* best = nullptr;
    for (const auto& [key, family] : families_)
      if (are_layers(key.first, family) && (best == nullptr || family.operators > best->operators))
        best = &family;
    LayerNumbers made;
    if (best == nullptr) return made;
    for (const auto& [number, member] : best->members)
      made.emplace(member.name, static_cast<std::int32_t>(made.size()));
    return made;
  }

 private:
  [[nodiscard]] RangeKind range_kind(EventId e) const {
    const Event& event = profile_.events[e];
    if (of_[e].phase == StepPhase::backward || of_[e].phase == StepPhase::optimizer)
      return RangeKind::none;
    const std::string_view name = profile_.name(e);
    if (event.kind == Kind::python && phase_of_range(event.kind, name) == StepPhase::forward)
      return RangeKind::module;
    return is_range_name(event.kind, name) && iteration_number(name) < 0 ? RangeKind::user
                                                                         : RangeKind::none;
  }

  void count_operators(std::uint32_t lane) {
    const auto order = profile_.in_order(lane);
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const Event& event = profile_.events[*at];
      if (event.kind == Kind::op) ++operators_[*at];
      if (event.parent != kNoEvent) operators_[event.parent] += operators_[*at];
    }
  }

  void add_lane(std::uint32_t lane) {
    count_operators(lane);
    for (const EventId e : profile_.in_order(lane)) {
      if (const EventId parent = profile_.events[e].parent; parent != kNoEvent)
        for (std::size_t kind = 1; kind < kRangeKinds; ++kind) {
          EnclosingRanges& around = around_[kind][e] = around_[kind][parent];
          if (kinds_[parent] != static_cast<RangeKind>(kind)) continue;
          around.range = parent;
          if (around.root == kNoEvent) around.root = parent;
        }
      kinds_[e] = range_kind(e);
      if (kinds_[e] != RangeKind::none) add_range(e, kinds_[e]);
    }
  }

  void add_range(EventId e, RangeKind kind) {
    const EnclosingRanges& around = around_[static_cast<std::size_t>(kind)][e];
    const Event& event = profile_.events[e];
    if (around.root == kNoEvent) root_operators_[{kind, event.name}] += operators_[e];
    const auto name = cut_at_number(profile_.name(e));
    if (!name || (kind == RangeKind::user && !is_layer_name(name->kind))) return;
    Family& family = families_[{kind, name->kind}];
    Member& member = family.members[name->number];
    family.several_names = family.several_names || (member.calls > 0 && member.name != event.name);
    member.name = event.name;
    ++member.calls;
    member.operators += operators_[e];
    family.operators += operators_[e];
    family.around.insert(around.range == kNoEvent ? StringId::empty
                                                  : profile_.events[around.range].name);
    if (around.root != kNoEvent) family.roots.insert(profile_.events[around.root].name);
  }

  /// True if the family's ranges are layers: each is called equally often (±1 at the ends of the
  /// recording), has equally many operators (except the first and the last), and together they
  /// contain at least half of the operators of the outermost ranges.
  [[nodiscard]] bool are_layers(RangeKind kind, const Family& family) const {
    if (family.members.size() < 2 || family.around.size() != 1 || family.several_names)
      return false;
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    for (const auto& [number, member] : family.members) {
      least = std::min(least, member.calls);
      most = std::max(most, member.calls);
    }
    if (most > least + 1) return false;
    const auto each = [](const Member& member) { return member.operators / member.calls; };
    const auto last = std::prev(family.members.end());
    const auto middle = std::next(family.members.begin());
    std::size_t equal = 0;
    for (auto at = family.members.begin(); at != family.members.end(); ++at) {
      const bool like_middle = each(at->second) == each(middle->second);
      if (!like_middle && at != family.members.begin() && at != last) return false;
      equal += like_middle ? 1 : 0;
    }
    if (3 * equal < 2 * family.members.size()) return false;
    std::uint64_t whole = 0;
    for (const StringId root : family.roots) whole += root_operators_.at({kind, root});
    return each(middle->second) > 0 && 2 * family.operators >= whole;
  }

  const Profile& profile_;
  const std::vector<StepScope>& of_;
  std::vector<std::uint32_t> operators_;  // by event: operators inside it, including itself
  std::vector<RangeKind> kinds_;          // by event
  std::array<std::vector<EnclosingRanges>, kRangeKinds> around_;  // by kind, by event
  std::map<std::pair<RangeKind, std::string>, Family> families_;
  std::map<std::pair<RangeKind, StringId>, std::uint64_t> root_operators_;
};

}  // namespace

LayerNumbers layer_numbers(const Profile& profile, const std::vector<StepScope>& of) {
  return LayerFinder(profile, of).find();
}

}  // namespace orrery::profile
