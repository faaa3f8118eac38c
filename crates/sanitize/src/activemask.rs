//! W009: a mask from `activemask` that names the lanes of a shuffle.
//!
//! `activemask` tells who happens to execute it together, which may be fewer lanes than take the same path (PTX ISA 9.1,
//! `activemask`: no synchronisation). Code that works with whoever is there may use it: it counts lanes, chooses a leader among them, or
//! shuffles to lanes computed from the mask, as cooperative groups do. A shuffle by a fixed pattern reads lanes
//! that the mask need not hold: that is the mistake. Other collectives with such a mask are reported only when
//! asked for (`--pedantic`).

use crate::code::Code;
use crate::definedness::matters::named;
use crate::finding::{Finding, Findings};
use crate::influence::influenced;
use crate::meeting;
use crate::per_cta::PerCta;
use crate::strip::Cell;
use ir::{Collective, Inst, Kernel, Members, Op, Operand, Place, Reg, Src};
use vm::{Arrival, View};

/// The lanes of each register and warp whose value comes from `activemask`.
#[derive(Debug)]
struct Marks {
    warps: usize,
    lanes: Vec<u32>,
}

impl Marks {
    fn get(&self, src: Src, warp: usize) -> u32 {
        match src {
            Src::Reg(reg) => self.lanes[reg.0 as usize * self.warps + warp],
            Src::Imm(_) => 0,
        }
    }

    fn set(&mut self, reg: Reg, warp: usize, lanes: u32, marked: u32) {
        let word = &mut self.lanes[reg.0 as usize * self.warps + warp];
        *word = *word & !lanes | marked & lanes;
    }
}

/// Follows the values of `activemask`. Kernels without it cost nothing.
#[derive(Debug)]
pub(crate) struct ActiveMasks {
    registers: usize,
    /// Whether a register's value can depend on `activemask` at all, also by what branches decide.
    influenced: Vec<bool>,
    source: Place,
    present: bool,
    pedantic: bool,
    marks: PerCta<Marks>,
}

impl ActiveMasks {
    pub(crate) fn new(kernel: &Kernel, pedantic: bool) -> ActiveMasks {
        let insts = || kernel.blocks.iter().flat_map(|block| &block.insts);
        let source = insts().find(|inst| matches!(inst.op, Op::ActiveMask { .. }));
        let influenced = match source {
            Some(_) => influenced(kernel, |op| matches!(op, Op::ActiveMask { .. })),
            None => Vec::new(),
        };
        ActiveMasks {
            registers: kernel.registers.len(),
            influenced,
            source: source.map_or(Place::default(), |inst| inst.place),
            present: source.is_some(),
            pedantic,
            marks: PerCta::new(),
        }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        if self.present {
            let rows = self.registers * view.warps();
            let new = || Marks { warps: view.warps(), lanes: vec![0; rows] };
            self.marks.begin(view.cta(), |marks| marks.lanes.fill(0), new);
        }
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.marks.end(view.cta());
    }

    /// Results of operations on a marked value are marked: a mask stays one when it is narrowed or widened.
    #[inline]
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        if self.present {
            self.follow(view, inst);
        }
    }

    fn follow(&mut self, view: &View<'_>, inst: &Inst) {
        let Some(marks) = self.marks.get(view.cta()) else { return };
        for (warp, lanes) in view.group() {
            let mut marked = match inst.op {
                Op::ActiveMask { .. } => u32::MAX,
                _ => 0,
            };
            let pure = inst.op.is_pure();
            inst.op.operands(|operand| match operand {
                Operand::Use(reg) if pure => marked |= marks.get(Src::Reg(reg), warp),
                Operand::Use(_) => {}
                Operand::Def(reg) => {
                    if self.influenced[reg.0 as usize] {
                        marks.set(reg, warp, lanes.0, marked);
                    }
                }
            });
        }
    }

    pub(crate) fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>, found: &mut Findings) {
        let Some(marks) = self.marks.get(view.cta()).filter(|_| self.present) else { return };
        let Op::Collective { what, members: Members::Mask(mask), .. } = &arrival.inst.op else {
            return;
        };
        let (warp, place) = (arrival.warp, arrival.inst.place);
        let named_by = |src: Src| lanes::LaneMask(marks.get(src, warp)) & arrival.lanes;
        let from = named_by(*mask);
        // What a collective gives to lanes of such a mask was computed from whoever is there.
        arrival.inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand
                && self.influenced[reg.0 as usize]
            {
                marks.set(reg, warp, arrival.lanes.0, from.0);
            }
        });
        let wrong = match what {
            // The source lanes are chosen by what the mask says.
            Collective::Shfl { b: Src::Reg(b), .. } if self.influenced[b.0 as usize] => {
                lanes::LaneMask::EMPTY
            }
            Collective::Shfl { .. } => from,
            _ if self.pedantic => from,
            _ => lanes::LaneMask::EMPTY,
        };
        let Some(lane) = wrong.lowest() else { return };
        let source = self.source;
        found.report(Code::W009, place, None, || {
            let mask = arrival.membermask.unwrap_or(lanes::LaneMask::EMPTY);
            let message = format!(
                "the membermask {mask} comes from activemask, which need not name all lanes that get here"
            );
            let strip =
                meeting::strip(view.live(warp), mask, "executes it", "").mark(arrival.executing, Cell::Arrived);
            Finding::new(Code::W009, place, view.thread(warp, lane), message)
                .label(format!("{} exchange values by a fixed pattern of lanes", named(wrong)))
                .related(source, "the mask comes from here")
                .strip(strip)
        });
    }
}
