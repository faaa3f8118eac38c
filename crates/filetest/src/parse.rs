//! Test files as text.

/// A line of a test, by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `$`.
    Command,
    /// `?`.
    Status,
    /// `>`.
    Output,
    /// `!`.
    Error,
    /// `=`.
    Same,
}

/// One command and what it must do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The number of its line, from 1.
    pub line: usize,
    /// The command line.
    pub command: String,
    /// The exit status that it must have.
    pub status: i32,
    /// Lines of standard output; `None` if any output will do.
    pub output: Option<Vec<String>>,
    /// Texts in standard error.
    pub errors: Vec<String>,
    /// Pairs of files that must hold the same array.
    pub same: Vec<(String, String)>,
}

impl Case {
    /// Whether the command launches kernels, so that it can be done by one engine or another.
    pub fn launches(&self) -> bool {
        let verb = self.command.split_whitespace().nth(1);
        verb.is_some_and(|verb| ["run", "check", "test"].contains(&verb))
    }
}

/// A test file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Its commands in order.
    pub cases: Vec<Case>,
}

/// The mark and the rest of a line; `None` for a comment or an empty line.
pub(crate) fn marked(line: &str, in_ptx: bool) -> Result<Option<(Mark, &str)>, String> {
    let line = match in_ptx {
        true => match line.trim_start().strip_prefix("//") {
            Some(comment) => comment,
            None => return Ok(None),
        },
        false => line,
    };
    let mut chars = line.chars();
    let mark = match chars.next() {
        Some('$') => Mark::Command,
        Some('?') => Mark::Status,
        Some('>') => Mark::Output,
        Some('!') => Mark::Error,
        Some('=') => Mark::Same,
        Some('#') | None => return Ok(None),
        Some(_) if in_ptx || line.trim().is_empty() => return Ok(None),
        Some(other) => return Err(format!("a line cannot begin with `{other}`")),
    };
    let rest = chars.as_str();
    Ok(Some((mark, rest.strip_prefix(' ').unwrap_or(rest).trim_end_matches('\r'))))
}

/// Whether the text is PTX with the test in comments, rather than a `.test` file.
pub(crate) fn is_ptx(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("//$"))
}

/// Reads a test file.
///
/// # Errors
/// A line that is none of the format's, with its number.
pub fn parse(text: &str) -> Result<Script, String> {
    let in_ptx = is_ptx(text);
    let mut script = Script::default();
    for (nth, line) in text.lines().enumerate() {
        let number = nth + 1;
        let wrong = |why: String| format!("{number}: {why}");
        let Some((mark, rest)) = marked(line, in_ptx).map_err(wrong)? else { continue };
        if mark == Mark::Command {
            let command = rest.trim().to_owned();
            script.cases.push(Case { line: number, command, ..Case::default() });
            continue;
        }
        let Some(case) = script.cases.last_mut() else {
            return Err(wrong("an expectation stands before the first command".to_owned()));
        };
        match mark {
            Mark::Command => {}
            Mark::Status => {
                let status = rest.trim();
                case.status =
                    status.parse().map_err(|_| wrong(format!("`{status}` is no exit status")))?;
            }
            Mark::Output => case.output.get_or_insert_default().push(rest.to_owned()),
            Mark::Error => case.errors.push(rest.trim().to_owned()),
            Mark::Same => {
                let files: Vec<&str> = rest.split_whitespace().collect();
                let &[left, right] = files.as_slice() else {
                    return Err(wrong("`=` needs two files".to_owned()));
                };
                case.same.push((left.to_owned(), right.to_owned()));
            }
        }
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_several_commands() {
        let text = "# c\n\n$ warpwise run a.ptx\n= out.npy in.npy\n$ warpwise run b.ptx\n? 3\n> \n> x  y\n! why\n";
        let script = parse(text).expect("it is well formed");
        let [first, second] = script.cases.as_slice() else { panic!("two commands") };
        assert_eq!((first.line, first.status, &first.output), (3, 0, &None));
        assert_eq!(first.same, [("out.npy".to_owned(), "in.npy".to_owned())]);
        assert_eq!((second.line, second.status), (5, 3));
        assert_eq!(second.output, Some(vec![String::new(), "x  y".to_owned()]));
        assert_eq!(second.errors, ["why"]);
    }

    #[test]
    fn ptx_files_carry_tests_in_comments() {
        let text = "//$ warpwise run %s\n//? 4\n// words\n.version 8.0\n";
        let script = parse(text).expect("it is well formed");
        assert_eq!(script.cases.len(), 1);
        assert_eq!(
            (script.cases[0].status, script.cases[0].command.as_str()),
            (4, "warpwise run %s")
        );
        assert_eq!(
            parse("// no test\n.version 8.0\n").map(|script| script.cases.len()),
            Err("1: a line cannot begin with `/`".to_owned())
        );
    }

    #[test]
    fn lines_that_mean_nothing_are_errors() {
        for wrong in ["? 1\n", "$ a\n? x\n", "$ a\n= one\n", "$ a\n= 1 2 3\n", "hello\n"] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
