// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/kernel_fit.h"

#include <algorithm>

#include "orrery/config/document.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/study/kernels/kernel_tables.h"

namespace orrery::study {
namespace {

constexpr std::uint64_t kNotesBytes = 1u << 20;

Result<std::vector<model::KernelClass>> classes_named(const std::vector<std::string>& words) {
  std::vector<std::string_view> names;
  for (std::size_t i = 1; i < model::kKernelClasses; ++i)
    names.push_back(model::name(static_cast<model::KernelClass>(i)));
  std::vector<model::KernelClass> classes;
  for (const std::string& word : words) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      const std::string near = did_you_mean(word, names);
      return fail(Errc::usage, "--classes", in_quotes(word) + " is not a supported class",
                  near.empty() ? "use one of " + join(names) : near);
    }
    classes.push_back(static_cast<model::KernelClass>(found - names.begin() + 1));
  }
  return classes;
}

/// The default notes at the head of the file.
std::string notes_of(const KernelFitQuestion& question) {
  std::string text = "Kernel times fitted by 'orrery kernels fit' to";
  for (const std::string& path : question.tables) {
    const std::size_t slash = path.rfind('/');
    text += " " + printable(path.substr(slash == std::string::npos ? 0 : slash + 1), kShownBytes);
  }
  return text;
}

Result<model::FitOptions> options_of(const KernelFitQuestion& question) {
  model::FitOptions options;
  if (auto fine = one_of("--by", question.by, {"", "trees", "nets"}); !fine)
    return tl::unexpected(fine.error());
  if (question.seed < 0) return fail(Errc::usage, "--seed", "must be a whole number of at least 0");
  const bool trees = question.by.empty() ? model::has_xgboost() : question.by == "trees";
  options.by = trees ? model::Learner::trees : model::Learner::nets;
  options.seed = static_cast<std::uint64_t>(question.seed);
  options.boost.seed = options.general.seed = options.seed;
  options.leave_out = question.leave_out;
  if (question.epochs < 0 || question.epochs > 1'000'000)
    return fail(Errc::usage, "--epochs", "must be a number from 1 to 1,000,000");
  if (question.epochs > 0 && trees)
    return fail(Errc::usage, "--epochs", "applies only to nets", "use --by nets");
  if (!question.leave_out && !trees)
    return fail(Errc::usage, "--no-leave-out",
                "applies only to trees, because a net covers one device", "use --by trees");
  options.net.epochs = static_cast<int>(question.epochs);
  auto only = classes_named(question.classes);
  if (!only) return tl::unexpected(only.error());
  options.only = *std::move(only);
  options.notes = notes_of(question);
  if (!question.notes.empty()) {
    auto notes = config::read_text(question.notes, kNotesBytes);
    if (!notes) return tl::unexpected(notes.error());
    options.notes = *std::move(notes);
  }
  return options;
}

}  // namespace

Result<KernelFitAnswer> fit_kernels(
    const KernelFitQuestion& question,
    const std::function<void(const model::KernelFitReport&)>& on_class) {
  const auto options = options_of(question);
  if (!options) return tl::unexpected(options.error());
  KernelFitAnswer answer;
  answer.by = options->by;
  const auto tables = read_kernel_tables(question.tables, question.devices, answer.findings);
  if (!tables) return tl::unexpected(tables.error());
  answer.rows = tables->rows.rows.size();
  answer.devices = tables->rows.devices;
  auto fitted = model::fit_kernel_models(tables->rows, tables->silicons, *options, on_class);
  if (!fitted) return tl::unexpected(fitted.error());
  answer.fit = *std::move(fitted);
  return answer;
}

}  // namespace orrery::study
