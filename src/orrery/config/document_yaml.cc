// SPDX-License-Identifier: Apache-2.0
//
// YAML events → one tree. yaml-cpp's own node tree is not used: building from events keeps nesting,
// size and alias expansion under our limits while the text is still being read.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <map>
#include <streambuf>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/config/yaml_scalar.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"

namespace orrery::config {
namespace {

/// Reads from a string_view without copying it.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // only ever read
    setg(begin, begin, begin + text.size());
  }
};

/// Carries our error through yaml-cpp's parser; caught in parse_yaml.
struct Stop {
  Error error;
};

/// How large a finished value is: what repeating it through an alias would cost.
struct Extent {
  std::uint64_t values = 1;
  std::uint64_t bytes = 0;
  int depth = 0;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& where, std::vector<std::string>* repeated)
      : where_(where), repeated_(repeated) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) stop(Errc::config_syntax, mark, "contains more than one YAML document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, nullptr, Extent{}, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag);
    // "?" is a plain scalar; "!" a quoted one.
    const bool text = tag == "!" || tag == "tag:yaml.org,2002:str";
    const bool key = !frames_.empty() && frames_.back().is_map && !frames_.back().has_key;
    add(mark, text || key ? Json(value) : typed_scalar(value), Extent{1, value.size(), 0}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      stop(Errc::config_syntax, mark, "an alias refers to a value that contains it");
    count(mark, found->second.second);
    add(mark, Json(found->second.first), found->second.second, YAML::NullAnchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check(mark, tag);
    open(mark, false, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, true, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  Json root = nullptr;

 private:
  struct Frame {
    Json value;
    bool is_map = false;
    bool has_key = false;
    std::string key;
    Extent extent;
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
  };

  [[noreturn]] void stop(Errc code, const YAML::Mark& mark, std::string what) const {
    throw Stop{Error{code, fmt::format("{}:{}:{}", where_, mark.line + 1, mark.column + 1),
                     std::move(what)}};
  }

  /// Refuses values that other files or places have.
  void check(const YAML::Mark& mark, const std::string& tag) const {
    for (const char* const elsewhere : {"!include", "!reference"})
      if (tag == elsewhere)
        stop(Errc::config_syntax, mark,
             fmt::format("the tag {} stands for a part of another file, which is not read", tag));
  }

  void count(const YAML::Mark& mark, const Extent& extent) {
    values_ += extent.values;
    bytes_ += extent.bytes;
    if (values_ > limits::kConfigNodes) {
      stop(Errc::limit_exceeded, mark,
           fmt::format("more than {} values, aliases expanded", limits::kConfigNodes));
    }
    if (bytes_ > 2 * limits::kConfigBytes) {
      stop(Errc::limit_exceeded, mark,
           fmt::format("more than {} MiB of text, aliases expanded", limits::kConfigBytes >> 19));
    }
    if (frames_.size() + static_cast<std::size_t>(extent.depth) >
        static_cast<std::size_t>(limits::kConfigDepth)) {
      stop(Errc::limit_exceeded, mark,
           fmt::format("nested deeper than {} levels", limits::kConfigDepth));
    }
  }

  void open(const YAML::Mark& mark, bool is_map, YAML::anchor_t anchor) {
    if (!frames_.empty() && frames_.back().is_map && !frames_.back().has_key) {
      stop(Errc::config_syntax, mark, "a key must be plain text");
    }
    Frame frame;
    frame.value = is_map ? Json::object() : Json::array();
    frame.is_map = is_map;
    frame.mark = mark;
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
    count(mark, Extent{});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    attach(frame.mark, std::move(frame.value), frame.extent, frame.anchor);
  }

  void add(const YAML::Mark& mark, Json value, Extent extent, YAML::anchor_t anchor) {
    count(mark, Extent{1, extent.bytes, 0});
    attach(mark, std::move(value), extent, anchor);
  }

  /// Puts a finished value where it belongs, and remembers it when it is anchored.
  void attach(const YAML::Mark& mark, Json value, Extent extent, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      count(mark, extent);
      anchors_[anchor] = {value, extent};
    }
    if (frames_.empty()) {
      root = std::move(value);
      return;
    }
    Frame& parent = frames_.back();
    parent.extent.values += extent.values;
    parent.extent.bytes += extent.bytes;
    parent.extent.depth = std::max(parent.extent.depth, extent.depth + 1);
    if (!parent.is_map) {
      parent.value.push_back(std::move(value));
    } else if (!parent.has_key) {
      if (!value.is_string() && !value.is_null())
        stop(Errc::config_syntax, mark, "a key must be plain text");
      parent.key = value.is_string() ? value.get<std::string>() : std::string("null");
      parent.has_key = true;
    } else {
      if (parent.value.contains(parent.key)) {
        if (repeated_ == nullptr)
          stop(Errc::config_syntax, mark,
               fmt::format("the key {} appears twice in one mapping", in_quotes(parent.key)));
        repeated_->push_back(
            fmt::format("{}:{}:{}: {}", where_, mark.line + 1, mark.column + 1, parent.key));
      }
      parent.value[parent.key] = std::move(value);
      parent.has_key = false;
    }
  }

  const std::string& where_;
  std::vector<std::string>* repeated_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, std::pair<Json, Extent>> anchors_;
  std::uint64_t values_ = 0;
  std::uint64_t bytes_ = 0;
  int documents_ = 0;
};

/// Where the text starts its (limit + 1)th value by its punctuation, or npos. yaml-cpp holds a
/// whole one-line collection as tokens (about 230 bytes each) before it reports the first event, so
/// the limit has to be enforced before.
std::size_t too_many_values(std::string_view text) {
  std::uint64_t values = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != ',' && c != '[' && c != '{' && c != ':' && c != '?') continue;
    if (++values > limits::kConfigNodes) return i;
  }
  return std::string_view::npos;
}

}  // namespace

Result<Json> parse_yaml(std::string_view text, const std::string& where,
                        std::vector<std::string>* repeated) {
  if (text.size() > limits::kConfigBytes)
    return fail(Errc::limit_exceeded, where, "larger than the limit for a configuration");
  std::size_t bad = 0;
  if (!is_utf8(text, bad))
    return fail(Errc::config_syntax, fmt::format("{}:byte {}", where, bad), "not UTF-8 text");
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return fail(Errc::config_syntax, fmt::format("{}:byte {}", where, zero),
                "a zero byte: not a text file");
  }
  if (const std::size_t at = too_many_values(text); at != std::string_view::npos) {
    return fail(Errc::limit_exceeded, fmt::format("{}:byte {}", where, at),
                fmt::format("more than {} values", limits::kConfigNodes));
  }
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    TreeBuilder builder(where, repeated);
    while (parser.HandleNextDocument(builder)) {
    }
    return std::move(builder.root);
  } catch (const Stop& stop) {
    return tl::unexpected(stop.error);
  } catch (const YAML::Exception& e) {
    const bool known = !e.mark.is_null();
    return fail(Errc::config_syntax,
                known ? fmt::format("{}:{}:{}", where, e.mark.line + 1, e.mark.column + 1) : where,
                "not YAML: " + e.msg);
  }
}

}  // namespace orrery::config
