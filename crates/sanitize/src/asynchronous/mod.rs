//! R001 and R002 for asynchronous copies: memory that a copy may be writing still, and memory that it may be reading.
//!
//! Until a copy has been waited for, an access to its bytes may find old values, new ones or both. The issuing thread waits for the
//! copy's group, any thread for the phase of the barrier object that the copy signals. Accesses after that are judged by module
//! `race`: the wait for a group counts as the access of the copy.

mod lasting;
mod marks;
mod proxy;

use crate::code::Code;
use crate::detail::{At, Awaited, BulkSize, CopyUnderWay, ProxyUser, UnderWay};
use crate::finding::{Finding, Findings};
use crate::per_cta::PerCta;
use crate::touch::{self, Touch, Touches};
use foldhash::{HashMap, HashMapExt, HashSet};
use ir::{
    Access, Address, AsyncCopy, BULK_UNIT, Completion, CopyProgress, Groups, Inst, Kernel, Op,
    Ordering, Place, Space,
};
use lanes::WARP;
use lasting::Lasting;
pub(crate) use lasting::Part;
use marks::{Marks, Span};
use proxy::Unfenced;
use vm::{ThreadId, View};

/// A barrier object that copies tell.
#[derive(Debug)]
struct Object {
    /// Whether its phase is odd.
    odd: bool,
    /// The copies that this phase waits for, and those of earlier ones.
    now: Vec<Begun>,
    over: Vec<Begun>,
}

/// A copy that has begun: the CTA that made it, its index there, and its number.
#[derive(Clone, Copy, Debug)]
struct Begun {
    cta: u64,
    at: usize,
    number: u64,
}

/// A barrier object as it is found: the CTA of the cluster that has it, its address there, and whether its phase is odd.
#[derive(Clone, Copy, Debug)]
struct Told {
    cta: u64,
    address: u64,
    odd: bool,
}

impl Object {
    /// It has been found in a state.
    fn found(&mut self, odd: bool) {
        if odd != self.odd {
            self.odd = odd;
            self.over.append(&mut self.now);
        }
    }
}

/// A copy that has not been waited for.
#[derive(Clone, Debug)]
struct Copy {
    /// Counts the copies of the CTA.
    number: u64,
    thread: ThreadId,
    place: Place,
    to: Span,
    /// Whether it updates elements where others may do so at the same time.
    updates: bool,
    /// What it reads, if that is known, until that has been waited for.
    from: Option<Span>,
    /// The group that it belongs to, counted by its thread.
    group: Option<(Groups, u32)>,
    /// Whether it tells a barrier object.
    tells: bool,
}

impl Copy {
    fn awaited(&self) -> Awaited {
        match (self.tells, self.group) {
            (true, _) => Awaited::BarrierObject,
            (false, Some((Groups::Bulk, _))) => Awaited::BulkGroup,
            (false, Some((Groups::Plain, _)) | None) => Awaited::Group,
        }
    }
}

#[derive(Debug)]
struct Cta {
    written: Marks,
    read: Marks,
    copies: Vec<Option<Copy>>,
    /// Indices of `copies` that are free.
    free: Vec<usize>,
    /// Per thread, its copies, the oldest first.
    of_thread: Vec<Vec<usize>>,
    /// Per thread, how many groups of each kind it has committed.
    groups: Vec<[u32; 2]>,
    /// The barrier objects that copies have told, by address.
    objects: HashMap<u64, Object>,
    /// How many copies have begun.
    begun: u64,
    unfenced: Unfenced,
}

/// The asynchronous copies that are under way.
#[derive(Debug)]
pub(crate) struct AsyncCopies {
    /// Whether the kernel makes any, or reads through the asynchronous proxy.
    any: bool,
    /// The instructions that use the asynchronous proxy.
    proxy: HashSet<Place>,
    ctas: PerCta<Cta>,
}

impl AsyncCopies {
    pub(crate) fn new(kernel: &Kernel) -> AsyncCopies {
        let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
        let copies = insts.clone().filter_map(|inst| {
            let Op::Copy(copy) = &inst.op else { return None };
            Some((inst.place, copy.until))
        });
        let bulk = copies.clone().filter(|(_, until)| *until != Completion::Group(Groups::Plain));
        let bulk = bulk.map(|(place, _)| place);
        let reads = insts.filter(|inst| reads_through_proxy(&inst.op)).map(|inst| inst.place);
        let proxy: HashSet<Place> = bulk.chain(reads).collect();
        let any = copies.count() > 0 || !proxy.is_empty();
        AsyncCopies { any, proxy, ctas: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        if !self.any {
            return;
        }
        let threads = view.warps() * WARP;
        let new = || Cta {
            written: Marks::new(view.shared_bytes()),
            read: Marks::new(view.shared_bytes()),
            copies: Vec::new(),
            free: Vec::new(),
            of_thread: vec![Vec::new(); threads],
            groups: vec![[0; 2]; threads],
            objects: HashMap::new(),
            begun: 0,
            unfenced: Unfenced::new(),
        };
        let restart = |cta: &mut Cta| {
            cta.written.clear();
            cta.read.clear();
            cta.copies.clear();
            cta.free.clear();
            cta.of_thread.iter_mut().for_each(Vec::clear);
            cta.groups.fill([0; 2]);
            cta.objects.clear();
            cta.begun = 0;
            cta.unfenced.clear();
        };
        self.ctas.begin(view.cta(), restart, new);
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.ctas.end(view.cta());
    }

    /// `lasts` is shown what copies have accessed until now: which bytes, by which instruction, and what they did with them.
    #[inline]
    pub(crate) fn inst(
        &mut self,
        view: &View<'_>,
        inst: &Inst,
        touches: &Touches,
        found: &mut Findings,
        mut lasts: impl FnMut(&Touch<'_>, Place, Part),
    ) {
        if !self.any {
            return;
        }
        if let Op::CopyProgress(step) = &inst.op {
            for (warp, lanes) in view.group() {
                let mut lasting = Lasting::default();
                for lane in lanes.iter() {
                    if let CopyProgress::Signals(space, address) = step {
                        self.signal(view, (warp, lane), (*space, *address));
                    } else if let Some(cta) = self.ctas.get(view.cta()) {
                        cta.step((warp, lane), step, &mut lasting);
                    }
                }
                lasting.each((view.cta(), warp), &mut lasts);
            }
            return;
        }
        for (nth, touched) in inst.op.touches().enumerate() {
            let part = match (touched.writes, inst.op.updates()) {
                (false, _) => Part::Reads,
                (true, false) => Part::Writes,
                (true, true) => Part::Updates,
            };
            self.touched(view, (part, touches, nth), inst.place, found);
        }
        if reads_through_proxy(&inst.op) {
            self.multiplied(view, touches, inst.place, found);
        }
        let Op::Copy(copy) = &inst.op else { return };
        for (warp, lanes) in view.group() {
            for lane in lanes.iter() {
                let Some(cta) = self.ctas.get(view.cta()) else { continue };
                let began = cta.copies(view, (warp, lane), copy, inst.place, found);
                if let (Some(at), Completion::Object(space, address)) = (began, copy.until)
                    && let Some(object) = object(view, (warp, lane), (space, address))
                {
                    self.tell((view.cta(), at), object);
                }
            }
        }
    }

    /// Lanes read what they multiply.
    fn multiplied(
        &mut self,
        view: &View<'_>,
        touches: &Touches,
        place: Place,
        found: &mut Findings,
    ) {
        for touch in touches.of(0).filter(|touch| touch.space == Space::Shared) {
            let Some(cta) = self.ctas.get(touch.cta) else { continue };
            for (lane, start) in touch.iter() {
                let span = Span { space: touch.space, start, bytes: touch.bytes };
                let by = (place, view.thread(touch.warp, lane));
                cta.unfenced.accessed(&span, (ProxyUser::Product, false), by, found);
            }
        }
    }

    /// The copies of a lane tell a barrier object.
    fn signal(&mut self, view: &View<'_>, (warp, lane): (usize, u32), place: (Space, Address)) {
        let Some(object) = object(view, (warp, lane), place) else { return };
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        for at in cta.of_thread[index(warp, lane)].clone() {
            self.tell((view.cta(), at), object);
        }
    }

    /// A copy of a CTA tells a barrier object of its cluster.
    fn tell(&mut self, (cta, at): (u64, usize), told: Told) {
        let copies = self.ctas.get(cta).map(|cta| &mut cta.copies);
        let Some(Some(copy)) = copies.and_then(|copies| copies.get_mut(at)) else { return };
        copy.tells = true;
        let number = copy.number;
        let Some(owner) = self.ctas.get(told.cta) else { return };
        let new = || Object { odd: told.odd, now: Vec::new(), over: Vec::new() };
        let object = owner.objects.entry(told.address).or_insert_with(new);
        object.found(told.odd);
        object.now.push(Begun { cta, at, number });
    }

    #[inline]
    fn touched(
        &mut self,
        view: &View<'_>,
        (part, touches, nth): (Part, &Touches, usize),
        place: Place,
        found: &mut Findings,
    ) {
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        let under_way = cta.copies.len() > cta.free.len();
        let writes = part != Part::Reads;
        let stores = writes && !self.proxy.is_empty() && !self.proxy.contains(&place);
        if !under_way && !stores && !view.has_peers() {
            return;
        }
        let ctas = &mut self.ctas;
        for touch in touches.of(nth) {
            // Copies are known to the CTA whose threads make them.
            let Some(cta) = ctas.get(touch.cta) else { continue };
            let over = cta.look(view, &touch, !writes);
            for over in over.chunk_by(|one, other| one.cta == other.cta) {
                ctas.get(over[0].cta).into_iter().for_each(|cta| cta.are_over(over));
            }
            let Some(cta) = ctas.get(touch.cta) else { continue };
            let under_way = cta.copies.len() > cta.free.len();
            if under_way && matches!(touch.space, Space::Shared | Space::Global) {
                cta.accessed(view, &touch, part, place, found);
            }
            if stores && touch.space == Space::Shared && touch.cta == view.cta() {
                cta.unfenced.stored(&touch, place, |lane| view.thread(touch.warp, lane));
            }
        }
    }
}

/// Whether an operation reads memory through the asynchronous proxy, and at once.
fn reads_through_proxy(op: &Op) -> bool {
    matches!(op, Op::Load { ordering: Ordering::AsyncProxy, .. })
}

/// A bulk copy of so many bytes.
fn partial_unit(bytes: u64, (place, by): (Place, ThreadId), found: &mut Findings) {
    found.report(Code::M002, place, None, || Finding::new(place, by, BulkSize { bytes }));
}

/// The barrier object that a lane names, if it is there.
fn object(
    view: &View<'_>,
    (warp, lane): (usize, u32),
    (space, address): (Space, Address),
) -> Option<Told> {
    let address = view.address(&address, warp)[lane as usize];
    let location = view.locate(space, address);
    let state = view.peek(location, (warp, lane), Access::B64.bytes())?;
    Some(Told { cta: location.cta, address: location.address, odd: is_odd(state) })
}

fn index(warp: usize, lane: u32) -> usize {
    warp * WARP + lane as usize
}

impl Cta {
    /// A lane begins a copy, whose index is handed out, unless it faults.
    fn copies(
        &mut self,
        view: &View<'_>,
        (warp, lane): (usize, u32),
        copy: &AsyncCopy,
        place: Place,
        found: &mut Findings,
    ) -> Option<usize> {
        let value = |src| u64::from(view.word(src, (warp, lane)));
        let span = |(space, address): &(Space, Address), bytes: u64| {
            let address = view.address(address, warp)[lane as usize];
            let location = view.locate(*space, address);
            let start = view.address_of(location);
            // It faults.
            let is_there =
                touch::reached(view, location, (warp, lane), (bytes, copy.unit)) == bytes;
            is_there.then_some(Span { space: location.space, start, bytes })
        };
        let bytes = value(copy.bytes);
        let from = span(&copy.from, bytes.min(value(copy.read)));
        let (Some(from), Some(to)) = (from, span(&copy.to, bytes)) else { return None };
        let group = match copy.until {
            Completion::Group(of) => Some((of, self.groups[index(warp, lane)][of as usize])),
            Completion::Object(..) => None,
        };
        let by = view.thread(warp, lane);
        if group.is_none_or(|(of, _)| of == Groups::Bulk) {
            let at = (place, by);
            self.unfenced.copied(&from, false, at, found);
            self.unfenced.copied(&to, true, at, found);
            // Copies of tensors are made of elements here.
            if copy.unit == BULK_UNIT as u32 && !bytes.is_multiple_of(BULK_UNIT) {
                partial_unit(bytes, at, found);
            }
        }
        let number = self.begun;
        self.begun += 1;
        let (from, updates) = (Some(from), copy.update.is_some());
        let thread = by;
        let copy = Copy { number, thread, place, to, updates, from, group, tells: false };
        Some(self.begins(copy))
    }

    fn step(&mut self, (warp, lane): (usize, u32), step: &CopyProgress, lasting: &mut Lasting) {
        let thread = index(warp, lane);
        match step {
            CopyProgress::Commits(of) => self.groups[thread][*of as usize] += 1,
            CopyProgress::Waits { of, groups, reads } => {
                let done = self.groups[thread][*of as usize].saturating_sub(*groups);
                let is_done = |copy: &Copy| {
                    copy.group.is_some_and(|(kind, group)| kind == *of && group < done)
                };
                let mut last = |place, part, span| lasting.add(lane, place, part, span);
                match reads {
                    true => self.have_read(thread, is_done, last),
                    false => self.complete(thread, is_done, |copy| {
                        copy.from.into_iter().for_each(|from| last(copy.place, Part::Reads, from));
                        let part = if copy.updates { Part::Updates } else { Part::Writes };
                        last(copy.place, part, copy.to);
                    }),
                }
            }
            // It is about objects, which CTAs share.
            CopyProgress::Signals(..) => {}
            CopyProgress::Fences => self.unfenced.clear(),
        }
    }

    fn begins(&mut self, copy: Copy) -> usize {
        let thread = index(copy.thread.warp as usize, copy.thread.lane);
        let (to, from) = (copy.to, copy.from);
        let at = self.free.pop().unwrap_or_else(|| {
            self.copies.push(None);
            self.copies.len() - 1
        });
        self.copies[at] = Some(copy);
        self.of_thread[thread].push(at);
        self.written.set(&to, at);
        from.iter().for_each(|from| self.read.set(from, at));
        at
    }

    /// Copies of a thread have read their sources.
    fn have_read(
        &mut self,
        thread: usize,
        which: impl Fn(&Copy) -> bool,
        mut last: impl FnMut(Place, Part, Span),
    ) {
        for at in &self.of_thread[thread] {
            let Some(copy) = self.copies[*at].as_mut().filter(|copy| which(copy)) else { continue };
            if let Some(from) = copy.from.take() {
                self.read.unset(&from, *at);
                last(copy.place, Part::Reads, from);
            }
        }
    }

    /// Copies of a thread are complete.
    fn complete(
        &mut self,
        thread: usize,
        which: impl Fn(&Copy) -> bool,
        mut ended: impl FnMut(&Copy),
    ) {
        let mut copies = std::mem::take(&mut self.of_thread[thread]);
        copies.retain(|at| {
            let Some(copy) = self.copies[*at].take_if(|copy| which(copy)) else { return true };
            self.unmark(*at, &copy);
            ended(&copy);
            false
        });
        self.of_thread[thread] = copies;
    }

    /// A copy that is complete leaves its index.
    fn unmark(&mut self, at: usize, copy: &Copy) {
        self.written.unset(&copy.to, at);
        copy.from.iter().for_each(|from| self.read.unset(from, at));
        self.free.push(at);
    }

    /// Lanes look at barrier objects, or change them: a lane that reads that the phase of copies is over has waited for them.
    fn look(&mut self, view: &View<'_>, touch: &Touch<'_>, reads: bool) -> Vec<Begun> {
        let word = u64::from(Access::B64.bytes());
        let mut over = Vec::new();
        if self.objects.is_empty() || touch.space != Space::Shared || touch.bytes != word {
            return over;
        }
        let mut last = None;
        for (lane, address) in
            touch.iter().filter(|(_, address)| last.replace(*address) != Some(*address))
        {
            let Some(object) = self.objects.get_mut(&address) else { continue };
            let state = view.peek(touch.location(address), (touch.warp, lane), word as u32);
            state.into_iter().for_each(|state| object.found(is_odd(state)));
            if reads {
                over.append(&mut object.over);
            }
        }
        over
    }

    /// Somebody has waited for copies of this CTA. Of boxes there are thousands.
    fn are_over(&mut self, over: &[Begun]) {
        let mut threads = Vec::new();
        for Begun { at, number, .. } in over {
            let copy = self.copies.get_mut(*at);
            let copy = copy.and_then(|copy| copy.take_if(|copy| copy.number == *number));
            let Some(copy) = copy else { continue };
            self.unmark(*at, &copy);
            threads.push(index(copy.thread.warp as usize, copy.thread.lane));
            // Copies that end together are mostly those of one thread.
            threads.dedup();
        }
        for thread in threads {
            let copies = &self.copies;
            self.of_thread[thread].retain(|at| copies[*at].is_some());
        }
    }

    /// Lanes access bytes that copies may be writing or, if the lanes write, reading. Elements may be updated by all at once.
    fn accessed(
        &mut self,
        view: &View<'_>,
        touch: &Touch<'_>,
        part: Part,
        place: Place,
        found: &mut Findings,
    ) {
        let (code, writes) = (touch.race(), part != Part::Reads);
        for (lane, start) in touch.iter() {
            let span = Span { space: touch.space, start, bytes: touch.bytes };
            let copies = &self.copies;
            let written = self.written.find(&span).filter(|at| {
                let copy = copies.get(*at).and_then(Option::as_ref);
                part != Part::Updates || copy.is_some_and(|copy| !copy.updates)
            });
            let (at, copy_is) = match (written, writes) {
                (Some(at), _) => (at, UnderWay::Writing),
                (None, false) => continue,
                (None, true) => match self.read.find(&span) {
                    Some(at) => (at, UnderWay::Reading),
                    None => continue,
                },
            };
            let Some(copy) = self.copies.get(at).and_then(Option::as_ref) else { continue };
            // Marks are coarser than elements of one and two bytes.
            let bytes = if copy_is == UnderWay::Writing { Some(copy.to) } else { copy.from };
            if bytes.is_none_or(|bytes| !bytes.overlaps(&span)) {
                continue;
            }
            found.report(code, place, Some(copy.place), || {
                let at = touch.at(view, start);
                let Span { space, start: to, bytes } = copy.to;
                let detail = CopyUnderWay {
                    at,
                    writes,
                    copy_is,
                    copy: copy.place,
                    copied_by: copy.thread,
                    copied_to: At { space, address: to, bytes: 1 },
                    copied_bytes: bytes,
                    awaited: copy.awaited(),
                };
                Finding::new(place, view.thread(touch.warp, lane), detail)
            });
        }
    }
}

fn is_odd(state: u64) -> bool {
    state >> ir::mbarrier::PHASE != 0
}
