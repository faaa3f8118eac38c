//! Loads, stores and atomic updates.

use super::{Cta, Scene, reg_of};
use crate::detail::{Born, Use};
use crate::shadow::{Kind, Origin, Shadow, transfer};
use crate::touch::{Touch, Touches};
use ir::{Access, Address, Inst, Op, Ordering, Place, Reg, Service, Space, Src, Update};
use lanes::{LaneMask, WARP};

/// Bytes to which the structures that padding is looked for in are aligned: at most, and in which whole words can be padding.
const STRUCTURE: u64 = 16;
const WORDS: u64 = 8;

/// The element of an access that a register holds: its register, its width and its offset in the access.
struct Element {
    access: Access,
    nth: usize,
}

impl Element {
    fn bytes(&self) -> usize {
        self.access.bytes() as usize
    }

    fn offset(&self) -> u64 {
        (self.nth * self.bytes()) as u64
    }

    /// Undefined bits of a register that the element is loaded into.
    fn extend(&self, bits: u64) -> u64 {
        match self.access {
            Access::S8 => bits as u8 as i8 as u32 as u64,
            Access::S16 => bits as u16 as i16 as u32 as u64,
            Access::U8 | Access::U16 | Access::B32 | Access::B64 => bits,
        }
    }
}

impl Cta {
    /// The shadow of a thread's local memory.
    fn local(&mut self, warp: usize, lane: u32) -> Option<&mut Shadow> {
        let memory = self.local.get_mut(warp * WARP + lane as usize)?;
        Some(memory.get_or_insert_with(|| self.new_local.clone()))
    }
}

impl Scene<'_, '_> {
    /// An address must be defined.
    pub(super) fn address(&mut self, address: &Address, place: Place) {
        if let Some(reg) = reg_of(address.base) {
            self.all_must_be_defined(reg, place, Use::Address);
        }
    }

    /// What the host is given must be defined, and so is what it returns.
    pub(super) fn host(
        &mut self,
        inst: &Inst,
        d: Option<Reg>,
        (service, operands): (Service, &[Src]),
    ) {
        for reg in operands.iter().copied().filter_map(reg_of) {
            self.address(&Address { base: reg.into(), offset: 0 }, inst.place);
        }
        if let (Service::Print, [format, values]) = (service, operands) {
            for (warp, lanes) in self.view.group() {
                let (format, values) = (self.view.w64(*format, warp), self.view.w64(*values, warp));
                for lane in lanes {
                    let at = lane as usize % WARP;
                    for value in self.view.printed((warp, lane), format[at], values[at]) {
                        self.prints((warp, lane), value, inst.place);
                    }
                }
            }
        }
        if let (Service::BeginFrame, [start, bytes]) = (service, operands) {
            for (warp, lanes) in self.view.group() {
                let (start, bytes) = (self.view.w64(*start, warp), self.view.w64(*bytes, warp));
                for lane in lanes {
                    let start = start[lane as usize % WARP];
                    let end = start.saturating_add(bytes[lane as usize % WARP]);
                    if let Some(local) = self.cta.local(warp, lane) {
                        local.forget(start, end);
                    }
                }
            }
        }
        if let Some(d) = d {
            self.pure(inst, d, [None; 3]);
        }
    }

    /// A thread prints a value: an address and so many bytes.
    fn prints(&mut self, (warp, lane): (usize, u32), (address, bytes): (u64, u32), place: Place) {
        let at = self.view.locate(Space::Generic, address);
        let (low, bytes) = (at.address, u64::from(bytes));
        let touch = Touch::one(at, (warp, lane), bytes);
        if self.memory_bits(&touch, lane, low, bytes as usize) == 0 {
            return;
        }
        let origin = match self.memory_origin(&touch, lane, low, bytes as usize) {
            Some(origin) => origin,
            None => self.unwritten(&touch, lane, low, place),
        };
        self.report_origin(origin, (warp, LaneMask::single(lane)), place, Use::Print);
    }

    pub(super) fn load(&mut self, inst: &Inst, touches: &Touches) {
        let Op::Load { d, space, access, address, .. } = &inst.op else { return };
        self.address(address, inst.place);
        for (warp, lanes) in self.view.group() {
            for reg in d.iter().flatten() {
                self.cta.registers.define(*reg, warp, lanes.0);
            }
        }
        let always = match space {
            Space::Param => true,
            Space::Global => self.global.is_clean(),
            Space::Generic | Space::Shared | Space::Local => false,
        };
        if !always {
            for touch in touches.of(0) {
                self.load_touched(&touch, d, *access, inst.place);
            }
        }
    }

    fn load_touched(&mut self, touch: &Touch<'_>, d: &[Option<Reg>], access: Access, place: Place) {
        let clean = match touch.space {
            Space::Param | Space::Generic => true,
            Space::Global => {
                self.global.is_clean()
                    || touch.high - touch.low <= 2 * WARP as u64 * touch.bytes
                        && self.global.is_defined(touch.low, touch.high)
            }
            // One look at everything between the lowest and the highest byte.
            Space::Shared => {
                touch.high - touch.low <= 2 * WARP as u64 * touch.bytes
                    && self.shared(touch).is_some_and(|it| it.is_defined(touch.low, touch.high))
            }
            Space::Local => false,
        };
        if clean {
            return;
        }
        for (lane, address) in touch.iter() {
            let all = (0..touch.bytes).step_by(8).fold(0, |all, at| {
                let bytes = (touch.bytes - at).min(8) as usize;
                all | u64::from(self.memory_bits(touch, lane, address + at, bytes) != 0)
            });
            if all == 0 {
                continue;
            }
            let padding = self.reads_padding(touch, lane, address, (access, place));
            for (nth, reg) in d.iter().enumerate() {
                let (element, Some(reg)) = (Element { access, nth }, reg) else { continue };
                let at = address + element.offset();
                let bits = self.memory_bits(touch, lane, at, element.bytes());
                if bits != 0 {
                    let stored = self.memory_origin(touch, lane, at, element.bytes());
                    let origin = match stored {
                        Some(origin) => origin,
                        None => self.unwritten(touch, lane, at, place),
                    };
                    // Narrower values are extended, which no sum survives.
                    let kept = if element.bytes() >= 4 { origin.term() } else { None };
                    let term = kept.unwrap_or_else(|| self.births.term());
                    let origin = origin.with_term(term);
                    let origin = if padding { origin.padding() } else { origin };
                    let bits = element.extend(bits);
                    self.cta.registers.set(*reg, touch.warp, lane, bits, origin);
                }
            }
        }
    }

    /// Whether undefined bytes of a lane's access look like the padding of a structure: the access reads defined bytes,
    /// too, or it is one of those byte by byte or word by word with which compilers copy what has no type, and defined
    /// bytes of the structure lie before it.
    pub(super) fn reads_padding(
        &mut self,
        touch: &Touch<'_>,
        lane: u32,
        address: u64,
        (access, place): (Access, Place),
    ) -> bool {
        let start = match access.bytes() {
            1 => address - address % STRUCTURE,
            _ if self.word_copies.contains(&place) => address - address % WORDS,
            _ => address,
        };
        let mut bytes = start..address + touch.bytes;
        bytes.any(|byte| self.memory_bits(touch, lane, byte, 1) == 0)
    }

    /// Memory that nothing wrote is undefined from where it is read.
    pub(super) fn unwritten(
        &mut self,
        touch: &Touch<'_>,
        lane: u32,
        address: u64,
        place: Place,
    ) -> Origin {
        let (view, space, warp) = (self.view, touch.space, touch.warp);
        self.births.at(Kind::Memory(space), place, || {
            let at = touch.at(view, address);
            (view.thread(warp, lane), Born::Memory(at), None)
        })
    }

    /// The shared memory that lanes access.
    pub(super) fn shared(&mut self, touch: &Touch<'_>) -> Option<&mut Shadow> {
        self.shared.get(touch.cta)
    }

    pub(super) fn memory_bits(
        &mut self,
        touch: &Touch<'_>,
        lane: u32,
        address: u64,
        bytes: usize,
    ) -> u64 {
        match touch.space {
            Space::Shared => self.shared(touch).map_or(0, |shared| shared.bits(address, bytes)),
            Space::Local => {
                self.cta.local(touch.warp, lane).map_or(0, |local| local.bits(address, bytes))
            }
            Space::Global => self.global.bits(address, bytes),
            Space::Generic | Space::Param => 0,
        }
    }

    pub(super) fn memory_origin(
        &mut self,
        touch: &Touch<'_>,
        lane: u32,
        address: u64,
        bytes: usize,
    ) -> Option<Origin> {
        match touch.space {
            Space::Shared => self.shared(touch)?.origin(address, bytes),
            Space::Local => self.cta.local(touch.warp, lane)?.origin(address, bytes),
            Space::Global => self.global.origin(address, bytes),
            Space::Generic | Space::Param => None,
        }
    }

    pub(super) fn store_bits(
        &mut self,
        touch: &Touch<'_>,
        (lane, address): (u32, u64),
        bytes: usize,
        (bits, origin): (u64, Origin),
    ) {
        match touch.space {
            Space::Shared => {
                if let Some(shared) = self.shared(touch) {
                    shared.store(address, bytes, bits, origin);
                }
            }
            Space::Local => {
                if let Some(local) = self.cta.local(touch.warp, lane) {
                    local.reach(address + bytes as u64);
                    local.store(address, bytes, bits, origin);
                }
            }
            Space::Global => self.global.store(address, bytes, bits, origin),
            Space::Generic | Space::Param => {}
        }
    }

    pub(super) fn store(&mut self, inst: &Inst, touches: &Touches) {
        let Op::Store { values, space, access, address, ordering } = &inst.op else { return };
        self.address(address, inst.place);
        let message = is_message(*ordering);
        let undefined = |scene: &Self, warp| {
            values.iter().fold(0, |any, value| any | scene.undefined(*value, warp))
        };
        if *space == Space::Global && self.global.is_clean() {
            let (first, lanes) = self.view.lanes();
            let registers = &self.cta.registers;
            let mut stored = values.iter().copied().filter_map(reg_of);
            if stored.all(|reg| registers.is_defined(reg, first, lanes)) {
                return;
            }
        }
        for touch in touches.of(0) {
            let undefined = undefined(self, touch.warp);
            self.store_touched(&touch, values, *access, inst.place, (undefined, message));
        }
    }

    fn store_touched(
        &mut self,
        touch: &Touch<'_>,
        values: &[Src],
        access: Access,
        place: Place,
        (undefined, message): (u32, bool),
    ) {
        if undefined & touch.lanes == 0
            && let Some((low, high)) = touch.dense()
        {
            match touch.space {
                Space::Shared => {
                    if let Some(shared) = self.shared(touch) {
                        return shared.define(low, high);
                    }
                }
                Space::Global => return self.global.define(low, high),
                Space::Generic | Space::Param | Space::Local => {}
            }
        }
        let padding = self.padding_stores.contains(&place);
        for (lane, address) in touch.iter() {
            for (nth, value) in values.iter().enumerate() {
                let element = Element { access, nth };
                let at = address + element.offset();
                let mask = low_bits(element.bytes());
                let bits = self.bits(*value, touch.warp, lane) & mask;
                let mut origin = Origin::default();
                if bits != 0
                    && let Some(reg) = reg_of(*value)
                {
                    origin = self.origin(reg, touch.warp, lane, place);
                    let whole = bits == mask;
                    if touch.space == Space::Global
                        && (self.pedantic || !message && !padding && self.leaves(origin, whole))
                    {
                        let lanes = LaneMask::single(lane);
                        self.report_origin(origin, (touch.warp, lanes), place, Use::GlobalStore);
                        self.store_bits(touch, (lane, at), element.bytes(), (0, origin));
                        continue;
                    }
                }
                self.store_bits(touch, (lane, at), element.bytes(), (bits, origin));
            }
        }
    }

    /// Whether an undefined value that is stored to global memory is more than the padding of a structure.
    /// `whole` says that every bit of the element is undefined.
    pub(super) fn leaves(&self, origin: Origin, whole: bool) -> bool {
        let padding = match self.births.get(origin).map(|birth| birth.kind) {
            Some(Kind::Register) => !whole,
            Some(Kind::Memory(_)) => origin.may_be_padding(),
            Some(Kind::Collective) | None => false,
        };
        origin.is_computed() || !padding
    }

    pub(super) fn atomic(&mut self, inst: &Inst, touches: &Touches) {
        let Op::Atomic { d, update, access, address, b, c, .. } = &inst.op else { return };
        self.address(address, inst.place);
        for touch in touches.of(0) {
            self.atomic_touched(&touch, inst.place, (*update, *access), (*b, *c), *d);
        }
    }

    fn atomic_touched(
        &mut self,
        touch: &Touch<'_>,
        place: Place,
        (update, access): (Update, Access),
        (b, c): (Src, Src),
        d: Option<Reg>,
    ) {
        let warp = touch.warp;
        if touch.space == Space::Global {
            for reg in [b, c].into_iter().filter_map(reg_of) {
                self.must_be_defined(reg, (warp, touch.lanes), place, Use::GlobalAtomic);
            }
            if self.global.is_clean() {
                d.into_iter().for_each(|d| self.cta.registers.define(d, warp, touch.lanes));
                return;
            }
        }
        let bytes = access.bytes() as usize;
        for (lane, address) in touch.iter() {
            let old = self.memory_bits(touch, lane, address, bytes);
            let (sb, sc) = (self.bits(b, warp, lane), self.bits(c, warp, lane));
            let new = match update {
                Update::Apply(op) => transfer::update(op, [old, sb]),
                Update::Exchange => sb,
                Update::CompareExchange => old | sb | sc,
            };
            let new = new & low_bits(bytes);
            let mut origin = Origin::default();
            if (old | new) != 0 {
                let from = [b, c].into_iter().find(|src| self.bits(*src, warp, lane) != 0);
                origin = match (old != 0, from.and_then(reg_of)) {
                    (false, Some(reg)) => self.origin(reg, warp, lane, place),
                    _ => match self.memory_origin(touch, lane, address, bytes) {
                        Some(origin) => origin,
                        None => self.unwritten(touch, lane, address, place),
                    },
                };
            }
            if new != 0 || old != 0 {
                self.store_bits(touch, (lane, address), bytes, (new, origin.computed()));
            }
            if let Some(d) = d {
                self.cta.registers.set(d, warp, lane, old, origin);
            }
        }
    }
}

/// The bits of so many low bytes.
pub(super) fn low_bits(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 }
}

/// Whether a store speaks to other threads of the kernel, such as the state of a look-back scan: then what it stores
/// matters where one of them uses it.
fn is_message(ordering: Ordering) -> bool {
    match ordering {
        Ordering::Relaxed(_)
        | Ordering::Acquire(_)
        | Ordering::Release(_)
        | Ordering::AcqRel(_) => true,
        Ordering::Weak | Ordering::Constant | Ordering::AsyncProxy | Ordering::Volatile => false,
    }
}
