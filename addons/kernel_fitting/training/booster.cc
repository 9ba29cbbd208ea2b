// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/booster.h"

#ifndef ORRERY_XGBOOST

namespace orrery::model {

bool has_xgboost() { return false; }

Result<std::vector<GrownTree>> boost_trees(const TrainingRows&, double, const BoosterOptions&) {
  return fail(Errc::usage, "fit", "this program was built without XGBoost",
              "install libxgboost-dev, then configure and build again; or fit nets (--by nets)");
}

}  // namespace orrery::model

#else

#include <dlfcn.h>
#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>

namespace orrery::model {
namespace {

/// The functions of the XGBoost library, loaded on first use: other commands do not need the
/// library.
struct XgboostLibrary {
  decltype(&XGBGetLastError) last_error = nullptr;
  decltype(&XGDMatrixCreateFromMat) matrix_of = nullptr;
  decltype(&XGDMatrixSetFloatInfo) set_floats = nullptr;
  decltype(&XGDMatrixFree) free_matrix = nullptr;
  decltype(&XGBoosterCreate) create = nullptr;
  decltype(&XGBoosterFree) free = nullptr;
  decltype(&XGBoosterSetParam) set = nullptr;
  decltype(&XGBoosterUpdateOneIter) update = nullptr;
  decltype(&XGBoosterSaveModelToBuffer) save = nullptr;
  bool found = false;

  XgboostLibrary() {
    void* library = dlopen("libxgboost.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("libxgboost.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto find = [&](auto& function, const char* called) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, called));
      return function != nullptr;
    };
    found = find(last_error, "XGBGetLastError") && find(matrix_of, "XGDMatrixCreateFromMat") &&
            find(set_floats, "XGDMatrixSetFloatInfo") && find(free_matrix, "XGDMatrixFree") &&
            find(create, "XGBoosterCreate") && find(free, "XGBoosterFree") &&
            find(set, "XGBoosterSetParam") && find(update, "XGBoosterUpdateOneIter") &&
            find(save, "XGBoosterSaveModelToBuffer");
  }
};

const XgboostLibrary& xgboost() {
  static const XgboostLibrary library;
  return library;
}

using BoosterJson = nlohmann::json;

GrownTree tree_of(const BoosterJson& tree) {
  const auto& left = tree.at("left_children");
  GrownTree all_trees(left.size());
  for (std::size_t i = 0; i < all_trees.size(); ++i) {
    const int to = left[i].get<int>();
    const auto condition = tree.at("split_conditions")[i].get<float>();
    if (to < 0) {
      all_trees[i].value = condition;
      continue;
    }
    all_trees[i].feature = tree.at("split_indices")[i].get<int>();
    all_trees[i].threshold = condition;
    all_trees[i].left = static_cast<std::uint32_t>(to);
    all_trees[i].right = tree.at("right_children")[i].get<std::uint32_t>();
  }
  return all_trees;
}

/// Owns the matrix and the booster.
struct TrainingBooster {
  DMatrixHandle matrix = nullptr;
  BoosterHandle booster = nullptr;
  ~TrainingBooster() {
    if (booster != nullptr) xgboost().free(booster);
    if (matrix != nullptr) xgboost().free_matrix(matrix);
  }
};

bool set_up(TrainingBooster& is, const TrainingRows& rows, double bias,
            const BoosterOptions& options) {
  const XgboostLibrary& use = xgboost();
  const std::array<std::pair<const char*, std::string>, 15> settings = {
      {{"booster", "gbtree"},
       {"objective", "reg:squarederror"},
       {"tree_method", "hist"},
       {"grow_policy", "lossguide"},
       {"nthread", "1"},
       {"verbosity", "0"},
       {"base_score", fmt::format("{:f}", bias)},
       {"seed", std::to_string(options.seed)},
       {"max_leaves", std::to_string(options.leaves)},
       {"max_depth", std::to_string(options.depth)},
       {"max_bin", std::to_string(options.bins)},
       {"eta", fmt::format("{:f}", options.rate)},
       {"subsample", fmt::format("{:f}", options.rows)},
       {"min_child_weight", fmt::format("{:f}", options.min_leaf_rows)},
       {"lambda", "1"}}};
  const auto count = static_cast<bst_ulong>(rows.targets.size());
  if (use.matrix_of(rows.features.data(), count, rows.columns, -1e30f, &is.matrix) != 0 ||
      use.set_floats(is.matrix, "label", rows.targets.data(), count) != 0 ||
      use.set_floats(is.matrix, "weight", rows.weights.data(), count) != 0 ||
      use.create(&is.matrix, 1, &is.booster) != 0)
    return false;
  for (const auto& [key, value] : settings)
    if (use.set(is.booster, key, value.c_str()) != 0) return false;
  return true;
}

tl::unexpected<Error> xgboost_failed() {
  return fail(Errc::input_unsupported, "fit",
              std::string("XGBoost cannot grow trees: ") + xgboost().last_error());
}

}  // namespace

bool has_xgboost() { return xgboost().found; }

Result<std::vector<GrownTree>> boost_trees(const TrainingRows& rows, double bias,
                                           const BoosterOptions& options) {
  if (!has_xgboost())
    return fail(Errc::usage, "fit", "the library libxgboost.so.0 is not found",
                "install libxgboost0, or fit nets (--by nets)");
  if (rows.targets.empty()) return fail(Errc::input_empty, "fit", "no rows to fit trees to");
  TrainingBooster is;
  if (!set_up(is, rows, bias, options)) return xgboost_failed();
  for (int round = 0; round < options.rounds; ++round)
    if (xgboost().update(is.booster, round, is.matrix) != 0) return xgboost_failed();
  bst_ulong size = 0;
  const char* bytes = nullptr;
  if (xgboost().save(is.booster, R"({"format": "json"})", &size, &bytes) != 0)
    return xgboost_failed();
  const auto saved = BoosterJson::parse(bytes, bytes + size);
  std::vector<GrownTree> trees;
  for (const auto& tree : saved.at("learner").at("gradient_booster").at("model").at("trees"))
    trees.push_back(tree_of(tree));
  return trees;
}

}  // namespace orrery::model

#endif
