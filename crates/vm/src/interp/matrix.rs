//! Products of matrices.

use super::handler::{Body, STOP};
use super::program::{Code, Program};
use crate::Level;
use crate::exit::Stop;
use crate::frame::Frame;
use crate::plan::{CollectiveOp, ProductOp};
use lanes::product::{Fragment, MOST_REGISTERS, multiply, multiply_wide};
use lanes::{LaneMask, Lanes, Product, WARP, groups};

/// The registers of one matrix, of every lane.
type Registers<T> = [Lanes<T>; MOST_REGISTERS];

/// Elements in the registers of a matrix: those of 64 bits are binary64, those of 32 bits anything else.
trait Element: Copy + Default + 'static {
    /// A register in which all elements are zero.
    const ZEROS: &'static Lanes<Self>;

    /// The product of matrices, by instructions of a level ([`Level`] as a number).
    ///
    /// # Safety
    /// The machine has the level.
    unsafe fn multiply<const LEVEL: usize>(
        product: &Product,
        operands: [&Fragment<'_, Self>; 3],
        d: &mut Registers<Self>,
    );
}

impl Element for u32 {
    const ZEROS: &'static Lanes<u32> = &[0; WARP];

    #[inline(always)]
    unsafe fn multiply<const LEVEL: usize>(
        product: &Product,
        operands: [&Fragment<'_, u32>; 3],
        d: &mut Registers<u32>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if LEVEL != Level::Portable as usize && super::product::is_served(product) {
            // SAFETY: the caller's; each level but the portable one has these instructions.
            return unsafe { super::product::multiply(product, operands, d) };
        }
        multiply(product, operands, d);
    }
}

impl Element for u64 {
    const ZEROS: &'static Lanes<u64> = &[0; WARP];

    #[inline(always)]
    unsafe fn multiply<const LEVEL: usize>(
        product: &Product,
        operands: [&Fragment<'_, u64>; 3],
        d: &mut Registers<u64>,
    ) {
        multiply_wide(product, operands, d);
    }
}

impl ProductOp {
    /// Multiplies what the given lanes of one warp bring and writes the results of those in `keep`.
    ///
    /// # Safety
    /// The operation belongs to the frame's program, and the machine has the level.
    #[inline(always)]
    unsafe fn perform<const LEVEL: usize>(
        &self,
        frame: &Frame<'_>,
        warp: usize,
        participants: LaneMask,
        keep: u32,
    ) {
        // SAFETY: the caller's; compilation gave the operands rows of 64 bits if the product is wide, else of 32.
        unsafe {
            match self.product.is_wide() {
                true => self.perform_in::<LEVEL, u64>(frame, warp, participants, keep),
                false => self.perform_in::<LEVEL, u32>(frame, warp, participants, keep),
            }
        }
    }

    /// # Safety
    /// The operation belongs to the frame's program, its rows are of elements `T`, and the machine has the level.
    #[inline(always)]
    unsafe fn perform_in<const LEVEL: usize, T: Element>(
        &self,
        frame: &Frame<'_>,
        warp: usize,
        participants: LaneMask,
        keep: u32,
    ) {
        let mut results = [[T::default(); WARP]; MOST_REGISTERS];
        if participants.is_full() {
            let operands = [&self.a, &self.b, &self.c].map(|slots| {
                let mut rows: Fragment<'_, T> = [T::ZEROS; MOST_REGISTERS];
                for (row, slot) in rows.iter_mut().zip(slots) {
                    // SAFETY: the caller's; nothing writes rows until the product is made.
                    *row = unsafe { &*frame.row(*slot, warp) };
                }
                rows
            });
            // SAFETY: the caller's.
            unsafe { T::multiply::<LEVEL>(&self.product, operands.each_ref(), &mut results) };
        } else {
            let mut gathered = Gathered::<T>::new();
            // SAFETY: the caller's.
            unsafe { gathered.take(self, frame, warp, participants) };
            gathered.multiply(&self.product, &mut results);
        }
        // SAFETY: the caller's.
        unsafe { self.write(frame, warp, &results, keep) };
    }

    /// Writes the results of the given lanes of one warp.
    ///
    /// # Safety
    /// The operation belongs to the frame's program, and its rows are of elements `T`.
    #[inline(always)]
    unsafe fn write<T: Element>(
        &self,
        frame: &Frame<'_>,
        warp: usize,
        results: &Registers<T>,
        lanes: u32,
    ) {
        for (slot, result) in self.d.iter().zip(results).filter(|(slot, _)| !slot.is_none()) {
            // SAFETY: compilation gave the result a row of its class inside the registers.
            let d = unsafe { &mut *frame.row::<T>(*slot, warp) };
            if lanes == u32::MAX {
                *d = *result;
            } else {
                *d = lanes::select(LaneMask(lanes), result, d);
            }
        }
    }

    /// Multiplies what lanes bring that have met, maybe at different instructions of one kind, which is of one product:
    /// each with its lanes.
    ///
    /// # Safety
    /// The operations belong to the frame's program.
    pub(crate) unsafe fn meet(&self, frame: &Frame<'_>, warp: usize, parts: &[(&ProductOp, u32)]) {
        // SAFETY: the caller's; the rows are as wide as the elements.
        unsafe {
            match self.product.is_wide() {
                true => self.meet_in::<u64>(frame, warp, parts),
                false => self.meet_in::<u32>(frame, warp, parts),
            }
        }
    }

    /// # Safety
    /// The operations belong to the frame's program, and the rows of this one are of elements `T`.
    unsafe fn meet_in<T: Element>(
        &self,
        frame: &Frame<'_>,
        warp: usize,
        parts: &[(&ProductOp, u32)],
    ) {
        let alike = || parts.iter().filter(|(part, _)| part.product == self.product);
        let mut gathered = Gathered::<T>::new();
        for (part, lanes) in alike() {
            // SAFETY: the caller's; the same product has rows of the same elements.
            unsafe { gathered.take(part, frame, warp, LaneMask(*lanes)) };
        }
        let mut results = [[T::default(); WARP]; MOST_REGISTERS];
        gathered.multiply(&self.product, &mut results);
        for (part, lanes) in alike() {
            // SAFETY: as above.
            unsafe { part.write(frame, warp, &results, *lanes) };
        }
    }
}

/// The registers of `a`, `b` and `c` where not all lanes bring theirs; the others bring zeros.
struct Gathered<T>([Registers<T>; 3]);

impl<T: Element> Gathered<T> {
    fn new() -> Self {
        Gathered([[[T::default(); WARP]; MOST_REGISTERS]; 3])
    }

    /// Takes what the given lanes bring.
    ///
    /// # Safety
    /// The operation belongs to the frame's program, and its rows are of elements `T`.
    unsafe fn take(&mut self, op: &ProductOp, frame: &Frame<'_>, warp: usize, lanes: LaneMask) {
        for (rows, slots) in self.0.iter_mut().zip([&op.a, &op.b, &op.c]) {
            for (row, slot) in rows.iter_mut().zip(slots) {
                // SAFETY: the caller's.
                *row = lanes::select(lanes, unsafe { &*frame.row(*slot, warp) }, row);
            }
        }
    }

    #[inline(always)]
    fn multiply(&self, product: &Product, results: &mut Registers<T>) {
        let [a, b, c] = self.0.each_ref().map(|rows| rows.each_ref());
        // SAFETY: every machine has the portable level.
        unsafe { T::multiply::<{ Level::Portable as usize }>(product, [&a, &b, &c], results) };
    }
}

/// A product of matrices; `x` is the index of the collective.
pub(super) struct Multiply;

impl Body for Multiply {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.plan.collectives()[code.x as usize];
        let Some(product) = &op.product else { return at + 1 };
        // SAFETY: the operation belongs to the frame's program.
        if !unsafe { op.nobody_waits(frame) } {
            frame.stop = Some(Stop::Collective(at));
            return STOP;
        }
        for warp in frame.first..frame.first + frame.count {
            if frame.exec[warp] == 0 {
                continue;
            }
            // SAFETY: the operation belongs to the frame's program.
            let masks = unsafe { op.membermasks(frame, warp) };
            // A loop and no closure: only what is inlined here has the level's instructions.
            for group in groups(&masks, LaneMask(frame.exec[warp])) {
                let keep = CollectiveOp::kept(frame, warp, group);
                // SAFETY: the operation belongs to the frame's program; a handler runs where there is its level.
                unsafe { product.perform::<LEVEL>(frame, warp, group.participants(), keep) };
            }
        }
        at + 1
    }
}
