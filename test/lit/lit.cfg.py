# %dvm_ir FILE: the IR behind the pass, before any optimisation; further words are flags of clang.
# %dvm_marks FILE: what the clang side leaves for the pass.
# %dvm_clang: clang with the pass as plug-in.  %S/Inputs/marks.h declares the marks.
import os
import lit.formats

config.name = "dvm"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".c", ".ll"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

tools = config.llvm_tools
clang = f"{tools}/clang -I{config.test_source_root}/pass/Inputs -I{config.dvm_source} -fno-discard-value-names -w"
config.substitutions += [
    ("%dvm_ir", f"sh {config.test_source_root}/dvm-ir.sh {tools} {config.dvm_pass} {config.test_source_root}/pass/Inputs"),
    ("%dvm_clang", f"{clang} -fpass-plugin={config.dvm_pass}"),
    ("%dvm_marks", f"{tools}/clang -O1 -fplugin={config.dvm_plugin} -Xclang -disable-llvm-passes -fno-discard-value-names -w -S -emit-llvm -o -"),
    ("%clang", clang),
    ("%opt", f"{tools}/opt -load-pass-plugin={config.dvm_pass}"),
    ("%dvm_pass", config.dvm_pass),
    ("%nm", f"{tools}/llvm-nm"),
    ("FileCheck", f"{tools}/FileCheck"),
]
