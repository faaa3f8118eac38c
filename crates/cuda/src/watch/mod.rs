//! Checks across the boundary between the program and its devices, with `WARPWISE_CHECK`: device memory that nobody has
//! written, memory that has been freed, work of streams that nothing orders, what the program does with memory that such work
//! uses, and launches that are not possible.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod host;
mod known;
mod missing;
mod order;
mod others;
#[cfg(target_os = "linux")]
mod pages;
mod ranges;
mod told;

pub(crate) use host::{at_work, settle, wants_work_done};
pub(crate) use known::{Gone, allocated, freed, is_on, place};
pub(crate) use missing::missing;
pub(crate) use others::{Check, Working, working};

use crate::function::Function;
use crate::memory::{Block, CallPlace, Rows, Side, find, find_any};
#[cfg(not(target_os = "linux"))]
use elsewhere as host;
use known::known;
use order::{Clash, Work};
use ranges::{Ranges, is_padding};
use std::ops::Range;
use told::{at, finding, note, tell};
use warpwise::diag::{Diagnostic, Severity};
use warpwise::{Code, Traffic, order as moments};

/// The rows of one side of a copy.
fn rows(rows: &Rows, from: bool) -> impl Iterator<Item = Range<u64>> + use<> {
    let (side, [width, height, depth]) = (if from { rows.from } else { rows.to }, rows.extent);
    (0..depth).flat_map(move |plane| {
        (0..height).map(move |row| {
            let start = side.address + plane * side.slice + row * side.pitch;
            start..start + width
        })
    })
}

/// The rows as ranges in ascending order, of memory that devices know.
fn ranges_of(copy: &Rows, from: bool) -> Vec<Range<u64>> {
    let side = if from { copy.from } else { copy.to };
    if find_any(side.address).is_none() {
        return Vec::new();
    }
    let mut set = Ranges::default();
    rows(copy, from).for_each(|row| set.insert(row));
    set.all()
}

/// A copy is made.
pub(crate) fn copied(copy: &Rows, place: Option<&CallPlace>) {
    let Some(guard) = known() else { return };
    // What is copied to a device is as unwritten there; what the program gets, it may use.
    let target = find(copy.to.address).is_some_and(|block| block.begins_unwritten());
    let lost = guard.with(|known| {
        let mut lost: Vec<Range<u64>> = Vec::new();
        if known.unwritten.is_empty() {
            return lost;
        }
        for (from, to) in rows(copy, true).zip(rows(copy, false)) {
            let holes = known.unwritten.within(from.clone());
            known.unwritten.remove(to.clone());
            for hole in holes {
                let moved =
                    to.start + (hole.start - from.start)..to.start + (hole.end - from.start);
                match target {
                    true => known.unwritten.insert(moved),
                    false => lost.push(hole),
                }
            }
        }
        lost
    });
    let told = !is_padding(&lost, copy.bytes()) && find_any(copy.from.address).is_some();
    if let (Some(first), true) = (lost.first(), told) {
        let bytes: u64 = lost.iter().map(|range| range.end - range.start).sum();
        let block = find(first.start);
        let of = block.as_ref().map_or_else(|| "device memory".to_owned(), Block::told);
        let inside = block.as_ref().map_or(0, |block| first.start - block.start);
        let message = format!(
            "{bytes} of {} bytes that are copied to the host were never written: from byte {inside} of {of} on",
            copy.bytes()
        );
        let told = finding(Code::H001, Severity::Warning, message);
        let told = note(told, at("it was allocated", block.as_ref().and_then(Block::place)));
        tell("memory", note(told, at("the copy is", place)));
    }
    let (reads, writes) = (ranges_of(copy, true), ranges_of(copy, false));
    ordered("a copy", place, Traffic { reads, writes, ..Traffic::default() });
    // Memory of the program that no device knows is copied before the call returns, behind what is before it.
    let of_program = |side: &Side| find_any(side.address).is_none();
    if let (true, Some(moment)) =
        (of_program(&copy.from) || of_program(&copy.to), moments::current())
    {
        host::may_be_known(&moment);
    }
}

/// Rows are filled, or something is done with memory as a whole; `name` says what.
pub(crate) fn written(
    name: &str,
    place: Option<&CallPlace>,
    rows: impl Iterator<Item = Range<u64>>,
) {
    let Some(guard) = known() else { return };
    let mut set = Ranges::default();
    rows.for_each(|row| set.insert(row));
    let writes = set.all();
    guard.with(|known| writes.iter().for_each(|row| known.unwritten.remove(row.clone())));
    ordered(name, place, Traffic { writes, ..Traffic::default() });
}

/// Memory is freed in the order of a stream.
pub(crate) fn frees(address: u64, place: Option<&CallPlace>) {
    if is_on() {
        let block = find(address).map(|block| block.start..block.start + block.bytes);
        written("a free", place, block.into_iter());
    }
}

/// A kernel begins that is checked: what nobody has written.
pub(crate) fn unwritten() -> Vec<Range<u64>> {
    known().map(|known| known.with(|known| known.unwritten.all())).unwrap_or_default()
}

/// A kernel has run. Of one that was not checked nobody knows what it wrote.
pub(crate) fn ran(name: &str, place: Option<&CallPlace>, traffic: Option<Traffic>) {
    let Some(guard) = known() else { return };
    guard.with(|known| match &traffic {
        None => known.unwritten.clear(),
        Some(traffic) => {
            let writes = traffic.writes.iter().chain(&traffic.strong_writes);
            writes.for_each(|range| known.unwritten.remove(range.clone()));
        }
    });
    match traffic {
        Some(traffic) => ordered(&format!("`{name}`"), place, traffic),
        // It may have told the program what is done.
        None => moments::current().iter().for_each(host::may_be_known),
    }
}

/// A stream waits for a word of memory: who writes it orders work, and that is not seen.
pub(crate) fn disordered() {
    if let Some(known) = known() {
        known.with(|known| {
            known.is_disordered = true;
            known.streams.clear();
        });
        host::may_know_all();
    }
}

/// Work has been done: is there other work that accesses the same memory, and that nothing orders?
fn ordered(name: &str, place: Option<&CallPlace>, traffic: Traffic) {
    let Some(moment) = moments::current() else { return };
    let work = Work { moment, name: name.to_owned(), place: place.cloned(), traffic };
    // Streams that wait for words of memory are ordered by whoever writes them.
    if known().is_none_or(|known| known.with(|known| known.is_disordered)) {
        return;
    }
    host::done(&work);
    let Some(guard) = known() else { return };
    let found = guard.with(|known| {
        let mut found = Vec::new();
        known.streams.add(work, |one, other, clash| found.push(race(one, other, clash)));
        found
    });
    found.into_iter().for_each(|(clash, told)| {
        let block = find(clash);
        let told = note(told, block.as_ref().map(|block| format!("it is in {}", block.told())));
        tell("streams", note(told, at("allocated", block.as_ref().and_then(Block::place))));
    });
}

fn race(one: &Work, other: &Work, Clash { at: first, bytes, writes }: &Clash) -> (u64, Diagnostic) {
    let does = |writes: bool| if writes { "writes" } else { "reads" };
    let [first_does, then_does] = writes.map(does);
    let message = format!(
        "{} {first_does} and {} {then_does} the same {bytes} bytes, from {first:#x} on, in two streams, and nothing orders them",
        one.name, other.name
    );
    let told = finding(Code::H003, Severity::Error, message);
    let told = note(told, at("the first was issued", one.place.as_ref()));
    (*first, note(told, at("the other was issued", other.place.as_ref())))
}

/// A launch is not possible.
pub(crate) fn refused(function: &Function, why: &str) {
    if is_on() {
        let name = function.kernel.plain_name();
        let message = format!("`{name}` is not launched: {why}");
        let told = finding(Code::H004, Severity::Error, message);
        tell(&name, note(told, at("the call is", Some(&CallPlace::here()))));
    }
}
