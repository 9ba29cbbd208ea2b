// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

constexpr std::size_t kSameId = 16;  // maximum number of events with one id that are compared

using Ids = std::vector<std::pair<std::uint64_t, EventId>>;  // ascending

/// The events with a certain kind of id.
template <class IdOf>
Ids ids_of(const Profile& profile, IdOf id_of) {
  Ids out;
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    const auto event = static_cast<EventId>(e);
    if (!is_linkable(profile, event)) continue;
    const std::uint64_t id = id_of(event);
    if (id != kNoId) out.emplace_back(id, event);
  }
  if (!std::is_sorted(out.begin(), out.end())) std::sort(out.begin(), out.end());
  return out;
}

/// Compares the ids of two files; a device id is a host id plus an offset.
class IdMatcher {
 public:
  IdMatcher(const Profile& device, const Profile& host, const Ids& device_ids, const Ids& host_ids)
      : device_(device), host_(host), device_ids_(device_ids), host_ids_(host_ids) {}

  struct Agreement {
    std::size_t hits = 0;   ///< host ids that exist in the device trace
    std::size_t agree = 0;  ///< of these, ids with equal names (and sequence numbers)
  };

  /// Calls `on_pair` for every agreeing pair.
  template <class OnPair>
  Agreement compare(std::uint64_t offset, OnPair on_pair) const {
    Agreement found;
    std::size_t d = 0;
    for (const auto& [id, host_event] : host_ids_) {
      const std::uint64_t wanted = id + offset;
      if (offset >> 63 != 0 && wanted > id) continue;  // negative
      while (d < device_ids_.size() && device_ids_[d].first < wanted) ++d;
      if (d == device_ids_.size()) break;
      if (device_ids_[d].first != wanted) continue;
      ++found.hits;
      const std::size_t end = std::min(device_ids_.size(), d + kSameId);
      for (std::size_t i = d; i < end && device_ids_[i].first == wanted; ++i) {
        if (!agree(device_ids_[i].second, host_event)) continue;
        ++found.agree;
        on_pair(device_ids_[i].second, host_event);
        break;
      }
    }
    return found;
  }

  /// The offset that most pairs with rare names have.
  [[nodiscard]] std::optional<std::uint64_t> voted_offset() const {
    constexpr std::size_t kRare = 4;
    const auto by_name = [](const Profile& profile, const Ids& ids) {
      std::vector<std::pair<StringId, std::uint64_t>> out;
      out.reserve(ids.size());
      for (const auto& [id, event] : ids) out.emplace_back(profile.events[event].name, id);
      std::sort(out.begin(), out.end());
      return out;
    };
    const auto devices = by_name(device_, device_ids_);
    const auto hosts = by_name(host_, host_ids_);
    std::vector<std::uint64_t> votes;
    for (std::size_t d = 0, h = 0; d < devices.size() && h < hosts.size();) {
      const StringId name = std::min(devices[d].first, hosts[h].first);
      std::size_t d_end = d, h_end = h;
      while (d_end < devices.size() && devices[d_end].first == name) ++d_end;
      while (h_end < hosts.size() && hosts[h_end].first == name) ++h_end;
      if (d_end - d <= kRare && h_end - h <= kRare) {
        for (std::size_t i = d; i < d_end; ++i) {
          for (std::size_t j = h; j < h_end; ++j)
            votes.push_back(devices[i].second - hosts[j].second);
        }
      }
      d = d_end;
      h = h_end;
    }
    std::sort(votes.begin(), votes.end());
    std::optional<std::uint64_t> best;
    std::size_t most = 0;
    for (std::size_t i = 0, end = 0; i < votes.size(); i = end) {
      while (end < votes.size() && votes[end] == votes[i]) ++end;
      if (end - i > most) {
        most = end - i;
        best = votes[i];
      }
    }
    return best;
  }

 private:
  [[nodiscard]] bool agree(EventId device_event, EventId host_event) const {
    if (device_.events[device_event].name != host_.events[host_event].name) return false;
    const std::int64_t a = device_.op(device_event).sequence, b = host_.op(host_event).sequence;
    return a == b || a < 0 || b < 0;
  }

  const Profile& device_;
  const Profile& host_;
  const Ids& device_ids_;
  const Ids& host_ids_;
};

/// Links events by one kind of id. Nearly all common ids must belong to the same operator. In
/// addition, the ids must be meant to be equal (`are_meant_equal`), or most ids of one file must
/// exist in the other. Returns the number of links.
std::size_t link_by(const Profile& device, const Profile& host, const Ids& device_ids,
                    const Ids& host_ids, bool are_meant_equal, Links& links) {
  if (device_ids.empty() || host_ids.empty()) return 0;
  const IdMatcher matcher(device, host, device_ids, host_ids);
  const auto nothing = [](EventId, EventId) {};
  const std::size_t smaller = std::min(device_ids.size(), host_ids.size());
  const auto good = [&](const IdMatcher::Agreement& found, bool meant) {
    return found.agree > 0 && found.agree * 20 >= found.hits * 19 &&
           (found.agree * 2 >= smaller || (meant && found.agree >= kSameId));
  };
  std::uint64_t offset = 0;
  if (!good(matcher.compare(offset, nothing), are_meant_equal)) {
    const auto voted = matcher.voted_offset();
    if (!voted || !good(matcher.compare(*voted, nothing), false)) return 0;
    offset = *voted;
  }
  std::vector<std::uint8_t> taken(device.events.size(), 0);
  std::size_t linked = 0;
  matcher.compare(offset, [&](EventId device_event, EventId host_event) {
    if (taken[device_event] != 0 || links.event[host_event] != kNoEvent) return;
    taken[device_event] = 1;
    links.event[host_event] = device_event;
    ++linked;
  });
  return linked;
}

}  // namespace

IdLinks link_by_ids(const Profile& device, const Profile& host, Links& links, LinkReport& report) {
  const auto record_function = [](const Profile& profile) {
    return [&profile](EventId e) { return profile.op(e).record_function_id; };
  };
  const Ids host_functions = ids_of(host, record_function(host));
  IdLinks out;
  report.by_record_function =
      link_by(device, host, ids_of(device, record_function(device)), host_functions, true, links);
  out.record_functions_decide = report.by_record_function > 0;
  if (out.record_functions_decide) return out;
  const Ids external = ids_of(device, [&](EventId e) { return device.op(e).external_id; });
  report.by_external_id = link_by(device, host, external, host_functions, false, links);
  if (report.by_external_id == 0) {
    const Ids own = ids_of(host, [&](EventId e) {
      const Node* node = host.node(e);
      return node == nullptr ? kNoId : node->id;
    });
    report.by_external_id = link_by(device, host, external, own, false, links);
  }
  out.external_ids_decide =
      report.by_external_id * 10 >= 9 * std::min(report.nodes, report.operators);
  return out;
}

}  // namespace orrery::profile
