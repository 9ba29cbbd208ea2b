// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/profile/link/link.h"
#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

constexpr int kLevels = 256;  // of operators in operators that are looked through

bool is_operator(const Event& event) {
  return event.kind == Kind::op || event.kind == Kind::annotation;
}

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// "nccl:all_reduce": the range a communication library's work is begun in.
bool is_library_range(std::string_view name) {
  for (const std::string_view library :
       {"nccl:", "rccl:", "hccl:", "xccl:", "gloo:", "ucc:", "mpi:", "ncclx:"}) {
    if (begins(name, library)) return true;
  }
  return false;
}

bool is_group(std::string_view name) {
  return is_library_range(name) && name.find("coalesced") != std::string_view::npos;
}

/// An operator that asks a library for a communication.
bool is_communication_operator(std::string_view name) {
  return begins(name, "c10d::") || begins(name, "_c10d_functional::") ||
         begins(name, "c10d_functional::") || name == "record_param_comms";
}

bool is_graph_launch(std::string_view name) {
  return name.find("GraphLaunch") != std::string_view::npos;
}

class Attacher {
 public:
  Attacher(Profile& profile, Findings& findings) : profile_(profile), findings_(findings) {}

  AttachReport run();

 private:
  struct Key {
    std::uint64_t correlation;
    Time start;
    EventId event;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.correlation, a.start, a.event) < std::tie(b.correlation, b.start, b.event);
    }
  };

  void sort_calls();
  void sort_ranges();
  [[nodiscard]] EventId call_of(std::uint64_t correlation, Time before) const;
  void look_around();
  [[nodiscard]] EventId communication_around(EventId call);
  [[nodiscard]] EventId member_of(EventId group, Time before) const;
  void by_correlation(EventId work);
  [[nodiscard]] bool external_ids_are_operators() const;
  void by_external_id();
  void exchange(EventId work);
  void note_unseen(const std::vector<EventId>& works);
  [[nodiscard]] bool is_communication(EventId work);

  Profile& profile_;
  Findings& findings_;
  AttachReport report_;
  std::vector<Key> calls_;
  std::vector<EventId> around_;
  std::vector<EventId> without_call_;
  std::vector<EventId> ranges_;                 // of communication libraries, by lane and start
  std::vector<std::uint8_t> is_communication_;  // by name: 0 = not known yet, 1 = no, 2 = yes
};

void Attacher::sort_calls() {
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    const Event& event = profile_.events[e];
    if (event.kind != Kind::call || event.detail == kNone) continue;
    const std::uint64_t correlation = profile_.calls[event.detail].correlation;
    if (correlation != kNoId) calls_.push_back({correlation, event.start, static_cast<EventId>(e)});
  }
  if (!std::is_sorted(calls_.begin(), calls_.end())) std::sort(calls_.begin(), calls_.end());
  for (std::size_t i = 1; i < calls_.size(); ++i) {
    if (calls_[i].correlation != calls_[i - 1].correlation) continue;
    findings_.add(FindingCode::correlation_repeated,
                  fmt::format("{}: correlation {}", profile_.where, calls_[i].correlation));
  }
}

void Attacher::sort_ranges() {
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    const Event& event = profile_.events[e];
    if (is_operator(event) && event.timed() && is_library_range(profile_.string(event.name)))
      ranges_.push_back(static_cast<EventId>(e));
  }
  const auto place = [&](EventId e) {
    const Event& event = profile_.events[e];
    return std::make_tuple(event.lane, event.start, e);
  };
  std::sort(ranges_.begin(), ranges_.end(),
            [&](EventId a, EventId b) { return place(a) < place(b); });
}

/// Of the calls with that id the last that starts by then, else the first.
EventId Attacher::call_of(std::uint64_t correlation, Time before) const {
  if (correlation == kNoId) return kNoEvent;
  const auto after =
      std::upper_bound(calls_.begin(), calls_.end(), Key{correlation, before, kNoEvent});
  if (after != calls_.begin() && std::prev(after)->correlation == correlation)
    return std::prev(after)->event;
  if (after != calls_.end() && after->correlation == correlation) return after->event;
  return kNoEvent;
}

/// The innermost operator or annotation around every host event: parents come before their children
/// in a thread's order.
void Attacher::look_around() {
  around_.assign(profile_.events.size(), kNoEvent);
  for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
    if (profile_.lanes[lane].device) continue;
    for (const EventId e : profile_.in_order(lane)) {
      const EventId parent = profile_.events[e].parent;
      if (parent != kNoEvent)
        around_[e] = is_operator(profile_.events[parent]) ? parent : around_[parent];
    }
  }
}

/// The innermost range of a communication library; else the innermost operator that stands for a
/// communication; else what is around any call.
EventId Attacher::communication_around(EventId call) {
  EventId operation = kNoEvent;
  EventId at = around_[call];
  for (int up = 0; at != kNoEvent && up < kLevels; ++up, at = around_[at]) {
    const std::string_view name = profile_.name(at);
    if (is_library_range(name))
      return is_group(name) ? member_of(at, profile_.events[call].start) : at;
    if (is_communication_operator(name) && operation == kNoEvent) operation = at;
  }
  return operation == kNoEvent ? around_[call] : operation;
}

/// Of the library's ranges inside `outer`, the last that starts by then; `outer` if there is none.
EventId Attacher::member_of(EventId outer, Time before) const {
  const Event& event = profile_.events[outer];
  auto at = std::upper_bound(ranges_.begin(), ranges_.end(), std::make_pair(event.lane, before),
                             [&](const auto& wanted, EventId range) {
                               const Event& of = profile_.events[range];
                               return wanted < std::make_pair(of.lane, of.start);
                             });
  while (at != ranges_.begin()) {
    --at;
    const Event& range = profile_.events[*at];
    if (*at == outer || range.lane != event.lane || range.start < event.start) break;
    if (!is_group(profile_.name(*at))) return *at;
  }
  return outer;
}

bool Attacher::is_communication(EventId work) {
  const auto name = static_cast<std::size_t>(profile_.events[work].name);
  if (name >= is_communication_.size()) is_communication_.resize(profile_.strings->size(), 0);
  if (is_communication_[name] == 0)
    is_communication_[name] = is_comm_kernel(profile_.name(work)) ? 2 : 1;
  return is_communication_[name] == 2 || profile_.work(work).comm != kNone;
}

void Attacher::by_correlation(EventId event) {
  Work& work = profile_.works[profile_.events[event].detail];
  ++report_.works;
  work.call = call_of(work.correlation, profile_.events[event].start);
  if (work.call == kNoEvent) {
    if (work.op == kNoEvent) {
      without_call_.push_back(event);
    } else {
      ++report_.given;
    }
    return;
  }
  work.op = is_communication(event) ? communication_around(work.call) : around_[work.call];
  ++(is_graph_launch(profile_.name(work.call)) ? report_.by_graph : report_.by_correlation);
}

/// Whether work that found its call shows that external ids are those of operators: in many files
/// they repeat the correlation and only look like it.
bool Attacher::external_ids_are_operators() const {
  std::uint64_t theirs = 0, others = 0;
  for (std::size_t w = 0; w < profile_.works.size(); ++w) {
    const Work& work = profile_.works[w];
    if (work.call == kNoEvent || work.op == kNoEvent || work.external_id == kNoId) continue;
    EventId at = around_[work.call];
    for (int up = 0; at != kNoEvent && profile_.op(at).external_id != work.external_id; ++up)
      at = up < kLevels ? around_[at] : kNoEvent;
    ++(at == kNoEvent ? others : theirs);
  }
  return theirs > others;
}

void Attacher::by_external_id() {
  std::vector<Key> operators;
  if (!without_call_.empty() && external_ids_are_operators()) {
    for (std::size_t e = 0; e < profile_.events.size(); ++e) {
      const Event& event = profile_.events[e];
      if (!is_operator(event) || !event.timed()) continue;
      const std::uint64_t id = profile_.ops[event.detail].external_id;
      if (id != kNoId) operators.push_back({id, event.start, static_cast<EventId>(e)});
    }
    std::sort(operators.begin(), operators.end());
  }
  for (const EventId e : without_call_) {
    Work& work = profile_.works[profile_.events[e].detail];
    const Key wanted{work.external_id, profile_.events[e].start, kNoEvent};
    const auto after = std::upper_bound(operators.begin(), operators.end(), wanted);
    if (work.external_id != kNoId && after != operators.begin() &&
        std::prev(after)->correlation == work.external_id) {
      work.op = std::prev(after)->event;
      if (is_communication(e)) work.op = member_of(work.op, profile_.events[work.op].end());
      ++report_.by_external_id;
      findings_.add(FindingCode::attached_by_external_id, place_of(profile_, e));
    } else {
      ++report_.orphans;
      findings_.add(FindingCode::device_work_without_call, place_of(profile_, e));
    }
  }
}

/// A kernel and what it belongs to tell each other about their communication.
void Attacher::exchange(EventId event) {
  Work& work = profile_.works[profile_.events[event].detail];
  if (work.op == kNoEvent || !is_communication(event)) return;
  EventId teller = work.op;  // the innermost that knows
  while (teller != kNoEvent && profile_.op(teller).comm == kNone) {
    const std::string_view name = profile_.name(teller);
    teller = is_library_range(name) || is_communication_operator(name) ? around_[teller] : kNoEvent;
  }
  if (teller == kNoEvent) {
    const std::string_view name = profile_.name(work.op);
    if (is_library_range(name) || is_communication_operator(name))
      profile_.ops[profile_.events[work.op].detail].comm = work.comm;
    return;
  }
  const std::uint32_t predicted = profile_.op(teller).comm;
  if (work.comm == kNone) {
    work.comm = predicted;
  } else if (work.comm != predicted) {
    fill_missing(profile_.comms[work.comm], profile_.comms[predicted]);
    fill_missing(profile_.comms[predicted], profile_.comms[work.comm]);
  }
}

/// A device's first work that was launched long before it ran: the device was busy with what the
/// file does not have (as after `orrery cut`, or where the host was ahead when the profile began).
void Attacher::note_unseen(const std::vector<EventId>& works) {
  constexpr Time kLong = us(1000);        // far beyond what a launch takes
  std::map<std::int64_t, EventId> first;  // by device
  for (const EventId work : works) {
    const Event& event = profile_.events[work];
    const auto [known, added] = first.try_emplace(profile_.lanes[event.lane].process, work);
    if (!added && event.start < profile_.events[known->second].start) known->second = work;
  }
  for (const auto& [device, work] : first) {
    const EventId call = profile_.work(work).call;
    if (call == kNoEvent) continue;
    if (profile_.events[work].start - profile_.events[call].end() >= kLong)
      findings_.add(FindingCode::device_busy_unseen, place_of(profile_, work));
  }
}

AttachReport Attacher::run() {
  sort_calls();
  sort_ranges();
  look_around();
  std::vector<EventId> works;
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    const Event& event = profile_.events[e];
    if (is_device_work(event.kind) && event.detail != kNone)
      works.push_back(static_cast<EventId>(e));
  }
  for (const EventId work : works) by_correlation(work);
  by_external_id();
  for (const EventId work : works) exchange(work);
  note_unseen(works);
  return report_;
}

}  // namespace

AttachReport attach(Profile& profile, Findings& findings) {
  return Attacher(profile, findings).run();
}

}  // namespace orrery::profile
