// SPDX-License-Identifier: Apache-2.0
//
// A space that was searched as one self-contained HTML page: its points, and what the axes do.
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

/// Many texts that are much alike, each as what differs from the one before it.
class TextEdits {
 public:
  void add(std::string_view text);
  /// All lines there are, each once.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  /// ";" between texts. Of each either all its lines, by number, behind "=" ("=0,1,2"), or which of
  /// the lines of the text before are others now ("1:4,2:7"); nothing: it is the same.
  [[nodiscard]] const std::string& edits() const { return edits_; }

 private:
  [[nodiscard]] std::uint32_t number_of(std::string_view line);

  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<std::string> lines_;
  std::vector<std::uint32_t> last_;
  std::string edits_;
  bool any_ = false;
};

/// What the page says of a space. Axes, figures, points and plans are named by their places here.
struct PageSpace {
  struct Axis {
    std::string name;
    std::vector<std::string> labels;
    bool ordered = false;  ///< labels are numbers, ascending
  };
  struct Figure {
    std::string name, title, about;
    bool more = false;  ///< is better
  };
  /// Where steps go that were simulated.
  struct Parts {
    struct Part {
      std::string name, title, about;
      bool more = false;   ///< is better
      std::string colour;  ///< a class of the page's style sheets: "compute"
    };
    std::vector<Part> list;
    std::vector<std::uint32_t> points;
    std::vector<std::vector<double>> shares;  ///< by part, by place in `points`
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
  /// What a point would need to be as good as the best.
  struct Competitor {
    std::uint32_t point = 0;
    std::string with;  ///< "gpu h100-sxm": what the best has not
    double behind = 0;
    std::vector<std::string> needs;  ///< one of these
  };

  std::string title, about;
  std::vector<std::pair<std::string, std::string>> facts;  ///< label, text
  std::vector<Axis> axes;
  std::vector<Figure> figures;
  std::vector<std::uint32_t> objectives;  ///< figures, the first first
  bool tokens = true;                     ///< rates are of tokens, else of samples
  /// Columns of the points that are allowed: by axis, by figure (NaN: not known).
  std::vector<std::vector<std::uint32_t>> at;
  std::vector<std::vector<double>> values;
  std::vector<Time> estimated, simulated;  ///< 0: not
  std::vector<std::uint32_t> plan;
  std::vector<std::string> plans;
  Parts parts;
  std::vector<std::uint32_t> front;  ///< points
  std::uint32_t best = 0;            ///< in the first objective, if there is any
  std::vector<Effect> effects;
  std::vector<Competitor> competitors;                          ///< the best first
  std::vector<std::pair<std::uint64_t, std::string>> rejected;  ///< how many points, why
  /// Of each point, to paste.
  TextEdits command, job, cluster, megatron, without;

  [[nodiscard]] std::size_t count() const { return plan.size(); }
};

/// The page's data as JSON (the contract is web/src/space_data.ts). `</` never appears in it.
[[nodiscard]] std::string space_data(const PageSpace& space);

/// `page` as write_html() takes it, with a space put in. Errc: see write_html().
[[nodiscard]] Result<std::string> write_space_html(const PageSpace& space, std::string_view page);

}  // namespace orrery::report
