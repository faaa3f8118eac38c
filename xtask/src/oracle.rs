//! Verdicts of NVIDIA's assembler.

use crate::validity::module::{Version, module};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Instructions that are assembled together.
const BATCH: usize = 60;

/// Runs a program with at most so many seconds and kilobytes: there are mistakes on which the assembler does
/// not end.
const LIMITED: &str = r#"ulimit -t 60 -v 16000000; exec "$0" "$@""#;

/// The assembler: a program, and a folder for its input.
pub(crate) struct Oracle {
    program: PathBuf,
    folder: PathBuf,
    count: AtomicUsize,
}

/// What the assembler says about a module.
struct Said {
    accepted: bool,
    /// Instructions in error, by their position, with the first message.
    wrong: BTreeMap<usize, String>,
    /// The first error elsewhere.
    elsewhere: Option<String>,
}

/// A question: a version, a target and an instruction.
pub(crate) type Question = (Version, String, String);

impl Oracle {
    /// The assembler that `WARPWISE_PTXAS` names, else `ptxas` of the search path.
    ///
    /// # Errors
    /// It does not run.
    pub(crate) fn new() -> Result<Oracle, String> {
        let program: PathBuf =
            std::env::var_os("WARPWISE_PTXAS").map_or_else(|| "ptxas".into(), Into::into);
        Command::new(&program)
            .arg("--version")
            .output()
            .map_err(|why| format!("cannot run {}: {why}", program.display()))?;
        let folder = std::env::temp_dir().join(format!("warpwise-validity-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|why| why.to_string())?;
        Ok(Oracle { program, folder, count: AtomicUsize::new(0) })
    }

    /// The answer to each question: `None` if accepted, else the first message.
    ///
    /// # Errors
    /// The assembler cannot be run.
    pub(crate) fn ask(&self, questions: &[Question]) -> Result<Vec<Option<String>>, String> {
        let mut groups: BTreeMap<(Version, &str), Vec<usize>> = BTreeMap::new();
        for (nth, (version, target, _)) in questions.iter().enumerate() {
            groups.entry((*version, target)).or_default().push(nth);
        }
        let batches: Vec<_> = groups
            .iter()
            .flat_map(|(key, all)| all.chunks(BATCH).map(move |batch| (*key, batch)))
            .collect();
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(vec![None; questions.len()]);
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some((key, batch)) = batches.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        match self.batch(*key, batch, questions) {
                            Ok(found) => {
                                let mut answers = answers.lock().expect("no thread panics");
                                for (at, answer) in found {
                                    answers[at] = answer;
                                }
                            }
                            Err(why) => *failure.lock().expect("no thread panics") = Some(why),
                        }
                    }
                });
            }
        });
        match failure.into_inner().expect("no thread panics") {
            Some(why) => Err(why),
            None => Ok(answers.into_inner().expect("no thread panics")),
        }
    }

    /// Answers questions about one version and target: those that are wrong are taken out until the rest is
    /// accepted.
    fn batch(
        &self,
        (version, target): (Version, &str),
        batch: &[usize],
        questions: &[Question],
    ) -> Result<Vec<(usize, Option<String>)>, String> {
        let mut answers = Vec::with_capacity(batch.len());
        let mut open = vec![batch.to_vec()];
        while let Some(mut rest) = open.pop() {
            let instructions: Vec<&str> = rest.iter().map(|at| questions[*at].2.as_str()).collect();
            let said = self.assemble(version, target, &instructions)?;
            if said.accepted {
                answers.extend(rest.into_iter().map(|at| (at, None)));
            } else if !said.wrong.is_empty() {
                let wrong = |nth: usize| said.wrong.contains_key(&nth);
                for (nth, message) in &said.wrong {
                    answers.push((rest[*nth], Some(message.clone())));
                }
                let right: Vec<usize> = (0..rest.len()).filter(|nth| !wrong(*nth)).collect();
                rest = right.into_iter().map(|nth| rest[nth]).collect();
                if !rest.is_empty() {
                    open.push(rest);
                }
            } else if let [only] = rest[..] {
                answers.push((only, Some(said.elsewhere.unwrap_or_default())));
            } else {
                let second = rest.split_off(rest.len() / 2);
                open.push(rest);
                open.push(second);
            }
        }
        Ok(answers)
    }

    /// What is wrong with each of several modules: `None` if nothing, else the first message.
    ///
    /// # Errors
    /// The assembler cannot be run.
    pub(crate) fn judge(&self, modules: &[String]) -> Result<Vec<Option<String>>, String> {
        let target = |text: &str| {
            let (_, rest) = text.split_once(".target")?;
            rest.split([',', '\n', '/']).next().map(|name| name.trim().to_owned())
        };
        let mut answers = Vec::with_capacity(modules.len());
        for text in modules {
            let target = target(text).filter(|it| it.starts_with("sm_"));
            let said = self.said(text, &target.unwrap_or_else(|| "sm_90".to_owned()))?;
            answers.push(match said.status.success() {
                true => None,
                false => {
                    let lines = [said.stdout, said.stderr].concat();
                    let lines = String::from_utf8_lossy(&lines).into_owned();
                    let first = lines.lines().find_map(complaint).map(|(_, message)| message);
                    Some(first.filter(|it| !it.is_empty()).unwrap_or_else(|| "crash".to_owned()))
                }
            });
        }
        Ok(answers)
    }

    /// The machine code of a module, in a file that the caller removes.
    ///
    /// # Errors
    /// The assembler cannot be run, or rejects the module.
    pub(crate) fn cubin(&self, text: &str, target: &str) -> Result<PathBuf, String> {
        let (file, said) = self.assembled(text, target)?;
        match said.status.success() {
            true => Ok(file),
            false => {
                Err(String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned())
            }
        }
    }

    /// Runs the assembler on a module.
    fn said(&self, text: &str, target: &str) -> Result<std::process::Output, String> {
        let (file, said) = self.assembled(text, target)?;
        let _ = std::fs::remove_file(file);
        Ok(said)
    }

    /// Runs the assembler on a module: the file that it may have written, and what it said.
    fn assembled(
        &self,
        text: &str,
        target: &str,
    ) -> Result<(PathBuf, std::process::Output), String> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let file = self.folder.join(format!("{number}.ptx"));
        std::fs::write(&file, text).map_err(|why| why.to_string())?;
        let cubin = file.with_extension("cubin");
        let said = Command::new("sh")
            .args(["-c", LIMITED])
            .arg(&self.program)
            .args(["-arch", &architecture(target), "-o"])
            .args([&cubin, &file])
            .output()
            .map_err(|why| format!("cannot run {}: {why}", self.program.display()));
        let _ = std::fs::remove_file(&file);
        Ok((cubin, said?))
    }

    fn assemble(&self, version: Version, target: &str, all: &[&str]) -> Result<Said, String> {
        let (text, first) = module(version, target, all);
        let said = self.said(&text, target)?;
        let mut wrong = BTreeMap::new();
        let mut elsewhere = None;
        let text = [said.stdout, said.stderr].concat();
        for line in String::from_utf8_lossy(&text).lines() {
            match complaint(line) {
                Some((Some(at), message)) if (first..first + all.len()).contains(&at) => {
                    wrong.entry(at - first).or_insert(message);
                }
                Some((_, message)) if !message.contains("aborted due to errors") => {
                    elsewhere.get_or_insert(message);
                }
                Some(_) | None => {}
            }
        }
        Ok(Said { accepted: said.status.success(), wrong, elsewhere })
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// `ptxas FILE, line 7; error   : MESSAGE`: the line and the message. Lines of what the assembler puts in the
/// place of an instruction do not count.
fn complaint(line: &str) -> Option<(Option<usize>, String)> {
    let at = ["error", "fatal"].iter().find_map(|word| line.find(word))?;
    let message = line[at..].split_once(':')?.1.trim().to_owned();
    let number = line[..at]
        .rsplit_once("line ")
        .filter(|(file, _)| !file.contains("<builtin>"))
        .and_then(|(_, rest)| rest.trim_end_matches([';', ' ']).parse().ok());
    Some((number, message))
}

/// The architecture to assemble a target for: the assembler has no old ones.
fn architecture(target: &str) -> String {
    match target {
        "sm_82" => "sm_86".to_owned(),
        _ if ptx::sm_number(target).is_some_and(|sm| sm < 75) => "sm_75".to_owned(),
        _ => target.replace("sm_101", "sm_110"),
    }
}
