//! Tiles of cooperative groups: groups of a warp's lanes that are there together, each with a membermask of its own, made from `%laneid` as
//! CUDA's headers make it. Expected values are those of PTX ISA 9.1, `shfl.sync` and `vote.sync`, for each group.

use warpwise::{Device, EngineChoice, LaunchConfig, Module};

const THREADS: u32 = 96;

/// What the kernel leaves in `%r9` of each thread, by each engine. `%r3` is a number of the thread's own, `%r2` its lane, `%r8` the
/// membermask of its tile.
fn words(tile: u32, body: &str) -> Vec<(EngineChoice, Vec<u32>)> {
    let text = format!(
        "
    .version 7.8
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out)
    {{
        .reg .pred %p<4>;
        .reg .b32 %r<16>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out];
        mov.u32 %r1, %tid.x;
        mov.u32 %r2, %laneid;
        mad.lo.u32 %r3, %r1, 77, 5;
        and.b32 %r4, %r2, -{tile};
        mov.u32 %r5, {ones};
        shl.b32 %r8, %r5, %r4;
        {body}
        mul.wide.u32 %rd2, %r1, 4;
        add.u64 %rd2, %rd1, %rd2;
        st.global.u32 [%rd2], %r9;
        ret;
    }}",
        ones = u32::MAX >> (32 - tile)
    );
    let module = Module::from_ptx("tiles.ptx", text).expect("it is legal");
    let kernel = module.kernel("k").expect("it lowers");
    let device = Device::new().expect("address space");
    let run = |engine| {
        let out = device.upload(&vec![0u32; THREADS as usize]).expect("space");
        let config = LaunchConfig { engine, ..LaunchConfig::new(2, THREADS) };
        kernel.launch(&device, &config, &[out.into()]).expect("it runs");
        (engine, device.download::<u32>(out).expect("there"))
    };
    EngineChoice::available().map(run).collect()
}

fn value(thread: u32) -> u32 {
    thread * 77 + 5
}

fn expect(tile: u32, body: &str, word: impl Fn(u32) -> u32) {
    let expected: Vec<u32> = (0..THREADS).map(word).collect();
    for (engine, found) in words(tile, body) {
        assert_eq!(found, expected, "{engine}: tiles of {tile}: {body}");
    }
}

const TILES: [u32; 5] = [2, 4, 8, 16, 32];

#[test]
fn shuffles_stay_in_their_tiles() {
    for tile in TILES {
        let (bound, first) = ((32 - tile) << 8 | 31, (32 - tile) << 8);
        let of = move |thread: u32, lane: u32| value(thread - thread % tile + lane);
        for by in 0..tile {
            let shuffle =
                |mode: &str, c: u32| format!("shfl.sync.{mode}.b32 %r9, %r3, {by}, {c}, %r8;");
            expect(tile, &shuffle("bfly", bound), |thread| of(thread, (thread % tile) ^ by));
            expect(tile, &shuffle("idx", bound), |thread| of(thread, by));
            let down = |thread: u32| Some(thread % tile + by).filter(|lane| *lane < tile);
            expect(tile, &shuffle("down", bound), |thread| {
                of(thread, down(thread).unwrap_or(thread % tile))
            });
            expect(tile, &shuffle("up", first), |thread| {
                of(thread, (thread % tile).checked_sub(by).unwrap_or(thread % tile))
            });
        }
        // A source that only the running kernel knows, and whether it was in range.
        let body = format!(
            "
        shr.u32 %r6, %r1, 1;
        xor.b32 %r6, %r6, 1;
        shfl.sync.down.b32 %r9|%p1, %r3, %r6, {bound}, %r8;
        selp.b32 %r7, 1000000, 0, %p1;
        add.u32 %r9, %r9, %r7;"
        );
        expect(tile, &body, |thread| {
            let lane = thread % tile + ((thread / 2) ^ 1) % 32;
            if lane < tile { of(thread, lane) + 1_000_000 } else { value(thread) }
        });
    }
}

#[test]
fn sums_of_tiles_are_theirs() {
    for tile in TILES {
        let bound = (32 - tile) << 8 | 31;
        let step = |by: u32| {
            format!("shfl.sync.bfly.b32 %r6, %r9, {by}, {bound}, %r8; add.u32 %r9, %r9, %r6;")
        };
        let steps: String =
            [16, 8, 4, 2, 1].into_iter().filter(|by| *by < tile).map(step).collect();
        let body = format!("mov.b32 %r9, %r3; {steps}");
        expect(tile, &body, |thread| {
            let first = thread - thread % tile;
            (first..first + tile).map(value).sum()
        });
    }
}

#[test]
fn votes_of_tiles_are_theirs() {
    // In some tiles it holds for none, in some for all.
    let holds = |thread: u32| (thread / 4).is_multiple_of(3) || thread / 16 % 3 == 1;
    let condition = "
        shr.u32 %r6, %r1, 2;
        rem.u32 %r6, %r6, 3;
        setp.eq.u32 %p1, %r6, 0;
        shr.u32 %r6, %r1, 4;
        rem.u32 %r6, %r6, 3;
        setp.eq.or.u32 %p1, %r6, 1, %p1;";
    for tile in TILES {
        let of = move |thread: u32| {
            let first = thread - thread % tile;
            (first..first + tile).map(holds)
        };
        let vote = |mode: &str| {
            format!("{condition} vote.sync.{mode}.pred %p2, %p1, %r8; selp.b32 %r9, 1, 0, %p2;")
        };
        expect(tile, &vote("all"), |thread| of(thread).all(|it| it).into());
        expect(tile, &vote("any"), |thread| of(thread).any(|it| it).into());
        expect(tile, &vote("uni"), |thread| {
            (of(thread).all(|it| it) || !of(thread).any(|it| it)).into()
        });
        let ballot = format!("{condition} vote.sync.ballot.b32 %r9, %p1, %r8; bar.warp.sync %r8;");
        expect(tile, &ballot, |thread| {
            let bits = of(thread).enumerate().map(|(nth, it)| u32::from(it) << nth).sum::<u32>();
            bits << (thread % 32 - thread % tile)
        });
    }
}
