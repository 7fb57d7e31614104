"""Compile a program as one module, optimised once, and make a shared library of it.

Numba optimises every function together with all that it calls, and does so again in each of its callers; with calls ten
deep the same code goes through LLVM ten times. Here the code of a function is only kept (`FunctionCode`), and that of
all functions of a program is linked into one module with a C function an entry. Everything else in it is the module's
own, which lets LLVM inline what has a single caller as a C compiler does with static functions. It rests on how Numba's
code libraries work inside, so `way` names the versions it is known to work with.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numba
from llvmlite import binding
from llvmlite.binding import Linkage
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.llvm_bindings import create_pass_builder

from mmsim.compiled import execution_mode
from mmsim.compiled.entry_points import ArrayOf, Entry, Group
from mmsim.errors import MmsimError

# The code is for any processor of a kind, not for the one at hand; and there is no library of vector functions to call.
numba.config.CPU_NAME, numba.config.CPU_FEATURES, numba.config.DISABLE_INTEL_SVML = execution_mode.PROCESSOR, "", 1

_PASSES = (
    (untyped_passes.TranslateByteCode, "read bytecode"),
    (untyped_passes.FixupArgs, "name arguments"),
    (untyped_passes.IRProcessing, "find blocks"),
    (untyped_passes.ReconstructSSA, "give every value its own variable"),
    (typed_passes.NopythonTypeInference, "find types"),
    (typed_passes.PreLowerStripPhis, "join variables"),
    (typed_passes.IRLegalization, "check"),
    (typed_passes.NativeLowering, "write LLVM's code"),
    (typed_passes.NoPythonBackend, "hand it over"),
)

# Arrays belong to Python: an entry is given their addresses only, so there is nothing to count references of.
_NO_COUNTING = """
define void @NRT_incref(ptr %counted) alwaysinline { ret void }
define void @NRT_decref(ptr %counted) alwaysinline { ret void }
"""


class _Codegen:
    """A code generator for functions that get no machine code of their own: no environment is written into it."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass


class FunctionCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of one function of a program, not optimised yet."""

    @property
    def codegen(self) -> Any:
        return _Codegen(self._codegen)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True


class FunctionCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler, for a function of a program.

    Its passes are those that such a function needs. Numba's own also rewrite closures, `with` blocks, array expressions
    and the like, which none has, and look for them in every function: without them the same library is made, sooner.
    """

    def define_pipelines(self) -> Any:
        if self.state.library is None:
            self.state.library = FunctionCode(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
            self.state.library.enable_object_caching()
        passes = PassManager("function of a program")
        for needed, what in _PASSES:
            passes.add_pass(needed, what)
        passes.finalize()
        return [passes]


def make_library(compiled: list[tuple[Entry, Any]], path: Path) -> None:
    """The library of a program: its entries, each with what Numba has made of it."""
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(
        cpu=execution_mode.PROCESSOR, features="", opt=3, reloc="pic", codemodel="default"
    )
    text = "\n".join(_c_function(entry, result.fndesc.llvm_func_name) for entry, result in compiled)
    module = binding.parse_assembly(_NO_COUNTING + text)
    module.triple, module.data_layout = binding.get_process_triple(), str(machine.target_data)
    needed = list(_below([result.library for _, result in compiled]))
    for library in needed:
        if isinstance(library, FunctionCode):
            module.link_in(library._final_module, preserve=True)
    for library in needed:  # what Numba brings along; only what is called by now is taken
        if not isinstance(library, FunctionCode):
            module.link_in(library._get_module_for_linking(), preserve=True)
    exported = {f"mmsim_{entry.name}" for entry, _ in compiled}
    for defined in [*module.functions, *module.global_variables]:
        if not defined.is_declaration and defined.name not in exported:
            defined.linkage = Linkage.internal
    module.verify()
    _optimise(module, machine)
    _link(machine.emit_object(module), path)


def _optimise(module: Any, machine: Any) -> None:
    """The two steps of Numba: inline cheaply, then everything."""
    cheap = create_pass_builder(machine, opt=0, loop_vectorize=False, slp_vectorize=False)
    passes = cheap.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.run(module, cheap)
    full = create_pass_builder(machine, opt=3, loop_vectorize=True, slp_vectorize=True)
    full.getModulePassManager().run(module, full)


def _link(code: bytes, path: Path) -> None:
    """Object code as a shared library that needs nothing but the C library's mathematics."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "program.o"
        made.write_bytes(code)
        command = [str(execution_mode.compiler()), "-shared", "-s", "-Wl,-z,defs", "-o", str(path), str(made), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MmsimError(f"the C compiler could not link {path.name}: {done.stderr.strip()}")


def _c_function(entry: Entry, name: str) -> str:
    """An entry as LLVM text: a C function that calls what Numba has made, which returns its status."""
    taken, passed = ["ptr %result"], ["ptr %result", "ptr %error"]
    for i, kind in enumerate(entry.kinds):
        arrays = kind.arrays if isinstance(kind, Group) else (kind,)
        for j, array in enumerate(arrays):
            at = f"%a{i}_{j}"
            if isinstance(array, ArrayOf):  # Numba's: two owners, items, bytes of each, address, shape, strides
                size = array.kind.itemsize
                taken += [f"ptr {at}", f"i64 {at}_n"]
                passed += ["ptr null", "ptr null", f"i64 {at}_n", f"i64 {size}"]
                passed += [f"ptr {at}", f"i64 {at}_n", f"i64 {size}"]
            else:
                taken.append(f"i64 {at}")
                passed.append(f"i64 {at}")
    given = ", ".join(word.split()[0] for word in passed)
    return f"""
declare i32 @"{name}"({given})
define i32 @mmsim_{entry.name}({", ".join(taken)}) {{
  %error = alloca ptr
  %status = call i32 @"{name}"({", ".join(passed)})
  ret i32 %status
}}
"""


def _below(libraries: list[Any]) -> Iterator[Any]:
    """Libraries and every one that they need, directly or through others, each once."""
    seen, waiting = set(libraries), list(libraries)
    while waiting:
        library = waiting.pop()
        yield library
        for needed in library._linking_libraries:
            if needed not in seen:
                seen.add(needed)
                waiting.append(needed)
