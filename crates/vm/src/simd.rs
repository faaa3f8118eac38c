//! Which vector instructions the machine has, and the table permute, which compilers do not find by themselves.

use lanes::{Lanes, WARP};
use std::fmt;

/// A set of vector instructions that the interpreter's loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// What every machine of the build target has.
    Portable,
    /// x86-64 with AVX2, FMA, F16C and BMI (`x86-64-v3`).
    Avx2,
    /// x86-64 with AVX-512 F, BW, CD, DQ and VL (`x86-64-v4`).
    Avx512,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        })
    }
}

impl Level {
    /// Every level, the best last.
    pub(crate) const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// The best level that this machine has.
    pub fn detect() -> Level {
        Level::available().last().unwrap_or(Level::Portable)
    }

    /// Every level that this machine has, the best last.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Whether this machine has the level.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                std::is_x86_feature_detected!("avx2")
                    && std::is_x86_feature_detected!("fma")
                    && std::is_x86_feature_detected!("f16c")
                    && std::is_x86_feature_detected!("bmi1")
                    && std::is_x86_feature_detected!("bmi2")
                    && std::is_x86_feature_detected!("lzcnt")
                    && std::is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512bw")
                    && std::is_x86_feature_detected!("avx512cd")
                    && std::is_x86_feature_detected!("avx512dq")
                    && std::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }
}

/// The value of lane `sources[lane] % 32` for each lane. `LEVEL` is the [`Level`] that the caller is compiled for.
///
/// # Safety
/// The machine has the level.
#[inline(always)]
pub(crate) unsafe fn permute<const LEVEL: usize>(
    a: &Lanes<u32>,
    sources: &Lanes<u32>,
) -> Lanes<u32> {
    #[cfg(target_arch = "x86_64")]
    {
        if LEVEL == Level::Avx512 as usize {
            // SAFETY: the caller has the level.
            return unsafe { permute_avx512(a, sources) };
        }
        if LEVEL == Level::Avx2 as usize {
            // SAFETY: the caller has the level.
            return unsafe { permute_avx2(a, sources) };
        }
    }
    lanes::shfl::permute(a, sources)
}

/// Source lanes that are known beforehand, with the cheapest way to look them up.
#[derive(Clone, Debug)]
pub(crate) struct ConstantSources {
    lanes: Lanes<u32>,
    plan: Plan,
}

/// How the groups of eight lanes of a result come from groups of eight of the operand.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// Each is a copy of the one that begins at this lane.
    Copy([usize; WARP / GROUP]),
    /// Each is a permutation of a blend of two.
    Blend(Box<Blend>),
    /// Anything.
    General,
}

/// See [`Plan::Blend`].
#[derive(Clone, Debug)]
pub(crate) struct Blend {
    /// Per group, the first lanes of the two groups that it reads.
    pairs: [[usize; 2]; WARP / GROUP],
    /// All bits set where the blend takes the second group's lane.
    second: Lanes<u32>,
    /// The lane of the blend that each lane of the result takes.
    picks: Lanes<u32>,
}

/// Lanes of a 256-bit vector.
const GROUP: usize = 8;

impl ConstantSources {
    pub(crate) fn new(lanes: Lanes<u32>) -> Self {
        let plan = Plan::new(&lanes);
        ConstantSources { lanes, plan }
    }

    pub(crate) fn lanes(&self) -> &Lanes<u32> {
        &self.lanes
    }

    /// How a level looks them up. Levels whose look-up takes in all lanes at once do it in general.
    #[inline(always)]
    pub(crate) fn plan<const LEVEL: usize>(&self) -> &Plan {
        if LEVEL == Level::Avx2 as usize { &self.plan } else { &Plan::General }
    }
}

impl Plan {
    fn new(lanes: &Lanes<u32>) -> Plan {
        let mut blend = Blend { pairs: Default::default(), second: [0; WARP], picks: [0; WARP] };
        let mut copies = true;
        for (nth, sources) in lanes.chunks_exact(GROUP).enumerate() {
            let group = |source: u32| source as usize / GROUP * GROUP;
            let first = group(sources[0]);
            let others = || sources.iter().map(|source| group(*source));
            let second = others().find(|other| *other != first).unwrap_or(first);
            // Which of the two each lane of the blend comes from, once somebody wants it.
            let mut taken = [None; GROUP];
            for (lane, source) in sources.iter().enumerate() {
                let (from, inside) = (group(*source), *source as usize % GROUP);
                if from != first && from != second || *taken[inside].get_or_insert(from) != from {
                    return Plan::General;
                }
                copies &= from == first && inside == lane;
                blend.picks[nth * GROUP + lane] = inside as u32;
            }
            for (lane, from) in taken.into_iter().enumerate() {
                let is_second = from == Some(second) && second != first;
                blend.second[nth * GROUP + lane] = if is_second { u32::MAX } else { 0 };
            }
            blend.pairs[nth] = [first, second];
        }
        match copies {
            true => Plan::Copy(blend.pairs.map(|[first, _]| first)),
            false => Plan::Blend(Box::new(blend)),
        }
    }
}

/// Puts a row together from copies of groups, each from this lane on.
#[inline(always)]
pub(crate) fn copy_groups(a: &Lanes<u32>, starts: &[usize; WARP / GROUP]) -> Lanes<u32> {
    let mut d = [0; WARP];
    for (d, start) in d.chunks_exact_mut(GROUP).zip(starts) {
        d.copy_from_slice(&a[*start..start + GROUP]);
    }
    d
}

/// Permutes by a [`Plan::Blend`].
///
/// # Safety
/// The machine has the level.
#[inline(always)]
pub(crate) unsafe fn permute_blend<const LEVEL: usize>(
    a: &Lanes<u32>,
    blend: &Blend,
) -> Lanes<u32> {
    #[cfg(target_arch = "x86_64")]
    if LEVEL == Level::Avx2 as usize {
        // SAFETY: the caller has the level.
        return unsafe { permute_blend_avx2(a, blend) };
    }
    std::array::from_fn(|lane| {
        let [first, second] = blend.pairs[lane / GROUP];
        let pick = blend.picks[lane] as usize;
        let from_second = blend.second[lane / GROUP * GROUP + pick] != 0;
        a[if from_second { second } else { first } + pick]
    })
}

/// Blends two vectors of `a` for each group of eight, then looks the group up in the blend.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn permute_blend_avx2(a: &Lanes<u32>, blend: &Blend) -> Lanes<u32> {
    use std::arch::x86_64::*;
    let mut d = [0; WARP];
    // SAFETY: every access lies inside one of the arrays, because the pairs are starts of groups.
    unsafe {
        for (nth, pair) in blend.pairs.iter().enumerate() {
            let [first, second] = pair.map(|start| _mm256_loadu_ps(a.as_ptr().add(start).cast()));
            let mask = _mm256_loadu_ps(blend.second.as_ptr().add(nth * GROUP).cast());
            let pick = _mm256_loadu_si256(blend.picks.as_ptr().add(nth * GROUP).cast());
            let both = _mm256_blendv_ps(first, second, mask);
            let picked = _mm256_permutevar8x32_ps(both, pick);
            _mm256_storeu_ps(d.as_mut_ptr().add(nth * GROUP).cast(), picked);
        }
    }
    d
}

/// Looks each group of eight source lanes up in the four vectors of `a`, and picks by bits 3 and 4.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn permute_avx2(a: &Lanes<u32>, sources: &Lanes<u32>) -> Lanes<u32> {
    use std::arch::x86_64::*;
    let mut d = [0; WARP];
    // SAFETY: every access lies inside one of the arrays.
    unsafe {
        let table: [__m256i; WARP / GROUP] =
            std::array::from_fn(|nth| _mm256_loadu_si256(a.as_ptr().add(nth * GROUP).cast()));
        for nth in 0..WARP / GROUP {
            let source = _mm256_loadu_si256(sources.as_ptr().add(nth * GROUP).cast());
            let found = table
                .map(|vector| _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(vector, source)));
            let bit3 = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(source));
            let bit4 = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(source));
            let low = _mm256_blendv_ps(found[0], found[1], bit3);
            let high = _mm256_blendv_ps(found[2], found[3], bit3);
            let picked = _mm256_blendv_ps(low, high, bit4);
            _mm256_storeu_ps(d.as_mut_ptr().add(nth * GROUP).cast(), picked);
        }
    }
    d
}

/// One two-vector table look-up for each half.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn permute_avx512(a: &Lanes<u32>, sources: &Lanes<u32>) -> Lanes<u32> {
    use std::arch::x86_64::*;
    const HALF: usize = WARP / 2;
    let mut d = [0u32; WARP];
    // SAFETY: every access lies inside one of the arrays.
    unsafe {
        let low = _mm512_loadu_si512(a.as_ptr().cast());
        let high = _mm512_loadu_si512(a.as_ptr().add(HALF).cast());
        for nth in 0..2 {
            let source = _mm512_loadu_si512(sources.as_ptr().add(nth * HALF).cast());
            let picked = _mm512_permutex2var_epi32(low, source, high);
            _mm512_storeu_si512(d.as_mut_ptr().add(nth * HALF).cast(), picked);
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_permutes_like_the_reference() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            state >> 8
        };
        for round in 0..1000 {
            let a: Lanes<u32> = std::array::from_fn(|_| next());
            // Sources from anywhere, and such as shuffles have, with two groups at most for each.
            let shift = next() % 32;
            let sources: Lanes<u32> = std::array::from_fn(|lane| match round % 4 {
                0 => next() % 32,
                1 => lane as u32 ^ shift,
                2 => (lane as u32 + shift).min(31),
                _ => (lane as u32).saturating_sub(shift),
            });
            let expected: Lanes<u32> = std::array::from_fn(|lane| a[sources[lane] as usize]);
            for level in Level::available() {
                // SAFETY: the machine has the level.
                let found = unsafe {
                    match level {
                        Level::Portable => permute::<{ Level::Portable as usize }>(&a, &sources),
                        Level::Avx2 => permute::<{ Level::Avx2 as usize }>(&a, &sources),
                        Level::Avx512 => permute::<{ Level::Avx512 as usize }>(&a, &sources),
                    }
                };
                assert_eq!(found, expected, "{level:?}");
                let constant = ConstantSources::new(sources);
                let found = match &constant.plan {
                    Plan::Copy(starts) => copy_groups(&a, starts),
                    // SAFETY: the machine has the level.
                    Plan::Blend(blend) => unsafe {
                        match level {
                            Level::Avx2 => permute_blend::<{ Level::Avx2 as usize }>(&a, blend),
                            Level::Portable | Level::Avx512 => {
                                permute_blend::<{ Level::Portable as usize }>(&a, blend)
                            }
                        }
                    },
                    Plan::General => expected,
                };
                assert_eq!(found, expected, "{level:?}, constant");
            }
        }
    }
}
