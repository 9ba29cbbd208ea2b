// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "orrery/profile/comm_names.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

constexpr int kMaxNesting = 256;  // maximum nesting that is searched

bool is_operator(const Event& event) {
  return event.kind == Kind::op || event.kind == Kind::annotation;
}

bool is_coalesced_range(std::string_view name) {
  return is_library_range(name) && name.find("coalesced") != std::string_view::npos;
}

/// True for operators that request a communication from a library.
bool is_communication_operator(std::string_view name) {
  return is_framework_communication(name) || name == "record_param_comms";
}

/// Number of elements of the first tensor in a JSON list of shapes, "[[], [16, 4], []]": 64; -1:
/// none.
std::int64_t first_tensor_elements(std::string_view dims) {
  std::int64_t product = 1, value = -1;
  bool inside = false;
  for (const char c : dims.substr(std::min<std::size_t>(dims.size(), 1))) {
    if (c == '[') {
      if (inside) return -1;  // a list of tensors
      inside = true;
    } else if (c >= '0' && c <= '9') {
      if (!inside || value > (std::int64_t{1} << 40)) return -1;
      value = std::max<std::int64_t>(value, 0) * 10 + (c - '0');
    } else if (c == ',' || c == ']') {
      if (inside && value >= 0 && __builtin_mul_overflow(product, value, &product)) return -1;
      if (c == ']' && value >= 0) return product;
      if (c == ']') inside = false;
      value = -1;
    }
  }
  return -1;
}

/// Bytes per element of the first type in a JSON list that is one, "[\"Scalar\",\"float\"]": 4; 0:
/// none.
std::int32_t first_element_bytes(std::string_view types) {
  while (!types.empty()) {
    const std::size_t comma = std::min(types.find(','), types.size());
    if (const std::int32_t bytes = element_bytes(types.substr(0, comma)); bytes > 0) return bytes;
    types.remove_prefix(std::min(comma + 1, types.size()));
  }
  return 0;
}

bool is_graph_launch(std::string_view name) {
  return name.find("GraphLaunch") != std::string_view::npos;
}

class Attacher {
 public:
  Attacher(Profile& profile, Findings& findings) : profile_(profile), findings_(findings) {}

  AttachReport run() {
    sort_calls();
    sort_ranges();
    find_enclosing();
    std::vector<EventId> works;
    for (std::size_t e = 0; e < profile_.events.size(); ++e) {
      const Event& event = profile_.events[e];
      if (is_device_work(event.kind) && event.detail != kNone)
        works.push_back(static_cast<EventId>(e));
    }
    for (const EventId work : works) attach_by_correlation(work);
    attach_by_external_id();
    for (const EventId work : works) share_comm(work);
    for (const EventId work : works) name_by_operator(work);
    report_unseen_work(works);
    return report_;
  }

 private:
  struct Key {
    std::uint64_t correlation;
    Time start;
    EventId event;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.correlation, a.start, a.event) < std::tie(b.correlation, b.start, b.event);
    }
  };

  void sort_calls() {
    for (std::size_t e = 0; e < profile_.events.size(); ++e) {
      const Event& event = profile_.events[e];
      if (event.kind != Kind::call || event.detail == kNone) continue;
      const std::uint64_t correlation = profile_.calls[event.detail].correlation;
      if (correlation != kNoId)
        calls_.push_back({correlation, event.start, static_cast<EventId>(e)});
    }
    if (!std::is_sorted(calls_.begin(), calls_.end())) std::sort(calls_.begin(), calls_.end());
    for (std::size_t i = 1; i < calls_.size(); ++i) {
      if (calls_[i].correlation != calls_[i - 1].correlation) continue;
      findings_.add(FindingCode::correlation_repeated,
                    fmt::format("{}: correlation {}", profile_.where, calls_[i].correlation));
    }
  }

  void sort_ranges() {
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

  /// The last call with this id that starts by `before`, else the first one.
  [[nodiscard]] EventId call_of(std::uint64_t correlation, Time before) const {
    if (correlation == kNoId) return kNoEvent;
    const auto after =
        std::upper_bound(calls_.begin(), calls_.end(), Key{correlation, before, kNoEvent});
    if (after != calls_.begin() && std::prev(after)->correlation == correlation)
      return std::prev(after)->event;
    if (after != calls_.end() && after->correlation == correlation) return after->event;
    return kNoEvent;
  }

  /// Sets the innermost operator or annotation around every host event. Parents come before their
  /// children in a thread's order.
  void find_enclosing() {
    enclosing_.assign(profile_.events.size(), kNoEvent);
    for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
      if (profile_.lanes[lane].device) continue;
      for (const EventId e : profile_.in_order(lane)) {
        const EventId parent = profile_.events[e].parent;
        if (parent != kNoEvent)
          enclosing_[e] = is_operator(profile_.events[parent]) ? parent : enclosing_[parent];
      }
    }
  }

  /// The event of a communication kernel: the innermost range of a communication library; else the
  /// innermost operator of a communication; else the innermost operator around the call.
  [[nodiscard]] EventId communication_around(EventId call) {
    EventId operation = kNoEvent;
    EventId at = enclosing_[call];
    for (int up = 0; at != kNoEvent && up < kMaxNesting; ++up, at = enclosing_[at]) {
      const std::string_view name = profile_.name(at);
      if (is_library_range(name))
        return is_coalesced_range(name) ? member_of(at, profile_.events[call].start) : at;
      if (is_communication_operator(name) && operation == kNoEvent) operation = at;
    }
    return operation == kNoEvent ? enclosing_[call] : operation;
  }

  /// The last range of the library inside `outer` that starts by `before`; `outer` if there is
  /// none.
  [[nodiscard]] EventId member_of(EventId outer, Time before) const {
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
      if (!is_coalesced_range(profile_.name(*at))) return *at;
    }
    return outer;
  }

  void attach_by_correlation(EventId event) {
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
    work.op = is_communication(event) ? communication_around(work.call) : enclosing_[work.call];
    ++(is_graph_launch(profile_.name(work.call)) ? report_.by_graph : report_.by_correlation);
  }

  /// True if works with a call show that external ids are those of operators. In many files they
  /// only repeat the correlation.
  [[nodiscard]] bool external_ids_are_operators() const {
    std::uint64_t theirs = 0, others = 0;
    for (std::size_t w = 0; w < profile_.works.size(); ++w) {
      const Work& work = profile_.works[w];
      if (work.call == kNoEvent || work.op == kNoEvent || work.external_id == kNoId) continue;
      EventId at = enclosing_[work.call];
      for (int up = 0; at != kNoEvent && profile_.op(at).external_id != work.external_id; ++up)
        at = up < kMaxNesting ? enclosing_[at] : kNoEvent;
      ++(at == kNoEvent ? others : theirs);
    }
    return theirs > others;
  }

  void attach_by_external_id() {
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
        unknown_.push_back(e);
      }
    }
    attach_communication_by_order();
    for (const EventId e : unknown_) {
      ++report_.orphans;
      findings_.add(FindingCode::device_work_without_call, place_of(profile_, e));
    }
  }

  /// The innermost operator or library range of each communication without a kernel, by start.
  [[nodiscard]] std::vector<EventId> communications_without_kernel() {
    std::vector<char> used(profile_.events.size(), 0);
    for (std::size_t w = 0; w < profile_.events.size(); ++w) {
      const Event& event = profile_.events[w];
      if (!is_device_work(event.kind) || event.detail == kNone) continue;
      if (!is_communication(static_cast<EventId>(w))) continue;
      EventId at = profile_.works[event.detail].op;
      for (int up = 0; at != kNoEvent && up < kMaxNesting && used[at] == 0; ++up) {
        used[at] = 1;
        at = enclosing_[at];
      }
    }
    std::vector<EventId> all;
    std::vector<char> encloses(profile_.events.size(), 0);
    for (std::size_t e = 0; e < profile_.events.size(); ++e) {
      const Event& event = profile_.events[e];
      if (!is_operator(event) || !event.timed() || used[e] != 0) continue;
      const std::string_view name = profile_.name(static_cast<EventId>(e));
      if (!is_library_range(name) && !is_communication_operator(name)) continue;
      all.push_back(static_cast<EventId>(e));
      EventId at = enclosing_[e];
      for (int up = 0; at != kNoEvent && up < kMaxNesting && encloses[at] == 0; ++up) {
        encloses[at] = 1;
        at = enclosing_[at];
      }
    }
    std::erase_if(
        all, [&](EventId e) { return encloses[e] != 0 || is_coalesced_range(profile_.name(e)); });
    sort_by_start(all);
    return all;
  }

  void sort_by_start(std::vector<EventId>& all) const {
    std::sort(all.begin(), all.end(), [&](EventId a, EventId b) {
      return std::make_pair(profile_.events[a].start, a) <
             std::make_pair(profile_.events[b].start, b);
    });
  }

  /// ROCm records communication kernels with correlation 0. A communication library launches them
  /// in the order of its operators, so each gets the first operator without a kernel that began
  /// before it.
  void attach_communication_by_order() {
    std::vector<EventId> kernels;
    for (const EventId e : unknown_)
      if (profile_.work(e).correlation == kNoId && is_communication(e)) kernels.push_back(e);
    if (kernels.empty()) return;
    sort_by_start(kernels);
    const std::vector<EventId> operators = communications_without_kernel();
    std::size_t next = 0;
    for (const EventId e : kernels) {
      if (next == operators.size() ||
          profile_.events[operators[next]].start > profile_.events[e].start)
        continue;
      profile_.works[profile_.events[e].detail].op = operators[next++];
      ++report_.by_order;
      findings_.add(FindingCode::attached_by_order, place_of(profile_, e));
    }
    std::erase_if(unknown_, [&](EventId e) { return profile_.work(e).op != kNoEvent; });
  }

  /// Copies the Comm between a kernel and its operator.
  void share_comm(EventId event) {
    Work& work = profile_.works[profile_.events[event].detail];
    if (work.op == kNoEvent || !is_communication(event)) return;
    EventId source = work.op;  // the innermost event that has a Comm
    while (source != kNoEvent && profile_.op(source).comm == kNone) {
      const std::string_view name = profile_.name(source);
      source =
          is_library_range(name) || is_communication_operator(name) ? enclosing_[source] : kNoEvent;
    }
    if (source == kNoEvent) {
      const std::string_view name = profile_.name(work.op);
      if (is_library_range(name) || is_communication_operator(name))
        profile_.ops[profile_.events[work.op].detail].comm = work.comm;
      return;
    }
    const std::uint32_t comm = profile_.op(source).comm;
    if (work.comm == kNone) {
      work.comm = comm;
    } else if (work.comm != comm) {
      fill_missing(profile_.comms[work.comm], profile_.comms[comm]);
      fill_missing(profile_.comms[comm], profile_.comms[work.comm]);
    }
  }

  /// A kernel that an operator of communication launches itself is this communication, whatever
  /// its name. Kernels of c10d with a known name have their Comm from share_comm.
  void name_by_operator(EventId event) {
    Work& work = profile_.works[profile_.events[event].detail];
    if (profile_.events[event].kind != Kind::kernel || work.comm != kNone || work.op == kNoEvent ||
        profile_.events[work.op].kind != Kind::op)
      return;
    const std::string_view name = profile_.name(work.op);
    if (is_communication(event) && is_communication_operator(name)) return;
    const CommKind kind = operator_kind(profile_.events[work.op].name);
    if (kind == CommKind::unknown ||
        qualified_function_name(profile_.name(event)).starts_with("at::native"))
      return;
    const Op& op = profile_.op(work.op);
    Comm comm;
    comm.kind = kind;
    comm.name = profile_.events[work.op].name;
    comm.in_elements = first_tensor_elements(profile_.string(op.dims));
    comm.element_bytes = first_element_bytes(profile_.string(op.types));
    work.comm = static_cast<std::uint32_t>(profile_.comms.size());
    profile_.comms.push_back(comm);
  }

  /// comm_operator_kind, cached by name.
  [[nodiscard]] CommKind operator_kind(StringId name) {
    const auto [known, added] = operator_kinds_.try_emplace(name, CommKind::unknown);
    if (added) known->second = comm_operator_kind(profile_.string(name));
    return known->second;
  }

  /// Reports a device whose first work was launched long before it ran: the device executed work
  /// that the file does not contain (after `orrery trace slice`, or if the host was ahead when the
  /// profile began).
  void report_unseen_work(const std::vector<EventId>& works) {
    constexpr Time kLong = us(1000);        // far longer than a launch
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

  [[nodiscard]] bool is_communication(EventId work) {
    const auto name = static_cast<std::size_t>(profile_.events[work].name);
    if (name >= is_communication_.size()) is_communication_.resize(profile_.strings->size(), 0);
    if (is_communication_[name] == 0)
      is_communication_[name] = is_comm_kernel(profile_.name(work)) ? 2 : 1;
    return is_communication_[name] == 2 || profile_.work(work).comm != kNone;
  }

  Profile& profile_;
  Findings& findings_;
  AttachReport report_;
  std::vector<Key> calls_;
  std::vector<EventId> enclosing_;
  std::vector<EventId> without_call_;
  std::vector<EventId> unknown_;  // without a call, and without an operator with the external id
  std::vector<EventId> ranges_;   // of communication libraries, by lane and start
  std::unordered_map<StringId, CommKind> operator_kinds_;
  std::vector<std::uint8_t> is_communication_;  // by name: 0: unknown, 1: no, 2: yes
};

}  // namespace

AttachReport attach(Profile& profile, Findings& findings) {
  return Attacher(profile, findings).run();
}

}  // namespace orrery::profile
