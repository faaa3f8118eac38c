//! What a collective gives one lane, written from the manual's pseudo-code and tables (PTX ISA 9.1: `shfl.sync`, `shfl`,
//! `vote.sync`, `match.sync`, `redux.sync`, `elect.sync`, `movmatrix`), lane by lane. It shares nothing with Warpwise.

/// A collective without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Up,
    Down,
    Bfly,
    Idx,
    All { negated: bool },
    Any { negated: bool },
    Uni { negated: bool },
    Ballot { negated: bool },
    MatchAny { wide: bool },
    MatchAll { wide: bool },
    Add,
    MinU,
    MaxU,
    MinS,
    MaxS,
    And,
    Or,
    Xor,
    Float { max: bool, abs: bool, nan: bool },
    Elect,
    Transpose,
}

impl Kind {
    pub(crate) fn is_shuffle(self) -> bool {
        matches!(self, Kind::Up | Kind::Down | Kind::Bfly | Kind::Idx)
    }
}

/// What a lane brings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lane {
    pub(crate) a: u32,
    /// The upper half of a 64-bit `a`.
    pub(crate) high: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
    pub(crate) membermask: u32,
    pub(crate) predicate: bool,
    /// Its guard is true and it has not exited.
    pub(crate) executes: bool,
    /// Which of two instructions it executes.
    pub(crate) side: bool,
}

/// A result that may be undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<T> {
    Undefined,
    Is(T),
}

/// What a lane gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// `None` where the form has no such result.
    pub(crate) d: Option<Value<u32>>,
    pub(crate) p: Option<Value<bool>>,
}

/// Whether lanes meet those who execute another instruction of the kind, and whether there is a membermask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) lockstep: bool,
    pub(crate) sync: bool,
}

/// "All non-exited threads corresponding to membermask [that] have executed with the same qualifiers and same membermask
/// value"; without `.sync` the active threads. "For .target sm_6x or below, all threads in membermask must execute the
/// same instruction in convergence".
pub(crate) fn takes_part(lanes: &[Lane; 32], i: usize, j: usize, rules: Rules) -> bool {
    let (mine, theirs) = (lanes[i], lanes[j]);
    let together = !rules.lockstep || mine.side == theirs.side;
    let named =
        !rules.sync || (mine.membermask == theirs.membermask && (mine.membermask >> j) % 2 == 1);
    theirs.executes && together && named
}

/// The lane that a shuffle reads, and `pval`.
pub(crate) fn source(kind: Kind, lane: usize, b: u32, c: u32) -> (usize, bool) {
    let lane = lane as i32;
    let bval = (b % 32) as i32;
    let cval = (c % 32) as i32;
    let segmask = (c / 256 % 32) as i32;
    let not_segmask = 31 - segmask;
    let max_lane = (lane & segmask) | (cval & not_segmask);
    let min_lane = lane & segmask;
    let (j, pval) = match kind {
        Kind::Up => (lane - bval, lane - bval >= max_lane),
        Kind::Down => (lane + bval, lane + bval <= max_lane),
        Kind::Bfly => (lane ^ bval, (lane ^ bval) <= max_lane),
        _ => {
            let j = min_lane | (bval & not_segmask);
            (j, j <= max_lane)
        }
    };
    if pval { (j as usize, true) } else { (lane as usize, false) }
}

/// What lane `i` gets; it executes the collective.
pub(crate) fn given(kind: Kind, lanes: &[Lane; 32], i: usize, rules: Rules) -> Given {
    let part = |j: usize| takes_part(lanes, i, j, rules);
    let others: Vec<usize> = (0..32).filter(|j| part(*j)).collect();
    // "The behavior is undefined if the executing thread is not in the membermask."
    let stray = !part(i);
    let number = |value: u32| Some(if stray { Value::Undefined } else { Value::Is(value) });
    let truth = |value: bool| Some(if stray { Value::Undefined } else { Value::Is(value) });
    let only_d = |value: u32| Given { d: number(value), p: None };
    let only_p = |value: bool| Given { d: None, p: truth(value) };
    let wide = |j: usize| (u64::from(lanes[j].high) << 32) + u64::from(lanes[j].a);
    let equal = |is_wide: bool, j: usize, k: usize| match is_wide {
        true => wide(j) == wide(k),
        false => lanes[j].a == lanes[k].a,
    };
    let votes = |negated: bool| others.iter().map(move |j| lanes[*j].predicate != negated);
    let values = || others.iter().map(|j| lanes[*j].a);
    match kind {
        Kind::Up | Kind::Down | Kind::Bfly | Kind::Idx => {
            let (j, pval) = source(kind, i, lanes[i].b, lanes[i].c);
            let d = if part(j) { number(lanes[j].a) } else { Some(Value::Undefined) };
            Given { d, p: truth(pval) }
        }
        Kind::All { negated } => only_p(votes(negated).all(|vote| vote)),
        Kind::Any { negated } => only_p(votes(negated).any(|vote| vote)),
        Kind::Uni { negated } => {
            let trues = votes(negated).filter(|vote| *vote).count();
            only_p(trues == 0 || trues == others.len())
        }
        Kind::Ballot { negated } => {
            let bit = |j: &usize| if lanes[*j].predicate != negated { 1_u32 << j } else { 0 };
            only_d(others.iter().map(bit).sum())
        }
        Kind::MatchAny { wide } => {
            only_d(others.iter().filter(|j| equal(wide, i, **j)).map(|j| 1_u32 << j).sum())
        }
        Kind::MatchAll { wide } => {
            let all = others.iter().all(|j| equal(wide, others[0], *j));
            let mask = others.iter().map(|j| 1_u32 << j).sum();
            Given { d: number(if all { mask } else { 0 }), p: truth(all) }
        }
        Kind::Add => only_d(values().fold(0, u32::wrapping_add)),
        Kind::MinU => only_d(values().min().unwrap_or(0)),
        Kind::MaxU => only_d(values().max().unwrap_or(0)),
        Kind::MinS => only_d(values().map(|a| a as i32).min().unwrap_or(0) as u32),
        Kind::MaxS => only_d(values().map(|a| a as i32).max().unwrap_or(0) as u32),
        Kind::And => only_d(values().fold(!0, |all, a| all & a)),
        Kind::Or => only_d(values().fold(0, |all, a| all | a)),
        Kind::Xor => only_d(values().fold(0, |all, a| all ^ a)),
        Kind::Float { max, abs, nan } => {
            only_d(float(&values().collect::<Vec<u32>>(), max, abs, nan))
        }
        Kind::Elect => {
            let leader = others.first().copied().unwrap_or(0);
            Given { d: number(leader as u32), p: truth(leader == i) }
        }
        Kind::Transpose => only_d(transposed(lanes, i)),
    }
}

/// ".abs: reduce absolute values. .NaN: propagate NaN (without it, NaN inputs skipped; result NaN only if all inputs NaN).
/// +0.0 > -0.0." The NaN is the canonical one.
fn float(values: &[u32], max: bool, abs: bool, nan: bool) -> u32 {
    const NAN: u32 = 0x7fff_ffff;
    let floats = values.iter().map(|bits| f32::from_bits(*bits));
    let floats: Vec<f32> = floats.map(|value| if abs { value.abs() } else { value }).collect();
    if nan && floats.iter().any(|value| value.is_nan()) {
        return NAN;
    }
    let numbers = floats.into_iter().filter(|value| !value.is_nan());
    let order = |x: &f32, y: &f32| x.total_cmp(y);
    let best = if max { numbers.max_by(order) } else { numbers.min_by(order) };
    best.map_or(NAN, f32::to_bits)
}

/// Lane `i` holds row `i/4`, columns `2*(i%4)` and the next, of a matrix of 8 by 8.
fn transposed(lanes: &[Lane; 32], i: usize) -> u32 {
    let mut matrix = [[0_u32; 8]; 8];
    for (j, lane) in lanes.iter().enumerate() {
        matrix[j / 4][2 * (j % 4)] = lane.a % 65536;
        matrix[j / 4][2 * (j % 4) + 1] = lane.a / 65536;
    }
    let (row, column) = (i / 4, 2 * (i % 4));
    matrix[column][row] + (matrix[column + 1][row] << 16)
}
