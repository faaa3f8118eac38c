"""Kernels for Python; the package `warpwise` around it is what people import."""

from os import PathLike
from typing import Any, final

__all__ = ["Kernel", "Module", "__version__", "explain", "targets"]

__version__: str

def explain(
    instruction: str, lanes: int, settings: list[tuple[str, list[int]]], /
) -> tuple[str, str, str]: ...
def targets() -> list[str]: ...
@final
class Module:
    def __new__(cls, texts: list[tuple[str, str]], target: str | None = None, /) -> Module: ...
    @staticmethod
    def read_file(path: str | PathLike[str], /) -> list[tuple[str, str]]: ...
    @staticmethod
    def read_bytes(name: str, bytes: bytes, /) -> list[tuple[str, str]]: ...
    @property
    def texts(self) -> list[tuple[str, str]]: ...
    @property
    def target(self) -> str: ...
    @property
    def kernels(self) -> list[tuple[str, str]]: ...
    @property
    def variables(self) -> list[tuple[str, str, int]]: ...
    @property
    def warnings(self) -> list[str]: ...
    def kernel(self, name: str, /) -> Kernel: ...
    def read(self, name: str, /) -> bytes: ...
    def write(self, name: str, bytes: bytes, /) -> None: ...

@final
class Kernel:
    @property
    def symbol(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def signature(self) -> str | None: ...
    @property
    def parameters(self) -> list[tuple[str, str, int, int, bool]]: ...
    @property
    def attributes(self) -> dict[str, Any]: ...
    @property
    def ir(self) -> str: ...
    def launch(
        self,
        grid: Any,
        block: Any,
        args: tuple[Any, ...],
        options: dict[str, Any] | None = None,
        memory: list[Any] | None = None,
        /,
    ) -> tuple[bytes, float, tuple[int, int, int, int, int]]: ...
    def check(
        self,
        grid: Any,
        block: Any,
        args: tuple[Any, ...],
        options: dict[str, Any] | None = None,
        memory: list[Any] | None = None,
        pedantic: bool = False,
        /,
    ) -> str: ...
    def explore(
        self,
        grid: Any,
        block: Any,
        args: tuple[Any, ...],
        count: int,
        seed: int | None,
        options: dict[str, Any] | None = None,
        memory: list[Any] | None = None,
        pedantic: bool = False,
        /,
    ) -> str: ...
    def doubts(self, args: tuple[Any, ...], /) -> list[str]: ...
