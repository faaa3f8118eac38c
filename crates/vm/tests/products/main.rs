//! Products of matrices as one operation, against shuffles and multiply-adds that make the same, bit for bit.

mod expansion;

use ir::{Access, Address, BinaryOp, Builder, Class, Collective, CompareOp, Dim, Kernel, Members};
use ir::{Mma, Op, Ordering, Reg, Round, Space, Special, Src, Terminator, WarpRules};
use lanes::product::{Adder, Factor, Layout, Product, Sum};
use warpwise_vm::{EngineChoice, Executable, Launch, Level, Memory, Observer};

/// Two warps.
const THREADS: usize = 64;

/// How a kernel makes the product.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// By the operation.
    Whole,
    /// By the operation at two places, for odd and even lanes.
    Apart,
    /// By shuffles and multiply-adds.
    Expanded,
}

/// Every product that `mma` and `wmma.mma` have (PTX ISA 9.1), but for floats with `.satfinite`.
fn products() -> Vec<Product> {
    use Factor as F;
    let mut found = Vec::new();
    let mut add =
        |layout, shapes: &[[u32; 3]], factors: &[(Factor, Factor)], sums: &[(Sum, Sum)]| {
            for [m, n, k] in shapes.iter().copied() {
                for (a, b) in factors.iter().copied() {
                    for (c, d) in sums.iter().copied() {
                        let integers = a.is_integer();
                        let rounds =
                            if a == F::F64 { Round::ALL.as_slice() } else { &Round::ALL[..1] };
                        for satfinite in if integers { &[false, true][..] } else { &[false] } {
                            for xor in if a == F::B1 { &[false, true][..] } else { &[false] } {
                                for round in rounds.iter().copied() {
                                    let (satfinite, xor) = (*satfinite, *xor);
                                    let adder = match a.is_small_float() {
                                        true => Adder::Halves,
                                        false => Adder::Full,
                                    };
                                    let product = Product {
                                        m,
                                        n,
                                        k,
                                        a,
                                        b,
                                        c,
                                        d,
                                        layout,
                                        satfinite,
                                        xor,
                                        adder,
                                        round,
                                    };
                                    assert!(product.is_valid(), "{product:?}");
                                    found.push(product);
                                }
                            }
                        }
                    }
                }
            }
        };
    let both = |types: [Factor; 2]| -> Vec<(Factor, Factor)> {
        types.iter().flat_map(|a| types.map(|b| (*a, b))).collect()
    };
    let (bytes, nibbles) = (both([F::S8, F::U8]), both([F::S4, F::U4]));
    let tiny = both([F::E4m3, F::E5m2]);
    let tinier = [F::E4m3, F::E5m2, F::E2m3, F::E3m2, F::E2m1];
    let tinier: Vec<(Factor, Factor)> =
        tinier.iter().flat_map(|a| tinier.map(|b| (*a, b))).collect();
    let (halves, singles) = ((Sum::F16, Sum::F16), (Sum::F32, Sum::F32));
    let (wide, integers) = ([(Sum::F64, Sum::F64)], [(Sum::S32, Sum::S32)]);
    let mma = Layout::Mma;
    add(mma, &[[16, 8, 8], [16, 8, 16]], &[(F::F16, F::F16)], &[halves, singles]);
    add(mma, &[[16, 8, 8], [16, 8, 16]], &[(F::Bf16, F::Bf16)], &[singles]);
    add(mma, &[[16, 8, 4], [16, 8, 8]], &[(F::Tf32, F::Tf32)], &[singles]);
    add(mma, &[[16, 8, 16]], &tiny, &[halves, singles]);
    add(mma, &[[16, 8, 32]], &tinier, &[halves, singles]);
    add(mma, &[[8, 8, 4], [16, 8, 4], [16, 8, 8], [16, 8, 16]], &[(F::F64, F::F64)], &wide);
    add(mma, &[[8, 8, 16], [16, 8, 16], [16, 8, 32]], &bytes, &integers);
    add(mma, &[[8, 8, 32], [16, 8, 32], [16, 8, 64]], &nibbles, &integers);
    add(mma, &[[8, 8, 128], [16, 8, 128], [16, 8, 256]], &[(F::B1, F::B1)], &integers);
    let wmma = Layout::Wmma;
    let shapes = [[16, 16, 16], [8, 32, 16], [32, 8, 16]];
    let mixed = [halves, singles, (Sum::F16, Sum::F32), (Sum::F32, Sum::F16)];
    add(wmma, &shapes, &[(F::F16, F::F16)], &mixed);
    add(wmma, &shapes, &[(F::Bf16, F::Bf16)], &[singles]);
    add(wmma, &shapes, &[(F::S8, F::S8), (F::U8, F::U8)], &integers);
    add(wmma, &[[16, 16, 8]], &[(F::Tf32, F::Tf32)], &[singles]);
    add(wmma, &[[8, 8, 4]], &[(F::F64, F::F64)], &wide);
    add(wmma, &[[8, 8, 32]], &[(F::S4, F::S4), (F::U4, F::U4)], &integers);
    add(wmma, &[[8, 8, 128]], &[(F::B1, F::B1)], &integers);
    found
}

/// Bytes of a register of a lane.
fn bytes(product: &Product) -> usize {
    if product.is_wide() { 8 } else { 4 }
}

/// Registers of `a`, `b` and `c`, and of `d`.
fn counts(product: &Product) -> (usize, usize) {
    let counts = product.registers();
    (counts.a + counts.b + counts.c, counts.d)
}

/// Register `r` of `a`, `b`, `c` of thread `t` of CTA `i` is at `in[i][r][t]`, that of `d` goes to `out[i][r][t]`.
fn kernel(product: &Product, way: Way) -> Kernel {
    let mut b = Builder::new("product", WarpRules::Independent);
    let (access, class) = match product.is_wide() {
        true => (Access::B64, Class::W64),
        false => (Access::B32, Class::W32),
    };
    let (sources, results) = counts(product);
    let [t, cta] = [0; 2].map(|_| b.reg(Class::W32));
    b.push(Op::Special { d: t, what: Special::Tid(Dim::X) });
    b.push(Op::Special { d: cta, what: Special::Ctaid(Dim::X) });
    let mut base = |param: u64, registers: usize| {
        let d = b.reg(Class::W64);
        let address = Address { base: Src::Imm(param), offset: 0 };
        let (space, ordering) = (Space::Param, Ordering::Weak);
        b.push(Op::Load { d: vec![Some(d)], space, access: Access::B64, address, ordering });
        let row = bytes(product) as u64;
        let lane = b.binary(BinaryOp::MulWideU32, t, Src::Imm(row));
        let row = Src::Imm(row * (registers * THREADS) as u64);
        let round = b.binary(BinaryOp::MulWideU32, cta, row);
        let d = b.binary(BinaryOp::AddI64, d, lane);
        b.binary(BinaryOp::AddI64, d, round)
    };
    let (from, to) = (base(0, sources), base(8, results));
    let at = |base: Reg, nth: usize| {
        let offset = (nth * THREADS * bytes(product)) as i64;
        Address { base: base.into(), offset }
    };
    let (space, ordering) = (Space::Global, Ordering::Weak);
    let mut loaded = Vec::new();
    for nth in 0..sources {
        let d = b.reg(class);
        let address = at(from, nth);
        b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
        loaded.push(Src::Reg(d));
    }
    let d: Vec<Reg> = (0..results).map(|_| b.reg(class)).collect();
    let counts = product.registers();
    let (a, rest) = loaded.split_at(counts.a);
    let (of_b, c) = rest.split_at(counts.b);
    let mma = Mma {
        product: *product,
        qualifiers: 0,
        a: a.into(),
        b: of_b.into(),
        c: c.into(),
        d: d.iter().copied().map(Some).collect(),
    };
    let whole = |b: &mut Builder| {
        let what = Collective::Mma(Box::new(mma.clone()));
        let members = Members::Mask(Src::Imm(u64::from(u32::MAX)));
        b.push(Op::Collective { what, members, aligned: true });
    };
    match way {
        Way::Whole => whole(&mut b),
        Way::Expanded => expansion::expand(&mut b, &mma),
        Way::Apart => {
            let low = b.binary(BinaryOp::And32, t, Src::Imm(1));
            let odd = b.compare(CompareOp::NeI32, low, Src::Imm(0));
            let [then, otherwise, join] = [0; 3].map(|_| b.block());
            b.terminate(Terminator::Branch { p: odd.into(), then, otherwise });
            for arm in [then, otherwise] {
                b.switch_to(arm);
                whole(&mut b);
                b.terminate(Terminator::Jump(join));
            }
            b.switch_to(join);
        }
    }
    for (nth, d) in d.iter().enumerate() {
        let (address, values) = (at(to, nth), vec![Src::Reg(*d)]);
        b.push(Op::Store { values, space, access, address, ordering });
    }
    b.terminate(Terminator::Exit);
    let mut kernel = b.finish();
    kernel.param_bytes = 16;
    ir::verify(&kernel).expect("a valid kernel");
    kernel
}

/// Sees everything and says nothing.
struct Watcher;

impl Observer for Watcher {}

struct Run<'a> {
    product: &'a Product,
    way: Way,
    level: Level,
    observed: bool,
    threads: usize,
}

/// What a kernel leaves in `out`.
fn run(run: &Run<'_>, rounds: usize, input: &[u8]) -> Vec<u8> {
    let kernel = Executable::new(kernel(run.product, run.way));
    let memory = Memory::new().expect("address space");
    let from = memory.allocate(input.len() as u64).expect("space");
    let bytes = rounds * counts(run.product).1 * THREADS * bytes(run.product);
    let to = memory.allocate(bytes as u64).expect("space");
    memory.write(from, input).expect("inside");
    let params: Vec<u8> = [from, to].iter().flat_map(|value| value.to_le_bytes()).collect();
    let launch = Launch {
        threads: 2,
        engine: EngineChoice::Interpreter(run.level),
        ..Launch::new([rounds as u32, 1, 1], [run.threads as u32, 1, 1], &params)
    };
    let outcome = match run.observed {
        true => warpwise_vm::launch_observed(&kernel, &launch, &memory, &mut Watcher),
        false => warpwise_vm::launch(&kernel, &launch, &memory),
    };
    assert_eq!(outcome.expect("possible").fault, None);
    let mut left = vec![0; bytes];
    memory.read(to, &mut left).expect("inside");
    left
}

/// A generator of numbers without a period that matters here (Marsaglia's xorshift).
struct Random(u64);

/// What operands are.
#[derive(Clone, Copy, PartialEq)]
enum Numbers {
    /// Numbers near 1, and so many of a hundred that are zero, the smallest and largest ones, infinities, NaNs or anything.
    Any(u64),
    /// Floats whose sums are exact in every order; anything else.
    Exact,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A float of so many bits of exponent and fraction.
    fn float(&mut self, exponent: u32, fraction: u32, numbers: Numbers) -> u64 {
        let width = exponent + fraction + 1;
        let Numbers::Any(wild) = numbers else {
            // 1 or 2, of either sign.
            let field = (1 << (exponent - 1)) - 1 + (self.next() >> 63);
            return (self.next() >> 63) << (width - 1) | field << fraction;
        };
        let (bits, ones) = (self.next() >> (64 - width), (1u64 << exponent) - 1);
        let low = bits & ((1 << fraction) - 1);
        let sign = bits & 1 << (width - 1);
        if self.next() % 100 >= wild {
            let span = (1 << (exponent - 1)).min(12);
            let field = (ones >> 1) - span / 2 + self.next() % span;
            return sign | field << fraction | low;
        }
        match self.next() % 6 {
            0 => sign,
            1 => sign | low,
            2 => sign | (ones - 1) << fraction | low,
            3 => sign | ones << fraction,
            4 => sign | ones << fraction | low,
            _ => bits,
        }
    }

    fn factor(&mut self, ty: Factor, wild: Numbers) -> u64 {
        match ty {
            Factor::F16 => self.float(5, 10, wild),
            Factor::Bf16 => self.float(8, 7, wild),
            Factor::Tf32 => self.float(8, 23, wild),
            Factor::E4m3 => self.float(4, 3, wild),
            Factor::E5m2 => self.float(5, 2, wild),
            Factor::E2m3 => self.float(2, 3, wild) | self.next() & 0xc0,
            Factor::E3m2 => self.float(3, 2, wild) | self.next() & 0xc0,
            Factor::E2m1 => self.float(2, 1, wild) << 2 | self.next() & 0xc3,
            Factor::F64 => self.float(11, 52, wild),
            Factor::S8 | Factor::U8 | Factor::S4 | Factor::U4 | Factor::B1 => {
                // Extremes add up.
                let all = u64::MAX >> (64 - ty.bits());
                match self.next() % 8 {
                    0 => all,
                    1 => all / 2 + 1,
                    2 => 0,
                    _ => self.next() & all,
                }
            }
        }
    }

    fn sum(&mut self, ty: Sum, wild: Numbers) -> u64 {
        match ty {
            Sum::F16 => self.float(5, 10, wild) | self.float(5, 10, wild) << 16,
            Sum::F32 => self.float(8, 23, wild),
            Sum::F64 => self.float(11, 52, wild),
            Sum::S32 => match self.next() % 4 {
                0 => 0x7fff_ff00 | self.next() & 0xff,
                1 => 0x8000_0000 | self.next() & 0xff,
                _ => self.next() & 0xffff_ffff,
            },
        }
    }
}

/// Operands of so many rounds. In one round of four there is nothing but numbers near 1, if they need not be exact.
fn input(product: &Product, rounds: usize, exact: bool, random: &mut Random) -> Vec<u8> {
    let mut found = Vec::new();
    let counts = product.registers();
    let row = |random: &mut Random, mut value: Box<dyn FnMut(&mut Random) -> u64>| {
        let words =
            (0..THREADS).flat_map(|_| value(random).to_le_bytes()[..bytes(product)].to_vec());
        words.collect::<Vec<u8>>()
    };
    for round in 0..rounds {
        let wild = match exact {
            true => Numbers::Exact,
            false => Numbers::Any([0, 1, 3, 60][round % 4]),
        };
        for (ty, count) in [(product.a, counts.a), (product.b, counts.b)] {
            for _ in 0..count {
                found.extend(row(
                    random,
                    Box::new(move |random| {
                        let elements = 0..ty.per_register() as u32;
                        elements.fold(0, |word, nth| {
                            word | random.factor(ty, wild) << (nth * ty.bits() % 64)
                        })
                    }),
                ));
            }
        }
        for _ in 0..counts.c {
            let ty = product.c;
            found.extend(row(random, Box::new(move |random| random.sum(ty, wild))));
        }
    }
    found
}

#[test]
fn every_product_is_what_multiply_adds_make() {
    const ROUNDS: usize = 40;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for product in products() {
        // Tensor cores have an order and a precision of their own; binary64 is added in ascending order.
        let exact = !product.is_wide();
        let input = input(&product, ROUNDS, exact, &mut random);
        let new = |way, level, observed| {
            let threads = THREADS;
            run(&Run { product: &product, way, level, observed, threads }, ROUNDS, &input)
        };
        let expected = new(Way::Expanded, Level::detect(), false);
        assert!(expected.iter().any(|byte| *byte != 0), "{product:?}");
        for level in Level::available() {
            assert!(new(Way::Whole, level, false) == expected, "{level:?} {product:?}");
        }
        assert!(new(Way::Whole, Level::detect(), true) == expected, "observed: {product:?}");
        assert!(new(Way::Apart, Level::detect(), false) == expected, "apart: {product:?}");
    }
}

/// What the portable level makes is held to recordings of a GPU (`crates/conformance/tests`).
#[test]
fn every_level_sums_up_alike() {
    const ROUNDS: usize = 200;
    let mut random = Random(0x1234_5678_9abc_def1);
    for product in products() {
        let input = input(&product, ROUNDS, false, &mut random);
        let new = |way, level| {
            let run = Run { product: &product, way, level, observed: false, threads: THREADS };
            self::run(&run, ROUNDS, &input)
        };
        let expected = new(Way::Whole, Level::Portable);
        for level in Level::available() {
            assert!(new(Way::Whole, level) == expected, "{level:?} {product:?}");
        }
    }
}

#[test]
fn lanes_that_are_not_there_bring_zeros() {
    const ROUNDS: usize = 4;
    // The second warp has 16 lanes.
    const THERE: usize = 48;
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for product in products() {
        let mut input = input(&product, ROUNDS, false, &mut random);
        let size = bytes(&product);
        let whole = |threads, observed, input: &[u8]| {
            let level = Level::detect();
            let way = Way::Whole;
            run(&Run { product: &product, way, level, observed, threads }, ROUNDS, input)
        };
        let found = whole(THERE, false, &input);
        let observed = whole(THERE, true, &input);
        for row in input.chunks_exact_mut(THREADS * size) {
            row[THERE * size..].fill(0);
        }
        let mut expected = whole(THREADS, false, &input);
        for row in expected.chunks_exact_mut(THREADS * size) {
            row[THERE * size..].fill(0);
        }
        assert!(found == expected, "{product:?}");
        assert!(observed == expected, "observed: {product:?}");
    }
}
