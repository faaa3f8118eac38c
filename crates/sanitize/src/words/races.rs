//! R001, R002 in words.

use super::{About, Say, Words};
use crate::detail::{
    Access, Awaited, ConstantRace, CopyUnderWay, NoProxyFence, ProxyUser, Race, Strength, UnderWay,
};
use ir::Space;

/// The space of a race.
fn word(space: Space) -> &'static str {
    match space {
        Space::Shared => "shared",
        Space::Global | Space::Generic | Space::Local | Space::Param => "global",
    }
}

impl Access {
    fn word(&self) -> &'static str {
        match (self.strength, self.writes) {
            (Strength::Asynchronous, false) => "asynchronous read",
            (Strength::Asynchronous, true) => "asynchronous write",
            (Strength::Weak, false) => "read",
            (Strength::Weak, true) => "write",
            (Strength::Volatile, false) => "volatile read",
            (Strength::Volatile, true) => "volatile write",
            (Strength::Cta | Strength::Gpu, false) => "strong read",
            (Strength::Cta | Strength::Gpu, true) => "atomic or strong write",
        }
    }

    fn is_strong(&self) -> bool {
        match self.strength {
            Strength::Weak | Strength::Asynchronous => false,
            Strength::Volatile | Strength::Cta | Strength::Gpu => true,
        }
    }
}

impl Say for Race {
    fn say(&self, about: &About<'_>) -> Words {
        let Race { at, earlier, later, read, same_value } = self;
        let (one, other) = (earlier.thread, later.thread);
        let same_warp = (one.cta, one.warp) == (other.cta, other.warp);
        let relation = if same_warp {
            "two lanes of one warp"
        } else if one.cta == other.cta {
            "two warps of one CTA"
        } else {
            "two CTAs"
        };
        let message = format!(
            "{relation} access {} memory at {}, and nothing orders their {} and {}",
            word(at.space),
            about.at(*at),
            earlier.word(),
            later.word(),
        );
        let mut words =
            about.say(message).label(format!("{} of {} bytes by {other}", later.word(), at.bytes));
        words = match earlier.place == later.place {
            true => words.fact(format!("the other access is the same instruction, by {one}")),
            false => words.related(format!("earlier {} by {one}", earlier.word())),
        };
        if earlier.strength == Strength::Asynchronous {
            words = words
                .fact("a copy lasts until its thread has waited for it")
                .help("put a barrier between the wait of the copy's thread and the other access: one before the wait is too early");
        }
        if earlier.is_strong() && later.is_strong() {
            words = words.fact(match same_warp {
                true => "volatile accesses are not ordered between lanes: from sm_70 on the lanes of a warp do \
                         not run in lockstep",
                false => "one of the accesses has CTA scope (`.cta`) only",
            });
            if !same_warp {
                words = words.help("give both accesses a scope that includes both CTAs, such as `.gpu`: `atomicAdd`, not `atomicAdd_block`");
            }
        }
        words = match (same_value, earlier.writes && later.writes) {
            (false, _) => words,
            (true, true) => words.fact("both write the same value: harmless with these inputs"),
            (true, false) => {
                words.fact("the write leaves the value as it was: harmless with these inputs")
            }
        };
        if let Some(read) = read {
            words = words.related(format!("read by {}", read.thread));
        }
        words.strip(about.strip("executes the later access", "one of the two"))
    }
}

impl Say for CopyUnderWay {
    fn say(&self, about: &About<'_>) -> Words {
        let verb = if self.writes { "writes" } else { "reads" };
        let (space, thread) = (word(self.at.space), about.thread());
        let does = match self.copy_is {
            UnderWay::Writing => "writing",
            UnderWay::Reading => "reading",
        };
        let message = format!(
            "{verb} {space} memory at {}, which an asynchronous copy may still be {does}",
            about.at(self.at)
        );
        let of = match self.copied_by == thread {
            true => "this thread".to_owned(),
            false => self.copied_by.to_string(),
        };
        let (bytes, to) = (self.copied_bytes, about.at(self.copied_to));
        about
            .say(message)
            .label(format!("{verb}: {thread}"))
            .related(format!("the copy, of {bytes} bytes to {to}, by {of}"))
            .help(self.awaited.help())
            .fact(self.awaited.rule())
    }
}

impl Awaited {
    /// What to do about a copy that may be under way.
    fn help(self) -> &'static str {
        match self {
            Awaited::BarrierObject => {
                "wait for the phase of the copy's barrier object before: `mbarrier.try_wait` until it gives true"
            }
            Awaited::BulkGroup => {
                "wait for the copy's group before: with `cp.async.bulk.wait_group N` all groups but the last N are \
                 complete, with `.read` they have at least read their sources"
            }
            Awaited::Group => {
                "wait for the copy's group before: with `cp.async.wait_group N`, all groups but the last N are complete"
            }
        }
    }

    /// When a copy is complete.
    fn rule(self) -> &'static str {
        match self {
            Awaited::BarrierObject => {
                "a copy is complete for those who have seen the phase of its barrier object end"
            }
            Awaited::BulkGroup => {
                "a copy is complete when the thread that began it has waited for its group \
                 (`cp.async.bulk.wait_group`); other threads need a barrier after that"
            }
            Awaited::Group => {
                "a copy is complete when the thread that began it has waited for its group \
                 (`cp.async.wait_group`); other threads need a barrier after that"
            }
        }
    }
}

impl Say for NoProxyFence {
    fn say(&self, about: &About<'_>) -> Words {
        let verb = if self.writes { "writes" } else { "reads" };
        let (what, short, plural, label) = match self.by {
            ProxyUser::Copy => {
                ("a bulk copy", "copy", "bulk copies", format!("copy of {} bytes", self.bytes))
            }
            ProxyUser::Product => {
                let what = "a product of matrices";
                (what, "product", "products by a warpgroup", "multiplied".to_owned())
            }
        };
        let message = format!(
            "{what} {verb} shared memory at {}, and no proxy fence lies between a store to it and the {short}",
            about.at(self.at)
        );
        about
            .say(message)
            .label(format!("{label} by {}", about.thread()))
            .related(format!("store by {}", self.stored_by))
            .fact(format!("{plural} access memory through the asynchronous proxy, stores through the generic one"))
            .help(
                "let the thread that stored execute `fence.proxy.async` (`cuda::ptx::fence_proxy_async`) before the \
                 barrier that lies between the two",
            )
    }
}

impl Say for ConstantRace {
    fn say(&self, about: &About<'_>) -> Words {
        let (label, before) = match self.writes {
            true => ("written", "read as constant memory"),
            false => ("read as constant memory", "written"),
        };
        let message = format!(
            "the kernel writes global memory at {} and reads it as constant memory (`.nc`)",
            about.at(self.at)
        );
        about
            .say(message)
            .label(format!("{label} by {}", about.thread()))
            .related(format!("{before} before"))
            .help("read what the kernel writes with an ordinary load: no `__ldg`, no `const __restrict__` for memory that others write")
    }
}
