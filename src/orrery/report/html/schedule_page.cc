// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/schedule_page.h"

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {

namespace html {

namespace {

template <class Rows, class... Columns>
std::string packed(const Rows& rows, Columns&&... columns) {
  std::string out;
  (add_packed(out, rows.size(), columns), ...);
  out.pop_back();
  return out;
}

/// 0 if it is not shown, else its index + 1.
std::uint64_t place(std::uint32_t number) {
  return number == kNotShown ? 0 : std::uint64_t{number} + 1;
}

void write_schedule_links(JsonWriter& json, const PageSchedule& schedule) {
  const auto& links = schedule.links;
  const auto each = [&](std::string_view name, auto&& field) {
    column(json, name, links.size(), [&](std::size_t i) { json.value(links[i].*field); });
  };
  json.key("links").begin_object();
  column(json, "name", links.size(), [&](std::size_t i) { json.value(page_name(links[i].name)); });
  each("from", &PageSchedule::Link::from);
  each("to", &PageSchedule::Link::to);
  each("capacity", &PageSchedule::Link::capacity);
  each("bytes", &PageSchedule::Link::bytes);
  each("binds", &PageSchedule::Link::binds);
  json.end_object();
}

void write_routes(JsonWriter& json, const PageSchedule& schedule) {
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
  write_list(json, "notes", schedule.notes);
  json.field("time", schedule.time.count()).field("bound", schedule.bound.count());
  json.field("cut", schedule.cut);
  column(json, "nodes", schedule.nodes.size(),
         [&](std::size_t i) { json.value(page_name(schedule.nodes[i])); });
  column(json, "groups", schedule.groups.size(), [&](std::size_t i) {
    json.begin_array();
    json.value(schedule.groups[i].type).value(schedule.groups[i].ranks).end_array();
  });
  write_schedule_links(json, schedule);
  write_routes(json, schedule);
  json.field("pieceCount", schedule.pieces.size()).field("pieces", packed_pieces(schedule.pieces));
  json.field("sendCount", schedule.sends.size()).field("sends", packed_sends(schedule.sends));
  json.field("linksLeftOut", schedule.links_left_out);
  json.field("sendsLeftOut", schedule.sends_left_out);
  write_findings(json, findings);
  json.end_object();
}

}  // namespace html

std::string schedule_data(const PageSchedule& schedule, const Findings& findings) {
  return html::page_data_without_runs(
      "schedule", [&](JsonWriter& json) { html::write_schedule(json, schedule, findings); });
}

Result<std::string> write_schedule_html(const PageSchedule& schedule, const Findings& findings,
                                        std::string_view page) {
  return html::fill_table_page(page, schedule.title, schedule.facts, findings,
                               schedule_data(schedule, findings));
}

}  // namespace orrery::report
