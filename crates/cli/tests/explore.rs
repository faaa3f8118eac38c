//! `check --explore N` prints the same from one process as from several.

use std::path::Path;
use std::process::Command;

/// Warps of two CTAs meet at words, time and again: what they leave and what is found depends on the schedule.
const KERNEL: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 turns)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<2>;
    .reg .pred %p;
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r2, [turns];
    mov.u32 %r1, %tid.x;
    shr.u32 %r3, %r1, 5;
    mov.u32 %r1, 0;
AGAIN:
    atom.global.exch.b32 %r4, [%rd0], %r3;
    atom.global.add.u32 %r5, [%rd0+4], %r4;
    bar.sync 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, %r2;
    @%p bra AGAIN;
    st.global.u32 [%rd0+8], %r3;
    ret;
}
";

fn explore(folder: &Path, words: &str, input: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.current_dir(folder).arg("check").arg(input).args(words.split_whitespace());
    let file = std::fs::File::open(folder.join("k.ptx")).expect("the file is there");
    let output = command.stdin(file).output().expect("the command starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn several_processes_find_what_one_finds() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.ptx"), KERNEL).expect("a file can be written");
    let words = "--grid 2 --block 96 --arg u32[3]=0 --arg u32:8 --explore 3000:5 --threads";
    let (status, alone) = explore(folder.path(), &format!("{words} 1"), "k.ptx");
    assert_eq!(status, Some(1), "{alone}");
    assert!(alone.contains("explored: 3000 schedules") && alone.contains("W008"), "{alone}");
    for threads in [2, 4] {
        let words = format!("{words} {threads}");
        assert_eq!(explore(folder.path(), &words, "k.ptx").1, alone);
    }
    // What comes by a pipe is not there for other processes.
    let piped = explore(folder.path(), &format!("{words} 4"), "/dev/stdin").1;
    assert_eq!(piped.replace("/dev/stdin", "k.ptx"), alone);
}
