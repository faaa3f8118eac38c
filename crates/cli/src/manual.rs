//! `warpwise completions` and `warpwise man`: what clap knows of the command line, for shells and for `man`.

use crate::arguments::Arguments;
use crate::report::{self, Stop};
use crate::status::Status;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

/// Prints a script that completes commands and options.
pub(crate) fn completions(shell: Shell) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "warpwise", &mut script);
    report::print(&String::from_utf8_lossy(&script), Status::Fine)
}

/// Prints a manual page.
pub(crate) fn page(words: &[String]) -> Status {
    let mut command = Arguments::command();
    // Gives subcommands their full names.
    command.build();
    for word in words {
        match command.find_subcommand(word).cloned() {
            Some(inner) => command = inner,
            None => {
                let stop = Stop::usage(format!("there is no command `{}`", words.join(" ")));
                return report::finish(Err(stop));
            }
        }
    }
    let mut page = Vec::new();
    report::finish(match Man::new(command).render(&mut page) {
        Ok(()) => Ok(String::from_utf8_lossy(&page).into_owned()),
        Err(why) => Err(Stop::rejected(why.to_string())),
    })
}
