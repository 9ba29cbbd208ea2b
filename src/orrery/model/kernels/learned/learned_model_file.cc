// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/learned_model_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/model/kernels/learned/model_file_format.h"
#include "orrery/model/kernels/learned/nearest_device.h"

namespace orrery::model {
namespace {

using std::string_view;

constexpr std::size_t kMaxDevices = 1u << 12;  // per class
constexpr string_view kModelMagic = "orrery-kernels";
constexpr std::size_t kMaxTrees = 1u << 14;  // per class
constexpr double kModelBound = 64;           // maximum absolute value of a bias (log2)

void put_trees(std::string& out, string_view view, const LearnedTrees& is,
               std::span<const std::string> trees) {
  out += fmt::format("view {} bias={} step={}\n", view, is.bias, is.step);
  for (std::size_t i = 0; i < kFeatures; ++i) {
    if (is.forest.cuts(i).empty()) continue;
    out += fmt::format("cuts {} ", i);
    append_cuts(out, is.forest.cuts(i));
    out += '\n';
  }
  for (const std::string& tree : trees) out += "tree " + tree + "\n";
}

void put_class(std::string& out, const SerializedClass& written) {
  const LearnedClass& is = *written.is;
  out += fmt::format("class {} rows={}\n", name(is.kernels), is.rows);
  out += "features";
  for (const string_view feature : feature_names(is.kernels)) out += fmt::format(" {}", feature);
  out += '\n';
  put_holdout(out, "seen", is.seen);
  put_holdout(out, "unseen", is.unseen);
  for (const DeviceSignature& device : is.devices) put_signature(out, device);
  put_sizes(out, is.lower, is.upper);
  put_trees(out, "measured", is.measured, written.measured);
  put_trees(out, "general", is.general, written.general);
  out += "end\n";
}

}  // namespace

std::string write_model(string_view notes, std::span<const SerializedClass> classes) {
  std::string out = fmt::format("{} {}\n", kModelMagic, kModelVersion);
  put_notes(out, notes);
  for (const SerializedClass& written : classes) put_class(out, written);
  return with_checksum(std::move(out));
}

namespace {

class ModelLines {
 public:
  ModelLines(string_view text, string_view where, bool lasting)
      : lines_(text, where), lasting_(lasting) {}

  Result<std::vector<LearnedClass>> read() {
    if (auto head =
            lines_.take_header(kModelMagic, kModelVersion, "a file of learned kernel times");
        !head)
      return tl::unexpected(head.error());
    if (!lasting_) {  // a test checks the built-in file
      if (auto whole = lines_.check_file_checksum(); !whole) return tl::unexpected(whole.error());
    }
    return lines_.read_sections<LearnedClass>("class", "class", kKernelClasses,
                                              [&](string_view line) { return read_class(line); });
  }

 private:
  Result<LearnedClass> read_class(string_view line) {
    LearnedClass is;
    if (auto fine = lines_.read_class(line, is.kernels, is.rows); !fine)
      return tl::unexpected(fine.error());
    trees_ = nullptr;
    named_ = false;
    for (;;) {
      if (lines_.done()) return lines_.wrong("ends inside a class");
      string_view rest = lines_.take();
      const string_view word = next_token(rest);
      if (word == "end") break;
      if (Result<void> done = entry(word, rest, is); !done) return tl::unexpected(done.error());
    }
    if (!named_) return lines_.wrong("a class does not list its features");
    if (is.measured.trees() == 0 || (is.general.trees() == 0 && is.unseen.rows > 0))
      return lines_.wrong("a class has no trees");
    if (std::exchange(read_[static_cast<std::size_t>(is.kernels)], true))
      return lines_.wrong("a class appears twice");
    is.described = cataloged_devices(is.devices);
    return is;
  }

  Result<void> entry(string_view word, string_view rest, LearnedClass& is) {
    if (word == "tree") {
      if (trees_ == nullptr || trees_->trees() >= kMaxTrees || !add_tree(rest))
        return lines_.wrong("not a tree");
      return {};
    }
    if (word == "features") {
      named_ = true;
      return check_features(rest, is.kernels);
    }
    bool good = false;
    if (word == "seen") {
      good = read_holdout(rest, is.seen);
    } else if (word == "unseen") {
      good = read_holdout(rest, is.unseen);
    } else if (word == "device") {
      good = is.devices.size() < kMaxDevices && read_signature(rest, is.devices.emplace_back());
    } else if (word == "size") {
      good = read_sizes(rest, is.lower, is.upper);
    } else if (word == "view") {
      good = read_view(rest, is);
    } else if (word == "cuts") {
      good = read_cuts(rest);
    }
    if (!good) return lines_.wrong("not an entry of a class: " + in_quotes(word));
    return {};
  }

  Result<void> check_features(string_view rest, KernelClass kernels) const {
    for (const string_view feature : feature_names(kernels))
      if (next_token(rest) != feature)
        return fail(Errc::input_unsupported, lines_.place(),
                    "lists features that this program does not compute",
                    "fit the model again with this program");
    if (!rest.empty()) return lines_.wrong("lists too many features");
    return {};
  }

  bool read_view(string_view rest, LearnedClass& is) {
    const string_view called = next_token(rest);
    if (called != "measured" && called != "general") return false;
    trees_ = called == "measured" ? &is.measured : &is.general;
    return trees_->trees() == 0 && keyed_number(rest, "bias", trees_->bias) &&
           keyed_number(rest, "step", trees_->step) && rest.empty() &&
           std::abs(trees_->bias) <= kModelBound && trees_->step > 0 && trees_->step <= 1;
  }

  bool add_tree(string_view rest) {
    if (!lasting_) return trees_->forest.add(rest);
    if (!trees_->deferred) trees_->deferred = std::make_shared<LearnedTrees::DeferredTrees>();
    trees_->deferred->texts.push_back(rest);
    return true;
  }

  bool read_cuts(string_view rest) {
    std::size_t feature = 0;
    if (trees_ == nullptr || trees_->trees() != 0 || !read_number(next_token(rest), feature) ||
        feature >= kFeatures || !trees_->forest.cuts(feature).empty())
      return false;
    std::optional<std::vector<float>> cuts = cuts_of(rest);
    if (!cuts || cuts->empty()) return false;
    return trees_->forest.set_cuts(feature, *std::move(cuts));
  }

  ModelFileReader lines_;
  bool lasting_;
  LearnedTrees* trees_ = nullptr;            // of the view whose cuts and trees are read
  bool named_ = false;                       // whether the features of this class have been read
  std::array<bool, kKernelClasses> read_{};  // classes that have been read
};

}  // namespace

Result<std::vector<LearnedClass>> read_model(string_view text, string_view where, bool lasting) {
  return ModelLines(text, where, lasting).read();
}

Result<LearnedModel> LearnedModel::read(string_view text, string_view where, bool lasting) {
  Result<std::vector<LearnedClass>> classes = read_model(text, where, lasting);
  if (!classes) return tl::unexpected(std::move(classes.error()));
  LearnedModel model;
  for (LearnedClass& is : *classes) {
    const auto at = static_cast<std::size_t>(is.kernels);
    model.classes_[at] = std::make_shared<const LearnedClass>(std::move(is));
  }
  return model;
}

}  // namespace orrery::model
