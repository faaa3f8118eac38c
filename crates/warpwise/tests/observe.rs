//! Observers of a run: what they are shown before and after effects, and what registers are called.

use warpwise::ir::{Collective, Inst, Op, Src};
use warpwise::observe::{BarrierPart, Firing, Observer, View};
use warpwise::{Arg, Detail, Device, Kernel, LaunchConfig, Module, Schedule};

/// A kernel of which the text is what comes behind the registers.
fn kernel(target: &str, body: &str) -> Kernel {
    let text = format!(
        ".version 7.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n{body}\nret;\n}}"
    );
    let module = Module::from_ptx("k.ptx", text).expect("it is PTX");
    module.kernel("k").expect("it can run")
}

fn observe(kernel: &Kernel, threads: u32, schedule: &str, observer: &mut impl Observer) {
    let device = Device::new().expect("there is memory");
    let out = device.allocate(4 * 1024).expect("there is memory");
    let mut config = LaunchConfig::new(1, threads);
    config.schedule = schedule.parse::<Schedule>().expect("it is a schedule");
    kernel.observe(&device, &config, &[Arg::Buffer(out)], observer).expect("it ends well");
}

/// What the last shuffle gave, and what its register held before.
#[derive(Default)]
struct Shuffled {
    before: Vec<u32>,
    after: Vec<(u32, u32)>,
}

fn shuffle(inst: &Inst) -> Option<Src> {
    match inst.op {
        Op::Collective { what: Collective::Shfl { d, .. }, .. } => Some(d.into()),
        _ => None,
    }
}

impl Observer for Shuffled {
    const EFFECTS: bool = true;

    fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        for part in firing.parts {
            let Some(d) = shuffle(part.inst) else { continue };
            let values = view.w32(d, firing.warp);
            self.before.extend(part.lanes.iter().map(|lane| values[lane as usize]));
        }
    }

    fn after_fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        for part in firing.parts {
            let Some(d) = shuffle(part.inst) else { continue };
            let values = view.w32(d, firing.warp);
            self.after.extend(part.lanes.iter().map(|lane| (lane, values[lane as usize])));
        }
    }
}

/// `shfl.idx` gives the value of the lane that operand `b` names modulo 32 (PTX ISA 9.1, `shfl.sync`); here all lanes wait for each
/// other, nobody waits, and lanes pass masks of their own, which the result overwrites.
#[test]
fn shuffles_are_shown_before_and_after() {
    let own = "mov.u32 %r1, %laneid;\nadd.u32 %r2, %r1, 1;\nmov.u32 %r3, 7;\n";
    let sync = format!("{own}shfl.sync.idx.b32 %r3, %r1, %r2, 31, -1;");
    let plain = format!("{own}shfl.idx.b32 %r3, %r1, %r2, 31;");
    let masks = format!("{own}mov.u32 %r3, -1;\nshfl.sync.idx.b32 %r3, %r1, %r2, 31, %r3;");
    for (target, body, before) in [
        ("sm_75", &sync, 7),
        ("sm_60", &plain, 7),
        ("sm_75", &masks, u32::MAX),
        ("sm_60", &masks, u32::MAX),
    ] {
        for schedule in ["fair", "seed:3"] {
            let mut seen = Shuffled::default();
            observe(&kernel(target, body), 32, schedule, &mut seen);
            assert_eq!(seen.before, [before; 32], "{target} {schedule} {body}");
            seen.after.sort_unstable();
            let expected: Vec<_> = (0..32).map(|lane| (lane, (lane + 1) % 32)).collect();
            assert_eq!(seen.after, expected, "{target} {schedule} {body}");
        }
    }
}

/// The names of registers that instructions write, with the value in the highest lane that executes them.
struct Written<'k>(&'k Kernel, Vec<(String, u32)>);

impl Observer for Written<'_> {
    const EFFECTS: bool = true;

    fn after_inst(&mut self, view: &View<'_>, inst: &Inst) {
        inst.op.operands(|operand| {
            let warpwise::ir::Operand::Def(reg) = operand else { return };
            let Some(name) = self.0.register_name(reg).filter(|name| name.starts_with("%r")) else {
                return;
            };
            for (warp, lanes) in view.group() {
                let lane = lanes.highest().expect("a group has lanes") as usize;
                self.1.push((name.to_owned(), view.w32(reg.into(), warp)[lane]));
            }
        });
    }
}

#[test]
fn instructions_are_shown_after_their_effect_in_the_lanes_whose_guard_is_true() {
    let body = "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 4;\nmov.u32 %r5, 0;\n@%p1 add.u32 %r5, %r1, 40;";
    let kernel = kernel("sm_75", body);
    let mut seen = Written(&kernel, Vec::new());
    observe(&kernel, 32, "fair", &mut seen);
    let expected = [("%r1", 31), ("%r5", 0), ("%r5", 43)];
    assert_eq!(seen.1, expected.map(|(name, value)| (name.to_owned(), value)));
    let named: Vec<&str> = kernel.registers().map(|(_, name)| name).collect();
    assert_eq!(named, ["%r1", "%p1", "%r5"]);
}

/// What `barrier.red.popc` gave.
#[derive(Default)]
struct Counted(Vec<u32>, u32);

impl Observer for Counted {
    const EFFECTS: bool = true;

    fn after_barrier(&mut self, view: &View<'_>, id: u32, parts: &[BarrierPart<'_>]) {
        assert_eq!(id, 0);
        for part in parts {
            part.inst.op.operands(|operand| {
                if let warpwise::ir::Operand::Def(reg) = operand {
                    self.0.push(view.w32(reg.into(), part.warp)[0]);
                }
            });
        }
    }

    fn end(&mut self, _: &View<'_>) {
        self.1 += 1;
    }
}

#[test]
fn several_observers_are_one_and_barriers_are_shown_with_their_results() {
    let body = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 40;\nbarrier.sync 0;\nbarrier.red.popc.u32 %r2, 0, %p1;";
    let mut counted = Counted::default();
    let mut both = (Shuffled::default(), (Some(&mut counted), None::<Counted>));
    observe(&kernel("sm_75", body), 64, "fair", &mut both);
    assert_eq!(both.0.after, []);
    assert_eq!((counted.0, counted.1), (vec![40, 40], 1));
}

/// The store stands on line 16 of the text that `kernel` makes, the load on line 17.
#[test]
fn findings_are_data_with_places() {
    let body = ".shared .align 4 .b8 tile[128];\nmov.u32 %r1, %laneid;\nmov.u32 %r2, tile;\n\
                xor.b32 %r3, %r1, 1;\nshl.b32 %r4, %r3, 2;\nadd.u32 %r5, %r2, %r4;\nshl.b32 %r6, %r1, 2;\n\
                add.u32 %r7, %r2, %r6;\nst.shared.u32 [%r7], %r1;\nld.shared.u32 %r8, [%r5];\n\
                ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], %r8;";
    let kernel = kernel("sm_75", body);
    let device = Device::new().expect("there is memory");
    let out = device.allocate(4).expect("there is memory");
    let config = LaunchConfig::new(1, 32);
    let checked = kernel
        .check(&device, &config, Default::default(), &[Arg::Buffer(out)])
        .expect("it can be launched");
    let race = checked.findings.iter().find(|finding| finding.code.word() == "R001");
    let race = race.expect("nothing orders the store and the load");
    let Detail::Race(facts) = &race.detail else { panic!("{race:?}") };
    assert!(facts.earlier.writes && !facts.later.writes && !facts.same_value);
    assert_eq!((race.schedule.to_string().as_str(), race.is_harmless()), ("fair", false));
    let line =
        |place| race.location(place).and_then(|at| at.instruction.as_ref()).map(|at| at.line);
    assert_eq!((line(facts.earlier.place), line(facts.later.place)), (Some(16), Some(17)));
    assert_eq!(race.locations().len(), 2);
    let diagnostic =
        checked.diagnostics.iter().find(|told| told.code == "R001").expect("it is told");
    let json = diagnostic.finding.as_ref().expect("it is data");
    assert_eq!(json["detail"]["kind"], "race");
    assert_eq!(json["detail"]["later"]["strength"], "weak");
    assert_eq!(json["locations"][0]["instruction"]["line"], 17);
    assert_eq!(json["message"], diagnostic.message);
}

/// What `unwrap` prints is what a user reads.
#[test]
fn errors_are_shown_as_their_message() {
    let error = Module::from_ptx("k.ptx", ".version 7.0\nnonsense").expect_err("it is no PTX");
    assert_eq!(format!("{error:?}"), format!("\n{error}"));
    assert!(format!("{error:?}").contains("k.ptx:2:1"), "{error}");
}
