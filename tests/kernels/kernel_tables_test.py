# SPDX-License-Identifier: Apache-2.0
"""Tests of collect/kernel_tables.py: the result of one row of each kind of table."""
import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "collect" / "kernel_tables.py"


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, name, text, *options, device="d="):
        path = self.folder / name
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(text.encode()))
        else:
            path.write_text(text)
        return subprocess.run([sys.executable, "-B", str(SCRIPT), *options, f"{device}{path}"], capture_output=True,
                              text=True, check=False)

    def rows(self, name, text, *options, device="d="):
        done = self.run_on(name, text, *options, device=device)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "device,kernel,us")
        return [line.replace('"', "") for line in lines[1:]]

    def test_products(self):
        self.assertEqual(
            self.rows("g.csv.gz", "m,n,k,dtype,kernel,latency_us\n1,2,3,nvfp4,x,4.5\n"),
            ["d,gemm forward fp4_block,fp4_block>bf16 m=1 n=2 k=3 transposed_b,4.5"])

    def test_attention(self):
        head = "batch,seq,heads,kv_heads,head_dim,dtype,kv_dtype,window,past,kernel,latency_us\n"
        self.assertEqual(self.rows("a.csv", head + "2,128,8,2,64,bfloat16,fp8,0,0,x,7\n"),
                         ["d,attention forward bf16,fp8>bf16 batch=2 heads=8 kv_heads=2 queries=128 keys=128 "
                          "key_dim=64 value_dim=64 causal caches,7"])
        head = "batch,kv_len,heads,kv_heads,head_dim,dtype,kv_dtype,window,kernel,latency_us\n"
        self.assertEqual(self.rows("a.csv", head + "2,128,8,2,64,bfloat16,bfloat16,32,x,7\n"),
                         ["d,attention forward bf16,bf16>bf16 batch=2 heads=8 kv_heads=2 queries=1 keys=128 "
                          "key_dim=64 value_dim=64 window=32 causal,7"])

    def test_experts_are_two_products(self):
        head = "tokens,hidden,moe_ffn,topk,experts,tp,ep,dtype,distribution,kernel,latency_us\n"
        text = head + "4,1024,512,2,8,2,4,fp8,balanced,x,9\n4,1024,512,2,8,2,4,fp8,power_law_1.2,x,9\n"
        self.assertEqual(self.rows("m.csv", text),
                         ["d,grouped_gemm forward fp8,fp8>bf16 groups=2 rows=2 n=512 k=1024 tokens=4 chosen=2 "
                          "experts=8 transposed_b gated + "
                          "grouped_gemm forward fp8,fp8>bf16 groups=2 rows=2 n=1024 k=256 tokens=4 chosen=2 "
                          "experts=8 transposed_b,9"])

    def test_uneven_loads_are_known_where_one_rank_has_all_experts(self):
        head = "tokens,hidden,moe_ffn,topk,experts,tp,ep,dtype,distribution,kernel,latency_us\n"
        text = head + ("4,1024,512,2,8,1,1,fp8,power_law_1.2,x,9\n4,1024,512,2,8,1,4,fp8,power_law_1.2,x,9\n"
                       "4,1024,512,2,8,1,1,fp8,balanced,x,8\n")
        done = self.run_on("m.csv", text, "--loads", "power_law_1.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.rpartition(",")[2] for line in done.stdout.splitlines()[1:]], ["9"])
        self.assertIn("unequal loads of ranks", done.stderr)
        self.assertIn("loads that are not power_law_1.2", done.stderr)

    def test_latent_attention_and_its_products(self):
        head = "stack,op,heads,batch,seq,past,dtype,kv_dtype,kernel,latency_us\n"
        text = head + ("s,context,16,2,128,0,bfloat16,bfloat16,x,7\ns,generation,16,2,1,127,bfloat16,bfloat16,x,8\n")
        self.assertEqual(self.rows("a.csv", text),
                         ["d,attention forward bf16,bf16>bf16 batch=2 heads=16 kv_heads=16 queries=128 keys=128 "
                          "key_dim=192 value_dim=128 causal,7",
                          "d,attention forward bf16,bf16>bf16 batch=2 heads=16 kv_heads=1 queries=1 keys=128 "
                          "key_dim=576 value_dim=512 causal,8"])
        head = "gpu,stack,op,dtype,tokens,heads,latency_us\n"
        text = head + "A,s,mla_gen_pre,bfloat16,64,16,4\nA,s,mla_gen_post,bfloat16,64,16,5\n"
        self.assertEqual(self.rows("b.csv", text, "--rename", "A=ours", device=""),
                         ["ours,batched_gemm forward bf16,bf16>bf16 batch=16 m=64 n=512 k=128,4",
                          "ours,batched_gemm forward bf16,bf16>bf16 batch=16 m=64 n=128 k=512,5"])

    def test_of_two_kernels_for_the_same_experts_one_is_taken(self):
        head = "tokens,hidden,moe_ffn,topk,experts,tp,ep,dtype,distribution,kernel,latency_us\n"
        text = head + ("1,2048,512,8,256,1,128,nvfp4,balanced,moe_torch_flow_min_latency,17\n"
                       "1,2048,512,8,256,1,128,nvfp4,balanced,moe_torch_flow_cutlass,31\n")
        rows = self.rows("m.csv", text)
        self.assertEqual(len(rows), 1)
        self.assertTrue(rows[0].endswith(",31"), rows[0])

    def test_grouped_products_alone_have_no_tokens(self):
        # PipeWeave's n is the width of the gate or of the gated product; its weights contain both.
        head = "gpu,weight,tokens,experts,topk,hidden,n,best_latency_us,tile_configs\n"
        self.assertEqual(self.rows("t.csv", head + "A100,w13,4,8,2,1024,512,7.5,5\n"),
                         ["d,grouped_gemm forward bf16,bf16>bf16 groups=8 rows=8 n=1024 k=1024 transposed_b gated,7.5"])

    def test_elements_lie_in_rows(self):
        head = "gpu,stack,op,dtype,m,k,kernel,latency_us\n"
        self.assertEqual(self.rows("q.csv", head + "A,vllm,scale_matrix,fp8,3,64,x,2\n"),
                         ["d,cast forward bf16,bf16>fp8 elements=192 features=64,2"])
        head = "gpu,model,hidden,ffn,heads,kv_heads,vocab,tp,num_tokens,op,median_ms\n"
        row = "a,x,512,1024,8,2,9,2,4,"
        self.assertEqual(self.rows("v.csv", head + row + "mlp_act,1\n" + row + "add,1\n" + row + "attn_rope,1\n"),
                         ["d,activation forward fp16,fp16>fp16 elements=2048 features=512 gated,1000",
                          "d,elementwise forward fp16,fp16>fp16 elements=2048 features=512 bytes=12288,1000",
                          "d,rotary forward fp16,fp16>fp16 elements=1280 features=320 bytes=5120,1000"])

    def test_milliseconds_become_microseconds(self):
        text = "device,B,H,large,latency_ms\nT4,3,4,True,0.5\nP4,3,4,True,0.5\n"
        self.assertEqual(self.rows("x_ln_fp32.csv", text, "--rename", "T4=t4", device=""),
                         ["t4,layer_norm forward fp32,fp32>fp32 rows=3 features=4,500"])

    def test_the_fastest_of_several(self):
        text = "m,n,k,dtype,kernel,latency_us\n1,2,3,fp8,x,5\n1,2,3,fp8,y,4\n9,2,3,fp8,x,5\n1,2,3,bfloat16,x,1\n"
        self.assertEqual(self.rows("g.csv", text, "--fastest", "2", "--format", "fp8"),
                         ["d,gemm forward fp8,fp8>bf16 m=1 n=2 k=3 transposed_b,4"])

    def test_the_median_of_one_timed_again(self):
        text = "m,n,k,dtype,latency_us\n1,2,3,fp8,7\n1,2,4,fp8,3\n1,2,3,fp8,5\n1,2,3,fp8,20\n"
        self.assertEqual(self.rows("g.csv", text, "--median"),
                         ["d,gemm forward fp8,fp8>bf16 m=1 n=2 k=3 transposed_b,7",
                          "d,gemm forward fp8,fp8>bf16 m=1 n=2 k=4 transposed_b,3"])

    def test_without_an_operation(self):
        head = "gpu,model,hidden,ffn,heads,kv_heads,vocab,tp,num_tokens,op,median_ms\n"
        text = head + "d,x,64,128,4,4,9,1,8,mlp_up_proj,1\nd,x,64,128,4,4,9,1,8,input_layernorm,2\n"
        self.assertEqual(self.rows("v.csv", text, "--without", "gemm", "--rename", "d=d", device=""),
                         ["d,rms_norm forward fp16,fp16>fp16 rows=8 features=64,2000"])

    def test_gradients(self):
        text = ("container,trans,m,n,k,a_type,b_type,d_type,beta,latency_us\n"
                "c,NT,5,6,7,bf16_r,bf16_r,f32_r,1,8\n")
        self.assertEqual(self.rows("p.csv", text),
                         ["d,gemm weight_grad bf16,bf16>fp32 m=6 n=5 k=7 accumulates transposed_a,8"])

    def test_what_is_wrong_is_said_with_its_place(self):
        self.assertIn("line 1", self.run_on("z.csv", "a,b\n1,2\n").stderr)
        done = self.run_on("g.csv", "m,n,k,dtype,kernel,latency_us\n1,2,3,bfloat16,x,4\n1,two,3,bfloat16,x,4\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("line 3", done.stderr)

    def test_what_is_left_out_is_counted(self):
        done = self.run_on("g.csv", "m,n,k,dtype,kernel,latency_us\n1,2,3,int4,x,4\n1,2,3,bfloat16,x,0\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 rows skipped", done.stderr)
        self.assertIn("number format int4", done.stderr)


if __name__ == "__main__":
    unittest.main()
