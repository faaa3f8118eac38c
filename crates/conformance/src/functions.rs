//! Functions of one operand, each input on its own: those whose result the ISA fixes, and those that it only bounds, of which Warpwise gives
//! what an H100 does.

use crate::driver::{Asked, Driver, Shape};
use numeric::f32::flush;
use numeric::{Round, bf16, convert, f16, f32};

/// Inputs of one launch.
const LAUNCH: u64 = 1 << 20;

/// A type of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Bits that are compared as they are.
    Bits,
    /// binary32.
    F32,
    /// binary16.
    F16,
    /// bfloat16.
    Bf16,
}

/// A function.
pub(crate) struct Function {
    /// Its instruction, which is its name.
    pub(crate) name: &'static str,
    /// The architecture from which on devices have it.
    pub(crate) since: u32,
    /// Bits of its input.
    pub(crate) bits: u32,
    /// What its result is.
    pub(crate) format: Format,
    /// How exact the ISA says it is; nothing if its result is fixed.
    pub(crate) bound: Option<&'static str>,
    /// The results that Warpwise gives.
    value: fn(Row) -> Row,
}

/// Inputs or results of a function.
type Row = [u32; 32];

/// A function of rows from one of their elements.
macro_rules! each {
    (|$a:ident| $value:expr) => {
        |row| row.map(|$a| $value)
    };
}

/// A function of single precision with `.ftz`.
macro_rules! ftz {
    ($function:path) => {
        |row| $function(row.map(flush)).map(flush)
    };
}

const fn exact(name: &'static str, since: u32, bits: u32, value: fn(Row) -> Row) -> Function {
    Function { name, since, bits, format: Format::Bits, bound: None, value }
}

const fn rough(name: &'static str, bound: &'static str, value: fn(Row) -> Row) -> Function {
    Function { name, since: 75, bits: 32, format: Format::F32, bound: Some(bound), value }
}

const fn half(
    name: &'static str,
    since: u32,
    format: Format,
    bound: &'static str,
    value: fn(Row) -> Row,
) -> Function {
    Function { name, since, bits: 16, format, bound: Some(bound), value }
}

const RN: Round = Round::NearestEven;

/// Both halves of a value, each by itself.
fn pair(value: u32, one: fn(u8) -> u16) -> u32 {
    u32::from(one(value as u8)) | u32::from(one((value >> 8) as u8)) << 16
}

/// The functions; bounds are those of the PTX ISA 9.1, section 9.7.
pub(crate) const FUNCTIONS: &[Function] = &[
    exact("cvt.f32.f16", 75, 16, each!(|a| convert::f32::from_f16(a as u16))),
    exact("cvt.f32.bf16", 90, 16, each!(|a| convert::f32::from_bf16(a as u16))),
    exact("cvt.rn.f16x2.e4m3x2", 89, 16, each!(|a| pair(a, convert::e4m3::to_f16))),
    exact("cvt.rn.f16x2.e5m2x2", 89, 16, each!(|a| pair(a, convert::e5m2::to_f16))),
    exact("cvt.rn.f16.f32", 75, 32, each!(|a| u32::from(convert::f16::from_f32(a, RN)))),
    exact("cvt.rn.bf16.f32", 80, 32, each!(|a| u32::from(convert::bf16::from_f32(a, RN)))),
    exact("cvt.rni.s32.f32", 75, 32, each!(|a| convert::s32::from_f32(a, RN))),
    exact("cvt.rzi.u32.f32", 75, 32, each!(|a| convert::u32::from_f32(a, Round::TowardZero))),
    exact("cvt.rn.f32.s32", 75, 32, each!(|a| convert::f32::from_s32(a, RN))),
    exact("cvt.rn.f32.u32", 75, 32, each!(|a| convert::f32::from_u32(a, RN))),
    exact("sqrt.rn.f32", 75, 32, each!(|a| f32::sqrt(a, RN))),
    exact("rcp.rn.f32", 75, 32, each!(|a| f32::rcp(a, RN))),
    half("ex2.approx.f16", 75, Format::F16, "relative error 2^-9.9", |a| {
        f16::ex2_approx(a.map(|a| a as u16)).map(u32::from)
    }),
    half("tanh.approx.f16", 75, Format::F16, "absolute error 2^-10.987", |a| {
        f16::tanh_approx(a.map(|a| a as u16)).map(u32::from)
    }),
    half("ex2.approx.ftz.bf16", 90, Format::Bf16, "relative error 2^-7", |a| {
        let power = bf16::ex2_approx(a.map(|a| bf16::flush(a as u16)));
        power.map(|power| u32::from(bf16::flush(power)))
    }),
    half("tanh.approx.bf16", 90, Format::Bf16, "absolute error 2^-8", |a| {
        bf16::tanh_approx(a.map(|a| a as u16)).map(u32::from)
    }),
    rough("rcp.approx.f32", "1 ulp", f32::rcp_approx),
    rough("rcp.approx.ftz.f32", "1 ulp", ftz!(f32::rcp_approx)),
    rough("sqrt.approx.f32", "relative error 2^-23", f32::sqrt_approx),
    rough("sqrt.approx.ftz.f32", "relative error 2^-23", ftz!(f32::sqrt_approx)),
    rough("rsqrt.approx.f32", "relative error 2^-22.9", f32::rsqrt_approx),
    rough("rsqrt.approx.ftz.f32", "relative error 2^-22.9", ftz!(f32::rsqrt_approx)),
    rough("sin.approx.f32", "absolute error 2^-20.5 in [-pi, pi]", f32::sin_approx),
    rough("sin.approx.ftz.f32", "absolute error 2^-20.5 in [-pi, pi]", ftz!(f32::sin_approx)),
    rough("cos.approx.f32", "absolute error 2^-20.5 in [-pi, pi]", f32::cos_approx),
    rough("cos.approx.ftz.f32", "absolute error 2^-20.5 in [-pi, pi]", ftz!(f32::cos_approx)),
    rough("lg2.approx.f32", "absolute error 2^-22 in (0.5, 2)", f32::lg2_approx),
    rough("lg2.approx.ftz.f32", "absolute error 2^-22 in (0.5, 2)", ftz!(f32::lg2_approx)),
    rough("ex2.approx.f32", "2 ulp", f32::ex2_approx),
    rough("ex2.approx.ftz.f32", "2 ulp", ftz!(f32::ex2_approx)),
    rough("tanh.approx.f32", "relative error 2^-11", f32::tanh_approx),
];

/// Which inputs of a function are tried: from 0 on, so far apart, so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inputs {
    pub(crate) stride: u32,
    pub(crate) count: u64,
}

impl Function {
    /// All inputs of 16 bits; of 32 bits those that are a multiple of the stride.
    pub(crate) fn inputs(&self, stride: u32) -> Inputs {
        match self.bits {
            16 => Inputs { stride: 1, count: 1 << 16 },
            _ => {
                let stride = stride.max(1);
                Inputs { stride, count: (1_u64 << 32).div_ceil(stride.into()) }
            }
        }
    }

    /// A module whose kernel applies it to `count` inputs.
    fn ptx(&self, target: u32) -> String {
        let (taken, given) = (self.bits == 16, self.gives_half());
        let operand = if taken { "%h0" } else { "%r6" };
        let result = if given { "%h1" } else { "%r7" };
        let widen = if given { "cvt.u32.u16 %r7, %h1;" } else { "" };
        format!(
            ".version 8.1\n.target sm_{target}\n.address_size 64\n\
             .visible .entry apply(.param .u64 to, .param .u32 first, .param .u32 stride, .param .u32 count)\n{{\n\
             .reg .b16 %h<2>; .reg .b32 %r<8>; .reg .b64 %d<3>; .reg .pred %p;\n\
             mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n\
             mad.lo.u32 %r3, %r0, %r1, %r2;\n\
             ld.param.u32 %r4, [count]; setp.ge.u32 %p, %r3, %r4; @%p exit;\n\
             ld.param.u32 %r4, [first]; ld.param.u32 %r5, [stride];\n\
             mad.lo.u32 %r6, %r3, %r5, %r4;\n\
             cvt.u16.u32 %h0, %r6;\n\
             {} {result}, {operand};\n{widen}\n\
             ld.param.u64 %d0, [to]; mul.wide.u32 %d1, %r3, 4; add.s64 %d2, %d0, %d1;\n\
             st.global.b32 [%d2], %r7;\nexit;\n}}\n",
            self.name
        )
    }

    fn gives_half(&self) -> bool {
        matches!(self.format, Format::F16 | Format::Bf16)
            || self.name.contains(".f16.f32")
            || self.name.contains(".bf16.f32")
    }

    /// Applies it on a device to the inputs; `each` is told every input, what the device gives and what Warpwise does, in order.
    pub(crate) fn apply(
        &self,
        driver: &Driver,
        target: u32,
        inputs: Inputs,
        mut each: impl FnMut(u32, u32, u32),
    ) -> Asked<()> {
        const BLOCK: u32 = 256;
        let module = driver.load(&self.ptx(target))?;
        let function = module.function("apply")?;
        let results = driver.allocate(4 * inputs.count.min(LAUNCH) as usize)?;
        let mut done = 0;
        while done < inputs.count {
            let count = (inputs.count - done).min(LAUNCH) as u32;
            let first = (done as u32).wrapping_mul(inputs.stride);
            let mut parameters = vec![results.address.to_le_bytes().to_vec()];
            parameters
                .extend([first, inputs.stride, count].map(|word| word.to_le_bytes().to_vec()));
            let shape = Shape {
                grid: [count.div_ceil(BLOCK), 1, 1],
                block: [BLOCK, 1, 1],
                cluster: None,
                dynamic_shared: 0,
            };
            function.launch(&shape, &mut parameters)?;
            let held = driver.read(results.address, 4 * count as usize)?;
            let words: Vec<u32> = held
                .chunks_exact(4)
                .map(|word| word.try_into().map_or(0, u32::from_le_bytes))
                .collect();
            let mut input = first;
            for found in words.chunks(size_of::<Row>() / 4) {
                let stride = |nth: usize| inputs.stride.wrapping_mul(nth as u32);
                let row = std::array::from_fn(|nth| input.wrapping_add(stride(nth)));
                let expected = (self.value)(row);
                found
                    .iter()
                    .enumerate()
                    .for_each(|(nth, found)| each(row[nth], *found, expected[nth]));
                input = input.wrapping_add(stride(row.len()));
            }
            done += u64::from(count);
        }
        Ok(())
    }

    /// How far a result lies from Warpwise's: in numbers of the format between them; in bits that are compared as they are, 1.
    pub(crate) fn distance(&self, found: u32, expected: u32) -> i64 {
        let ordered = |value: u32, bits: u32| {
            let sign = 1_u32 << (bits - 1);
            let magnitude = i64::from(value & (sign - 1));
            if value & sign != 0 { -magnitude } else { magnitude }
        };
        let between = |bits| ordered(found, bits) - ordered(expected, bits);
        let distance = match self.format {
            Format::Bits => 1,
            Format::F32 => between(32),
            Format::F16 | Format::Bf16 => between(16),
        };
        match (found == expected, distance) {
            (true, _) => 0,
            // Zeros of both signs.
            (false, 0) => 1,
            (false, distance) => distance,
        }
    }
}
