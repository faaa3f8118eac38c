//! Loads and stores whose addresses follow from the first lane's: one check for the warp, then plain accesses.

use super::Lower;
use super::packed::{moved_as, wanted_as};
use super::value::{INT, Value, access_class};
use super::values::words as words_of;
use crate::exit::Why;
use crate::fuel;
use crate::isa::{Family, U, V};
use crate::mir::{Base, Kind, Mem, O};
use crate::x86::scalar_load;
use iced_x86::{Code, ConditionCode};
use ir::analysis::{Affine, GANG_LANES, Shape};
use ir::{Access, Address, Class, Op, Ordering, Reg, Space, Src};
use lanes::WARP;
use regalloc2::{Operand, VReg};

/// Bytes that the lanes of one access may lie apart.
const MAX_SPAN: i64 = 1 << 24;

/// From where lanes are counted: a base, an index without sign, and bytes.
type Reached = (Base, Option<VReg>, i32);

/// Where the lanes of a checked access are on the host.
pub(super) struct Lanes {
    /// From where they are counted: those of each slice.
    bases: Vec<Reached>,
    /// Lanes of a slice.
    slice: usize,
    /// Per lane, from there on.
    at: [i64; GANG_LANES],
}

/// An access, of these lanes.
pub(super) struct Wanted<'a> {
    pub(super) address: &'a Address,
    pub(super) space: Space,
    /// Bytes of an element.
    pub(super) bytes: i64,
    /// Bytes of a lane, from the first element on.
    pub(super) extent: i64,
    pub(super) writes: bool,
    pub(super) among: u64,
}

/// What the runs of one access have in common.
pub(super) struct Run {
    /// From the lane of which the others follow to the lowest.
    offset: i64,
    offset32: i32,
    /// Bytes from the lowest to behind the highest.
    span: i64,
    /// Bytes of a lane.
    bytes: i64,
    wide: bool,
}

impl Run {
    /// One element, so far from an address.
    pub(super) fn of_one(bytes: i64, offset: i32, wide: bool) -> Run {
        Run { offset: offset.into(), offset32: offset, span: bytes, bytes, wide }
    }
}

impl Lanes {
    /// Lanes of which those of each vector lie at one distance from each other: the first ones so far from a base.
    pub(super) fn of_runs(base: VReg, firsts: &[VReg], lanes: usize, step: i64) -> Lanes {
        let bases = firsts.iter().map(|first| (Base::Value(base), Some(*first), 0)).collect();
        let at = std::array::from_fn(|lane| (lane % lanes) as i64 * step);
        Lanes { bases, slice: lanes, at }
    }

    /// Lanes of which those of each warp lie so far from each other, from a base of each warp on.
    pub(super) fn of_warps(bases: Vec<Reached>, step: i64) -> Lanes {
        let at = std::array::from_fn(|lane| (lane % WARP) as i64 * step);
        Lanes { bases, slice: WARP, at }
    }

    /// The same lanes, so many bytes further on.
    pub(super) fn further(&self, bytes: i64) -> Lanes {
        let bases =
            self.bases.iter().map(|(base, index, disp)| (*base, *index, disp + bytes as i32));
        Lanes { bases: bases.collect(), ..*self }
    }

    /// Where a lane is: from where it is counted, and how far.
    fn place(&self, lane: usize) -> (Reached, i64) {
        (self.bases[lane / self.slice], self.at[lane])
    }

    /// How far a lane is from another, if both are counted from the same place.
    pub(super) fn distance(&self, from: usize, to: usize) -> Option<i64> {
        let ((base, start), (other, end)) = (self.place(from), self.place(to));
        (base == other).then(|| end - start)
    }

    /// The element of a lane, or one so many bytes further on.
    pub(super) fn memory(&self, lane: usize, further: i64) -> Mem {
        let ((base, index, disp), at) = self.place(lane);
        let index = index.map(|index| (index, 1));
        Mem { base, index, disp: disp + (at + further) as i32, broadcast: false }
    }
}

/// Whether an access of so many bytes is known to be aligned, so far from the first lane's address.
pub(super) fn is_aligned(affine: &Affine, offset: i64, bytes: i64) -> bool {
    affine.zeros >= bytes.trailing_zeros() && offset % bytes == 0
}

impl Lower<'_> {
    /// Whether an access may be part of what threads of the host tell each other. Code runs a CTA whose shared memory nobody else has,
    /// and all its warps on one thread.
    fn is_strong(space: Space, ordering: Ordering) -> bool {
        match space {
            Space::Shared | Space::Local | Space::Param => false,
            Space::Global | Space::Generic => ordering.scope().is_some(),
        }
    }

    /// Whether plain loads or stores of so many elements a lane do what an access asks for. Those of x86 keep the order that acquire and
    /// release ask for, and move an aligned element in one piece; several elements are not sure to be one.
    pub(super) fn can_be_plain(space: Space, ordering: Ordering, elements: usize) -> bool {
        !Self::is_strong(space, ordering) || elements == 1
    }

    /// Counts a strong access as the interpreter does: it may be part of a wait, and then going on is no progress.
    pub(super) fn count_strong(&mut self, space: Space, ordering: Ordering) {
        if Self::is_strong(space, ordering) {
            self.spend_strong();
        }
    }

    /// Takes from the turn what an access costs that may be part of a wait.
    pub(super) fn spend_strong(&mut self) {
        self.spend(fuel::STRONG);
    }

    /// A load. Says whether it can be done.
    pub(super) fn load(&mut self, op: &Op, place: u32) -> bool {
        let Op::Load { d, space, access, address, ordering } = op else { return false };
        if !Self::can_be_plain(*space, *ordering, d.len()) {
            return false;
        }
        let size = i64::from(access.bytes());
        if *space == Space::Param {
            return size >= 4 && self.load_parameter(d, size, address);
        }
        if self.load_some(op, place) {
            return true;
        }
        let Some(shape) = self.address_shape(address, *space) else { return false };
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = &shape else { return false };
        let uniform = shape.is_uniform();
        // What all lanes have in common is loaded piece by piece.
        let (unit, elements) =
            if uniform { (*access, d.len()) } else { moved_as(*access, d.len()) };
        let size = i64::from(unit.bytes());
        let wide = size == 8;
        let count = self.count(if wide { Class::W64 } else { Class::W32 });
        let bytes = size * elements as i64;
        let dense = self.are_dense(affine, self.gang.lanes() / count, bytes);
        let alike = affine.is_uniform();
        if let Some(masked) = &self.masked
            && (!masked.is_apart() || *space == Space::Shared && self.are_scattered(&shape, bytes))
            && !(uniform || self.are_inside(affine, address, *space, bytes))
        {
            // Lanes that do not execute may be where there is no memory.
            return false;
        }
        // Lanes that have parted are not checked one by one there.
        let strided = !dense && self.are_strided(size) && self.masked.is_none();
        let near = wide && !dense && self.are_near(&shape, self.address_bits(address), unit);
        if wide && !(alike || strided || near || dense && elements <= 2) {
            return false;
        }
        if size < 4 && !alike && !(dense && elements == 1) {
            return false;
        }
        if !(strided && size >= 4 || self.are_halves(&shape, affine, unit)) {
            return false;
        }
        let among = self.gang.all();
        let wanted = Wanted { address, space: *space, bytes, extent: bytes, writes: false, among };
        let Some(lanes) = self.checked(&wanted, &shape, place) else { return false };
        self.count_strong(*space, *ordering);
        if matches!(space, Space::Global | Space::Generic)
            && self.are_dense(affine, self.gang.lanes(), bytes)
        {
            self.fetch_ahead(&lanes, bytes * self.gang.lanes() as i64);
        }
        if uniform {
            for (nth, d) in (0..).zip(d) {
                let Some(d) = *d else { continue };
                let found = self.func.value(INT);
                let memory = O::M(lanes.memory(0, nth * size));
                self.func.x(scalar_load(*access), &[O::D(found), memory]);
                let value = self.alike(d, found);
                self.set(d, value);
            }
            return true;
        }
        let wanted: Vec<bool> = d.iter().map(Option::is_some).collect();
        let loaded = self.load_elements(&lanes, unit, &wanted_as(*access, &wanted), dense);
        let loaded = self.taken_from(loaded, *access, &wanted);
        for (d, vectors) in d.iter().zip(loaded) {
            if let Some(d) = *d {
                self.set(d, Value::vectors(vectors));
            }
        }
        true
    }

    /// The vectors of each of several elements a lane, as far as they are wanted; `dense` says that the elements of a vector's lanes lie one
    /// after the other.
    pub(super) fn load_elements(
        &mut self,
        lanes: &Lanes,
        access: Access,
        wanted: &[bool],
        dense: bool,
    ) -> Vec<Vec<VReg>> {
        let class = access_class(access);
        if dense && matches!(wanted.len(), 2 | 4) {
            let mut all = self.load_interleaved(lanes, class, wanted.len());
            let unwanted = all.iter_mut().zip(wanted).filter(|(_, wanted)| !**wanted);
            unwanted.for_each(|(vectors, _)| vectors.clear());
            return all;
        }
        let (count, size) = (self.count(class), i64::from(access.bytes()));
        (0..)
            .zip(wanted)
            .map(|(nth, wanted)| match wanted {
                true => self.load_vectors(lanes, count, access, nth * size),
                false => Vec::new(),
            })
            .collect()
    }

    /// Whether, in each group of so many lanes, elements of so many bytes lie one after the other.
    pub(super) fn are_dense(&self, affine: &Affine, group: usize, bytes: i64) -> bool {
        (0..self.gang.lanes()).all(|lane| {
            let nth = lane % group;
            affine.step(lane).wrapping_sub(affine.step(lane - nth)) == (nth as i64 * bytes) as u64
        })
    }

    /// The vectors of each of several elements a lane, which lie one after the other for all lanes of a vector.
    fn load_interleaved(&mut self, lanes: &Lanes, class: Class, count: usize) -> Vec<Vec<VReg>> {
        let mut elements = vec![Vec::new(); count];
        let vectors = self.count(class);
        for nth in 0..vectors {
            let first = nth * (self.gang.lanes() / vectors);
            let apart = self.loaded_apart(lanes, first, class, count);
            elements.iter_mut().zip(apart).for_each(|(all, vector)| all.push(vector));
        }
        elements
    }

    fn load_parameter(&mut self, d: &[Option<Reg>], size: i64, address: &Address) -> bool {
        let (Src::Imm(base), [Some(d)]) = (address.base, d) else { return false };
        let end = u64::from(self.input.kernel.param_bytes);
        let Some(at) = base.checked_add_signed(address.offset) else { return false };
        if !at.is_multiple_of(size as u64)
            || at.saturating_add(size as u64) > end
            || !self.is_scalar(*d)
        {
            return false;
        }
        let [parameters, found] = [0; 2].map(|_| self.func.value(INT));
        let context = Mem::new(Base::Context, crate::context::PARAMS);
        self.func.x(Code::Mov_r64_rm64, &[O::D(parameters), O::M(context)]);
        let code = if size == 8 { Code::Mov_r64_rm64 } else { Code::Mov_r32_rm32 };
        let from = Mem::new(Base::Value(parameters), at as i32);
        self.func.x(code, &[O::D(found), O::M(from)]);
        self.set(*d, Value::scalar(found));
        true
    }

    /// The vectors of a load. What several of them have in common is loaded once.
    fn load_vectors(
        &mut self,
        lanes: &Lanes,
        count: usize,
        access: Access,
        offset: i64,
    ) -> Vec<VReg> {
        let own = self.gang.lanes() / count;
        let of = |nth: usize| -> Vec<(Reached, i64)> {
            (nth * own..(nth + 1) * own).map(|lane| lanes.place(lane)).collect()
        };
        let mut loaded: Vec<VReg> = Vec::new();
        for nth in 0..count {
            let known = (0..nth).find(|other| of(*other) == of(nth));
            loaded.push(match known {
                Some(other) => loaded[other],
                None => self.load_vector(lanes, nth * own, own, access, offset),
            });
        }
        loaded
    }

    /// A vector of a load, of so many lanes from the first on.
    fn load_vector(
        &mut self,
        lanes: &Lanes,
        first: usize,
        count: usize,
        access: Access,
        offset: i64,
    ) -> VReg {
        let (size, memory) = (i64::from(access.bytes()), lanes.memory(first, offset));
        let steps = |by: i64| {
            (0..count).all(|lane| lanes.distance(first, first + lane) == Some(lane as i64 * by))
        };
        if steps(0) {
            return self.load_alike(memory, access);
        }
        let widen = match access {
            Access::U8 => Some(U::WidenBytes),
            Access::S8 => Some(U::WidenBytesS),
            Access::U16 => Some(U::WidenHalves),
            Access::S16 => Some(U::WidenHalvesS),
            Access::B32 | Access::B64 => None,
        };
        if widen.is_none() && steps(size) {
            return self.unary(U::Load, O::M(memory));
        }
        if let Some(found) = self.load_halves(lanes, first, access, offset) {
            return found;
        }
        if let Some(widen) = widen {
            // Such elements lie one after the other.
            return self.unary(widen, O::M(memory));
        }
        if self.are_strided(size) {
            return self.load_strided(lanes, first, access, offset);
        }
        if let Some(found) = self.load_windows(lanes, first, access, offset) {
            return found;
        }
        let (start, offsets) = self.places(lanes, first, count, offset);
        self.func.gather(start, offsets, 0, None)
    }

    /// Where the elements of so many lanes from the first on are: an address, and how far from there each of them lies.
    pub(super) fn places(
        &mut self,
        lanes: &Lanes,
        first: usize,
        count: usize,
        offset: i64,
    ) -> (VReg, VReg) {
        let mut bytes = [0; 64];
        for (lane, chunk) in bytes.chunks_exact_mut(4).enumerate().take(count) {
            let at = lanes.at[first + lane] - lanes.at[first];
            chunk.copy_from_slice(&(at as i32).to_le_bytes());
        }
        let offsets = self.pool(bytes);
        let offsets = self.unary(U::Load, O::M(offsets));
        let start = self.func.value(INT);
        self.func.x(Code::Lea_r64_m, &[O::D(start), O::M(lanes.memory(first, offset))]);
        (start, offsets)
    }

    /// One element for all lanes of a vector.
    pub(super) fn load_alike(&mut self, memory: Mem, access: Access) -> VReg {
        match access {
            Access::B32 => self.unary(U::BroadcastMemory, O::M(memory)),
            Access::B64 => self.unary(U::BroadcastMemoryQ, O::M(memory)),
            Access::U8 | Access::S8 | Access::U16 | Access::S16 => {
                let found = self.func.value(INT);
                self.func.x(scalar_load(access), &[O::D(found), O::M(memory)]);
                self.broadcast(found, Class::W32)
            }
        }
    }

    /// A store. Says whether it can be done.
    pub(super) fn store(&mut self, op: &Op, place: u32) -> bool {
        let Op::Store { values, space, access, address, ordering } = op else { return false };
        if !Self::can_be_plain(*space, *ordering, values.len()) {
            return false;
        }
        let (unit, elements) = moved_as(*access, values.len());
        let (size, class) = (i64::from(unit.bytes()), access_class(unit));
        let fits = match elements {
            1 => true,
            2 => size >= 4,
            4 => size == 4,
            _ => false,
        };
        let Some(shape) = self.address_shape(address, *space) else { return false };
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = &shape else { return false };
        let bytes = size * elements as i64;
        // Elements of all lanes are packed at once without AVX-512.
        let group = match self.family {
            Family::Avx2 if size < 4 => WARP,
            Family::Avx2 | Family::Avx512 => self.gang.lanes() / self.count(class),
        };
        let by_halves = elements == 1
            && size == 4
            && !self.are_dense(affine, group, 4)
            && self.are_dense(affine, group / 2, 4);
        let strided = !by_halves && !self.are_dense(affine, group, bytes);
        let near =
            size == 8 && elements == 1 && self.are_near(&shape, self.address_bits(address), unit);
        let scattered = strided && (near || self.can_be_scattered(&shape, size, elements));
        if strided && !self.are_strided(size) && !scattered || !strided && !fits {
            return false;
        }
        for value in values {
            self.canonical_src(*value);
        }
        let among = self.gang.all();
        let wanted = Wanted { address, space: *space, bytes, extent: bytes, writes: true, among };
        let Some(lanes) = self.checked(&wanted, &shape, place) else { return false };
        self.count_strong(*space, *ordering);
        let stored = self.put_as(values, *access);
        if strided {
            for slice in 0..self.count(class) {
                for (nth, vectors) in (0..).zip(&stored) {
                    let first = slice * (self.gang.lanes() / self.count(class));
                    self.store_apart((&lanes, first), unit, nth * size, vectors[slice]);
                }
            }
        } else if size < 4 {
            self.store_small(&lanes, &stored[0], size);
        } else if by_halves {
            self.store_halves(&lanes, &stored[0]);
        } else {
            self.store_elements(&lanes, class, &stored);
        }
        true
    }

    /// Stores one or several elements a lane, of 32 bits or of 64, that lie one after the other for all lanes of a vector.
    pub(super) fn store_elements(&mut self, lanes: &Lanes, class: Class, elements: &[Vec<VReg>]) {
        let (_, store) = crate::x86::vector_moves(self.family);
        let own = self.gang.lanes() / self.count(class);
        for slice in 0..self.count(class) {
            let of_slice: Vec<VReg> = elements.iter().map(|vectors| vectors[slice]).collect();
            for (nth, vector) in (0..).zip(self.put_together(class, &of_slice)) {
                let to = lanes.memory(slice * own, nth * self.family.bytes() as i64);
                self.func.x(store, &[O::M(to), O::U(vector)]);
            }
        }
    }

    /// The vectors of an operand.
    pub(super) fn vectors_of(&mut self, value: Src, class: Class) -> Vec<VReg> {
        (0..self.count(class)).map(|nth| self.vector(value, class, nth)).collect()
    }

    /// Stores the low bytes, or halves, of all words, one after the other.
    fn store_small(&mut self, lanes: &Lanes, words: &[VReg], size: i64) {
        if self.family == Family::Avx512 {
            let code = match size {
                1 => Code::EVEX_Vpmovdb_xmmm128_k1z_zmm,
                _ => Code::EVEX_Vpmovdw_ymmm256_k1z_zmm,
            };
            for (slice, vector) in words.iter().enumerate() {
                let to = lanes.memory(slice * self.family.lanes(), 0);
                self.func.x(code, &[O::M(to), O::U(*vector)]);
            }
            return;
        }
        // Instructions that pack clamp to what fits.
        let low = self.pool(words_of(if size == 1 { 0xff } else { 0xffff }));
        let words: Vec<VReg> =
            words.iter().map(|vector| self.binary(V::And, *vector, O::M(low))).collect();
        let mut packed: Vec<VReg> = words
            .chunks_exact(2)
            .map(|pair| self.packed(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, [pair[0], pair[1]]))
            .collect();
        if size == 1 {
            let code = Code::VEX_Vpackuswb_ymm_ymm_ymmm256;
            packed =
                packed.chunks_exact(2).map(|pair| self.packed(code, [pair[0], pair[1]])).collect();
        }
        let (_, store) = crate::x86::vector_moves(self.family);
        for (nth, vector) in (0..).zip(packed) {
            let to = lanes.memory(0, nth * self.family.bytes() as i64);
            self.func.x(store, &[O::M(to), O::U(vector)]);
        }
    }

    /// Whether the base of an address has 64 bits.
    pub(super) fn is_wide(&self, address: &Address) -> bool {
        !matches!(address.base, Src::Reg(reg) if self.class(reg) == Class::W32)
    }

    /// Bits of the base of an address.
    pub(super) fn address_bits(&self, address: &Address) -> u32 {
        if self.is_wide(address) { 64 } else { 32 }
    }

    /// How the addresses of an access follow from the first lane's, or from that of each slice, if the space can be reached so.
    pub(super) fn address_shape(&self, address: &Address, space: Space) -> Option<Shape> {
        let shape = match address.base {
            Src::Imm(value) => Shape::Affine(Affine::constant(value)),
            Src::Reg(reg) => self.shape(reg).clone(),
        };
        match space {
            Space::Global | Space::Generic => self.is_wide(address).then_some(shape),
            Space::Shared => Some(shape),
            Space::Local | Space::Param => None,
        }
    }

    /// Checks an access whose addresses have a shape, and says where its lanes go; leaves the code if that cannot be told.
    pub(super) fn checked(
        &mut self,
        wanted: &Wanted<'_>,
        shape: &Shape,
        place: u32,
    ) -> Option<Lanes> {
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = shape else { return None };
        let Wanted { address, space, bytes, extent, writes, among } = *wanted;
        let wide = self.is_wide(address);
        let steps = affine.signed_steps(self.address_bits(address));
        let meant = self.meant(among).map(|lane| steps[lane]);
        let (low, span) = self.reach(affine, address, among, extent)?;
        let offset = address.offset.checked_add(low)?;
        if span > MAX_SPAN || !bytes.cast_unsigned().is_power_of_two() {
            return None;
        }
        let offset32 = i32::try_from(offset).ok()?;
        // Lanes are aligned if the first is.
        if meant.clone().any(|step| (step - low) % bytes != 0) {
            return None;
        }
        let at = steps.map(|step| step.wrapping_sub(low));
        if space == Space::Shared && (self.input.shared_bytes as i64) < span {
            return None;
        }
        let class = if wide { Class::W64 } else { Class::W32 };
        let (slice, firsts) = match (shape, address.base) {
            (Shape::Sliced(lanes, _), Src::Reg(reg)) => (*lanes as usize, self.firsts(reg)),
            _ => (self.gang.lanes(), [self.scalar_src(address.base, class)].into()),
        };
        let site = match space {
            Space::Global | Space::Generic => Some(self.site(writes)),
            Space::Shared | Space::Local | Space::Param => None,
        };
        let run = Run { offset, offset32, span, bytes, wide };
        let count = firsts.len();
        let is_used = |nth: &usize| among & self.gang.of_vector(*nth, count) != 0;
        let mut different: Vec<VReg> = (0..count).filter(is_used).map(|nth| firsts[nth]).collect();
        different.sort_unstable();
        different.dedup();
        let reached: Vec<Reached> = match site {
            Some(site) => self.checked_runs(&different, &run, site, place),
            None => different
                .iter()
                .map(|first| self.checked_run(*first, affine, &run, place))
                .collect(),
        };
        // Where nobody goes, it does not matter.
        let bases = firsts.iter().map(|first| {
            let nth = different.iter().position(|other| other == first);
            reached[nth.unwrap_or(0)]
        });
        Some(Lanes { bases: bases.collect(), slice, at })
    }

    /// The lowest lane of those that follow from one.
    pub(super) fn lowest(&mut self, first: VReg, run: &Run) -> VReg {
        if run.offset32 == 0 {
            return first;
        }
        let found = self.func.value(INT);
        let memory = Mem::new(Base::Value(first), run.offset32);
        let code = if run.wide { Code::Lea_r64_m } else { Code::Lea_r32_m };
        self.func.x(code, &[O::D(found), O::M(memory)]);
        found
    }

    /// Checks that the lanes which follow from each of several lie in one region, and says from where they are counted.
    pub(super) fn checked_runs(
        &mut self,
        firsts: &[VReg],
        run: &Run,
        site: u32,
        place: u32,
    ) -> Vec<Reached> {
        let lowest: Vec<VReg> = firsts.iter().map(|first| self.lowest(*first, run)).collect();
        let rooms = [0; 2].map(|_| self.func.value(INT)).map(Operand::reg_temp);
        let operands: Vec<Operand> =
            lowest.iter().map(|lowest| Operand::reg_use(*lowest)).chain(rooms).collect();
        let exit = self.leaving(Why::Leaves, place);
        let (bytes, align) = (run.span as u32, run.bytes as u32);
        let kind = Kind::Check { site, bytes, align, exit, addresses: lowest.len() as u8 };
        let values = std::mem::take(&mut self.leaving_values);
        self.func.may_leave(kind, &operands, &values);
        lowest.into_iter().map(|lowest| (Base::Value(lowest), None, 0)).collect()
    }

    /// Checks that the lanes which follow from one lie in shared memory, and says from where they are counted.
    pub(super) fn checked_run(
        &mut self,
        first: VReg,
        affine: &Affine,
        run: &Run,
        place: u32,
    ) -> Reached {
        let Run { offset, offset32, span, bytes, wide } = *run;
        let aligned = is_aligned(affine, offset, bytes);
        let end = self.input.shared_bytes;
        let inside = self.is_inside(affine, offset, span, end);
        let shared = self.shared_base();
        if aligned && inside {
            return (Base::Value(shared), Some(first), offset32);
        }
        let lowest = self.lowest(first, run);
        if !aligned {
            self.guard_alignment(lowest, bytes, place);
        }
        if !inside {
            self.guard_inside(lowest, span, end, wide, place);
        }
        (Base::Value(shared), Some(lowest), 0)
    }

    /// Leaves the code unless an address is a multiple of so many bytes.
    pub(super) fn guard_alignment(&mut self, address: VReg, bytes: i64, place: u32) {
        let align = O::I32(bytes as i32 - 1);
        self.guard(ConditionCode::ne, place, |this| {
            this.func.x(Code::Test_rm32_imm32, &[O::U(address), align]);
        });
    }

    /// Leaves the code unless a memory of `end` bytes has so many from an address on.
    pub(super) fn guard_inside(
        &mut self,
        address: VReg,
        span: i64,
        end: u64,
        wide: bool,
        place: u32,
    ) {
        let last = O::I32((end as i64 - span) as i32);
        let compare = if wide { Code::Cmp_rm64_imm32 } else { Code::Cmp_rm32_imm32 };
        self.guard(ConditionCode::a, place, |this| {
            this.func.x(compare, &[O::U(address), last]);
        });
    }

    /// Whether it is known that a memory of `end` bytes has so many from the first lane and an offset on.
    pub(super) fn is_inside(&self, affine: &Affine, offset: i64, span: i64, end: u64) -> bool {
        let end = end as i64 - span;
        affine.range.is_some_and(|(from, to)| {
            i64::try_from(to)
                .is_ok_and(|to| from as i64 + offset >= 0 && to.saturating_add(offset) <= end)
        })
    }

    /// Whether the lanes of half a vector lie at a distance from each other that is neither so many bytes nor none.
    fn are_scattered(&self, shape: &Shape, bytes: i64) -> bool {
        let Shape::Affine(affine) = shape else { return false };
        let half = self.family.lanes() / 2;
        ![0, bytes].into_iter().any(|distance| self.are_dense(affine, half, distance))
    }

    /// Whether all lanes are known to access shared memory, so many bytes each.
    pub(super) fn are_inside(
        &self,
        affine: &Affine,
        address: &Address,
        space: Space,
        bytes: i64,
    ) -> bool {
        let reach = self.reach(affine, address, self.gang.all(), bytes);
        space == Space::Shared
            && reach.is_some_and(|(low, span)| {
                let from = address.offset.checked_add(low);
                from.is_some_and(|from| self.is_inside(affine, from, span, self.input.shared_bytes))
            })
    }

    /// The lanes of a set.
    fn meant(&self, among: u64) -> impl Iterator<Item = usize> + Clone + use<> {
        (0..self.gang.lanes()).filter(move |lane| among >> lane & 1 != 0)
    }

    /// How far the lowest of some lanes lies from the first, and how many bytes there are from it to the end of the highest one's access.
    fn reach(
        &self,
        affine: &Affine,
        address: &Address,
        among: u64,
        extent: i64,
    ) -> Option<(i64, i64)> {
        let steps = affine.signed_steps(self.address_bits(address));
        let meant = self.meant(among).map(|lane| steps[lane]);
        let (low, high) = (meant.clone().min()?, meant.max()?);
        Some((low, high.checked_sub(low)?.checked_add(extent)?))
    }

    pub(super) fn shared_base(&mut self) -> VReg {
        if let Some(shared) = self.bases.shared {
            return shared;
        }
        let shared = self.func.value(INT);
        let at = Mem::new(Base::Context, crate::context::SHARED);
        self.func.x(Code::Mov_r64_rm64, &[O::D(shared), O::M(at)]);
        self.bases.shared = Some(shared);
        shared
    }

    /// A new access that remembers a region.
    pub(super) fn site(&mut self, writes: bool) -> u32 {
        self.sites.push(writes);
        self.input.first_site + self.sites.len() as u32 - 1
    }
}
