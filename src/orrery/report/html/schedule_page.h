// SPDX-License-Identifier: Apache-2.0
//
// A collective's schedule as one self-contained HTML page: which link carries which piece when.
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

/// Where the page names a node, a link or a send that it does not have.
inline constexpr std::uint32_t kNotShown = ~std::uint32_t{0};

/// What the page says of a schedule. Numbers name nodes, groups, links, pieces and ways by their
/// places here.
struct PageSchedule {
  struct Group {
    std::string type;   ///< "all-gather"
    std::string ranks;  ///< "0-7"
  };
  /// In one direction.
  struct Link {
    std::string name;
    std::uint32_t from = 0, to = 0;  ///< nodes
    double capacity = 0;             ///< bytes per second
    std::int64_t bytes = 0;          ///< that it carries
    bool binds = false;              ///< the bound is what it and others carry at least
  };
  /// `from`, `to`: kNotShown where all of a group have it, or get it.
  struct Piece {
    std::uint32_t group = 0, from = kNotShown, to = kNotShown;
    std::uint32_t owner = kNotShown;  ///< who starts with it, keeps it, or has the sum first
    std::int64_t offset = 0, bytes = 0;
  };
  struct Route {
    std::uint32_t from = 0, to = 0;
    std::int64_t rate = 0;  ///< bytes per second
    Time latency{};
    /// Links that the page shows, and how long after its start a send comes to each.
    std::vector<std::pair<std::uint32_t, Time>> links;
  };
  struct Send {
    std::uint32_t piece = 0, route = 0;
    bool reduces = false;  ///< added to what is there
    Time start{}, duration{};
    Time ready{};                      ///< when its sender had the piece
    std::uint32_t before = kNotShown;  ///< the send that brought it, an earlier one
  };

  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  ///< label, text
  std::vector<std::string> notes;                          ///< a sentence each
  Time time{}, bound{};
  std::string cut;  ///< which links bind, in words; empty: nothing has to pass
  std::vector<std::string> nodes;
  std::vector<Group> groups;
  std::vector<Link> links;
  std::vector<Piece> pieces;
  std::vector<Route> routes;
  std::vector<Send> sends;  ///< by start
  std::uint64_t links_left_out = 0, sends_left_out = 0;
};

/// The page's data as JSON (the contract is web/src/data.ts). `</` never appears in it.
[[nodiscard]] std::string schedule_data(const PageSchedule& schedule, const Findings& findings);

/// `page` as write_html() takes it, with a schedule put in. Errc: see write_html().
[[nodiscard]] Result<std::string> write_schedule_html(const PageSchedule& schedule,
                                                      const Findings& findings,
                                                      std::string_view page);

}  // namespace orrery::report
