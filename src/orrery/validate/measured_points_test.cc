// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/measured_points.h"

#include <gtest/gtest.h>

#include "orrery/validate/cluster_sketch.h"

namespace orrery::validate {
namespace {

std::vector<MeasuredPoint> parsed(std::string_view text, Findings* findings = nullptr) {
  Findings own;
  const auto points = parse_points(text, "p", findings != nullptr ? *findings : own);
  EXPECT_TRUE(points) << points.error().where << ": " << points.error().what;
  return points ? *points : std::vector<MeasuredPoint>{};
}

Error refused(std::string_view text) {
  Findings findings;
  const auto points = parse_points(text, "p", findings);
  EXPECT_FALSE(points);
  return points ? Error{} : points.error();
}

TEST(Points, ReadsTrees) {
  const auto points = parsed(R"({"source": "ours", "points": [
    {"id": "a", "spec": {"model": "llama-3.1-8b"}, "cluster": "h100-sxm:8", "measured_s": 1.5},
    {"id": "b", "src": "theirs", "spec": "b.yaml", "prec": "fp8", "assumed": ["vocab"],
     "cluster": {"gpu": "H100", "n": 16, "dom": 8, "nvl": 450, "ib": 50}, "measured_s": 2},
    {"id": "c", "spec": {"precision": {"products": "fp4"}}, "prec": "fp8", "measured_s": 2,
     "cluster": {"device": "b200", "network": []}},
    {"id": "d", "why_not": "no batch"}]})");
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].source, "ours");
  EXPECT_EQ(points[0].question.cluster, "h100-sxm:8");
  EXPECT_EQ(points[0].question.job.texts[0].text, R"({"model":"llama-3.1-8b"})");
  EXPECT_EQ(points[0].place, "p:/points/0");
  EXPECT_EQ(points[1].source, "theirs");
  EXPECT_EQ(points[1].question.job.spec, std::vector<std::string>{"b.yaml"});
  EXPECT_EQ(points[1].question.job.set, std::vector<std::string>{"precision.products=fp8"});
  EXPECT_NE(points[1].question.cluster_text.find("device: h100-sxm"), std::string::npos);
  EXPECT_EQ(points[1].assumed, std::vector<std::string>{"vocab"});
  EXPECT_TRUE(points[2].question.job.set.empty()) << "the job says it itself";
  EXPECT_EQ(points[3].skip_reason, "no batch");
}

TEST(Points, ReadsYamlToo) {
  const auto points = parsed(
      "# ours\npoints:\n  - {id: a, spec: {model: gpt3-175b}, cluster: \"h100-sxm:8\", measured_s: "
      "3}\n");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].seconds, 3);
}

TEST(Points, ReadsCsv) {
  const auto points = parsed(
      "# ours\n"
      "id,model,tp,global_batch,parallel.sp,prec,gpu,n,dom,nvl,ib,measured_s,why_not\n"
      "a,llama-3.1-70b,4,128,true,fp8,H200,32,8,450,50,1.25,\n"
      "\"b\",llama-3.1-8b,,,,,,,,,,,\"no step, they say\"\n");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].place, "p:3");
  EXPECT_EQ(points[0].question.job.set,
            (std::vector<std::string>{"model=llama-3.1-70b", "parallel.tp=4", "batch.global=128",
                                      "parallel.sp=true", "precision.products=fp8"}));
  EXPECT_NE(points[0].question.cluster_text.find("size: 4, bandwidth: 50 GB/s"), std::string::npos);
  EXPECT_EQ(points[0].model, "llama-3.1-70b");
  EXPECT_EQ(points[0].source, "p") << "the file's name";
  EXPECT_EQ(points[1].skip_reason, "no step, they say");
}

TEST(Points, SaysWhyItCannotAsk) {
  const auto points = parsed(R"({"points": [
    {"id": "a", "spec": {}, "cluster": {"gpu": "Gaudi2", "n": 8}, "measured_s": 1},
    {"id": "b", "spec": {}, "cluster": {"gpu": "H100", "n": 12, "dom": 8}, "measured_s": 1},
    {"id": "c", "spec": {}, "cluster": {"gpu": "H100", "n": 16, "dom": 8, "nvl": 450},
     "measured_s": 1},
    {"id": "d", "spec": {}, "cluster": "h100-sxm:8"},
    {"id": "e", "cluster": "h100-sxm:8", "measured_s": 1}]})");
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[0].skip_reason, "no device 'Gaudi2'");
  EXPECT_EQ(points[1].skip_reason, "12 devices cannot be divided into islands of 8");
  EXPECT_EQ(points[2].skip_reason, "a bandwidth is missing");
  EXPECT_EQ(points[3].skip_reason, "no measured step");
  EXPECT_EQ(points[4].skip_reason, "no job is given");
}

TEST(Points, RefusesWhatIsNone) {
  EXPECT_EQ(refused("").code, Errc::input_empty);
  EXPECT_EQ(refused("id,model\n").code, Errc::input_empty);
  EXPECT_EQ(refused("{\"points\": []}").code, Errc::input_empty);
  EXPECT_EQ(refused("{\"runs\": []}").code, Errc::config_missing_key);
  EXPECT_EQ(refused("{\"points\": [1]}").code, Errc::config_type);
  EXPECT_EQ(refused("{\"points\": [{\"why_not\": \"x\"}]}").code, Errc::input_missing_attr);
  EXPECT_EQ(refused("{\"points\": [{\"id\": \"a\"}, {\"id\": \"a\"}]}").code,
            Errc::input_duplicate_id);
  EXPECT_EQ(refused("{\"points\": [{\"id\": \"a\", \"measured_s\": 0}]}").where,
            "p:/points/0/measured_s");
  EXPECT_EQ(refused("{\"points\": [{\"id\": \"a\", \"cluster\": {\"size\": 8}}]}").code,
            Errc::config_unknown_key);
  EXPECT_EQ(refused("id,measured\na,1\n").code, Errc::config_unknown_key);
  EXPECT_EQ(refused("id,measured\na,1\n").hint, "did you mean \"measured_s\"?");
  EXPECT_EQ(refused("id,tp\na\n").where, "p:2");
  EXPECT_EQ(refused("id,n\na,many\n").code, Errc::input_range);
  EXPECT_EQ(refused("id,measured_s\na,0\n").code, Errc::input_range);
  EXPECT_EQ(refused("id,note\n\"a,b\n").code, Errc::input_corrupt);
}

TEST(Points, TakeTheReleaseFromTheContainer) {
  Findings findings;
  const auto points =
      parsed(R"({"points": [{"id": "a", "container": "26.04.01", "measured_s": 1, "spec": {}}]})",
             &findings);
  ASSERT_EQ(points.size(), 1u);
  const std::vector<std::string>& set = points[0].question.job.set;
  EXPECT_NE(std::find(set.begin(), set.end(), "kernels.release=26.04.01"), set.end());
  EXPECT_EQ(findings.count(FindingCode::key_ignored), 0u);
  const auto rows = parsed("id,container,measured_s,model\na,26.04.01,1,llama-3.1-8b\n");
  ASSERT_EQ(rows.size(), 1u);
  const std::vector<std::string>& of_row = rows[0].question.job.set;
  EXPECT_NE(std::find(of_row.begin(), of_row.end(), "kernels.release=26.04.01"), of_row.end());
}

TEST(Points, CountsKeysThatItDoesNotKnow) {
  Findings findings;
  EXPECT_EQ(parsed("{\"points\": [{\"id\": \"a\", \"color\": 1, \"note\": 2}]}", &findings).size(),
            1u);
  EXPECT_EQ(findings.count(FindingCode::key_ignored), 1u);
}

TEST(Devices, AreFoundByWhatPeopleWrite) {
  const auto name = [](const char* text) {
    const auto* const device = match_device(text);
    return device == nullptr ? std::string() : device->name;
  };
  EXPECT_EQ(name("h100-sxm"), "h100-sxm");
  EXPECT_EQ(name("H100"), "h100-sxm");
  EXPECT_EQ(name("NVIDIA H100-SXM5-80GB"), "h100-sxm");
  EXPECT_EQ(name("NVIDIA H100 80GB HBM3"), "h100-sxm");
  EXPECT_EQ(name("H100 PCIe"), "h100-pcie");
  EXPECT_EQ(name("A100"), "a100-80gb");
  EXPECT_EQ(name("A100-40GB"), "a100-40gb");
  EXPECT_EQ(name("A100-80GB SXM"), "a100-80gb");
  EXPECT_EQ(name("A100 PCIe"), "");
  EXPECT_EQ(name("GB200"), "gb200");
  EXPECT_EQ(name("B200"), "b200");
  EXPECT_EQ(name("AMD Instinct MI300X 192GB HBM3"), "mi300x");
  EXPECT_EQ(name("TPU-trillium"), "tpu-v6e");
  EXPECT_EQ(name("Gaudi2"), "");
  EXPECT_EQ(name(""), "");
}

}  // namespace
}  // namespace orrery::validate
