// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "orrery/config/document.h"
#include "orrery/config/parameters.h"
#include "orrery/core/text/text.h"
#include "orrery/validate/measured_points_internal.h"

namespace orrery::validate {

namespace {

using config::Json;
using config::Reading;
using std::string_view;

/// Keys for readers, which have no effect.
constexpr std::array<string_view, 12> kKnownKeys = {
    "note", "group",     "quality", "kind", "measured_tflops", "measured_mem_gib",
    "gpus", "framework", "date",    "url",  "licence",         "retrieved"};

class TreePoint {
 public:
  TreePoint(const Json& point, const std::string& path, Reading& reading, Findings& findings)
      : point_(point), path_(path), reading_(reading), findings_(findings) {}

  Result<MeasuredPoint> read(const std::string& source) {
    MeasuredPoint made;
    made.place = reading_.where + ":" + path_;
    made.source = source;
    for (const auto& [key, value] : point_.items())
      if (!value.is_null()) take(key, value, config::pointer(path_, key), made);
    if (reading_.error) return tl::unexpected(*reading_.error);
    if (made.gpu.empty()) made.gpu = facts_.sketch.gpu.empty() ? facts_.cluster : facts_.sketch.gpu;
    complete_point(made, facts_);
    return made;
  }

 private:
  void text(const Json& value, const std::string& path, std::string& out) {
    config::read_value(value, path, {}, out, reading_);
  }
  void number(const Json& value, const std::string& path, double& out) {
    config::read_value(value, path, config::between(0, 1e15), out, reading_);
  }
  void number(const Json& value, const std::string& path, std::int64_t& out) {
    config::read_value(value, path, config::between(0, 1e15), out, reading_);
  }

  void take(const std::string& key, const Json& value, const std::string& path,
            MeasuredPoint& made) {
    if (key == "id") return text(value, path, made.id);
    if (key == "source" || key == "src") return text(value, path, made.source);
    if (key == "model_name") return text(value, path, made.model);
    if (key == "gpu") return text(value, path, made.gpu);
    if (key == "prec") return text(value, path, facts_.prec);
    if (key == "measured_s")
      return config::read_value(value, path, {0, 1e15, true}, made.seconds, reading_);
    if (key == "container" || key == "release") return release(value, path, made);
    if (key == "why_not") return text(value, path, made.skip_reason);
    if (key == "assumed") return assumed(value, path, made);
    if (key == "spec") return job(value, path, made);
    if (key == "cluster") return cluster(value, path, made);
    for (const string_view known_key : kKnownKeys)
      if (key == known_key) return;
    findings_.add(FindingCode::key_ignored, fmt::format("{}:{}", reading_.where, path));
  }

  void assumed(const Json& value, const std::string& path, MeasuredPoint& made) {
    if (value.is_array()) {
      config::read_value(value, path, {}, made.assumed, reading_);
    } else {
      text(value, path, made.assumed.emplace_back());
    }
  }

  void job(const Json& value, const std::string& path, MeasuredPoint& made) {
    if (value.is_string()) {
      made.question.job.spec.push_back(value.get<std::string>());
    } else if (value.is_object()) {
      made.question.job.texts.push_back({reading_.where + ":" + path, value.dump()});
      const auto precision = value.find("precision");
      facts_.has_products =
          precision != value.end() && precision->is_object() && precision->contains("products");
    } else {
      reading_.wrong_kind(path, value, "a specification, or the name of its file");
    }
  }

  /// The tag of the container, which is the release of the job's framework.
  void release(const Json& value, const std::string& path, MeasuredPoint& made) {
    std::string tag;
    text(value, path, tag);
    if (!tag.empty()) made.question.job.set.push_back("kernels.release=" + tag);
  }

  void cluster(const Json& value, const std::string& path, MeasuredPoint& made) {
    if (value.is_string()) {
      facts_.cluster = value.get<std::string>();
    } else if (!value.is_object()) {
      reading_.wrong_kind(path, value, "a cluster");
    } else if (value.contains("network") || value.contains("device")) {
      made.question.cluster = reading_.where + ":" + path;
      made.question.cluster_text = value.dump();
    } else {
      sketch(value, path);
    }
  }

  void sketch(const Json& value, const std::string& path) {
    for (const auto& [key, content] : value.items()) {
      const std::string at = config::pointer(path, key);
      if (key == "gpu") {
        text(content, at, facts_.sketch.gpu);
      } else if (key == "n") {
        number(content, at, facts_.sketch.devices);
      } else if (key == "dom") {
        number(content, at, facts_.sketch.island_devices);
      } else if (key == "nvl") {
        number(content, at, facts_.sketch.island_bandwidth);
      } else if (key == "ib") {
        number(content, at, facts_.sketch.network_bandwidth);
      } else {
        reading_.fail(Errc::config_unknown_key, at, in_quotes(key) + " is not a key of a cluster",
                      "use gpu, n, dom, nvl, ib; or the keys of a cluster file");
      }
    }
  }

  const Json& point_;
  const std::string& path_;
  Reading& reading_;
  Findings& findings_;
  PointCluster facts_;
};

}  // namespace

Result<std::vector<MeasuredPoint>> parse_points_tree(string_view text, const std::string& where,
                                                     Findings& findings) {
  const bool json = text.find_first_of("{[") == text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const auto tree = json ? config::parse_json(text, where) : config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  const Json* list = tree->is_array() ? &*tree : nullptr;
  std::string source;
  std::string path;
  if (tree->is_object()) {
    const auto found = tree->find("points");
    if (found != tree->end()) list = &*found;
    const auto whole = tree->find("source");
    if (whole != tree->end() && whole->is_string()) source = whole->get<std::string>();
    path = "/points";
  }
  if (list == nullptr || !list->is_array())
    return fail(Errc::config_missing_key, where + ":/", "has no list of `points`",
                "docs/scoreboard.md describes the format of measured points");
  Reading reading{where};
  std::vector<MeasuredPoint> points;
  points.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string at = config::pointer(path, i);
    const Json& one = (*list)[i];
    if (!one.is_object()) {
      reading.wrong_kind(at, one, "a point");
      return tl::unexpected(*reading.error);
    }
    auto point = TreePoint(one, at, reading, findings).read(source);
    if (!point) return point.map([](auto&&) { return std::vector<MeasuredPoint>{}; });
    points.push_back(*std::move(point));
  }
  return points;
}

}  // namespace orrery::validate
