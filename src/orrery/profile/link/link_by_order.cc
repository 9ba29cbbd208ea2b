// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/profile/iterations.h"
#include "orrery/profile/link/align.h"
#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

/// Hash of a list of shapes, restricted to the parts that both files write equally: nested lists
/// count as empty (lists of tensors are nested in only one of the files). 0: the list has no
/// shapes.
std::uint32_t shape_hash(std::string_view text) {
  constexpr std::uint32_t kNoShapes = 2166136261u;
  std::uint32_t hash = kNoShapes;
  const auto mix = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u; };
  std::size_t depth = 0;
  std::uint32_t before = 0;  // the hash before the current element
  bool nested = false;
  for (const char c : text) {
    if (c == '[') {
      ++depth;
      if (depth == 2) {
        before = hash;
        nested = false;
      }
      nested = nested || depth > 2;
    } else if (c == ']') {
      if (depth == 2) {
        if (nested) hash = before;
        mix(';');
      }
      depth -= depth > 0 ? 1 : 0;
    } else if (c != ' ' && depth == 2 && !nested) {
      mix(c);
    }
  }
  return hash == kNoShapes ? 0 : std::max(hash, 1u);
}

/// Converts the threads of a profile to sequences of steps.
class StepReader {
 public:
  explicit StepReader(const Profile& profile) : profile_(profile) {}

  /// The steps of a thread for which `wanted` is true.
  template <class Wanted>
  std::vector<AlignedEvent> steps(std::uint32_t lane, Wanted wanted) {
    std::vector<AlignedEvent> out;
    for (const EventId e : profile_.in_order(lane)) {
      if (is_linkable(profile_, e) && wanted(e)) out.push_back(step(e));
    }
    return out;
  }

 private:
  AlignedEvent step(EventId e) {
    const Op& op = profile_.op(e);
    const Node* node = profile_.node(e);
    AlignedEvent out;
    out.event = e;
    out.name = static_cast<std::uint32_t>(profile_.events[e].name);
    out.sequence = op.sequence < 0 ? -1 : static_cast<std::int32_t>(op.sequence & 0x7fffffff);
    out.shape = shape(op.dims == StringId::empty && node != nullptr ? node->input_shapes : op.dims);
    const EventId parent =
        enclosing_event(profile_, e, [&](EventId around) { return is_linkable(profile_, around); });
    if (parent != kNoEvent) out.parent = static_cast<std::uint32_t>(profile_.events[parent].name);
    return out;
  }
  std::uint32_t shape(StringId text) {
    if (text == StringId::empty) return 0;
    const auto at = static_cast<std::size_t>(text);
    if (at >= shapes_.size()) shapes_.resize(profile_.strings->size(), 0);
    if (shapes_[at] == 0) shapes_[at] = 1 + std::uint64_t{shape_hash(profile_.string(text))};
    return static_cast<std::uint32_t>(shapes_[at] - 1);
  }

  const Profile& profile_;
  std::vector<std::uint64_t> shapes_;  // by string: 1 + hash; 0: not computed yet
};

using NamedNumbers =
    std::vector<std::pair<std::uint32_t, std::int32_t>>;  // (name, sequence), sorted

NamedNumbers sequence_numbers(const std::vector<AlignedEvent>& steps) {
  NamedNumbers out;
  for (const AlignedEvent& step : steps) {
    if (step.sequence >= 0) out.emplace_back(step.name, step.sequence);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Number of elements of `host` that are in `device` after adding `offset` to their sequence
/// numbers.
std::size_t common(const NamedNumbers& device, const NamedNumbers& host, std::int32_t offset) {
  std::size_t found = 0;
  for (std::size_t d = 0, h = 0; d < device.size() && h < host.size();) {
    const std::pair<std::uint32_t, std::int32_t> wanted{host[h].first, host[h].second + offset};
    if (device[d] == wanted) {
      ++found, ++d, ++h;
    } else {
      ++(device[d] < wanted ? d : h);
    }
  }
  return found;
}

/// The difference of sequence numbers that most pairs with equal names have.
std::int32_t voted_offset(const NamedNumbers& device, const NamedNumbers& host) {
  constexpr std::size_t kPairs = 4096;
  std::unordered_map<std::int32_t, std::size_t> votes;
  for (std::size_t d = 0, h = 0; d < device.size() && h < host.size();) {
    const std::uint32_t name = std::min(device[d].first, host[h].first);
    std::size_t d_end = d, h_end = h;
    while (d_end < device.size() && device[d_end].first == name) ++d_end;
    while (h_end < host.size() && host[h_end].first == name) ++h_end;
    if ((d_end - d) * (h_end - h) <= kPairs) {
      for (std::size_t i = d; i < d_end; ++i) {
        for (std::size_t j = h; j < h_end; ++j) ++votes[device[i].second - host[j].second];
      }
    }
    d = d_end;
    h = h_end;
  }
  std::int32_t best = 0;
  std::size_t most = 0;
  for (const auto& [offset, count] : votes) {
    if (std::tie(count, best) > std::tie(most, offset)) {  // smallest of equal ones
      best = offset;
      most = count;
    }
  }
  return best;
}

/// Autograd's sequence numbers distinguish iterations, but only if both files count in the same
/// way: directly, or with one offset for different iterations. Otherwise they are removed.
void reconcile_sequences(std::vector<AlignedEvent>& device, std::vector<AlignedEvent>& host) {
  const NamedNumbers devices = sequence_numbers(device), hosts = sequence_numbers(host);
  const std::size_t smaller = std::min(devices.size(), hosts.size());
  const auto good = [&](std::int32_t offset) {
    const std::size_t found = common(devices, hosts, offset);
    return found > 0 && found * 5 >= smaller * 4;
  };
  std::int32_t offset = 0;
  bool usable = good(offset);
  if (!usable) {
    offset = voted_offset(devices, hosts);
    usable = smaller >= 4 && good(offset);
  }
  for (AlignedEvent& step : host) {
    if (step.sequence >= 0) step.sequence = usable ? step.sequence + offset : -1;
    if (step.sequence < -1) step.sequence = -1;
  }
  if (usable) return;
  for (AlignedEvent& step : device) step.sequence = -1;
}

/// Shapes help only if both files write most of them equally. Otherwise they are removed.
void reconcile_shapes(std::vector<AlignedEvent>& device, std::vector<AlignedEvent>& host) {
  const auto shapes = [](const std::vector<AlignedEvent>& steps) {
    NamedNumbers out;
    for (const AlignedEvent& step : steps) {
      if (step.shape != 0) out.emplace_back(step.name, static_cast<std::int32_t>(step.shape));
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  const NamedNumbers devices = shapes(device), hosts = shapes(host);
  const std::size_t found = common(devices, hosts, 0);
  if (found > 0 && found * 5 >= std::min(devices.size(), hosts.size()) * 4) return;
  for (AlignedEvent& step : device) step.shape = 0;
  for (AlignedEvent& step : host) step.shape = 0;
}

/// Pairs steps that have another order in the two files (equal starts). A remaining step is paired
/// with a neighbor of its expected position, if only one fits.
void swap_neighbors(const std::vector<AlignedEvent>& device, const std::vector<AlignedEvent>& host,
                    Pairs& pairs) {
  constexpr std::size_t kMaxDistance = 4, kNothing = ~std::size_t{0};
  std::vector<std::uint8_t> taken(device.size(), 0);
  std::vector<std::size_t> partner(host.size(), kNothing);
  for (const auto& [h, d] : pairs) {
    taken[d] = 1;
    partner[h] = d;
  }
  std::size_t expected = kNothing;
  for (std::size_t h = 0; h < host.size(); ++h) {
    if (partner[h] != kNothing) {
      expected = partner[h] + 1;
      continue;
    }
    if (expected == kNothing) continue;
    std::size_t candidate = kNothing, candidates = 0;
    const std::size_t end = std::min(device.size(), expected + kMaxDistance + 1);
    for (std::size_t d = expected - std::min(expected, kMaxDistance); d < end; ++d) {
      if (taken[d] != 0 || !device[d].fits(host[h])) continue;
      candidate = d;
      ++candidates;
    }
    ++expected;
    if (candidates != 1) continue;
    taken[candidate] = 1;
    pairs.emplace_back(static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(candidate));
  }
}

/// True if links by order connect different programs that have equal names by chance: then many
/// links have different parents.
bool is_chance(const Profile& device, const Profile& host, const Links& links,
               const std::vector<std::uint8_t>& linked, const std::vector<EventId>& new_links) {
  constexpr std::size_t kFew = 2;  // equal starts sometimes change the order
  std::size_t contradictions = 0;
  for (const EventId e : new_links) {
    const EventId around =
        enclosing_event(host, e, [&](EventId at) { return links.event[at] != kNoEvent; });
    const EventId there =
        enclosing_event(device, links.event[e], [&](EventId at) { return linked[at] != 0; });
    const EventId expected = around == kNoEvent ? kNoEvent : links.event[around];
    const bool same =
        there == expected || is_nesting_within_rounding(device, links.event[e], expected, there);
    contradictions += same ? 0 : 1;
  }
  return contradictions > kFew && contradictions * 5 > new_links.size();
}

/// Flags of the linked events of the device.
std::vector<std::uint8_t> linked_in(const Profile& device, const Links& links) {
  std::vector<std::uint8_t> linked(device.events.size(), 0);
  for (const EventId e : links.event)
    if (e != kNoEvent) linked[e] = 1;
  return linked;
}

/// Links all threads; links.lane contains the thread pairs. `only`: the one iteration of the device
/// to use; null: all.
void link_threads(const Profile& device, const Profile& host, const IdLinks& ids,
                  const Iteration* only, Links& links, LinkReport& report) {
  std::vector<std::uint8_t> linked = linked_in(device, links);
  const auto decided = [&](const Profile& profile, EventId e, bool is_host) {
    return (ids.record_functions_decide && profile.op(e).record_function_id != kNoId) ||
           (ids.external_ids_decide && (is_host || profile.op(e).external_id != kNoId));
  };
  const auto inside = [&](EventId e) {
    const Event& event = device.events[e];
    return only == nullptr || (event.start >= only->start && event.start < only->end);
  };
  StepReader device_threads(device), host_threads(host);
  std::vector<std::uint32_t> place(device.events.size(), kNone);  // in the sequence of its thread
  for (std::uint32_t h = 0; h < links.lane.size(); ++h) {
    if (links.lane[h] == kNone) continue;
    std::vector<AlignedEvent> left = host_threads.steps(
        h, [&](EventId e) { return links.event[e] != kNoEvent || !decided(host, e, true); });
    std::vector<AlignedEvent> right = device_threads.steps(links.lane[h], [&](EventId e) {
      return inside(e) && (linked[e] != 0 || !decided(device, e, false));
    });
    Pairs known;
    for (std::uint32_t d = 0; d < right.size(); ++d) place[right[d].event] = d;
    for (std::uint32_t l = 0; l < left.size(); ++l) {
      const EventId partner = links.event[left[l].event];
      if (partner != kNoEvent && place[partner] != kNone) known.emplace_back(l, place[partner]);
    }
    if (known.size() == left.size() || known.size() == right.size()) continue;
    reconcile_sequences(right, left);
    reconcile_shapes(right, left);
    Pairs pairs = align(left, right, known);
    swap_neighbors(right, left, pairs);
    std::vector<EventId> new_links;  // of the host
    for (const auto& [l, r] : pairs) {
      EventId& partner = links.event[left[l].event];
      if (partner != kNoEvent || linked[right[r].event] != 0) continue;
      partner = right[r].event;
      linked[partner] = 1;
      new_links.push_back(left[l].event);
    }
    if (is_chance(device, host, links, linked, new_links)) {
      for (const EventId e : new_links) {
        linked[links.event[e]] = 0;
        links.event[e] = kNoEvent;
      }
      report.rejected_as_chance += new_links.size();
    } else {
      report.by_order += new_links.size();
    }
  }
}

/// The iterations in which linked operators begin; all if no events are linked.
std::vector<const Iteration*> iterations_with_links(const Profile& device,
                                                    const std::vector<Iteration>& all,
                                                    const Links& links) {
  bool none = true;
  // Last element: outside of all iterations.
  std::vector<std::uint8_t> is_touched(all.size() + 1, 0);
  for (const EventId e : links.event) {
    if (e == kNoEvent) continue;
    none = false;
    is_touched[iteration_at(all, device.events[e].start)] = 1;
  }
  std::vector<const Iteration*> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_touched[i] != 0 || none) out.push_back(&all[i]);
  return out;
}

}  // namespace

void link_by_order(const Profile& device, const Profile& host, const IdLinks& ids, Links& links,
                   LinkReport& report) {
  constexpr std::size_t kMost = 64;  // maximum number of iterations tried
  links.lane = match_threads(device, host, links, linked_in(device, links));
  const Links before = links;
  const LinkReport report_before = report;
  link_threads(device, host, ids, nullptr, links, report);
  if (report_before.linked() > 0) return;
  const std::vector<Iteration> all = iterations(device);
  std::vector<const Iteration*> tried = iterations_with_links(device, all, links);
  if (tried.size() == 1) return;
  tried.resize(std::min(tried.size(), kMost));
  // With fewer, the execution trace covers several iterations.
  std::uint64_t most = report.by_order * 19 / 20;
  for (const Iteration* const only : tried) {
    Links alone = before;
    LinkReport of_it = report_before;
    link_threads(device, host, ids, only, alone, of_it);
    if (of_it.by_order <= most) continue;
    most = of_it.by_order;
    links = std::move(alone);
    report = of_it;
  }
}

}  // namespace orrery::profile
