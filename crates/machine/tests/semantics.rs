//! What every warp instruction of the warp machine does, against its definition written out over lanes, on
//! random registers, guards and active masks.

mod common;

use common::{Machine, Random};
use lanes::LaneMask;
use warpwise_machine::State;

/// One random case: the state, and who takes part.
struct Case {
    state: State,
    participants: Vec<usize>,
}

/// R0 and R1 are inputs, R2 is old contents of the result; P0 guards, P1 is an input, P2 is old contents.
fn case(random: &mut Random) -> Case {
    let mut state = State::default();
    if random.below(2) == 0 {
        state.active = LaneMask(random.word());
    }
    for number in 0..4 {
        state.general.insert(number, random.lanes());
    }
    for number in 0..3 {
        let mask = match random.below(4) {
            0 => 0,
            1 => u32::MAX,
            _ => random.word(),
        };
        state.predicates.insert(number, LaneMask(mask));
    }
    state.uniform.insert(0, random.word());
    state.uniform.insert(1, 77);
    state.uniform_predicates.insert(0, random.below(2) == 0);
    let guard = state.predicates[&0].0 & state.active.0;
    let participants = (0..32).filter(|lane| guard >> lane & 1 != 0).collect();
    Case { state, participants }
}

fn machine() -> Machine {
    Machine::shipped("isa/warp.isa")
}

fn run(machine: &Machine, text: &str, state: &State) -> State {
    machine.run(text, state).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn bit(mask: LaneMask, lane: usize) -> bool {
    mask.0 >> lane & 1 != 0
}

/// The registers after: `values` for R2 and `truths` for P2 in participants, the old contents elsewhere.
fn expect(
    text: &str,
    case: &Case,
    after: &State,
    value: impl Fn(usize) -> Option<u32>,
    truth: impl Fn(usize) -> Option<bool>,
) {
    for lane in 0..32 {
        let takes_part = case.participants.contains(&lane);
        let old = case.state.general[&2][lane];
        let wanted = value(lane).filter(|_| takes_part).unwrap_or(old);
        assert_eq!(after.general.get(&2).map_or(old, |r| r[lane]), wanted, "{text}, lane {lane}");
        let old = bit(case.state.predicates[&2], lane);
        let wanted = truth(lane).filter(|_| takes_part).unwrap_or(old);
        assert_eq!(bit(after.predicates[&2], lane), wanted, "{text}, predicate of lane {lane}");
    }
}

fn cases(mut each: impl FnMut(&Case)) {
    let mut random = Random(1);
    for _ in 0..60 {
        each(&case(&mut random));
    }
}

#[test]
fn votes() {
    let machine = machine();
    cases(|case| {
        for (negated, mark) in [(false, ""), (true, "!")] {
            let votes: Vec<usize> = case
                .participants
                .iter()
                .copied()
                .filter(|lane| bit(case.state.predicates[&1], *lane) != negated)
                .collect();
            let ballot = votes.iter().fold(0_u32, |mask, lane| mask | 1 << lane);
            let (all, none) = (votes.len() == case.participants.len(), votes.is_empty());
            for (mode, combined) in [("ANY", !none), ("ALL", all), ("EQ", all || none)] {
                let text = format!("@P0 VOTE.{mode} R2, P2, {mark}P1");
                let after = run(&machine, &text, &case.state);
                expect(&text, case, &after, |_| Some(ballot), |_| Some(combined));
                let text = format!("@P0 VOTEU.{mode} UR1, UP0, {mark}P1");
                let after = run(&machine, &text, &case.state);
                if case.participants.is_empty() {
                    assert_eq!(after.uniform[&1], 77, "{text}");
                    assert_eq!(after.uniform_predicates[&0], case.state.uniform_predicates[&0]);
                } else {
                    assert_eq!(after.uniform[&1], ballot, "{text}");
                    assert_eq!(after.uniform_predicates[&0], combined, "{text}");
                }
            }
        }
    });
}

#[test]
fn reductions() {
    let machine = machine();
    type Fold = fn(u32, u32) -> u32;
    let operations: [(&str, Fold); 10] = [
        ("AND", |a, b| a & b),
        ("OR", |a, b| a | b),
        ("XOR", |a, b| a ^ b),
        ("SUM", u32::wrapping_add),
        ("MAX", u32::max),
        ("MIN", u32::min),
        ("S32.AND", |a, b| a & b),
        ("S32.SUM", u32::wrapping_add),
        ("S32.MAX", |a, b| (a as i32).max(b as i32) as u32),
        ("S32.MIN", |a, b| (a as i32).min(b as i32) as u32),
    ];
    cases(|case| {
        let values = case.participants.iter().map(|lane| case.state.general[&0][*lane]);
        for (name, fold) in operations {
            let wanted = values.clone().reduce(fold);
            let text = format!("@P0 REDUX.{name} R2, R0");
            let mut after = run(&machine, &text, &case.state);
            after.predicates.insert(2, case.state.predicates[&2]);
            expect(&text, case, &after, |_| wanted, |_| None);
            let after = run(&machine, &format!("@P0 REDUXU.{name} UR1, R0"), &case.state);
            assert_eq!(after.uniform[&1], wanted.unwrap_or(77), "REDUXU.{name}");
        }
    });
}

#[test]
fn matches() {
    let machine = machine();
    cases(|case| {
        let [low, high] = [&case.state.general[&0], &case.state.general[&1]];
        for (ty, value) in [
            ("", Box::new(|lane: usize| u64::from(low[lane])) as Box<dyn Fn(usize) -> u64>),
            (".U64", Box::new(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)),
        ] {
            let operand = if ty.is_empty() { "R0" } else { "R[0:1]" };
            let equals = |lane: usize| {
                let equal = case.participants.iter().filter(|other| value(**other) == value(lane));
                equal.fold(0_u32, |mask, lane| mask | 1 << lane)
            };
            let everyone = case.participants.iter().fold(0_u32, |mask, lane| mask | 1 << lane);
            let text = format!("@P0 MATCH{ty}.ANY R2, P2, {operand}");
            let after = run(&machine, &text, &case.state);
            expect(&text, case, &after, |lane| Some(equals(lane)), |_| Some(false));
            let all = case.participants.iter().all(|lane| equals(*lane) == everyone);
            let text = format!("@P0 MATCH{ty}.ALL R2, P2, {operand}");
            let after = run(&machine, &text, &case.state);
            expect(&text, case, &after, |_| Some(if all { everyone } else { 0 }), |_| Some(all));
        }
    });
}

#[test]
fn elections() {
    let machine = machine();
    cases(|case| {
        let uniform = case.state.uniform[&0];
        let pp = |lane: usize| bit(case.state.predicates[&1], lane);
        type Chooses<'a> = Box<dyn Fn(usize) -> bool + 'a>;
        let choices: [(&str, Chooses<'_>); 4] = [
            ("P1", Box::new(pp)),
            ("!P1", Box::new(move |lane| !pp(lane))),
            ("UR0", Box::new(move |lane| uniform >> lane & 1 != 0)),
            ("~UR0", Box::new(move |lane| uniform >> lane & 1 == 0)),
        ];
        for (operand, chooses) in choices {
            let leader = case.participants.iter().copied().find(|lane| chooses(*lane));
            let number = leader.map_or(u32::MAX, |lane| lane as u32);
            let leads = |lane| Some(Some(lane) == leader);
            let text = format!("@P0 ELECT P2, R2, {operand}");
            let after = run(&machine, &text, &case.state);
            expect(&text, case, &after, |_| Some(number), leads);
            let text = format!("@P0 ELECTU P2, UR1, {operand}");
            let after = run(&machine, &text, &case.state);
            let wanted = if case.participants.is_empty() { 77 } else { number };
            assert_eq!(after.uniform[&1], wanted, "{text}");
            expect(&text, case, &after, |_| None, leads);
        }
    });
}

#[test]
fn transposed_matrices() {
    let machine = machine();
    let mut random = Random(7);
    for _ in 0..20 {
        let mut state = State::default();
        let source: [u32; 32] = std::array::from_fn(|_| random.word());
        state.general.insert(0, source);
        let after = run(&machine, "MOVM R2, R0", &state);
        let element = |lanes: &[u32; 32], row: usize, column: usize| {
            lanes[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff
        };
        for row in 0..8 {
            for column in 0..8 {
                let found = element(&after.general[&2], row, column);
                assert_eq!(found, element(&source, column, row));
            }
        }
    }
}

/// Control, memory, and values of the warp across lanes that have parted.
#[test]
fn programs() {
    let machine = machine();
    let text = "\
              LANEID R0\n\
              ISETP.LT P0, R0, 8\n\
              @P0 BRA low\n\
              VOTEU.ANY UR0, UP0, PT\n\
              BRA join\n\
        low:  MOV R1, UR0\n\
              @!P1 EXIT\n\
        join: MOV R2, UR0\n\
              IADD R3, R0, R0\n\
              IADD R3, R3, R3\n\
              ST [R3 + 0x0], R2\n\
              LD R4, [R3 + 0x0]\n";
    let mut state = State { memory: vec![0; 128], ..State::default() };
    state.predicates.insert(1, LaneMask(0xff00_00f0));
    let after = run(&machine, text, &state);
    let upper = 0xffff_ff00_u32;
    for lane in 0..32 {
        let stays = lane >= 4;
        assert_eq!(after.general[&2][lane], if stays { upper } else { 0 }, "lane {lane}");
        assert_eq!(after.general[&4][lane], if stays { upper } else { 0 }, "lane {lane}");
    }
    // A loop whose number of turns differs from lane to lane.
    let text = "\
              LANEID R0\n\
        turn: IADD R1, R1, R0\n\
              IADD R2, R2, 1\n\
              ISETP.LE P0, R2, R0\n\
              @P0 BRA turn\n\
              FADD R3, R4, R5\n";
    let mut state = State::default();
    state.general.insert(4, [1.5_f32.to_bits(); 32]);
    state.general.insert(5, [0.1_f32.to_bits(); 32]);
    let after = run(&machine, text, &state);
    for lane in 0..32_u32 {
        assert_eq!(after.general[&1][lane as usize], lane * (lane + 1));
        assert_eq!(after.general[&3][lane as usize], (1.5_f32 + 0.1).to_bits());
    }
}

#[test]
fn what_has_no_meaning_is_refused_before_anything_runs() {
    let sm_90 = Machine::shipped("isa/sm_90.isa");
    for (text, why) in [
        ("ENDCOLLECTIVE ;", "nothing says what `ENDCOLLECTIVE` does"),
        ("ELECT.IGNOREKILL P0, URZ, PT ;", "IGNOREKILL"),
        ("VOTE.INVALID3 R0, PT, PT ;", "INVALID3"),
        ("MOVM.16.M832 R0, R1 ;", "M832"),
        ("WARPSYNC.COLLECTIVE R0, 0x10 ;", "what `.COLLECTIVE` does is not documented"),
        (".word 0x0 ;", "this word is no instruction"),
        (".section a\nWARPSYNC.ALL\n.section b\nWARPSYNC.ALL ;", "one section"),
    ] {
        let error = sm_90.program(text, Default::default()).expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
    let warp = machine();
    let error = warp.program("BRA 0x40 ;", Default::default()).expect_err("outside");
    assert!(error.contains("no instruction is"), "{error}");
}

/// The real encodings run too.
#[test]
fn instructions_of_real_targets() {
    let mut state = State::default();
    state.general.insert(1, std::array::from_fn(|lane| lane as u32 * 3));
    let sm_90 = Machine::shipped("isa/sm_90.isa");
    let text = "WARPSYNC.ALL ;\nREDUX.SUM UR4, R1 ;\nELECT P0, UR5, !P1 ;\nR2UR UR6, R1 ;\n\
                SHFL.BFLY PT, R2, R1, 0x1, 0x1f ;\nMATCH.ALL.U64 P2, R3, R6 ;\n";
    let after = run(&sm_90, text, &state);
    assert_eq!(after.uniform[&4], 3 * 31 * 16);
    assert_eq!((after.uniform[&5], after.predicates[&0]), (0, LaneMask(1)));
    assert_eq!(after.uniform[&6], 0);
    assert_eq!(after.general[&2], std::array::from_fn(|lane| (lane as u32 ^ 1) * 3));
    assert_eq!((after.general[&3], after.predicates[&2]), ([u32::MAX; 32], LaneMask::FULL));
    let sm_100 = Machine::shipped("isa/sm_100.isa");
    let floats = std::array::from_fn(|lane| (lane as f32 - 20.0).to_bits());
    state.general.insert(1, floats);
    let after = run(&sm_100, "CREDUX.MAXABS.F32 UR4, R1 ;\nCREDUX.MIN.F32 UR5, R1 ;", &state);
    assert_eq!(f32::from_bits(after.uniform[&4]), 20.0);
    assert_eq!(f32::from_bits(after.uniform[&5]), -20.0);
}
