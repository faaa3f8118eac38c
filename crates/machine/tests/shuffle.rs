//! The pseudo-code of SHFL, taken as text from the description, against the machine's own SHFL: every
//! mode, lane, lane operand (32 values) and clamp operand (all 1,024 that mean something).

mod common;

use common::{Machine, execute};
use vm::Schedule;
use warpwise_machine::{Meaning, State};

const TURNS: u32 = 32 * 1024;
/// Where the results begin in memory: behind the operands.
const RESULTS: u32 = 2 * 4 * TURNS;

/// One shuffle a turn, with the operands of that turn from memory; a row of values and the mask of
/// predicates go back to memory.
fn program(mode: &str) -> String {
    format!(
        "        LANEID R0\n\
         turn:   LD R2, [R10 + 0x0]\n\
                 LD R3, [R10 + {}]\n\
                 SHFL.{mode} P0, R4, R1, R2, R3\n\
                 VOTE.ANY R5, PT, P0\n\
                 ST [R11 + {RESULTS}], R4\n\
                 ST [R12 + {}], R5\n\
                 IADD R10, R10, 4\n\
                 IADD R11, R11, 128\n\
                 IADD R12, R12, 4\n\
                 ISETP.LT P1, R10, {}\n\
                 @P1 BRA turn\n\
                 EXIT\n",
        4 * TURNS,
        RESULTS + 128 * TURNS,
        4 * TURNS
    )
}

fn operands(turn: u32) -> (u32, u32) {
    let (b, clamp, segment) = (turn & 31, turn >> 5 & 31, turn >> 10 & 31);
    (b, clamp | segment << 8)
}

fn state() -> State {
    let mut state = State::default();
    let lane = |scale: u32| std::array::from_fn(|lane| lane as u32 * scale);
    state.general.insert(1, lane(0x0101_0101));
    state.general.insert(11, lane(4));
    let (b, c): (Vec<u32>, Vec<u32>) = (0..TURNS).map(operands).unzip();
    state.memory = b.into_iter().chain(c).flat_map(u32::to_le_bytes).collect();
    state.memory.resize((RESULTS + 132 * TURNS) as usize, 0);
    state
}

/// The lane that PTX ISA 9.1, shfl.sync, lets a lane read, and its predicate.
fn expected(mode: &str, lane: i32, b: u32, c: u32) -> (i32, bool) {
    let (b, clamp, segment) = (b as i32, (c & 31) as i32, (c >> 8 & 31) as i32);
    let most = (lane & segment) | (clamp & !segment);
    let least = lane & segment;
    let (j, p) = match mode {
        "UP" => (lane - b, lane - b >= most),
        "DOWN" => (lane + b, lane + b <= most),
        "BFLY" => (lane ^ b, lane ^ b <= most),
        _ => (least | (b & !segment), least | (b & !segment) <= most),
    };
    (if p { j } else { lane }, p)
}

fn compare(machine: &Machine) {
    let state = state();
    for mode in ["IDX", "UP", "DOWN", "BFLY"] {
        let run = |meaning| {
            let program =
                machine.program(&program(mode), meaning).unwrap_or_else(|e| panic!("{e}"));
            execute(&program, &state, Schedule::default()).unwrap_or_else(|e| panic!("{e}")).memory
        };
        let (own, text) = (run(Meaning::BuiltIn), run(Meaning::PseudoCode));
        assert!(own == text, "{mode}: the pseudo-code differs from the machine's own shuffle");
        let word = |at: u32| {
            let at = at as usize;
            own[at..at + 4].try_into().map(u32::from_le_bytes).expect("four bytes")
        };
        for turn in 0..TURNS {
            let (b, c) = operands(turn);
            let mask = word(RESULTS + 128 * TURNS + 4 * turn);
            for lane in 0..32 {
                let (j, p) = expected(mode, lane as i32, b, c);
                let found = (word(RESULTS + 128 * turn + 4 * lane), mask >> lane & 1 != 0);
                assert_eq!(found, (j as u32 * 0x0101_0101, p), "{mode} {b} {c:#x} lane {lane}");
            }
        }
    }
}

#[test]
fn pseudo_code_and_machine_agree_everywhere() {
    compare(&Machine::shipped("isa/warp.isa"));
}

/// The same for a document that is not part of the repository, named by `WARPWISE_SAMPLE`: its SHFL as it
/// stands, with the instructions around it from this repository.
#[test]
fn pseudo_code_of_a_given_document() {
    let Some(sample) = std::env::var_os("WARPWISE_SAMPLE") else { return };
    let text = format!(
        "__Include {:?};\n__DefGroup Signals : [SYNCOp]\n__Include \"isa/warp-base.isa\";\n",
        sample.to_string_lossy()
    );
    compare(&Machine::described(&text).unwrap_or_else(|error| panic!("{error}")));
}
