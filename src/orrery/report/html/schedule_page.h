// SPDX-License-Identifier: Apache-2.0
//
// The schedule of a collective as one self-contained HTML page: which link carries which piece
// when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"

namespace orrery::report {

/// Index of a node, link or send that the page does not contain.
inline constexpr std::uint32_t kNotShown = ~std::uint32_t{0};

/// The data of a schedule page. Integers refer to nodes, groups, links, pieces and routes by index.
struct PageSchedule {
  struct Group {
    std::string type;   ///< "all-gather"
    std::string ranks;  ///< "0-7"
  };
  /// One direction of a link.
  struct Link {
    std::string name;
    std::uint32_t from = 0, to = 0;  ///< nodes
    double capacity = 0;             ///< bytes per second
    std::int64_t bytes = 0;          ///< bytes that the schedule sends over it
    bool binds = false;              ///< part of the binding cut
  };
  /// `from`, `to`: kNotShown if all members of the group have the piece, or receive it.
  struct Piece {
    std::uint32_t group = 0, from = kNotShown, to = kNotShown;
    std::uint32_t owner = kNotShown;  ///< starts with it, retains it, or is the first with the sum
    std::int64_t offset = 0, bytes = 0;
  };
  struct Route {
    std::uint32_t from = 0, to = 0;
    std::int64_t rate = 0;  ///< bytes per second
    Time latency{};
    /// Links on the page, and the delay from the start of a send until its data reaches each.
    std::vector<std::pair<std::uint32_t, Time>> links;
  };
  struct Send {
    std::uint32_t piece = 0, route = 0;
    bool reduces = false;  ///< the receiver reduces it
    Time start{}, duration{};
    Time ready{};                      ///< when the sender had the piece
    std::uint32_t before = kNotShown;  ///< the earlier send that delivered it
  };

  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  ///< label, text
  std::vector<std::string> notes;                          ///< a sentence each
  Time time{}, bound{};
  std::string cut;  ///< the binding cut in words; empty: no data crosses a cut
  std::vector<std::string> nodes;
  std::vector<Group> groups;
  std::vector<Link> links;
  std::vector<Piece> pieces;
  std::vector<Route> routes;
  std::vector<Send> sends;  ///< by start
  std::uint64_t links_left_out = 0, sends_left_out = 0;
};

/// The page's data as JSON (format: web/src/data.ts). It never contains `</`.
[[nodiscard]] std::string schedule_data(const PageSchedule& schedule, const Findings& findings);

/// Fills a schedule into `page`, as write_html() does with a run. Errc: see write_html().
[[nodiscard]] Result<std::string> write_schedule_html(const PageSchedule& schedule,
                                                      const Findings& findings,
                                                      std::string_view page);

}  // namespace orrery::report
