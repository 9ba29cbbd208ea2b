// SPDX-License-Identifier: Apache-2.0
//
// A searched design space as one self-contained HTML page: its points and the effects of its axes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery::report {

/// Many similar texts, each stored as its difference from the previous one.
class TextEdits {
 public:
  void add(std::string_view text);
  /// All distinct lines.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  /// Entries separated by ";". An entry contains the numbers of all lines after "=" ("=0,1,2"), or
  /// the lines that differ from the previous text ("1:4,2:7"), or nothing if the texts are
  /// identical.
  [[nodiscard]] const std::string& edits() const { return edits_; }

 private:
  [[nodiscard]] std::uint32_t number_of(std::string_view line);

  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<std::string> lines_;
  std::vector<std::uint32_t> last_;
  std::string edits_;
  bool any_ = false;
};

/// The data of a space page. Integers refer to axes, metrics, points and plans by index.
struct PageSpace {
  struct Axis {
    std::string name;
    std::vector<std::string> labels;
    bool ordered = false;  ///< whether labels are ascending numbers
  };
  struct Metric {
    std::string name, title, about;
    bool more = false;       ///< true: larger is better
    std::string long_title;  ///< "cost of 10^9 tokens"; empty: `title`
  };
  /// Breakdown of simulated steps.
  struct Parts {
    struct Part {
      std::string name, title, about;
      bool more = false;  ///< true: larger is better
      std::string color;  ///< a class of the page's style sheets: "compute"
    };
    std::vector<Part> list;
    std::vector<std::uint32_t> points;
    std::vector<std::vector<double>> shares;  ///< by part, then by position in `points`
  };
  struct Value {
    std::string label, state;
    bool own = false, allowed = false;
    double change = 0;
  };
  struct Effect {
    std::uint32_t axis = 0;
    double explains = 0;
    std::vector<Value> values;
  };
  /// What a point would need to equal the best point.
  struct Competitor {
    std::uint32_t point = 0;
    std::string with;  ///< "gpu h100-sxm": the setting that differs from the best
    double behind = 0;
    std::vector<std::string> needs;  ///< alternatives: one of them suffices
  };

  std::string title, about;
  std::vector<std::pair<std::string, std::string>> facts;  ///< label, text
  std::vector<Axis> axes;
  std::vector<Metric> metrics;
  std::vector<std::uint32_t> objectives;  ///< metrics by priority
  bool tokens = true;                     ///< whether rates are in tokens, else in samples
  std::string currency;                   ///< unit of costs; empty: not stated
  /// Columns over the allowed points: by axis, by metric (NaN: unknown).
  std::vector<std::vector<std::uint32_t>> at;
  std::vector<std::vector<double>> values;
  std::vector<Time> estimated, simulated;  ///< 0: not estimated, not simulated
  std::vector<std::uint32_t> plan;
  std::vector<std::string> plans;
  Parts parts;
  std::vector<std::uint32_t> front;        ///< points
  std::vector<std::uint32_t> may_not_fit;  ///< points whose memory may exceed that of a device
  std::uint32_t best = 0;                  ///< by the first objective, if any
  std::vector<Effect> effects;
  std::vector<Competitor> competitors;                          ///< the best first
  std::vector<std::pair<std::uint64_t, std::string>> rejected;  ///< number of points, reason
  /// For each point, text that the user can copy.
  TextEdits command, job, cluster, megatron, without;

  [[nodiscard]] std::size_t count() const { return plan.size(); }
};

/// The page's data as JSON (format: web/src/space_data.ts). It never contains `</`.
[[nodiscard]] std::string space_data(const PageSpace& space);

/// Fills a space into `page`, as write_html() does with a run. Errc: see write_html().
[[nodiscard]] Result<std::string> write_space_html(const PageSpace& space, std::string_view page);

}  // namespace orrery::report
