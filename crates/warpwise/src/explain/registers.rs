//! What the registers of an instruction hold: what the user says, or something that shows what it does.

use super::explanation::Setting;
use super::module::Found;
use crate::error::{Error, Stage};
use diag::Class;
use ir::{Class as RegisterClass, Pred, Reg, Src};
use lanes::{LANE_IDS, LaneMask, Lanes, splat};

/// The lanes where a predicate register is taken to be true.
const ODD: LaneMask = LaneMask(0xaaaa_aaaa);

/// Values of registers, and what was assumed of them.
pub(super) struct Registers<'s> {
    set: Vec<(Reg, &'s Setting)>,
    pub(super) assumed: Vec<String>,
}

fn refuse(message: String) -> Error {
    Error::message(Stage::Module, Class::BadInput, message)
}

impl<'s> Registers<'s> {
    /// # Errors
    /// A setting names no register, names one again, or has more bits than it.
    pub(super) fn new(found: &Found, settings: &'s [Setting]) -> Result<Registers<'s>, Error> {
        let mut set: Vec<(Reg, &Setting)> = Vec::new();
        for setting in settings {
            let name = &setting.name;
            let known = found.registers.iter().find(|(known, ..)| known == name);
            let Some((_, reg, class)) = known else {
                return Err(refuse(format!("`{name}` is no register of the instruction")));
            };
            if set.iter().any(|(other, _)| other == reg) {
                return Err(refuse(format!("`{name}` is set twice")));
            }
            let wide = setting.values.iter().any(|value| *value > u64::from(u32::MAX));
            if *class == RegisterClass::W32 && wide {
                return Err(refuse(format!(
                    "`{name}` is a register of 32 bits, and the value has more"
                )));
            }
            set.push((*reg, setting));
        }
        Ok(Registers { set, assumed: Vec::new() })
    }

    fn setting(&self, reg: Reg) -> Option<&'s Setting> {
        self.set.iter().find(|(known, _)| *known == reg).map(|(_, setting)| *setting)
    }

    fn assume(&mut self, what: &str) {
        if !self.assumed.iter().any(|known| known == what) {
            self.assumed.push(what.to_owned());
        }
    }

    /// The lanes where a predicate is true.
    pub(super) fn predicate(&mut self, pred: Pred) -> LaneMask {
        let (reg, negated) = match pred {
            Pred::Const(true) => return LaneMask::FULL,
            Pred::Const(false) => return LaneMask::EMPTY,
            Pred::Is(reg) => (reg, false),
            Pred::Not(reg) => (reg, true),
        };
        let truth = match self.setting(reg) {
            Some(Setting { name, values, truth }) => {
                let truth = truth.unwrap_or(LaneMask::from_fn(|lane| values[lane] != 0));
                self.assume(&format!("{name} is true in lanes {}", truth.ranges()));
                truth
            }
            None => {
                self.assume("predicate registers are true in odd lanes");
                ODD
            }
        };
        if negated { !truth } else { truth }
    }

    /// A number of each lane; `sample` is what a register holds that is not set.
    fn number(&mut self, src: Src, sample: &Lanes<u32>, what: &str) -> Lanes<u64> {
        match src {
            Src::Imm(value) => splat(value),
            Src::Reg(reg) => match self.setting(reg) {
                Some(setting) => setting.values,
                None => {
                    self.assume(what);
                    sample.map(u64::from)
                }
            },
        }
    }

    /// The lane's number, if nothing else is said.
    pub(super) fn lane_numbers(&mut self, src: Src) -> Lanes<u32> {
        self.number(src, &LANE_IDS, "registers hold the lane's number").map(|value| value as u32)
    }

    /// The lane's number as a float, if nothing else is said.
    pub(super) fn floats(&mut self, src: Src) -> Lanes<u32> {
        let sample = LANE_IDS.map(|lane| (lane as f32).to_bits());
        let what = "registers hold the lane's number as a binary32";
        self.number(src, &sample, what).map(|value| value as u32)
    }

    /// Values that are equal in groups of four lanes, so that there is something to find, if nothing else is said.
    pub(super) fn equal_groups(&mut self, src: Src) -> Lanes<u64> {
        let sample = LANE_IDS.map(|lane| lane / 4);
        self.number(src, &sample, "registers hold the lane's number divided by 4")
    }

    /// The elements of a matrix, each with a number of its own, if nothing else is said.
    pub(super) fn elements(&mut self, src: Src) -> Lanes<u32> {
        let sample = LANE_IDS.map(|lane| (2 * lane) | ((2 * lane + 1) << 16));
        let what =
            "the elements of the matrix are numbered 0 to 63, two a lane, the low half first";
        self.number(src, &sample, what).map(|value| value as u32)
    }

    /// The membermask of each lane.
    ///
    /// # Errors
    /// It is a register that is not set.
    pub(super) fn membermasks(&self, mask: Src) -> Result<Lanes<u32>, Error> {
        match mask {
            Src::Imm(mask) => Ok(splat(mask as u32)),
            Src::Reg(reg) => match self.setting(reg) {
                Some(setting) => Ok(setting.values.map(|value| value as u32)),
                None => Err(refuse(
                    "the membermask is a register: say what it holds, such as `--set mask=u32:0xffffffff`"
                        .to_owned(),
                )),
            },
        }
    }
}
