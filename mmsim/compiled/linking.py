"""Compile a program as one LLVM module, optimise it once, and build a shared library.

Numba optimises every function together with everything it calls, and again in each of its callers: with calls ten deep
the same code passes through LLVM ten times. Here the code of each function is only collected (`FunctionCode`). All of a
program is then linked into one module with one C function per entry point. Everything else is internal to the module,
so LLVM inlines functions with a single caller, as a C compiler does with static ones. This relies on the internals of
Numba's code libraries: `execution_mode` lists the versions that it works with.
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
from mmsim.compiled.entry_points import ArrayOf, EntryPoint, Group
from mmsim.errors import MmsimError

# The code must run on every processor of the target, not just on this one, and without a library of vector functions.
numba.config.CPU_NAME, numba.config.CPU_FEATURES, numba.config.DISABLE_INTEL_SVML = execution_mode.PROCESSOR, "", 1

_PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)

# Python owns the arrays and passes only their addresses, so there are no references to count.
_NO_REFERENCE_COUNTS = """
define void @NRT_incref(ptr %object) alwaysinline { ret void }
define void @NRT_decref(ptr %object) alwaysinline { ret void }
"""


class _Codegen:
    """A code generator for functions without machine code of their own: it has no environment to write to."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass


class FunctionCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of one function of a program, not yet optimised."""

    @property
    def codegen(self) -> Any:
        return _Codegen(self._codegen)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True


class FunctionCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with only the passes that our functions need.

    Numba also looks for closures, `with` blocks, array expressions and the like in every function. Ours have none:
    without those passes the same library is built in less time.
    """

    def define_pipelines(self) -> Any:
        if self.state.library is None:
            self.state.library = FunctionCode(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
            self.state.library.enable_object_caching()
        passes = PassManager("function of a program")
        for compiler_pass in _PASSES:
            passes.add_pass(compiler_pass, compiler_pass.__name__)
        passes.finalize()
        return [passes]


def build_library(compiled: list[tuple[EntryPoint, Any]], path: Path) -> None:
    """Build the library of a program from its entry points, each with Numba's result."""
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(
        cpu=execution_mode.PROCESSOR, features="", opt=3, reloc="pic", codemodel="default"
    )
    text = "\n".join(_c_function(entry_point, result.fndesc.llvm_func_name) for entry_point, result in compiled)
    module = binding.parse_assembly(_NO_REFERENCE_COUNTS + text)
    module.triple, module.data_layout = binding.get_process_triple(), str(machine.target_data)
    libraries = list(_with_dependencies([result.library for _, result in compiled]))
    for library in libraries:
        if isinstance(library, FunctionCode):
            module.link_in(library._final_module, preserve=True)
    for library in libraries:  # Numba's own: last, because only what has been called by then is linked
        if not isinstance(library, FunctionCode):
            module.link_in(library._get_module_for_linking(), preserve=True)
    exported = {f"mmsim_{entry_point.name}" for entry_point, _ in compiled}
    for defined in [*module.functions, *module.global_variables]:
        if not defined.is_declaration and defined.name not in exported:
            defined.linkage = Linkage.internal
    module.verify()
    _optimise(module, machine)
    _link(machine.emit_object(module), path)


def _optimise(module: Any, machine: Any) -> None:
    """The two steps of Numba: cheap inlining first, then every optimisation."""
    cheap = create_pass_builder(machine, opt=0, loop_vectorize=False, slp_vectorize=False)
    passes = cheap.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.run(module, cheap)
    full = create_pass_builder(machine, opt=3, loop_vectorize=True, slp_vectorize=True)
    full.getModulePassManager().run(module, full)


def _link(code: bytes, path: Path) -> None:
    """Link object code into a shared library that needs nothing but the C mathematics library."""
    with TemporaryDirectory() as folder:
        object_file = Path(folder) / "program.o"
        object_file.write_bytes(code)
        options = ["-shared", "-s", "-Wl,-z,defs", "-o", str(path), str(object_file), "-lm"]
        command = [str(execution_mode.compiler()), *options]
        linked = subprocess.run(command, capture_output=True, text=True, check=False)
    if linked.returncode:
        raise MmsimError(f"the C compiler could not link {path.name}: {linked.stderr.strip()}")


def _c_function(entry_point: EntryPoint, numba_name: str) -> str:
    """LLVM text of the C function of an entry point: it calls Numba's function and returns its status."""
    parameters, passed = ["ptr %result"], ["ptr %result", "ptr %error"]
    for i, argument in enumerate(entry_point.argument_types):
        parts = argument.arrays if isinstance(argument, Group) else (argument,)
        for j, part in enumerate(parts):
            name = f"%a{i}_{j}"
            if isinstance(part, ArrayOf):  # Numba's: two owners, items, bytes of each, address, shape, strides
                size = part.dtype.itemsize
                parameters += [f"ptr {name}", f"i64 {name}_n"]
                passed += ["ptr null", "ptr null", f"i64 {name}_n", f"i64 {size}"]
                passed += [f"ptr {name}", f"i64 {name}_n", f"i64 {size}"]
            else:
                parameters.append(f"i64 {name}")
                passed.append(f"i64 {name}")
    numba_types = ", ".join(argument.split()[0] for argument in passed)
    return f"""
declare i32 @"{numba_name}"({numba_types})
define i32 @mmsim_{entry_point.name}({", ".join(parameters)}) {{
  %error = alloca ptr
  %status = call i32 @"{numba_name}"({", ".join(passed)})
  ret i32 %status
}}
"""


def _with_dependencies(libraries: list[Any]) -> Iterator[Any]:
    """Libraries and every one that they need, directly or through others, each once."""
    seen, waiting = set(libraries), list(libraries)
    while waiting:
        library = waiting.pop()
        yield library
        for dependency in library._linking_libraries:
            if dependency not in seen:
                seen.add(dependency)
                waiting.append(dependency)
