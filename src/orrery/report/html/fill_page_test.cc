// SPDX-License-Identifier: Apache-2.0
//
// The page that is built in, and the data that is shown while it is worked on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "orrery/core/collective_type.h"
#include "orrery/core/paths_testing.h"
#include "orrery/report/html/run_page.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::report {
namespace {

using result::testing::sample_run;

// What web/dev/ shows while the page is worked on; ORRERY_UPDATE_DOCS=1 writes it anew.
TEST(HtmlData, TheSampleIsUpToDate) {
  const std::string path = std::string(core_testing::kSourceFolder) + "/web/dev/sample.json";
  const result::Run run = sample_run(8, 6);
  const std::string data = run_page_data({&run}) + '\n';
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << data;
  std::ostringstream there;
  there << std::ifstream(path).rdbuf();
  EXPECT_EQ(there.str(), data) << path << ": run this test with ORRERY_UPDATE_DOCS=1";
}

// Two runs of one recording are distinguished by their changes.
TEST(HtmlData, TitlesSayWhatIsChanged) {
  result::Run run = sample_run();
  run.manifest = {{"workload", "w"}, {"cluster", "as recorded"}};
  EXPECT_NE(run_page_data({&run}).find(R"("title":"w as recorded")"), std::string::npos);
  run.manifest.emplace_back("options",
                            "--replicate --change named:a b=0.5 --change gpu=b200 --rules x");
  EXPECT_NE(run_page_data({&run}).find(R"("title":"w as recorded, with named:a b=0.5, gpu=b200")"),
            std::string::npos);
}

// The page gives each type of collective a color by its name.
TEST(HtmlPage, ColorsCollectivesByNamesThatThereAre) {
  std::ostringstream there;
  there << std::ifstream(std::string(core_testing::kSourceFolder) +
                         "/web/src/pages/speeds/choice.ts")
               .rdbuf();
  const std::string text = there.str();
  std::size_t at = text.find("const known = ["), count = 0;
  ASSERT_NE(at, std::string::npos);
  const std::size_t end = text.find(']', at);
  while ((at = text.find('\'', at)) < end) {
    const std::size_t last = text.find('\'', at + 1);
    EXPECT_TRUE(collective_type(text.substr(at + 1, last - at - 1))) << text.substr(at, last - at);
    at = last + 1;
    ++count;
  }
  EXPECT_GT(count, 5u);
}

TEST(HtmlPage, IsWholeWhenItIsThere) {
  const std::string_view page = built_in_page();
  if (page.empty()) GTEST_SKIP() << "built without the page; ./setup --page makes it";
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_NE(page.find("default-src 'none'"), std::string_view::npos);
  for (const std::string_view outside : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_EQ(page.find(outside), std::string_view::npos) << outside;
  const result::Run run = sample_run();
  EXPECT_TRUE(write_html({&run}, page));
}

}  // namespace
}  // namespace orrery::report
