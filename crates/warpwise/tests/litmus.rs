//! Litmus tests between CTAs that run on cores of their own: outcomes that the PTX memory model forbids are never seen
//! (PTX ISA 9.1, 8.9 "Axioms": causality, Fence-SC, coherence, and the litmus tests there).

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

/// How often the CTAs of a test meet, each time at words that nobody has used.
const ROUNDS: usize = 40_000;

/// Runs a test and returns what each round found in `%r1` and `%r2` of each role. Roles are CTAs of so many threads, all of which do the
/// same; `%x` and `%y` are the addresses of the round's two words, which lie in different cache lines and begin as 0.
fn outcomes(roles: &[&str], engine: EngineChoice, threads: u32) -> Vec<Vec<[u32; 2]>> {
    let count = roles.len();
    let code: String = (0..)
        .zip(roles)
        .map(|(role, code)| {
            format!(
                "setp.ne.u32 %p, %cta, {role};\n@%p bra NOT{role};\n{code}\nbra DONE;\nNOT{role}:\n"
            )
        })
        .collect();
    let text = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n
        .global .u32 here;
        .visible .entry litmus(.param .u64 words, .param .u64 out) {{
            .reg .pred %p;
            .reg .b32 %r<3>, %n, %cta, %there;
            .reg .b64 %x, %y, %o, %step;
            ld.param.u64 %x, [words];
            add.u64 %y, %x, 128;
            ld.param.u64 %o, [out];
            mov.u32 %cta, %ctaid.x;
            mul.wide.u32 %step, %cta, 8;
            add.u64 %o, %o, %step;
            mov.u32 %n, 0;
            red.global.add.u32 [here], 1;
        ALL:
            ld.volatile.global.u32 %there, [here];
            setp.ne.u32 %p, %there, {all};
            @%p bra ALL;
        ROUND:
            mov.u32 %r1, 0;
            mov.u32 %r2, 0;
            {code}
        DONE:
            st.global.u32 [%o], %r1;
            st.global.u32 [%o+4], %r2;
            add.u64 %x, %x, 256;
            add.u64 %y, %y, 256;
            add.u64 %o, %o, {row};
            add.u32 %n, %n, 1;
            setp.lt.u32 %p, %n, {ROUNDS};
            @%p bra ROUND;
            ret;
        }}",
        row = 8 * count,
        all = count as u32 * threads,
    );
    let module = Module::from_ptx("litmus.ptx", text).expect("the module is well formed");
    let kernel = module.kernel("litmus").expect("it lowers");
    let device = Device::new().expect("the host gives memory");
    let words = device.allocate(256 * ROUNDS as u64).expect("it fits");
    let out = device.allocate((8 * count * ROUNDS) as u64).expect("it fits");
    let config =
        LaunchConfig { threads: count, engine, ..LaunchConfig::new(count as u32, threads) };
    kernel.launch(&device, &config, &[words.into(), out.into()]).expect("it runs");
    let found = device.download::<u32>(out).expect("it is there");
    let round = |round: &[u32]| round.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    found.chunks_exact(2 * count).map(round).collect()
}

/// No round of a test may end in a way that is forbidden.
fn never(roles: &[&str], forbidden: impl Fn(&[[u32; 2]]) -> bool) {
    let native = |engine: &EngineChoice| matches!(engine, EngineChoice::Native(_));
    // Machine code is for whole warps.
    let whole = EngineChoice::available().filter(native).map(|engine| (engine, 32));
    for (engine, threads) in [(EngineChoice::interpreter(), 1)].into_iter().chain(whole) {
        let found = outcomes(roles, engine, threads);
        assert_eq!(found.len(), ROUNDS);
        let seen = found.iter().position(|round| forbidden(round));
        assert_eq!(seen, None, "{engine}: {:?}", seen.map(|round| &found[round]));
    }
}

#[test]
fn what_was_written_before_a_flag_is_seen_behind_it() {
    let seen_late = |round: &[[u32; 2]]| round[1] == [1, 0];
    never(
        &[
            "st.global.u32 [%x], 1; st.release.gpu.global.u32 [%y], 1;",
            "ld.acquire.gpu.global.u32 %r1, [%y]; ld.global.u32 %r2, [%x];",
        ],
        seen_late,
    );
    never(
        &[
            "st.global.u32 [%x], 1; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%y], 1;",
            "ld.relaxed.gpu.global.u32 %r1, [%y]; fence.acq_rel.gpu; ld.global.u32 %r2, [%x];",
        ],
        seen_late,
    );
    never(
        &[
            "st.global.u32 [%x], 1; membar.gl; st.volatile.global.u32 [%y], 1;",
            "ld.volatile.global.u32 %r1, [%y]; membar.gl; ld.global.u32 %r2, [%x];",
        ],
        seen_late,
    );
    never(
        &[
            "st.global.u32 [%x], 1; atom.release.gpu.global.exch.b32 %r1, [%y], 1;",
            "atom.acquire.gpu.global.add.u32 %r1, [%y], 0; ld.global.u32 %r2, [%x];",
        ],
        seen_late,
    );
}

#[test]
fn of_two_stores_with_fences_one_comes_first() {
    never(
        &[
            "st.relaxed.gpu.global.u32 [%x], 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 %r1, [%y];",
            "st.relaxed.gpu.global.u32 [%y], 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 %r1, [%x];",
        ],
        |round| round[0][0] == 0 && round[1][0] == 0,
    );
}

#[test]
fn two_readers_agree_on_the_order_of_two_writers() {
    never(
        &[
            "st.relaxed.gpu.global.u32 [%x], 1;",
            "st.relaxed.gpu.global.u32 [%y], 1;",
            "ld.relaxed.gpu.global.u32 %r1, [%x]; fence.sc.gpu; ld.relaxed.gpu.global.u32 %r2, [%y];",
            "ld.relaxed.gpu.global.u32 %r1, [%y]; fence.sc.gpu; ld.relaxed.gpu.global.u32 %r2, [%x];",
        ],
        |round| round[2] == [1, 0] && round[3] == [1, 0],
    );
}

#[test]
fn a_word_never_goes_back() {
    for kind in ["relaxed.gpu", "volatile"] {
        let write = format!("st.{kind}.global.u32 [%x], 1;");
        let read = format!("ld.{kind}.global.u32 %r1, [%x]; ld.{kind}.global.u32 %r2, [%x];");
        never(&[&write, &read], |round| round[1] == [1, 0]);
    }
}
