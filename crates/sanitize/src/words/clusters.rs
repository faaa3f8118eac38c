//! Sentences of M008, and of B001 at the barrier of a cluster.

use super::{About, Say, Words, named, of_number};
use crate::detail::{Absent, ArrivedTwice, NotThere};

impl Say for NotThere {
    fn say(&self, about: &About<'_>) -> Words {
        let NotThere { access, at, rank, why } = self;
        let (word, bytes) = (access.word(), at.bytes);
        let why_not = match why {
            Absent::MayNotHaveBegun => "may not have begun yet",
            Absent::MayHaveExited => "may have exited before",
            Absent::HasExited => "has exited",
        };
        let message = format!(
            "{word} of {bytes} bytes of shared memory at {}: the CTA of rank {rank} {why_not}",
            about.at(*at)
        );
        let words = about.say(message).label(about.thread().to_string());
        match why {
            Absent::MayNotHaveBegun => words.help(
                "let all threads of the cluster meet (cluster.sync(), barrier.cluster) before the first such access",
            ),
            Absent::MayHaveExited | Absent::HasExited => words.help(
                "let all threads of the cluster meet (cluster.sync(), barrier.cluster) behind the last such access",
            ),
        }
    }
}

impl Say for ArrivedTwice {
    fn say(&self, about: &About<'_>) -> Words {
        let (who, comes) = (named(self.lanes), of_number(self.lanes, "s", ""));
        about
            .say(format!(
                "{who} arrive{comes} at the barrier of the cluster again and did not wait there before"
            ))
            .label(about.thread().to_string())
            .help("let each thread wait (barrier.cluster.wait) between two arrivals")
    }
}
