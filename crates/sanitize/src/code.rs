//! The codes of findings: what each means and what to do about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Defines [`Code`]: variant, headline and help in one row each.
macro_rules! codes {
    ($($code:ident $title:literal, $help:literal;)+) => {
        /// What a finding is about. The codes are stable.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
            JsonSchema,
        )]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $code,)+
        }

        impl Code {
            /// Every code that a run can find.
            pub const ALL: &[Code] = &[$(Code::$code),+];

            /// The code as text.
            pub fn word(self) -> &'static str {
                match self {
                    $(Code::$code => stringify!($code),)+
                }
            }

            /// What it means, in a few words.
            pub fn title(self) -> &'static str {
                match self {
                    $(Code::$code => $title,)+
                }
            }

            /// What to do.
            pub fn help(self) -> &'static str {
                match self {
                    $(Code::$code => $help,)+
                }
            }
        }
    };
}

codes! {
    W001 "lane executes a collective whose membermask does not name it",
        "name in the membermask exactly the lanes that execute the collective";
    W002 "shuffle reads a lane that does not take part",
        "let the source lane take part, or do not use the value";
    W003 "lanes of one collective disagree on its membermask",
        "compute the membermask once, before the lanes part, and give every lane the same value";
    W004 "lanes wait for each other at different collectives",
        "let all lanes that take part execute the same collective, with the same qualifiers";
    W005 "shuffle or vote without .sync in divergent code",
        "use the .sync form and name the lanes that take part";
    W006 "instruction that needs the whole warp is not executed in convergence",
        "move it out of divergent code, so that all lanes of the warp execute it together; at matrix instructions none may \
         have exited";
    W007 "deadlock: a collective or barrier that can never complete",
        "let every lane that a membermask or a barrier names reach it, or name fewer";
    W008 "result depends on the schedule",
        "order the steps that race with a barrier, or make the result the same in any order";
    W009 "value of activemask used as a membermask",
        "compute the mask with a ballot before the lanes part: activemask may leave out lanes that take \
         the same path";
    W010 "undefined result of a collective is used",
        "let the source lane take part, or do not use the value";
    M001 "access out of bounds",
        "keep the address inside the allocation";
    M002 "misaligned access",
        "align the address to the size of the access";
    M003 "access to freed memory",
        "free the memory after its last use";
    M004 "value read from uninitialized memory is used",
        "write the memory before it is read";
    M005 "value of an uninitialized register is used",
        "write the register on every path that leads to the read";
    M006 "memory that a kernel allocates is lost",
        "free it, or keep its address in memory where a later kernel finds it";
    M007 "free of what is no allocated memory",
        "free exactly what malloc returned, and once";
    M008 "access to the shared memory of a CTA that may not be there",
        "let all threads of the cluster meet before the first and behind the last access to each other's shared memory";
    R001 "data race in shared memory",
        "order the accesses: __syncthreads() between warps, __syncwarp() between lanes of a warp, cluster.sync() between \
         CTAs of a cluster";
    R002 "data race in global memory",
        "use atomics, or order the accesses with a barrier, a fence and a flag, or two launches";
    B001 "barrier that not all threads of the CTA reach",
        "let every thread of the CTA execute the barrier, or give it the number of threads that do";
    H001 "copy to the host of device memory that nothing wrote",
        "write the memory before it is copied, or copy what is written";
    H002 "use of freed memory by a call",
        "free the memory after its last use";
    H003 "data race between streams",
        "record an event behind the first and let the other stream wait for it (cudaStreamWaitEvent), or wait for the first \
         (cudaStreamSynchronize)";
    H004 "launch that is not possible",
        "ask cudaGetLastError behind every launch, and keep to the limits of the kernel and the device";
    H005 "data race of the program with its devices",
        "wait for the work first (cudaDeviceSynchronize, cudaStreamSynchronize, cudaEventSynchronize)";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
