// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/operator_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "addons/bench/recording/fewer_layers.h"
#include "addons/bench/recording/inner_operators.h"
#include "addons/bench/recording/recorded_value.h"
#include "orrery/core/text/text.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::kNoEvent;
using profile::Profile;

constexpr std::string_view kStepMark = "ProfilerStep#";

/// The role of a node in the selection.
enum class Role : std::uint8_t { other, candidate, communication, hidden };

class Selector {
 public:
  Selector(const Profile& profile, const SelectOptions& options, const Composite& is_composite)
      : profile_(profile),
        options_(options),
        composite_(is_composite),
        nodes_(nodes_by_id(profile)) {}

  Result<Selection> run();

 private:
  void find_c10d_storages();
  [[nodiscard]] bool is_gloo_work(EventId event) const;
  Result<void> find_bounds();
  [[nodiscard]] Role role(EventId event) const;
  [[nodiscard]] bool is_in_bounds(EventId event) const;
  void mark_callers();
  void select_operators();
  Result<void> apply_part();
  void add_communication(EventId event);

  const Profile& profile_;
  const SelectOptions& options_;
  const Composite& composite_;
  std::vector<EventId> nodes_;             // ascending by id
  std::set<std::uint64_t> c10d_storages_;  // storages that c10d operators receive
  std::vector<bool> calls_candidates_;     // by event
  std::vector<bool> covered_;              // by event: whether it is inside a selected one
  std::vector<bool> in_scope_;
  std::uint64_t first_ = 0, last_ = ~std::uint64_t{0};  // node ids, exclusive
  EventId scope_ = kNoEvent;
  EventId step_ = kNoEvent;  // annotation of the selected step, if steps are annotated
  Selection selection_;
};

bool is_c10d(const Profile& profile, EventId event) {
  return profile.name(event).starts_with("c10d::") ||
         profile.string(profile.node(event)->schema).starts_with("c10d::");
}

std::vector<std::uint64_t> storages_read(const Profile& profile, EventId event) {
  const std::vector<RecordedValue> read = recorded_arguments(profile, event);
  std::vector<std::uint64_t> storages;
  for_each_recorded_tensor(
      read, [&](const RecordedTensor& tensor) { storages.push_back(tensor.storage); });
  return storages;
}

void Selector::find_c10d_storages() {
  for (const EventId e : nodes_)
    if (is_c10d(profile_, e))
      for (const std::uint64_t storage : storages_read(profile_, e)) c10d_storages_.insert(storage);
}

/// Whether an event is work of Gloo's own threads for an operator that is selected itself.
/// Observers before PyTorch 2 record this work on the recorded thread, inside its current event,
/// and the next event of that thread inside the Gloo event.
bool Selector::is_gloo_work(EventId event) const {
  if (c10d_storages_.empty() || !profile_.name(event).starts_with("gloo:")) return false;
  const std::vector<std::uint64_t> read = storages_read(profile_, event);
  return std::any_of(read.begin(), read.end(),
                     [&](std::uint64_t storage) { return c10d_storages_.count(storage) != 0; });
}

Result<void> Selector::find_bounds() {
  if (options_.part.kind == RecordingPart::Kind::scope) {
    const std::string& wanted = options_.part.scope;
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](EventId e) {
      return profile_.name(e).find(wanted) != std::string_view::npos;
    });
    if (found != nodes_.end()) {
      scope_ = *found;
      return {};
    }
    return fail(Errc::usage, "--subtrace",
                fmt::format("nothing in {} is named {}", profile_.where, in_quotes(wanted)),
                "'orrery trace info' lists ranges and operators");
  }
  if (options_.all_steps) return {};
  std::vector<EventId> steps;
  for (const EventId e : nodes_) {
    if (profile_.name(e).starts_with(kStepMark)) steps.push_back(e);
  }
  if (steps.size() < 2) return {};
  step_ = steps[0];
  first_ = profile_.node(steps[0])->id;
  last_ = profile_.node(steps[1])->id;
  return {};
}

Role Selector::role(EventId event) const {
  const std::string_view name = profile_.name(event);
  const profile::Node& node = *profile_.node(event);
  if (is_gloo_work(event)) return Role::other;
  if (name == "record_param_comms" || is_c10d(profile_, event) || profile_.comm(event) != nullptr)
    return Role::communication;
  if (name.find("DataLoader") != std::string_view::npos) return Role::hidden;
  if (profile_.string(node.kernel_backend) == "triton") return Role::candidate;
  return node.schema == StringId::empty ? Role::other : Role::candidate;
}

bool Selector::is_in_bounds(EventId event) const {
  const std::uint64_t id = profile_.node(event)->id;
  return id > first_ && id < last_ && (scope_ == kNoEvent || in_scope_[event]);
}

/// Marks nodes that call operators that could be selected instead of them.
void Selector::mark_callers() {
  calls_candidates_.assign(profile_.events.size(), false);
  if (options_.level == OperatorLevel::top) return;
  for (auto at = nodes_.rbegin(); at != nodes_.rend(); ++at) {
    const EventId parent = profile_.events[*at].parent;
    if (parent == kNoEvent) continue;
    if (role(*at) == Role::candidate || calls_candidates_[*at]) calls_candidates_[parent] = true;
  }
}

void Selector::select_operators() {
  covered_.assign(profile_.events.size(), false);
  in_scope_.assign(profile_.events.size(), false);
  for (const EventId e : nodes_) {
    const EventId parent = profile_.events[e].parent;
    in_scope_[e] = e == scope_ || (parent != kNoEvent && in_scope_[parent]);
    if (parent != kNoEvent && covered_[parent]) {
      covered_[e] = true;
      continue;
    }
    const Role is = role(e);
    if (is == Role::hidden) covered_[e] = true;
    if (!is_in_bounds(e)) continue;
    if (is == Role::communication) {
      covered_[e] = true;
      add_communication(e);
    } else if (is == Role::candidate) {
      const std::string_view schema = profile_.string(profile_.node(e)->schema);
      if (calls_candidates_[e] && !schema.empty() && composite_(schema)) continue;
      covered_[e] = true;
      selection_.operators.push_back(e);
    } else {
      ++selection_.other_nodes;
    }
  }
}

/// Applies parts by layers or time to the selected operators. A communication belongs to the
/// operator before it.
Result<void> Selector::apply_part() {
  std::vector<EventId>& taken = selection_.operators;
  const EventId first = step_ != kNoEvent && profile_.events[step_].timed() ? step_ : taken.front();
  Result<std::vector<bool>> retained;
  if (options_.part.kind == RecordingPart::Kind::fewer) {
    const auto fewer = with_fewer_layers(profile_, taken, options_.part.last);
    if (!fewer) return tl::unexpected(fewer.error());
    retained = fewer->stays;
    for (const auto& [place, items] : fewer->items) selection_.items[taken[place]] = items;
  } else {
    retained = operators_in_part(options_.part, profile_, taken, profile_.events[first].start);
  }
  if (!retained) return tl::unexpected(retained.error());
  const auto id = [&](EventId event) { return profile_.node(event)->id; };
  std::erase_if(selection_.communications, [&](EventId event) {
    const auto after =
        std::upper_bound(taken.begin(), taken.end(), id(event),
                         [&](std::uint64_t node, EventId other) { return node < id(other); });
    const auto before =
        static_cast<std::size_t>(std::max(after - taken.begin() - 1, std::ptrdiff_t{0}));
    return !(*retained)[before];
  });
  std::vector<EventId> of_part;
  for (std::size_t i = 0; i < taken.size(); ++i)
    ((*retained)[i] ? of_part : selection_.others).push_back(taken[i]);
  taken = std::move(of_part);
  return {};
}

/// Some libraries record a node in addition to the framework's: both are one communication.
void Selector::add_communication(EventId event) {
  std::vector<EventId>& all = selection_.communications;
  const std::uint32_t comm = profile_.op(event).comm;
  if (comm != profile::kNone && !all.empty() && profile_.op(all.back()).comm == comm) return;
  all.push_back(event);
}

Result<Selection> Selector::run() {
  find_c10d_storages();
  if (auto bounded = find_bounds(); !bounded) return tl::unexpected(std::move(bounded.error()));
  mark_callers();
  select_operators();
  if (selection_.operators.empty()) {
    return fail(Errc::input_missing_attr, profile_.where,
                "contains no operator that can be replayed",
                "record it with PyTorch's ExecutionTraceObserver: execution traces contain "
                "operators with their schemas and tensors");
  }
  if (auto left = apply_part(); !left) return tl::unexpected(std::move(left.error()));
  return std::move(selection_);
}

}  // namespace

Result<Selection> select(const profile::Profile& profile, const SelectOptions& options,
                         const Composite& is_composite) {
  return Selector(profile, options, is_composite).run();
}

}  // namespace orrery::bench
