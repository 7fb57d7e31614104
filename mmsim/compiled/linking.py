"""Compile an entry and everything below it as one program, optimised once.

Numba optimises every function together with all that it calls, and does so again in each of its callers; with calls ten
deep the same code goes through LLVM ten times. Here the functions below an entry (`Part`) are only kept as they are.
The entry (`Whole`) links them all, makes them its own, which lets LLVM inline those with a single caller as a C
compiler does with static functions, and optimises that once. It rests on how Numba's code libraries work inside, so
`pyproject.toml` names the versions it is known to work with.
"""

from collections.abc import Iterator
from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _Codegen:
    """A code generator that keeps a function's environment until there is machine code to write it into."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen
        self.environments: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        self.environments[name] = environment


class Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that is called from compiled code only: no machine code of its own."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._keeper = _Codegen(codegen)

    @property
    def codegen(self) -> Any:
        return self._keeper

    @property
    def environments(self) -> dict[str, Any]:
        return self._keeper.environments

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def alone(self) -> Any:
        """The module of this function only."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """With all that it needs: for a library of Numba's own, which looks no further."""
        module = self.alone().clone()
        for part in _below(self):
            module.link_in(_alone(part), preserve=True)
        return module


class Whole(JITCodeLibrary):  # type: ignore[misc]
    """The code of an entry with all that it needs."""

    def finalize(self) -> None:
        own = {function.name for function in self.get_defined_functions()}
        parts = list(_below(self))
        for part in parts:
            self._reload_init.update(part._reload_init)
            self._final_module.link_in(_alone(part), preserve=True)
        self._linking_libraries.clear()  # all linked in
        for function in self.get_defined_functions():
            if function.name not in own and function.linkage == Linkage.linkonce_odr:
                function.linkage = "internal"
        super().finalize()
        for part in parts:
            if isinstance(part, Part):
                for name, environment in part.environments.items():
                    if self._codegen._engine.get_global_value_address(name):  # not optimised away
                        self._codegen.set_env(name, environment)


def _below(library: Any) -> Iterator[Any]:
    """Every library that a library needs, directly or through others, each once."""
    seen = {library}
    waiting = [library]
    while waiting:
        for needed in waiting.pop()._linking_libraries:
            if needed not in seen:
                seen.add(needed)
                waiting.append(needed)
                yield needed


def _alone(library: Any) -> Any:
    return library.alone() if isinstance(library, Part) else library._get_module_for_linking()


class PartCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, for a function below an entry."""

    library = Part

    def define_pipelines(self) -> Any:
        if self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
            self.state.library.enable_object_caching()
        return super().define_pipelines()


class WholeCompiler(PartCompiler):
    """Numba's compiler, for an entry."""

    library = Whole
