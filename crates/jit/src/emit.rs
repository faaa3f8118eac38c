//! Machine code of machine instructions: registers are allocated and instructions encoded.

mod calls;
mod checked;
mod checks;
mod cleared;
mod compound;
mod counts;
mod lanes;
mod later;
mod matches;
mod rounded;
mod squares;
mod warps;
mod windows;

use crate::Input;
use crate::allocate::{Allocated, allocate};
use crate::context as at;
use crate::exit::{Apart, Exit, Found, Keeps, Kept, Leaving, Parted};
use crate::head::Head;
use crate::isa::Family;
use crate::lower::Lowered;
use crate::mir::{Arg, ArgBase, Func, Kind, Way, register};
use crate::registers::{CONTEXT, REGISTERS, WARP, registers};
use crate::x86::operands::Operands;
use crate::x86::{self, Memory, Operand as X};
use checked::{Check, Failed};
use cleared::Cleared;
use iced_x86::{Code, ConditionCode, Encoder, Instruction, Register};
use ir::Round;
use later::{Counted, Later, Served, Unknown};
use regalloc2::{Allocation, AllocationKind, Block, Edit, Function, ProgPoint, RegClass};
use smallvec::SmallVec;

/// Bytes from the regions of one access to those of the next.
pub const SITE_BYTES: u32 = 48;

/// Machine code, and where it is entered and left.
#[derive(Debug)]
pub(crate) struct Emitted {
    pub(crate) bytes: Vec<u8>,
    /// Where the code begins that saves registers and goes to the entry that the context names.
    pub(crate) start: usize,
    /// Per place, where it is entered.
    pub(crate) entries: Vec<(u32, usize)>,
    /// Per head, the same.
    pub(crate) heads: Vec<usize>,
    pub(crate) exits: Vec<Exit>,
    /// Words behind the context.
    pub(crate) words: usize,
}

/// What code jumps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Block(usize),
    /// Code at the end, by number.
    Cold(usize),
    /// Leaves the code with registers saved; which exit is in the scratch register.
    Save,
    /// Looks a region up.
    Find,
    /// Has an instruction performed and keeps what is in registers.
    Perform,
    /// Has an access served and keeps what is in registers.
    Serve,
    /// Finds a window, by number.
    Window(usize),
    /// Goes on with the next gang, if there is one, where this one began; which exit it leaves by is the result.
    NextGang,
    /// Leaves the code; which exit is the result.
    Leave,
}

/// The block that is emitted, and the one whose code follows.
#[derive(Clone, Copy)]
struct Here {
    block: usize,
    next: Option<usize>,
}

/// Code at the end.
#[derive(Clone, Debug)]
enum Cold {
    /// Leaves by an exit.
    Exit(u32),
    /// Looks the region of an access up, and tries again.
    Find(Check, Failed),
    /// Has a window found.
    Window(Unknown),
    /// Has an access served.
    Serve(Served),
    /// Does what a compound instruction seldom does.
    Later(Later),
}

struct Emitter {
    encoder: Encoder,
    /// Bytes so far.
    end: usize,
    /// Where jumps end, and where they go.
    jumps: Vec<(usize, Target)>,
    /// The same where it is known which byte they go to.
    here: Vec<(usize, usize)>,
    blocks: Vec<usize>,
    cold: Vec<Cold>,
    /// What the functions count that find windows.
    windows: Vec<Counted>,
    family: Family,
    /// How the processor rounds here.
    round: Round,
    /// Warps of a gang.
    gang: usize,
    cleared: Cleared,
}

/// Makes machine code. The error is a sentence.
pub(crate) fn emit(lowered: &mut Lowered, input: &Input<'_>) -> Result<Emitted, String> {
    let Lowered { func, entries, heads, zeros, gang, .. } = lowered;
    let family = input.level.family();
    let allocated = allocate(func, &registers(family));
    let allocated = allocated.map_err(|why| format!("registers cannot be allocated: {why}"))?;
    let mut emitter = Emitter {
        encoder: Encoder::new(64),
        end: 0,
        jumps: Vec::new(),
        here: Vec::new(),
        blocks: vec![0; func.blocks.len()],
        cold: Vec::new(),
        windows: Vec::new(),
        family,
        round: Round::NearestEven,
        gang: *gang,
        cleared: Cleared::of(input, zeros),
    };
    emitter.function(func, &allocated, entries, heads)
}

impl Emitter {
    fn function(
        &mut self,
        func: &Func,
        allocated: &Allocated,
        entries: &[(u32, Block)],
        heads: &[(Block, Head)],
    ) -> Result<Emitted, String> {
        for constant in &func.pool {
            constant.iter().for_each(|byte| self.byte(*byte));
        }
        let start = self.end;
        self.prologue()?;
        let mut exits: Vec<Option<Exit>> = vec![None; func.exits.len()];
        let is_cold = |nth: &usize| func.blocks[*nth].is_cold;
        let (cold, hot): (Vec<usize>, Vec<usize>) = (0..func.blocks.len()).partition(is_cold);
        let order = [hot, cold].concat();
        for (at, nth) in order.iter().copied().enumerate() {
            let here = Here { block: nth, next: order.get(at + 1).copied() };
            self.blocks[nth] = self.end;
            let block = Block::new(nth);
            let mut moves = allocated.moves_from(func.blocks[nth].insts.start);
            for inst in func.block_insns(block).iter() {
                let before = ProgPoint::before(inst);
                while let Some((point, Edit::Move { from, to })) = moves.first()
                    && *point <= before
                {
                    self.copy(*from, *to)?;
                    moves = &moves[1..];
                }
                let allocs = &allocated.operands[func.operand_range(inst)];
                let kind = &func.insts[inst.index()].kind;
                self.inst(func, here, kind, allocs, entries, &mut exits)?;
            }
        }
        let mut cold_at = Vec::new();
        let mut nth = 0;
        while nth < self.cold.len() {
            cold_at.push(self.end);
            self.cold(self.cold[nth].clone())?;
            nth += 1;
        }
        let next_gang = self.end;
        self.next_gang()?;
        // What nobody jumps to is left out.
        let is_used = |this: &Self, wanted| this.jumps.iter().any(|(_, to)| *to == wanted);
        let save = self.end;
        if is_used(self, Target::Save) {
            self.save()?;
        }
        let leave = self.end;
        self.leave()?;
        let find = self.end;
        if is_used(self, Target::Find) {
            self.find()?;
        }
        let perform = self.end;
        if is_used(self, Target::Perform) {
            self.perform_saving()?;
        }
        let serve = self.end;
        if is_used(self, Target::Serve) {
            self.serve_saving()?;
        }
        let mut windows = Vec::new();
        for nth in 0..self.windows.len() {
            windows.push(self.end);
            self.find_window(self.windows[nth])?;
        }
        let mut bytes = self.encoder.take_buffer();
        let known = self.jumps.iter().map(|(end, target)| {
            let to = match target {
                Target::Block(nth) => self.blocks[*nth],
                Target::Cold(nth) => cold_at[*nth],
                Target::Save => save,
                Target::NextGang => next_gang,
                Target::Leave => leave,
                Target::Find => find,
                Target::Perform => perform,
                Target::Serve => serve,
                Target::Window(nth) => windows[*nth],
            };
            (*end, to)
        });
        for (end, to) in known.chain(self.here.iter().copied()) {
            let distance = to as i64 - end as i64;
            bytes[end - 4..end].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        let entries =
            entries.iter().map(|(place, block)| (*place, self.blocks[block.index()])).collect();
        let exits = exits.into_iter().map(|exit| exit.ok_or("an exit is not there".to_owned()));
        let exits = exits.collect::<Result<_, _>>()?;
        let heads = heads.iter().map(|(block, _)| self.blocks[block.index()]).collect();
        Ok(Emitted { bytes, start, entries, heads, exits, words: allocated.words + 8 })
    }

    fn byte(&mut self, byte: u8) {
        self.encoder.write_u8(byte);
        self.end += 1;
    }

    fn op(&mut self, code: Code, operands: &[X]) -> Result<(), String> {
        self.masked(code, operands, None)
    }

    fn masked(
        &mut self,
        code: Code,
        operands: &[X],
        mask: Option<(Register, bool)>,
    ) -> Result<(), String> {
        self.encode(&x86::instruction(code, operands, mask))
    }

    fn encode(&mut self, instruction: &Instruction) -> Result<(), String> {
        let length = self.encoder.encode(instruction, self.end as u64);
        self.end += length
            .map_err(|error| format!("{:?} cannot be encoded: {error}", instruction.code()))?;
        Ok(())
    }

    fn jump(&mut self, target: Target) {
        self.byte(0xe9);
        (0..4).for_each(|_| self.byte(0));
        self.jumps.push((self.end, target));
    }

    fn jump_if(&mut self, condition: ConditionCode, target: Target) {
        self.byte(0x0f);
        self.byte(0x80 | x86::condition(condition));
        (0..4).for_each(|_| self.byte(0));
        self.jumps.push((self.end, target));
    }

    fn cold_code(&mut self, cold: Cold) -> Target {
        self.cold.push(cold);
        Target::Cold(self.cold.len() - 1)
    }

    /// Saves what the caller keeps, and goes to the entry.
    fn prologue(&mut self) -> Result<(), String> {
        for kept in x86::KEPT {
            self.op(Code::Push_r64, &[X::R(kept)])?;
        }
        self.op(Code::Sub_rm64_imm8, &[X::R(Register::RSP), X::I8(8)])?;
        self.op(Code::Mov_r64_rm64, &[X::R(CONTEXT), X::R(Register::RDI)])?;
        self.op(Code::Mov_r64_rm64, &[X::R(REGISTERS), context(at::REGISTERS)])?;
        self.op(Code::Mov_r64_rm64, &[X::R(WARP), context(at::WARP_BYTES)])?;
        self.op(Code::Jmp_rm64, &[context(at::ENTRY)])
    }

    /// Leaves the code. Which exit is in the result register.
    fn leave(&mut self) -> Result<(), String> {
        self.op(Code::Mov_rm64_r64, &[context(at::WARP_BYTES), X::R(WARP)])?;
        self.op(Code::VEX_Vzeroupper, &[])?;
        self.op(Code::Add_rm64_imm8, &[X::R(Register::RSP), X::I8(8)])?;
        for kept in x86::KEPT.iter().rev() {
            self.op(Code::Pop_r64, &[X::R(*kept)])?;
        }
        self.op(Code::Retnq, &[])
    }

    fn cold(&mut self, cold: Cold) -> Result<(), String> {
        match cold {
            Cold::Exit(exit) => self.exit(exit),
            Cold::Find(check, failed) => self.check_again(&check, failed),
            Cold::Window(unknown) => self.call_window(unknown),
            Cold::Serve(served) => self.serve(&served),
            Cold::Later(later) => self.later(later),
        }
    }

    /// Jumps to code that is there already.
    fn jump_back(&mut self, condition: ConditionCode, to: usize) {
        self.byte(0x0f);
        self.byte(0x80 | x86::condition(condition));
        let distance = to as i64 - (self.end as i64 + 4);
        (distance as i32).to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    /// The same in any case.
    fn go_back(&mut self, to: usize) {
        self.byte(0xe9);
        let distance = to as i64 - (self.end as i64 + 4);
        (distance as i32).to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    /// Jumps to what [`Emitter::redirect`] is called with, with the result.
    fn jump_to(&mut self, condition: ConditionCode) -> usize {
        self.jump_if(condition, Target::Leave);
        self.jumps.len() - 1
    }

    fn redirect(&mut self, jump: usize, to: Target) {
        self.jumps[jump].1 = to;
    }

    /// Jumps to where [`Emitter::land`] is called with the result.
    fn jump_on(&mut self, condition: ConditionCode) -> usize {
        self.byte(0x0f);
        self.byte(0x80 | x86::condition(condition));
        (0..4).for_each(|_| self.byte(0));
        self.here.push((self.end, 0));
        self.here.len() - 1
    }

    fn land(&mut self, jump: usize) {
        self.here[jump].1 = self.end;
    }

    fn exit(&mut self, exit: u32) -> Result<(), String> {
        self.op(Code::Mov_r32_imm32, &[X::R(Register::R11D), X::I32(exit as i32)])?;
        self.jump(Target::Save);
        Ok(())
    }

    fn copy(&mut self, from: Allocation, to: Allocation) -> Result<(), String> {
        if from == to {
            return Ok(());
        }
        let class = |alloc: &Allocation| alloc.as_reg().map(|reg| reg.class());
        let class = class(&from).or(class(&to)).unwrap_or(RegClass::Int);
        let (load, store) = match class {
            RegClass::Int => (Code::Mov_r64_rm64, Code::Mov_rm64_r64),
            RegClass::Float => x86::vector_moves(self.family),
            RegClass::Vector => (Code::VEX_Kmovq_kr_km64, Code::VEX_Kmovq_m64_kr),
        };
        let place = |alloc: Allocation| match (alloc.as_reg(), alloc.as_stack()) {
            (Some(reg), _) => Ok(X::R(x86::name(reg, self.family))),
            (None, Some(slot)) => Ok(context(at::SPILLED + 8 * slot.index() as i32)),
            (None, None) => Err("a value is nowhere".to_owned()),
        };
        let code = if to.is_stack() { store } else { load };
        let operands = [place(to)?, place(from)?];
        self.op(code, &operands)
    }

    fn inst(
        &mut self,
        func: &Func,
        here: Here,
        kind: &Kind,
        allocs: &[Allocation],
        entries: &[(u32, Block)],
        exits: &mut [Option<Exit>],
    ) -> Result<(), String> {
        let named = |nth: u8| {
            let alloc = allocs.get(usize::from(nth)).and_then(|alloc| alloc.as_reg());
            alloc.ok_or_else(|| "an operand has no register".to_owned())
        };
        let family = self.family;
        // The registers of the first operands.
        let names = |count: usize| {
            let names = (0..count as u8).map(|nth| Ok(x86::name(named(nth)?, family)));
            names.collect::<Result<Vec<Register>, String>>()
        };
        let mut leaves = |exit: u32| {
            let leaving = &func.exits[exit as usize];
            exits[exit as usize] = Some(found(leaving, allocs));
        };
        self.round_for(kind)?;
        match kind {
            Kind::X { code, args, mask, way } => {
                let parts = Operands::of(*code);
                let mut operands: SmallVec<[X; 4]> = SmallVec::new();
                for (nth, arg) in
                    func.args[args.start as usize..args.end as usize].iter().enumerate()
                {
                    operands.push(match *arg {
                        Arg::Register(at) => {
                            let name = x86::name(named(at)?, self.family);
                            X::R(x86::sized(name, parts.part(nth)))
                        }
                        Arg::Memory { base, index, disp, broadcast } => {
                            let index = match index {
                                Some((at, scale)) => {
                                    Some((x86::name(named(at)?, self.family), scale))
                                }
                                None => None,
                            };
                            let (base, index, disp) = match base {
                                ArgBase::Registers(0) => (REGISTERS, index, i64::from(disp)),
                                ArgBase::Registers(scale) => {
                                    (REGISTERS, Some((WARP, scale)), i64::from(disp))
                                }
                                ArgBase::Context => (CONTEXT, index, i64::from(disp)),
                                ArgBase::Warp => (WARP, index, i64::from(disp)),
                                ArgBase::Pool(nth) => {
                                    (Register::RIP, None, i64::from(nth) * 64 + i64::from(disp))
                                }
                                ArgBase::Register(at) => {
                                    (x86::name(named(at)?, self.family), index, i64::from(disp))
                                }
                            };
                            X::M(Memory { base, index, disp, broadcast })
                        }
                        Arg::I8(value) => X::I8(value),
                        Arg::I32(value) => X::I32(value),
                        Arg::I64(value) => X::I64(value),
                    });
                }
                let mask = match mask {
                    Some((at, zeroing)) => Some((x86::name(named(*at)?, self.family), *zeroing)),
                    None => None,
                };
                match *way {
                    Way::Usual => self.masked(*code, &operands, mask)?,
                    Way::Locked => self.atomically(*code, &operands, true)?,
                    Way::Rounded(round) => self.rounded(*code, &operands, round)?,
                }
            }
            Kind::Jump => {
                let to = func.blocks[here.block].succs[0].index();
                if Some(to) != here.next {
                    self.jump(Target::Block(to));
                }
            }
            Kind::Branch(condition) => {
                let succs = &func.blocks[here.block].succs;
                let (then, otherwise) = (succs[0].index(), succs[1].index());
                if Some(then) == here.next {
                    self.jump_if(x86::opposite(*condition), Target::Block(otherwise));
                } else {
                    self.jump_if(*condition, Target::Block(then));
                    if Some(otherwise) != here.next {
                        self.jump(Target::Block(otherwise));
                    }
                }
            }
            Kind::Dispatch => self.op(Code::Jmp_rm64, &[context(at::ENTRY)])?,
            Kind::Guard { condition, exit } => {
                leaves(*exit);
                let cold = self.cold_code(Cold::Exit(*exit));
                self.jump_if(*condition, cold);
            }
            Kind::Check { site, bytes, align, exit, addresses } => {
                leaves(*exit);
                let names = names(usize::from(*addresses) + 2)?;
                let (addresses, rooms) = names.split_at(usize::from(*addresses));
                let check = Check {
                    site: *site,
                    bytes: *bytes,
                    align: *align,
                    exit: *exit,
                    addresses: addresses.to_vec(),
                    rooms: [rooms[0], rooms[1]],
                };
                self.check(check)?;
            }
            Kind::Perform { place, lanes, saves } => {
                // Of a gang of one warp, the upper half of the lanes is zero.
                let lanes = if *lanes { Some(x86::name(named(1)?, self.family)) } else { None };
                self.perform(*place, lanes, *saves)?;
            }
            Kind::Rows { function, warps } => {
                for warp in 0..*warps as i32 {
                    let row = at::ELEMENTS + 4 * ::lanes::WARP as i32 * warp;
                    let second = row + at::ELEMENT_BYTES as i32;
                    self.op(Code::Lea_r64_m, &[X::R(Register::RDI), context(row)])?;
                    self.op(Code::Mov_r64_rm64, &[X::R(Register::RSI), X::R(Register::RDI)])?;
                    self.op(Code::Lea_r64_m, &[X::R(Register::RDX), context(second)])?;
                    let all = [X::R(Register::RAX), context(at::ROW_FUNCTIONS)];
                    self.op(Code::Mov_r64_rm64, &all)?;
                    let entry = after(Register::RAX, 8 * i64::from(*function));
                    self.op(Code::Call_rm64, &[entry])?;
                }
            }
            Kind::Serve { site, exit, offsets, lanes } => {
                leaves(*exit);
                let names = names(1 + usize::from(*offsets) + usize::from(*lanes))?;
                let (reached, lanes) = names.split_at(1 + usize::from(*offsets));
                let jump = self.jump_to(ConditionCode::ne);
                let served = Served {
                    site: *site,
                    exit: *exit,
                    base: reached[0],
                    offsets: reached[1..].to_vec(),
                    lanes: lanes.first().copied(),
                    behind: self.end,
                };
                let cold = self.cold_code(Cold::Serve(served));
                self.redirect(jump, cold);
            }
            Kind::EachLane(what) => {
                let names = [named(0)?, named(1)?, named(2)?, named(3)?, named(4)?, named(5)?];
                self.each_lane(*what, names.map(|reg| x86::name(reg, self.family)))?;
            }
            Kind::Compound(what) => {
                self.compound(*what, &names(allocs.len())?)?;
            }
            Kind::Leave { exit } => {
                leaves(*exit);
                self.op(Code::Mov_r32_imm32, &[X::R(Register::EAX), X::I32(*exit as i32)])?;
                let entry_of = |place: u32| {
                    let entry = entries.iter().find(|(known, _)| *known == place);
                    entry.map(|(_, block)| block.index())
                };
                // Where code cannot be entered behind a barrier, somebody else goes on.
                let next = match func.exits[*exit as usize].quiet() {
                    None => None,
                    Some(None) => Some(None),
                    Some(Some(behind)) => entry_of(behind).map(Some),
                };
                match next {
                    None => self.jump(Target::Leave),
                    Some(behind) => {
                        self.next_entry(behind)?;
                        self.jump(Target::NextGang);
                    }
                }
            }
        }
        Ok(())
    }
}

fn after(base: Register, disp: i64) -> X {
    X::M(Memory { base, index: None, disp, broadcast: false })
}

fn context(disp: i32) -> X {
    after(CONTEXT, i64::from(disp))
}

/// Where the values are that an exit needs.
fn found(leaving: &Leaving, allocs: &[Allocation]) -> Exit {
    let mut next = leaving.first;
    let mut take = || {
        next += 1;
        let alloc = allocs.get(next - 1).copied().unwrap_or(Allocation::none());
        match alloc.kind() {
            AllocationKind::Reg => {
                let reg = alloc.as_reg().unwrap_or(register(0, RegClass::Int));
                let number = reg.hw_enc() as u8;
                match reg.class() {
                    RegClass::Int => Found::General(number),
                    RegClass::Float => Found::Vector(number),
                    RegClass::Vector => Found::Mask(number),
                }
            }
            AllocationKind::Stack | AllocationKind::None => {
                Found::Spilled(alloc.as_stack().map_or(0, |slot| slot.index() as u32))
            }
        }
    };
    let apart = leaving.apart.as_ref().map(|Parted { needed, offered, waiting }| Apart {
        lanes: take(),
        needed: needed.clone(),
        offered: offered.clone(),
        waiting: waiting.iter().map(|nth| (*nth, take())).collect(),
    });
    let mut kept = Vec::with_capacity(leaving.kept.len());
    for (reg, keeps) in &leaving.kept {
        let value = match keeps {
            Keeps::First(affine, true) => Kept::First(affine.clone(), Some(take())),
            Keeps::First(affine, false) => Kept::First(affine.clone(), None),
            Keeps::Firsts(lanes, affine, count) => {
                Kept::Firsts(*lanes, affine.clone(), (0..*count).map(|_| take()).collect())
            }
            Keeps::Row => Kept::Row,
            Keeps::Indexed(index, based, count) => {
                let base = based.then(&mut take);
                Kept::Indexed(*index, base, (0..*count).map(|_| take()).collect())
            }
            Keeps::Bits => Kept::Bits(take()),
            Keeps::Vectors(count, nan) => {
                Kept::Vectors((0..*count).map(|_| take()).collect(), *nan)
            }
        };
        kept.push((*reg, value));
    }
    let Leaving { why, place, .. } = *leaving;
    Exit { why, place, kept, apart }
}
