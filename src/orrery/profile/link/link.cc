// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/link/link.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

/// Counts events for which `which` is true; keeps the first places.
template <class Which>
void count_events(const Profile& profile, FindingCode code, std::size_t events, Which which,
                  Findings& findings) {
  std::uint64_t places = 0, more = 0;
  for (std::size_t e = 0; e < events; ++e) {
    if (!which(static_cast<EventId>(e))) continue;
    if (places < Findings::kPlaces) {
      findings.add(code, place_of(profile, static_cast<EventId>(e)));
      ++places;
    } else {
      ++more;
    }
  }
  if (more > 0) findings.add(code, {}, more);
}

std::uint64_t count_linkable(const Profile& profile) {
  std::uint64_t found = 0;
  for (std::size_t e = 0; e < profile.events.size(); ++e)
    found += is_linkable(profile, static_cast<EventId>(e)) ? 1 : 0;
  return found;
}

Error link_error(const Profile& device, const Profile& host, const LinkReport& report) {
  std::string what = fmt::format(
      "none of {} nodes matches one of {} operators by record-function id, by external id, or by "
      "the names and order of the operators of a thread",
      report.nodes, report.operators);
  if (report.rejected_as_chance > 0)
    what +=
        fmt::format(" ({} have the same names in the same order, but under different operators)",
                    report.rejected_as_chance);
  return Error{Errc::input_unlinked, fmt::format("{} and {}", host.where, device.where),
               std::move(what),
               "both files must be from the same rank and the same steps, and the device trace "
               "must include CPU activities; otherwise convert the device trace alone"};
}

}  // namespace

std::string place_of(const Profile& profile, EventId event) {
  constexpr std::size_t kLongest = 80;
  return fmt::format("{}: \"{}\"", profile.where, profile.name(event).substr(0, kLongest));
}

bool is_linkable(const Profile& profile, EventId event) {
  const Event& of = profile.events[event];
  if ((of.kind != Kind::op && of.kind != Kind::annotation) || of.detail == kNone) return false;
  // Nodes of the process and of threads
  return profile.string(of.name).substr(0, 18) != "[pytorch|profiler|";
}

Result<LinkReport> link(Profile& device, Profile&& host_given, Findings& findings) {
  Profile host = std::move(host_given);
  ORRERY_CHECK(device.strings == host.strings);
  LinkReport report;
  report.nodes = count_linkable(host);
  report.operators = count_linkable(device);
  Links links;
  links.event.assign(host.events.size(), kNoEvent);
  const IdLinks ids = link_by_ids(device, host, links, report);
  link_by_order(device, host, ids, links, report);
  const bool by_ids = report.by_record_function + report.by_external_id > 0;
  if (report.linked() == 0 || (!by_ids && report.rejected_as_chance * 2 > report.by_order))
    return tl::unexpected(link_error(device, host, report));
  report.added = report.nodes - report.linked();
  report.unlinked_operators = report.operators - report.linked();
  count_events(
      host, FindingCode::node_without_operator, host.events.size(),
      [&](EventId e) { return is_linkable(host, e) && links.event[e] == kNoEvent; }, findings);
  if (report.by_external_id > 0)
    findings.add(FindingCode::linked_by_external_id, device.where, report.by_external_id);
  if (report.by_order > 0)
    findings.add(FindingCode::linked_by_order, device.where, report.by_order);
  const std::size_t own = device.events.size();
  restore_nesting(device, host, links);
  merge(device, std::move(host), links, findings);
  count_events(
      device, FindingCode::operator_without_node, own,
      [&](EventId e) { return is_linkable(device, e) && device.node(e) == nullptr; }, findings);
  device.index(findings);
  return report;
}

}  // namespace orrery::profile
