"""Modules, kernels and launches."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Union

from . import _explore, _given, _state, _warpwise
from ._errors import BadInput, Error
from ._findings import Checked, Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A number, or one to three of them: x, y, z.
Extents = Union[int, Sequence[int]]
#: What a module is made of: PTX as text or bytes, the bytes of a fat binary or a program, or the path of a file with any of
#: these; or an object with PTX inside, such as a compiled kernel of Triton or an ``ObjectCode`` of cuda.core.
Source = Union[str, bytes, bytearray, "os.PathLike[str]", Any]


class Options(TypedDict, total=False):
    """What launches take by name."""

    #: Bytes of dynamic shared memory of a CTA.
    smem: int
    #: Extents of clusters in CTAs.
    cluster: Extents
    #: Host threads; 0, the default, takes all cores.
    threads: int
    #: A schedule, as findings name it: it replays their run.
    schedule: str
    #: What executes the kernel: ``auto``, the default, ``interp`` or ``jit``, or with certain vector instructions ``interp:portable``,
    #: ``interp:avx2``, ``interp:avx512``, ``jit:avx2``, ``jit:avx512``, ``jit:avx512fp16``.
    engine: str
    #: Warp instructions after which the kernel is stopped.
    max_steps: int
    #: Bytes of the stack that each thread has for recursion.
    stack: int
    #: Bytes that kernels may have allocated with ``malloc`` at one time.
    heap: int
    #: Whether equal launches do the same, also what they read from clocks.
    deterministic: bool
    #: Arrays that the kernel reaches by pointers inside structures.
    memory: Sequence[Any]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    #: Its name in the module.
    name: str
    #: The type of one scalar in PTX, such as ``.f32``.
    type: str
    bytes: int
    align: int
    #: Whether it is a structure that is passed by value.
    is_structure: bool


class Module(Mapping[str, "Kernel"]):
    """PTX, ready to run: a mapping from names to kernels.

    ``source`` is PTX text, the path of a file (PTX, a fat binary, a program or a library as ``nvcc`` built it), their bytes, or
    a list of these, which are linked. ``target`` is the architecture to run as, such as ``"sm_90"``, if not the one that
    the PTX is written for. ``name`` is what messages call a text.

    >>> module = warpwise.Module("scan.ptx")
    >>> module.kernels
    ['scan']
    >>> module["scan"][1, 32](data, out)

    A kernel is found by its symbol or by its name in C++: ``module["ns::scan<int>"]``, or how that begins. Variables in global
    and constant memory keep their values from launch to launch; :meth:`read` and :meth:`write` get at them.
    """

    def __init__(
        self,
        source: Source | Sequence[Source],
        *,
        target: str | None = None,
        name: str | None = None,
    ) -> None:
        if target is not None:
            _given.text(target, "target")
        if name is not None:
            _given.text(name, "name")
        sources = source if isinstance(source, (list, tuple)) else [source]
        texts = [text for one in sources for text in _texts(one, name)]
        self._load(texts, target)

    def _load(self, texts: list[tuple[str, str]], target: str | None) -> None:
        self._given_target = target
        self._module = _warpwise.Module(texts, target)
        self._kernels: dict[str, Kernel] = {}

    @property
    def kernels(self) -> list[str]:
        """The names of its kernels, as short as they may be."""
        return [name for _, name in self._module.kernels]

    @property
    def target(self) -> str:
        """The architecture that its kernels run as."""
        return self._module.target

    @property
    def variables(self) -> dict[str, str]:
        """Its variables in global and constant memory, with their declarations."""
        return {name: declaration for name, declaration, _ in self._module.variables}

    @property
    def warnings(self) -> list[str]:
        """What deserves a look in it."""
        return self._module.warnings

    def kernel(self, name: str) -> Kernel:
        """A kernel by its symbol, or by its name in C++."""
        found = self._kernels.get(_given.text(name, "name"))
        if found is None:
            found = self._kernels[name] = Kernel(self, self._module.kernel(name))
        return found

    def read(self, name: str, dtype: Any = None) -> Any:
        """What a variable holds: bytes, or with ``dtype`` an array of NumPy."""
        held = self._module.read(_given.text(name, "name"))
        if dtype is None:
            return held
        import numpy

        return numpy.frombuffer(held, dtype).copy()

    def write(self, name: str, value: Any) -> None:
        """Gives a variable a value: bytes, or anything that has as many, such as an array of NumPy of the variable's type."""
        self._module.write(_given.text(name, "name"), _given.contents(value, "value"))

    def __getitem__(self, name: str) -> Kernel:
        return self.kernel(name)

    def __getattr__(self, name: str) -> Kernel:
        # One that was never loaded has no kernels to look among.
        if name.startswith("_") or "_module" not in self.__dict__:
            raise AttributeError(f"a module has no attribute {name!r}")
        if name not in self.kernels:
            raise AttributeError(f"the module has no kernel {name!r}; it has {', '.join(self.kernels)}")
        return self.kernel(name)

    def __contains__(self, name: object) -> bool:
        return any(name in both for both in self._module.kernels)

    def __iter__(self) -> Iterator[str]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self._module.kernels)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self.kernels if name.isidentifier())]

    def __repr__(self) -> str:
        names = " + ".join(name for name, _ in self._module.texts)
        return f"<warpwise.Module {names}, {self.target}: {', '.join(self.kernels) or 'no kernels'}>"

    def __reduce__(self) -> Any:
        held = {name: self._module.read(name) for name, _, _ in self._module.variables}
        return _loaded, (self._module.texts, self._given_target, held)


def _loaded(
    texts: list[tuple[str, str]], target: str | None, held: dict[str, bytes]
) -> Module:
    """A copy of a module, its variables with what they held."""
    module = Module.__new__(Module)
    module._load(texts, target)
    for name, value in held.items():
        if module._module.read(name) != value:
            module._module.write(name, value)
    return module


def _texts(source: Source, name: str | None) -> list[tuple[str, str]]:
    """The modules in what somebody has given for one."""
    read = _warpwise.Module
    if isinstance(source, (bytes, bytearray, memoryview)):
        return read.read_bytes(name or "<bytes>", bytes(source))
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith(("//", ".version"))):
        return [(name or "<ptx>", _given.text(source, "source").rstrip("\0"))]
    if isinstance(source, (str, os.PathLike)):
        if not os.fspath(source):
            raise BadInput("a module is PTX, or the path of a file, and this text is empty")
        return read.read_file(source)
    # Triton's compiled kernels, and what cuda.core compiles.
    asm = getattr(source, "asm", None)
    if isinstance(asm, Mapping) and "ptx" in asm:
        return _texts(asm["ptx"], name or getattr(source, "name", None))
    code = getattr(source, "code", None)
    if isinstance(code, (str, bytes, bytearray)):
        return _texts(code, name)
    raise TypeError(f"a module is PTX, its path or its bytes, and no {type(source).__name__}")


class Kernel:
    """A kernel of a module.

    ``kernel[grid, block](*args)`` launches it, and so does ``kernel.launch(grid, block, *args)``; both take options by name, and return when it has ended, and print what it printed.

    Arguments are, for a pointer, arrays of NumPy, or anything with ``__cuda_array_interface__``, ``__dlpack__`` or the buffer
    protocol, or ``None``. The kernel works on their memory; where their elements do not lie one after another, on a copy, whose
    contents come back. For a number they are numbers, converted to the parameter's type if that can hold the value; for a structure
    that is passed by value ``numpy.void``, ``ctypes.Structure``, or bytes.
    """

    def __init__(self, module: Module, kernel: _warpwise.Kernel) -> None:
        self._module = module
        self._kernel = kernel

    @property
    def module(self) -> Module:
        """The module that it belongs to."""
        return self._module

    @property
    def name(self) -> str:
        """Its name; that of C++ without the parameters."""
        return self._kernel.name

    @property
    def symbol(self) -> str:
        """Its name in the PTX."""
        return self._kernel.symbol

    @property
    def signature(self) -> str:
        """Its name with its parameters, as C++ or PTX has them."""
        written = self._kernel.signature
        if written is not None:
            return written
        shown = (f"{it.type} {it.name}" for it in self.parameters)
        return f"{self.symbol}({', '.join(shown)})"

    @property
    def parameters(self) -> list[Parameter]:
        """Its parameters in order."""
        return [Parameter(*it) for it in self._kernel.parameters]

    @property
    def attributes(self) -> dict[str, Any]:
        """What it takes of a device: shared and local memory, threads of a CTA, an estimate of registers."""
        return self._kernel.attributes

    @property
    def ir(self) -> str:
        """The warp code that it was lowered to, as text."""
        return self._kernel.ir

    def launch(self, grid: Extents, block: Extents, *args: Any, **options: Unpack[Options]) -> Report:
        """Runs it to its end: ``grid`` CTAs of ``block`` threads, each a number, or one to three of them.

        >>> kernel.launch(4, (16, 16), x, out, 2.0, smem=1024)

        Options are ``smem``, bytes of dynamic shared memory; ``cluster``, extents of clusters in CTAs; ``max_steps``, warp
        instructions after which the kernel is stopped; ``threads`` of the host, all cores without it; ``schedule``, as a finding names it;
        ``engine``, ``"auto"``, ``"interp"`` or ``"jit"``; ``stack`` and ``heap``, bytes of a thread's stack and of what kernels
        allocate; ``deterministic``, whether equal launches do the same to the clock; ``memory``, arrays that the kernel reaches
        by pointers inside structures.

        Raises :class:`~warpwise.Fault` if it is stopped, with the place, :class:`~warpwise.ArgumentError` if an argument does not
        fit. Ctrl-C stops it. Other threads of Python go on meanwhile.
        """
        if _state.checks:
            checked = self.check(grid, block, *args, **options)
            checked.raise_if_wrong()
            return checked.report
        rest, memory = _split(options)
        try:
            printed, seconds, counts = self._kernel.launch(grid, block, args, rest, memory)
        except Error as error:
            _say(error.printed)
            raise
        text = _say(printed.decode(errors="replace")) if printed else ""
        return Report(text, seconds, *counts)

    def check(
        self,
        grid: Extents,
        block: Extents,
        *args: Any,
        pedantic: bool = False,
        **options: Unpack[Options],
    ) -> Checked:
        """Runs it, and looks for what the ISA leaves undefined: what is found comes back as a sequence of findings.

        >>> found = kernel.check(4, 128, x, out, 2.0)
        >>> assert found.ok, found

        Options are those of :meth:`launch`. A kernel that is stopped is no exception here: :attr:`~warpwise.Checked.fault` says so. ``pedantic`` asks for what is
        harmless, too.
        """
        _given.flag(pedantic, "pedantic")
        rest, memory = _split(options)
        document = self._kernel.check(grid, block, args, rest, memory, pedantic)
        checked = Checked._of(document)
        _say(checked.report.printed)
        return checked

    def explore(
        self,
        grid: Extents,
        block: Extents,
        *args: Any,
        n: int | None = 1000,
        seed: int = 0,
        executor: Executor | None = None,
        pedantic: bool = False,
        **options: Unpack[Options],
    ) -> Checked:
        """Checks it under ``n`` other schedules, a million at most, from a seed, or with ``n=None`` under every one that can do anything else.

        What only one of them shows comes with a ``schedule`` that replays it. With an ``executor`` of ``concurrent.futures``
        (threads, processes, or those of Ray and Dask) it runs the schedules; the findings are those of one process, whatever
        the executor and the order.
        """
        _given.flag(pedantic, "pedantic")
        rest, memory = _split(options)
        launch = _Explored(self, grid, block, args, rest, memory, pedantic)
        checked = _explore.explore(launch, n, seed, executor)
        _say(checked.report.printed)
        return checked

    def doubts(self, *args: Any) -> list[str]:
        """What deserves a look in arguments of these types, such as an array of ``float64`` where the kernel reads ``float``."""
        return self._kernel.doubts(args)

    def __getitem__(self, shape: tuple[Any, ...]) -> Launcher:
        if not isinstance(shape, tuple) or len(shape) not in (2, 3):
            raise TypeError("write kernel[grid, block](...), or kernel[grid, block, smem](...)")
        return Launcher(self, *shape)

    def __call__(self, *args: Any, **options: Any) -> None:
        raise TypeError(f"say how to launch it: {self.name}[grid, block](...)")

    def __repr__(self) -> str:
        return f"<warpwise.Kernel {self.signature}>"

    def __reduce__(self) -> Any:
        return _kernel_of, (self._module, self.symbol)


def _kernel_of(module: Module, symbol: str) -> Kernel:
    return module.kernel(symbol)


@dataclass(frozen=True)
class _Explored:
    """A launch that is explored: what :class:`~warpwise._explore.Batch` asks for."""

    kernel: Kernel
    grid: Extents
    block: Extents
    args: tuple[Any, ...]
    options: dict[str, Any] | None
    memory: list[Any] | None
    pedantic: bool

    def __call__(self, count: int, seed: int | None) -> str:
        return self.kernel._kernel.explore(
            self.grid, self.block, self.args, count, seed, self.options, self.memory, self.pedantic
        )


class Launcher:
    """A kernel with the shape of its launch: ``kernel[grid, block]``, or ``kernel[grid, block, smem]``."""

    __slots__ = ("block", "grid", "kernel", "smem")

    def __init__(self, kernel: Kernel, grid: Extents, block: Extents, smem: int = 0) -> None:
        self.kernel = kernel
        self.grid = grid
        self.block = block
        self.smem = smem

    def __call__(self, *args: Any, **options: Unpack[Options]) -> None:
        """Runs it to its end: :meth:`Kernel.launch`."""
        self.kernel.launch(self.grid, self.block, *args, **self._with(options))

    def check(self, *args: Any, **options: Any) -> Checked:
        """Runs it and looks for what is undefined: :meth:`Kernel.check`."""
        return self.kernel.check(self.grid, self.block, *args, **self._with(options))

    def explore(self, *args: Any, **options: Any) -> Checked:
        """Checks it under other schedules, too: :meth:`Kernel.explore`."""
        return self.kernel.explore(self.grid, self.block, *args, **self._with(options))

    def _with(self, options: Any) -> Any:
        return {"smem": self.smem, **options} if self.smem else options

    def __repr__(self) -> str:
        return f"{self.kernel!r}[{self.grid}, {self.block}]"


def _split(options: Any) -> tuple[dict[str, Any] | None, list[Any] | None]:
    """The options that the module takes, and the arrays beside them."""
    if not options:
        return None, None
    memory = options.pop("memory", None)
    unknown = [name for name in options if name not in Options.__annotations__]
    if unknown:
        known = ", ".join(Options.__annotations__)
        raise TypeError(f"there is no option {unknown[0]!r}; there are {known}")
    if memory is not None and not isinstance(memory, Iterable):
        raise TypeError(f"memory={memory!r}: give a list of arrays")
    return options, None if memory is None else list(memory)


def _say(printed: str) -> str:
    """Prints what a kernel printed, and gives it back."""
    if printed:
        sys.stdout.write(printed)
    return printed
