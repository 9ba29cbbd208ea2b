// SPDX-License-Identifier: Apache-2.0
//
// orrery embeddings fit: nets for lookup times, trained on measured lookups.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "addons/kernel_fitting/command/rows.h"
#include "addons/kernel_fitting/text/lookup_fit_text.h"
#include "apps/orrery/kernels/embeddings_options.h"
#include "apps/orrery/progress.h"

namespace orrery::app {

namespace {

struct LookupFitOptions {
  int epochs = 0;

  static constexpr std::string_view group = "fit";
  static constexpr auto fields =
      std::tuple{QuestionField{"epochs", &LookupFitOptions::epochs, "--epochs", "N", kAnswer, "3",
                               "fit: how often each lookup is seen; 120"}
                     .only_for("'fit'")};
};

int fit_lookups(const EmbeddingsOptions& options, int epochs, Session& session) {
  if (options.words.size() < 2)
    return session.fail({Errc::usage, "embeddings fit", "to which lookups?",
                         "no measured lookups come with the program, so no net is trained: "
                         "orrery embeddings fit lookups.csv -o my.nets"});
  const std::string path = std::exchange(session.output, {});
  if (path.empty() || path == "-")
    return session.fail({Errc::usage, "--output", "where shall the nets go?", "-o FILE"});
  Progress progress(session);
  const Progress::Phase fitting{"fit", "fitting", "nets"};
  progress.begin(fitting, 0);
  std::uint64_t done = 0;
  const auto fit =
      study::fit_lookups({options.words.begin() + 1, options.words.end()}, epochs,
                         static_cast<std::uint64_t>(options.seed),
                         [&](const model::DeviceLookupNet&) { progress.tell(fitting, ++done, 0); });
  progress.clear();
  if (!fit) return session.fail(fit.error());
  if (auto written = write_output(path, fit->file, session.force); !written)
    return session.fail(written.error());
  return session.deliver(present::lookup_fit_text(*fit, path, session.out_style()),
                         [&] { return present::lookup_fit_json(*fit, path); });
}

}  // namespace

Action add_embeddings_fit(CLI::App& command, const EmbeddingsOptions& options, Session& session) {
  const auto own = std::make_shared<LookupFitOptions>();
  add_fields(command, *own);
  set_modes(command, "--seed", "'synthesize', 'fit'");
  return [own, &options, &session] { return fit_lookups(options, own->epochs, session); };
}

}  // namespace orrery::app
