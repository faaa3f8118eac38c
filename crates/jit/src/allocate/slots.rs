//! Which slot each value has that is ever out of registers: values that are not needed at once may share one, and those that are
//! handed on as each other do if they can, so that nothing has to be copied.

use super::order::Order;
use super::per_block::PerBlock;
use super::uses::{Made, Uses};
use crate::mir::{Func, MBlock};
use regalloc2::{Block, Function, SpillSlot};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Slots of values.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// Per value.
    of: Vec<Option<SpillSlot>>,
    /// All slots together, in words.
    pub(super) words: usize,
}

/// When a slot is taken, in order: from when, and until when. An instruction reads at twice its place, and writes at one more.
type Times = Vec<(u32, u32)>;

/// Values that share a slot.
struct Sharing {
    values: Vec<usize>,
    times: Times,
}

/// Slots of one size.
#[derive(Default)]
struct OfSize {
    free: Vec<usize>,
    /// Until when each is taken.
    taken: BinaryHeap<Reverse<(u32, usize)>>,
}

/// Times of values that share a slot: where there are more, they are not looked at.
const MANY: usize = 1 << 12;

impl Slots {
    /// Gives these values slots. Of each pair, the first is handed on as the second.
    pub(super) fn of(
        func: &Func,
        order: &Order,
        uses: &Uses,
        spilled: &[usize],
        pairs: &[(usize, usize)],
    ) -> Slots {
        let mut slots = Slots { of: vec![None; func.num_vregs()], words: 0 };
        if spilled.is_empty() {
            return slots;
        }
        let mut shared = Sharing::each(func, order, uses, spilled);
        let mut of = vec![usize::MAX; func.num_vregs()];
        for (nth, sharing) in shared.iter().enumerate() {
            of[sharing.values[0]] = nth;
        }
        // Where blocks end, and which.
        let end = |block: usize| 2 * end_of(func, uses, block) + 1;
        let mut ends: Vec<_> = (0..func.num_blocks()).map(|block| (end(block), block)).collect();
        ends.sort_unstable();
        // Of parameters, which of their block's they are.
        let mut nth_param = vec![usize::MAX; func.num_vregs()];
        for (nth, param) in func.blocks.iter().flat_map(|block| block.params.iter().enumerate()) {
            nth_param[param.vreg()] = nth;
        }
        for (from, to) in pairs {
            let (one, other) = (of[*from], of[*to]);
            if one == other {
                continue;
            }
            // The fewer join the more.
            let is_less = shared[one].values.len() < shared[other].values.len();
            let (one, other) = if is_less { (other, one) } else { (one, other) };
            let handed = |time: u32| {
                let way = ends.binary_search_by_key(&time, |(end, _)| *end);
                // Mostly it is this pair itself.
                way.is_ok_and(|nth| {
                    let block = &func.blocks[ends[nth].1];
                    block.hands_at(nth_param[*to], [*from, *to], func)
                        || block.hands(func, |pair| {
                            let pair = pair.map(|value| of[value]);
                            pair == [one, other] || pair == [other, one]
                        })
                })
            };
            if !fit_together(&shared[one].times, &shared[other].times, handed) {
                continue;
            }
            let moved = std::mem::take(&mut shared[other].values);
            moved.iter().for_each(|value| of[*value] = one);
            shared[one].values.extend(moved);
            let times = std::mem::take(&mut shared[other].times);
            join(&mut shared[one].times, times);
        }
        shared.retain(|sharing| !sharing.values.is_empty());
        shared.sort_by_key(|sharing| sharing.times.first().map(|(from, _)| *from));
        let mut all: BTreeMap<usize, OfSize> = BTreeMap::new();
        for Sharing { values, times } in shared {
            let (Some((from, _)), Some((_, until))) = (times.first(), times.last()) else {
                continue;
            };
            let size = func.spillslot_size(uses.class[values[0]]);
            let OfSize { free, taken } = all.entry(size).or_default();
            while let Some(Reverse((_, slot))) = taken.peek().filter(|taken| taken.0.0 < *from) {
                free.push(*slot);
                taken.pop();
            }
            let slot = free.pop().unwrap_or_else(|| {
                // A vector is in one line of the cache.
                let slot = slots.words.next_multiple_of(size);
                slots.words = slot + size;
                slot
            });
            taken.push(Reverse((*until, slot)));
            for value in values {
                slots.of[value] = Some(SpillSlot::new(slot));
            }
        }
        slots
    }

    /// The slot of a value, if it has one.
    pub(super) fn get(&self, value: usize) -> Option<SpillSlot> {
        self.of[value]
    }
}

impl Sharing {
    /// Each value for itself, and when it is needed.
    fn each(func: &Func, order: &Order, uses: &Uses, spilled: &[usize]) -> Vec<Sharing> {
        let mut nth = vec![u32::MAX; func.num_vregs()];
        let mut all = Vec::new();
        for value in spilled.iter().copied() {
            nth[value] = all.len() as u32;
            all.push(Sharing { values: vec![value], times: Vec::new() });
        }
        // Blocks follow each other as their places do.
        let block_at = |value: usize| uses.made[value].map(|made| uses.starts[made.block as usize]);
        let mut made: Vec<(Option<u32>, usize)> =
            spilled.iter().map(|value| (block_at(*value), *value)).collect();
        made.sort_unstable();
        let mut made = made.into_iter().peekable();
        let mut behind: PerBlock<()> = PerBlock::new(func.num_vregs());
        for block in order.blocks.iter().copied() {
            let live = &uses.live_in[block];
            let end = end_of(func, uses, block);
            for to in func.block_succs(Block::new(block)) {
                let needed = uses.live_in[to.index()].iter();
                needed.for_each(|needed| behind.set(block, needed.value as usize, ()));
            }
            let goes_on = |value: u32| behind.get(block, value as usize).is_some();
            // What is read where a block ends is read before parameters are written there.
            let until = |value: u32, last: u32| {
                if last == end || goes_on(value) { 2 * end + 1 } else { 2 * last }
            };
            let start = uses.starts[block];
            let mut read = uses.read[block].iter().peekable();
            for value in live.iter().map(|needed| needed.value) {
                while read.next_if(|read| read.value < value).is_some() {}
                let last = read.next_if(|read| read.value == value).map_or(start, |read| read.last);
                if let Some(sharing) = all.get_mut(nth[value as usize] as usize) {
                    add(&mut sharing.times, (2 * start, until(value, last)));
                }
            }
            while let Some((_, value)) = made.next_if(|(at, _)| *at <= Some(start)) {
                let from = match uses.made[value].and_then(|made| made.inst) {
                    Some(inst) => 2 * (start + inst - func.blocks[block].insts.start) + 1,
                    None => 2 * start,
                };
                let until = until(value as u32, uses.last[value]).max(from);
                add(&mut all[nth[value] as usize].times, (from, until));
            }
        }
        for sharing in &mut all {
            if let Some(Made { block, inst: None }) = uses.made[sharing.values[0]] {
                let ways = func.block_preds(Block::new(block as usize)).iter();
                let written = ways.map(|from| 2 * end_of(func, uses, from.index()) + 1);
                sharing.times.extend(written.map(|at| (at, at)));
                sharing.times.sort_unstable();
                let mut sorted = Times::with_capacity(sharing.times.len());
                sharing.times.drain(..).for_each(|time| add(&mut sorted, time));
                sharing.times = sorted;
            }
        }
        all
    }
}

/// The place behind a block's last instruction.
fn end_of(func: &Func, uses: &Uses, block: usize) -> u32 {
    uses.starts[block] + func.blocks[block].insts.len() as u32
}

impl MBlock {
    /// Whether a block hands on the first value as the second, which is that parameter of its block.
    fn hands_at(&self, nth: usize, [from, to]: [usize; 2], func: &Func) -> bool {
        self.succs.iter().zip(&self.args).any(|(block, args)| {
            let param = func.blocks[block.index()].params.get(nth);
            param.is_some_and(|param| param.vreg() == to) && args[nth].vreg() == from
        })
    }

    /// Whether a block hands on a value as a parameter of which this is true.
    fn hands(&self, func: &Func, is_pair: impl Fn([usize; 2]) -> bool) -> bool {
        self.succs.iter().zip(&self.args).any(|(to, args)| {
            let params = &func.blocks[to.index()].params;
            args.iter().zip(params).any(|(arg, param)| is_pair([arg.vreg(), param.vreg()]))
        })
    }
}

/// Adds a time that begins no earlier than those before it: what goes on where it has ended is one time.
fn add(times: &mut Times, (from, until): (u32, u32)) {
    match times.last_mut() {
        Some(last) if from <= last.1 + 1 => last.1 = last.1.max(until),
        _ => times.push((from, until)),
    }
}

/// Whether two have no time in common but those at which one is handed on as the other.
fn fit_together(one: &Times, other: &Times, handed: impl Fn(u32) -> bool) -> bool {
    if one.len() + other.len() > MANY {
        return false;
    }
    // Mostly there is one, and one of both has few times. Whether something is handed on takes longest to find.
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut met = Vec::new();
    for (from, until) in few {
        let first = many.partition_point(|time| time.1 < *from);
        for time in many[first..].iter().take_while(|time| time.0 <= *until) {
            let both = (time.0.max(*from), time.1.min(*until));
            if both.0 < both.1 {
                return false;
            }
            met.push(both.0);
        }
    }
    met.into_iter().all(handed)
}

/// Adds the times of another that fits: mostly one of both has few.
fn join(times: &mut Times, mut few: Times) {
    if times.len() < few.len() {
        std::mem::swap(times, &mut few);
    }
    for (from, until) in few {
        let end = times.partition_point(|time| (time.1, time.0) < (until, from));
        // What is handed on while the other is needed lies in its time.
        if times.get(end).is_some_and(|time| time.0 <= from) {
            continue;
        }
        let first = times[..end].iter().rposition(|time| time.0 < from).map_or(0, |nth| nth + 1);
        times.splice(first..end, [(from, until)]);
    }
}
