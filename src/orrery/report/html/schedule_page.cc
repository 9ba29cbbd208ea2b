// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/schedule_page.h"

#include <fmt/format.h>

#include <iterator>

#include "orrery/core/text/text.h"
#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {

namespace html {

namespace {

constexpr std::size_t kScheduleNameBytes = 256;  // longer ones are cut

void write_name(JsonWriter& json, std::string_view name) {
  json.value(orrery::shortened(name, kScheduleNameBytes));
}

/// Numbers as TimelineData.spans has them: "," between those of a column, ";" between columns,
/// nothing for 0.
template <class Rows, class... Columns>
std::string packed(const Rows& rows, Columns&&... columns) {
  std::string out;
  const auto add = [&](auto&& number_of) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) out += ',';
      const auto number = static_cast<std::uint64_t>(number_of(i));
      if (number != 0) fmt::format_to(std::back_inserter(out), "{}", number);
    }
    out += ';';
  };
  (add(columns), ...);
  out.pop_back();
  return out;
}

/// 0 where it is not shown, else one more than its place.
std::uint64_t place(std::uint32_t number) {
  return number == kNotShown ? 0 : std::uint64_t{number} + 1;
}

void write_schedule_links(JsonWriter& json, const PageSchedule& schedule) {
  const auto& links = schedule.links;
  const auto each = [&](std::string_view name, auto&& field) {
    column(json, name, links.size(), [&](std::size_t i) { json.value(links[i].*field); });
  };
  json.key("links").begin_object();
  column(json, "name", links.size(), [&](std::size_t i) { write_name(json, links[i].name); });
  each("from", &PageSchedule::Link::from);
  each("to", &PageSchedule::Link::to);
  each("capacity", &PageSchedule::Link::capacity);
  each("bytes", &PageSchedule::Link::bytes);
  each("binds", &PageSchedule::Link::binds);
  json.end_object();
}

void write_ways(JsonWriter& json, const PageSchedule& schedule) {
  const auto& routes = schedule.routes;
  json.key("ways").begin_object();
  column(json, "from", routes.size(), [&](std::size_t i) { json.value(routes[i].from); });
  column(json, "to", routes.size(), [&](std::size_t i) { json.value(routes[i].to); });
  column(json, "rate", routes.size(), [&](std::size_t i) { json.value(routes[i].rate); });
  column(json, "latency", routes.size(),
         [&](std::size_t i) { json.value(routes[i].latency.count()); });
  column(json, "links", routes.size(), [&](std::size_t i) {
    json.begin_array();
    for (const auto& [link, after] : routes[i].links)
      json.begin_array().value(link).value(after.count()).end_array();
    json.end_array();
  });
  json.end_object();
}

std::string packed_pieces(const std::vector<PageSchedule::Piece>& pieces) {
  return packed(
      pieces, [&](std::size_t i) { return pieces[i].group; },
      [&](std::size_t i) { return place(pieces[i].from); },
      [&](std::size_t i) { return place(pieces[i].to); },
      [&](std::size_t i) { return place(pieces[i].owner); },
      [&](std::size_t i) { return pieces[i].offset; },
      [&](std::size_t i) { return pieces[i].bytes; });
}

std::string packed_sends(const std::vector<PageSchedule::Send>& sends) {
  return packed(
      sends,
      [&](std::size_t i) {
        return (sends[i].start - (i > 0 ? sends[i - 1].start : Time{})).count();
      },
      [&](std::size_t i) { return sends[i].duration.count(); },
      [&](std::size_t i) { return sends[i].piece; }, [&](std::size_t i) { return sends[i].route; },
      [&](std::size_t i) { return sends[i].reduces ? 1 : 0; },
      [&](std::size_t i) { return (sends[i].start - sends[i].ready).count(); },
      [&](std::size_t i) -> std::uint64_t {
        return sends[i].before == kNotShown ? 0 : i - sends[i].before;
      });
}

}  // namespace

void write_schedule(JsonWriter& json, const PageSchedule& schedule, const Findings& findings) {
  json.begin_object().field("title", schedule.title);
  write_pairs(json, "facts", schedule.facts);
  column(json, "notes", schedule.notes.size(),
         [&](std::size_t i) { json.value(schedule.notes[i]); });
  json.field("time", schedule.time.count()).field("bound", schedule.bound.count());
  json.field("cut", schedule.cut);
  column(json, "nodes", schedule.nodes.size(),
         [&](std::size_t i) { write_name(json, schedule.nodes[i]); });
  column(json, "groups", schedule.groups.size(), [&](std::size_t i) {
    json.begin_array();
    json.value(schedule.groups[i].type).value(schedule.groups[i].ranks).end_array();
  });
  write_schedule_links(json, schedule);
  write_ways(json, schedule);
  json.field("pieceCount", schedule.pieces.size()).field("pieces", packed_pieces(schedule.pieces));
  json.field("sendCount", schedule.sends.size()).field("sends", packed_sends(schedule.sends));
  json.field("linksLeftOut", schedule.links_left_out);
  json.field("sendsLeftOut", schedule.sends_left_out);
  write_findings(json, findings);
  json.end_object();
}

}  // namespace html

std::string schedule_data(const PageSchedule& schedule, const Findings& findings) {
  std::string out;
  JsonWriter json(out, 0);
  json.begin_object().field("version", 1);
  json.key("runs").begin_array().end_array().key("comparison").null().key("schedule");
  html::write_schedule(json, schedule, findings);
  json.end_object();
  return html::compact_json(out);
}

Result<std::string> write_schedule_html(const PageSchedule& schedule, const Findings& findings,
                                        std::string_view page) {
  std::string table = html::table_head(schedule.title);
  for (const auto& [label, text] : schedule.facts) html::add_row(table, label, text);
  html::add_finding_rows(table, findings);
  return html::fill_page(page, {html::escaped(schedule.title), table + "</tbody>\n</table>\n",
                                schedule_data(schedule, findings)});
}

}  // namespace orrery::report
