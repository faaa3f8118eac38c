//! Instructions with constant operands, at random but the same each time.

/// Instructions that leave a result.
pub(super) struct Sequence {
    /// 32: in `%r0`; 64: in `%w0`.
    pub(super) bits: u32,
    /// The instructions.
    pub(super) text: String,
}

/// Chains of carries; and of every template.
const CHAINS: usize = 1000;
const EACH: usize = 8;

/// Single instructions. `R` stands for a word, `W` for 64 bits, `S` for an amount of a shift or a number of bits, `L` for one
/// below 256, `B` for a byte.
const TEMPLATES: &[(u32, &str)] = &[
    (32, "bfe.u32 %r0, R, S, S;"),
    (32, "bfe.s32 %r0, R, S, S;"),
    (64, "bfe.u64 %w0, W, S, S;"),
    (64, "bfe.s64 %w0, W, S, S;"),
    (32, "bfi.b32 %r0, R, R, S, S;"),
    (64, "bfi.b64 %w0, W, W, L, L;"),
    (32, "shf.l.clamp.b32 %r0, R, R, S;"),
    (32, "shf.l.wrap.b32 %r0, R, R, S;"),
    (32, "shf.r.clamp.b32 %r0, R, R, S;"),
    (32, "shf.r.wrap.b32 %r0, R, R, S;"),
    (32, "prmt.b32 %r0, R, R, R;"),
    (32, "prmt.b32.f4e %r0, R, R, S;"),
    (32, "prmt.b32.b4e %r0, R, R, S;"),
    (32, "prmt.b32.rc8 %r0, R, R, S;"),
    (32, "prmt.b32.ecl %r0, R, R, S;"),
    (32, "prmt.b32.ecr %r0, R, R, S;"),
    (32, "prmt.b32.rc16 %r0, R, R, S;"),
    (32, "lop3.b32 %r0, R, R, R, B;"),
    (32, "dp4a.u32.u32 %r0, R, R, R;"),
    (32, "dp4a.s32.u32 %r0, R, R, R;"),
    (32, "dp4a.u32.s32 %r0, R, R, R;"),
    (32, "dp4a.s32.s32 %r0, R, R, R;"),
    (32, "dp2a.lo.u32.u32 %r0, R, R, R;"),
    (32, "dp2a.hi.s32.u32 %r0, R, R, R;"),
    (32, "dp2a.lo.u32.s32 %r0, R, R, R;"),
    (32, "dp2a.hi.s32.s32 %r0, R, R, R;"),
    (32, "mul24.lo.u32 %r0, R, R;"),
    (32, "mul24.hi.u32 %r0, R, R;"),
    (32, "mul24.lo.s32 %r0, R, R;"),
    (32, "mul24.hi.s32 %r0, R, R;"),
    (32, "mad24.lo.u32 %r0, R, R, R;"),
    (32, "mad24.hi.u32 %r0, R, R, R;"),
    (32, "mad24.lo.s32 %r0, R, R, R;"),
    (32, "mad24.hi.s32 %r0, R, R, R;"),
    (32, "mad24.hi.sat.s32 %r0, R, R, R;"),
    (32, "mad.hi.sat.s32 %r0, R, R, R;"),
    (32, "mad.hi.u32 %r0, R, R, R;"),
    (32, "mad.hi.s32 %r0, R, R, R;"),
    (64, "mad.wide.u32 %w0, R, R, W;"),
    (64, "mad.wide.s32 %w0, R, R, W;"),
    (64, "mad.lo.s64 %w0, W, W, W;"),
    (64, "mad.hi.u64 %w0, W, W, W;"),
    (64, "mad.hi.s64 %w0, W, W, W;"),
    (32, "mul.hi.u32 %r0, R, R;"),
    (32, "mul.hi.s32 %r0, R, R;"),
    (64, "mul.hi.u64 %w0, W, W;"),
    (64, "mul.hi.s64 %w0, W, W;"),
    (64, "mul.wide.u32 %w0, R, R;"),
    (64, "mul.wide.s32 %w0, R, R;"),
    (32, "sad.u32 %r0, R, R, R;"),
    (32, "sad.s32 %r0, R, R, R;"),
    (64, "sad.u64 %w0, W, W, W;"),
    (64, "sad.s64 %w0, W, W, W;"),
    (32, "add.sat.s32 %r0, R, R;"),
    (32, "sub.sat.s32 %r0, R, R;"),
    (32, "div.u32 %r0, R, R;"),
    (32, "div.s32 %r0, R, R;"),
    (32, "rem.u32 %r0, R, R;"),
    (32, "rem.s32 %r0, R, R;"),
    (64, "div.u64 %w0, W, W;"),
    (64, "div.s64 %w0, W, W;"),
    (64, "rem.u64 %w0, W, W;"),
    (64, "rem.s64 %w0, W, W;"),
    (32, "shl.b32 %r0, R, S;"),
    (32, "shr.u32 %r0, R, S;"),
    (32, "shr.s32 %r0, R, S;"),
    (64, "shl.b64 %w0, W, S;"),
    (64, "shr.u64 %w0, W, S;"),
    (64, "shr.s64 %w0, W, S;"),
    (32, "popc.b32 %r0, R;"),
    (32, "popc.b64 %r0, W;"),
    (32, "clz.b32 %r0, R;"),
    (32, "clz.b64 %r0, W;"),
    (32, "brev.b32 %r0, R;"),
    (64, "brev.b64 %w0, W;"),
    (32, "bfind.u32 %r0, R;"),
    (32, "bfind.s32 %r0, R;"),
    (32, "bfind.shiftamt.u32 %r0, R;"),
    (32, "bfind.shiftamt.s32 %r0, R;"),
    (32, "bfind.u64 %r0, W;"),
    (32, "bfind.s64 %r0, W;"),
    (32, "bmsk.clamp.b32 %r0, S, S;"),
    (32, "bmsk.wrap.b32 %r0, S, S;"),
    (32, "szext.clamp.u32 %r0, R, S;"),
    (32, "szext.clamp.s32 %r0, R, S;"),
    (32, "szext.wrap.u32 %r0, R, S;"),
    (32, "szext.wrap.s32 %r0, R, S;"),
    (32, "abs.s32 %r0, R;"),
    (64, "abs.s64 %w0, W;"),
    (32, "neg.s32 %r0, R;"),
    (32, "cnot.b32 %r0, R;"),
    (64, "cnot.b64 %w0, W;"),
    (32, "min.s32 %r0, R, R;"),
    (32, "max.u32 %r0, R, R;"),
    (64, "min.u64 %w0, W, W;"),
    (64, "max.s64 %w0, W, W;"),
    (32, "slct.s32.s32 %r0, R, R, R;"),
    (32, "set.lt.u32.s32 %r0, R, R;"),
    (32, "set.hs.u32.u32 %r0, R, R;"),
    (32, "set.ge.s32.s64 %r0, W, W;"),
    (32, "cvt.s32.s8 %r0, R;"),
    (32, "cvt.u32.u16 %r0, R;"),
    (32, "cvt.sat.s8.s32 %r0, R;"),
    (32, "cvt.sat.u8.s32 %r0, R;"),
    (32, "cvt.sat.u16.s32 %r0, R;"),
    (32, "cvt.sat.s16.u32 %r0, R;"),
    (32, "cvt.sat.s32.s64 %r0, W;"),
    (32, "cvt.sat.u32.s64 %r0, W;"),
    (64, "cvt.s64.s32 %w0, R;"),
    (32, "vabsdiff4.u32.u32.u32.add %r0, R, R, R;"),
];

/// The sequences of a seed.
pub(super) fn generate(seed: u64) -> Vec<Sequence> {
    let mut random = Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut all: Vec<Sequence> = (0..CHAINS).map(|_| chain(&mut random)).collect();
    for (bits, template) in TEMPLATES {
        let filled = |random: &mut Random| fill(template, random);
        all.extend((0..EACH).map(|_| Sequence { bits: *bits, text: filled(&mut random) }));
    }
    all
}

/// A template with constants in the registers 2 and up.
fn fill(template: &str, random: &mut Random) -> String {
    let (name, operands) = template.split_once(' ').unwrap_or((template, ""));
    let (mut text, mut moves, mut next) = (String::from(name), String::new(), 2);
    text.push(' ');
    for part in operands.split_inclusive([' ', ',', ';']) {
        let (word, end) = part.split_at(part.len() - 1);
        match word {
            "R" | "S" | "L" => {
                let value = match word {
                    "R" => random.value(32),
                    "S" => random.amount(),
                    // The assembler's own code for these has no limit of 8 bits, which the manual has.
                    _ => random.amount() & 0xff,
                };
                moves += &format!("mov.b32 %r{next}, {value:#x}; ");
                text += &format!("%r{next}");
                next += 1;
            }
            "W" => {
                moves += &format!("mov.b64 %w{next}, {:#x}; ", random.value(64));
                text += &format!("%w{next}");
                next += 1;
            }
            "B" => text += &format!("{:#x}", random.next() & 0xff),
            other => text += other,
        }
        text += end;
    }
    moves + &text
}

/// A chain of sums and subtractions that hand on the carry flag, of one kind or mixed.
fn chain(random: &mut Random) -> Sequence {
    let steps = 2 + random.below(3);
    let last_bits = if random.below(5) < 2 { 64 } else { 32 };
    let mut text = String::new();
    for step in 0..steps {
        let last = step + 1 == steps;
        let bits = match last {
            true => last_bits,
            false if random.below(3) == 0 => 64,
            false => 32,
        };
        let (takes, sets) = (step > 0 && (last || random.below(4) > 0), !last);
        let (name, mode, count) = match random.below(8) {
            0..3 => ("add", "", 2),
            3..6 => ("sub", "", 2),
            6 => ("mad", ".lo", 3),
            _ => ("mad", ".hi", 3),
        };
        let register = if bits == 64 { "w" } else { "r" };
        let sign = if random.below(2) == 0 { "u" } else { "s" };
        let (c, cc) = (if takes { "c" } else { "" }, if sets { ".cc" } else { "" });
        let d = if last { 0 } else { step + 1 };
        text += &format!("{name}{c}{mode}{cc}.{sign}{bits} %{register}{d}");
        for _ in 0..count {
            text += &format!(", {:#x}", random.value(bits));
        }
        text += if last { ";" } else { "; " };
    }
    Sequence { bits: last_bits, text }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A value of so many bits: often one at the edges.
    fn value(&mut self, bits: u32) -> u64 {
        let all = u64::MAX >> (64 - bits);
        let top = 1 << (bits - 1);
        let edges = [0, 1, 2, 5, all, all - 1, top, top - 1, top + 1];
        match self.below(2) {
            0 => edges[self.below(edges.len() as u64) as usize],
            _ => self.next() & all,
        }
    }

    /// An amount of a shift: often a small one.
    fn amount(&mut self) -> u64 {
        match self.below(8) {
            0 => self.value(32),
            1 => 32,
            2 => 0,
            _ => self.below(70),
        }
    }
}
