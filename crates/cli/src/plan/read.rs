//! Reads test plans: text to tests that can run, or what is wrong with it, each with its place.

use super::form::{self, At, FaultWord, Numbers, Values};
use crate::arguments::{Explore, Selection};
use crate::fill::Fill;
use crate::literal;
use crate::report::Told;
use crate::spec::{Spec, Subject};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use warpwise::diag::{Diagnostic, FileId, Severity, Sources, Span};
use warpwise::{
    Code, CodeCache, ElementType, Exploration, Extents, Module, Scalar, Schedule, Tolerance,
    nearest,
};

/// A test that can run.
#[derive(Debug)]
pub(crate) struct Test {
    /// The plan's name and the test's own: `histogram::counts`.
    pub(crate) name: String,
    /// The texts that places point into.
    pub(crate) sources: Arc<Sources>,
    /// Where it is called by its name.
    pub(crate) place: Span,
    /// Why it is not run.
    pub(crate) ignore: Option<String>,
    /// The architecture of the device that it runs on, if it names one.
    pub(crate) target: Option<String>,
    /// Findings that do not fail it.
    pub(crate) allow: Vec<Code>,
    /// The buffers that it uses.
    pub(crate) buffers: Vec<Named<Spec>>,
    /// What variables hold at first.
    pub(crate) set: Vec<Setting>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) expects: Vec<Expect>,
}

/// A thing, what it is called, and where.
#[derive(Debug)]
pub(crate) struct Named<T> {
    pub(crate) name: String,
    pub(crate) is: T,
    pub(crate) place: Span,
}

/// What a variable of a module holds.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) module: Arc<Module>,
    pub(crate) value: Named<Spec>,
}

/// A launch of a kernel.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) place: Span,
    pub(crate) module: Arc<Module>,
    /// The kernel's symbol.
    pub(crate) kernel: String,
    pub(crate) grid: Extents,
    pub(crate) block: Extents,
    pub(crate) cluster: Option<Extents>,
    pub(crate) smem: u32,
    pub(crate) stack: u32,
    pub(crate) args: Vec<Spec>,
    pub(crate) set: Vec<Setting>,
    pub(crate) check: bool,
    pub(crate) explore: Option<Exploration>,
    pub(crate) findings: Vec<(Code, Span)>,
    pub(crate) fault: Option<FaultWord>,
    pub(crate) printed: Option<(String, Span)>,
    pub(crate) schedule: Schedule,
    pub(crate) max_steps: Option<u64>,
}

/// What a buffer or a variable must hold.
#[derive(Debug)]
pub(crate) struct Expect {
    pub(crate) place: Span,
    /// A buffer of the plan, or a variable's symbol.
    pub(crate) name: String,
    /// The module of a variable.
    pub(crate) module: Option<Arc<Module>>,
    pub(crate) element: Option<ElementType>,
    pub(crate) equals: Equals,
    /// How many elements are compared, if not all.
    pub(crate) first: Option<u64>,
    pub(crate) tolerance: Tolerance,
    /// Where it stands what is expected, and how it is written there.
    pub(crate) expected: (Span, String),
}

/// What is expected.
#[derive(Debug)]
pub(crate) enum Equals {
    /// The array of a file.
    File(PathBuf),
    /// So many elements.
    Pattern { ty: ElementType, count: u64, fill: Fill },
    /// The same in all elements.
    Value(Scalar),
    /// What another buffer or variable holds.
    Same { name: String, module: Option<Arc<Module>> },
    /// Values, in words until their type is known.
    List(Vec<String>),
}

/// Reads a plan, its modules included.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn read(path: &Path, text: String) -> Result<Vec<Test>, Told> {
    let mut sources = Sources::new();
    let file = sources.add(path.display().to_string(), text);
    let sources = Arc::new(sources);
    let mut reader = Reader {
        file,
        folder: path.parent().map(Path::to_owned).unwrap_or_default(),
        errors: Vec::new(),
        others: Vec::new(),
        loaded: BTreeMap::new(),
    };
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let parsed = toml::Deserializer::parse(sources.file(file).text())
        .and_then(form::Plan::deserialize)
        .map_err(|error| reader.misspelt(&error));
    let tests = match parsed {
        Ok(plan) => reader.plan(&plan, &stem, &sources),
        Err(error) => {
            reader.errors.push(*error);
            Vec::new()
        }
    };
    if reader.errors.is_empty() && reader.others.is_empty() {
        return Ok(tests);
    }
    reader.errors.sort_by_key(Diagnostic::span);
    let mut told = vec![(sources, reader.errors)];
    told.append(&mut reader.others);
    Err(told)
}

/// The modules of a plan under one target, by the names that launches call them by.
type Modules = Vec<(String, Arc<Module>)>;

/// The files that a module is linked of, and the target that it is for.
type Files = (Vec<PathBuf>, Option<String>);

struct Reader {
    file: FileId,
    folder: PathBuf,
    errors: Vec<Diagnostic>,
    /// What is wrong with modules.
    others: Told,
    /// Modules by their files and target; `None` for those that cannot be had, which has been told.
    loaded: BTreeMap<Files, Option<Arc<Module>>>,
}

impl Reader {
    fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    fn wrong(&mut self, at: &Range<usize>, message: impl Into<String>, help: &str) {
        let mut error = Diagnostic::error(self.span(at), message);
        error.help = (!help.is_empty()).then(|| help.to_owned());
        self.errors.push(error);
    }

    /// What the TOML reader says, with the nearest name for one that is not known.
    fn misspelt(&self, error: &toml::de::Error) -> Box<Diagnostic> {
        let message = error.message().trim_end().to_owned();
        let mut found = Diagnostic::error(self.span(&error.span().unwrap_or(0..0)), &message);
        // Serde says "unknown field `a`, expected one of `b`, `c`".
        let mut words = message.split('`').skip(1).step_by(2);
        let unknown = words.next().filter(|_| message.starts_with("unknown"));
        if let Some(near) = unknown.and_then(|name| nearest(name, words)) {
            found.help = Some(format!("did you mean `{near}`?"));
        }
        Box::new(found)
    }

    /// Reads what `FromStr` reads.
    fn parse<T: FromStr<Err = String>>(&mut self, text: &At<String>) -> Option<T> {
        let parsed = text.is.parse();
        parsed.map_err(|why| self.wrong(&text.span, why, "")).ok()
    }

    /// A SPEC; its files are looked for from the plan's folder on.
    fn spec(&mut self, text: &At<String>) -> Option<Spec> {
        let spec = self.parse(text)?;
        Some(self.beside(spec))
    }

    fn beside(&self, spec: Spec) -> Spec {
        match spec {
            Spec::File(path) => Spec::File(self.folder.join(path)),
            Spec::Struct(fields) => {
                Spec::Struct(fields.into_iter().map(|field| self.beside(field)).collect())
            }
            other => other,
        }
    }

    fn plan(&mut self, plan: &form::Plan, stem: &str, sources: &Arc<Sources>) -> Vec<Test> {
        let mut paths: Vec<(String, &At<form::Files>)> =
            plan.modules.iter().map(|(name, path)| (name.clone(), path)).collect();
        if let Some(path) = &plan.module {
            if !paths.is_empty() {
                self.wrong(&path.span, "a plan has `module` or `[modules]`, and not both", "");
            }
            paths.push((String::new(), path));
        }
        if paths.is_empty() {
            let help = "begin with `module = \"K.ptx\"`, or with `[modules]` and a line for each";
            self.wrong(&(0..0), "the plan names no module", help);
        }
        let mut names = BTreeSet::new();
        let mut tests = Vec::new();
        for At { is: test, span } in &plan.test {
            if !names.insert(&test.name.is) {
                let message = format!("there are two tests `{}`", test.name.is);
                self.wrong(&test.name.span, message, "");
            }
            let target = test.target.as_ref().or(plan.target.as_ref());
            let modules: Option<Modules> = paths
                .iter()
                .map(|(name, path)| Some((name.clone(), self.module(path, target)?)))
                .collect();
            let Some(modules) = modules else { continue };
            let name = format!("{stem}::{}", test.name.is);
            tests.extend(self.test(plan, test, span, &modules, (name, sources)));
        }
        if plan.test.is_empty() {
            self.wrong(&(0..0), "the plan has no test", "write `[[test]]`");
        }
        tests
    }

    /// Reads a module, or links several, once for every target.
    fn module(
        &mut self,
        files: &At<form::Files>,
        target: Option<&At<String>>,
    ) -> Option<Arc<Module>> {
        let paths = files.is.paths().iter().map(|path| self.folder.join(path));
        let key = (paths.collect::<Vec<_>>(), target.map(|target| target.is.clone()));
        if let Some(known) = self.loaded.get(&key) {
            return known.clone();
        }
        let read = Module::from_ptx_files(&key.0).and_then(|mut module| {
            if let Some(target) = target {
                module.retarget(&target.is)?;
            }
            module.set_code_cache(CodeCache::of_user());
            Ok(Arc::new(module))
        });
        let module = read.map_err(|error| {
            let failure = error.failure();
            for found in &failure.diagnostics {
                match (found.span(), target) {
                    // An unreadable file, or a target that there is not.
                    (None, target) => {
                        let at = target.filter(|_| key.0.iter().all(|path| path.is_file()));
                        let at = at.map_or(&files.span, |target| &target.span);
                        self.wrong(at, &found.message, found.help.as_deref().unwrap_or(""));
                    }
                    (Some(_), _) => {
                        self.others.push((Arc::clone(&failure.sources), vec![found.clone()]));
                    }
                }
            }
        });
        self.loaded.entry(key).or_insert(module.ok()).clone()
    }

    fn test(
        &mut self,
        plan: &form::Plan,
        test: &form::Test,
        span: &Range<usize>,
        modules: &Modules,
        (name, sources): (String, &Arc<Sources>),
    ) -> Option<Test> {
        let before = self.errors.len();
        let mut buffers: BTreeMap<&str, &At<String>> = BTreeMap::new();
        for (name, spec) in plan.buffers.iter().chain(&test.buffers) {
            buffers.insert(name, spec);
        }
        let mut scope = Scope { buffers: &buffers, modules, used: BTreeSet::new() };
        let set = self.settings(&test.set, None, &mut scope);
        let check = test.check.or(plan.check).unwrap_or(false);
        let launches: Vec<Option<Launch>> =
            test.launch.iter().map(|launch| self.launch(launch, check, &mut scope)).collect();
        if test.launch.is_empty() {
            self.wrong(span, "the test launches nothing", "write `[[test.launch]]`");
        }
        let expects: Vec<Option<Expect>> =
            test.expect.iter().map(|expect| self.expect(expect, &mut scope)).collect();
        let allow = self.codes(&test.allow);
        for (name, spec) in &test.buffers {
            if !scope.used.contains(name.as_str()) {
                let help =
                    format!("an argument is `\"&{name}\"`, an expectation `of = \"{name}\"`");
                self.wrong(&spec.span, format!("no launch uses the buffer `{name}`"), &help);
            }
        }
        let mut used = Vec::new();
        for name in scope.used {
            let Some(text) = buffers.get(name) else { continue };
            let is = self.spec(text);
            if is.as_ref().is_some_and(|is| !matches!(is, Spec::Buffer { .. } | Spec::File(_))) {
                let help = "write TYPE[N]=VALUE or @FILE.npy; numbers are arguments of a launch";
                self.wrong(&text.span, format!("`{name}` is no buffer"), help);
            }
            used.extend(is.map(|is| Named {
                name: name.to_owned(),
                is,
                place: self.span(&text.span),
            }));
        }
        if self.errors.len() > before {
            return None;
        }
        Some(Test {
            name,
            sources: Arc::clone(sources),
            place: self.span(&test.name.span),
            ignore: test.ignore.clone(),
            target: test.target.as_ref().or(plan.target.as_ref()).map(|target| target.is.clone()),
            allow: allow.into_iter().map(|(code, _)| code).collect(),
            buffers: used,
            set,
            launches: launches.into_iter().flatten().collect(),
            expects: expects.into_iter().flatten().collect(),
        })
    }

    fn codes(&mut self, words: &[At<String>]) -> Vec<(Code, Span)> {
        let mut codes = Vec::new();
        for word in words {
            match Code::ALL.iter().find(|code| code.word() == word.is) {
                Some(code) => codes.push((*code, self.span(&word.span))),
                None => {
                    let near = nearest(&word.is, Code::ALL.iter().map(|code| code.word()));
                    let help = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "docs/findings.md lists the codes".to_owned(),
                    };
                    self.wrong(&word.span, format!("`{}` is no code of a finding", word.is), &help);
                }
            }
        }
        codes
    }

    /// What variables are set to.
    fn settings<'p>(
        &mut self,
        set: &'p BTreeMap<String, At<String>>,
        module: Option<&Arc<Module>>,
        scope: &mut Scope<'p>,
    ) -> Vec<Setting> {
        let mut settings = Vec::new();
        for (name, text) in set {
            let found = scope.variable(name, module);
            let (Some(spec), Some((module, symbol))) =
                (self.spec(text), found.map_err(|why| self.wrong(&text.span, why.0, &why.1)).ok())
            else {
                continue;
            };
            self.refer(&spec, text, &module, scope);
            let place = self.span(&text.span);
            settings.push(Setting { module, value: Named { name: symbol, is: spec, place } });
        }
        settings
    }

    /// Looks at the buffers and variables that a SPEC points at.
    fn refer<'p>(
        &mut self,
        spec: &Spec,
        text: &'p At<String>,
        module: &Arc<Module>,
        scope: &mut Scope<'p>,
    ) {
        match spec {
            Spec::Reference(Subject::Name(name)) => {
                if let Err((message, help)) = scope.buffer_or_variable(name, Some(module)) {
                    self.wrong(&text.span, message, &help);
                }
            }
            Spec::Struct(fields) => {
                fields.iter().for_each(|field| self.refer(field, text, module, scope));
            }
            Spec::Reference(Subject::Argument(..))
            | Spec::Scalar(_)
            | Spec::Texture(_)
            | Spec::Buffer { .. }
            | Spec::File(_)
            | Spec::Bytes(_) => {}
        }
    }

    fn launch<'p>(
        &mut self,
        At { is: launch, span }: &'p At<form::Launch>,
        check: bool,
        scope: &mut Scope<'p>,
    ) -> Option<Launch> {
        let module = match (&launch.module, scope.modules.as_slice()) {
            (None, [(_, module)]) => Arc::clone(module),
            (None, several) => {
                let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                let message = format!("say which module: {}", names.join(", "));
                self.wrong(span, message, "write `module = \"NAME\"`");
                return None;
            }
            (Some(name), _) => self.named(name, scope)?,
        };
        let kernel = self.kernel(launch, span, &module);
        let (grid, block) = (self.extents(&launch.grid), self.extents(&launch.block));
        let cluster = match &launch.cluster {
            Some(extents) => Some(self.extents(extents)?),
            None => None,
        };
        let mut args = Vec::new();
        for text in &launch.args {
            if let Some(spec) = self.spec(text) {
                self.refer(&spec, text, &module, scope);
                args.push(spec);
            }
        }
        let set = self.settings(&launch.set, Some(&module), scope);
        let explore = launch.explore.as_ref().map(|count| count.is.to_string());
        let explore = explore.and_then(|text| text.parse::<Explore>().ok());
        let findings = self.codes(launch.expect_findings.as_deref().unwrap_or_default());
        let check = launch.check.unwrap_or(check)
            || launch.expect_findings.is_some()
            || launch.explore.is_some();
        if let Some(fault) = launch.expect_fault.as_ref().filter(|it| check && it.is.is_finding()) {
            let help = "name its code in `expect-findings`; docs/findings.md lists them";
            self.wrong(&fault.span, "a checked launch reports this as a finding", help);
        }
        let schedule = match &launch.schedule {
            Some(text) => self.parse(text)?,
            None => Schedule::default(),
        };
        let printed = launch.expect_printed.as_ref();
        Some(Launch {
            place: self.span(span),
            kernel: kernel?,
            grid: grid?,
            block: block?,
            cluster,
            smem: launch.smem,
            stack: launch.stack.unwrap_or(warpwise::DEFAULT_STACK),
            args,
            set,
            check,
            explore: explore.map(|Explore(explore)| explore),
            findings,
            fault: launch.expect_fault.as_ref().map(|fault| fault.is),
            printed: printed.map(|text| (text.is.clone(), self.span(&text.span))),
            schedule,
            max_steps: launch.max_steps,
            module,
        })
    }

    /// A module by the name that the plan gives it.
    fn named(&mut self, name: &At<String>, scope: &Scope<'_>) -> Option<Arc<Module>> {
        let found = scope.modules.iter().find(|(known, _)| *known == name.is);
        if found.is_none() {
            let names = || scope.modules.iter().map(|(name, _)| name.as_str());
            let help = match nearest(&name.is, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names().all(str::is_empty) => {
                    "leave it out: the plan's only module has no name".to_owned()
                }
                None => format!("the plan has {}", names().collect::<Vec<_>>().join(", ")),
            };
            self.wrong(&name.span, format!("the plan has no module `{}`", name.is), &help);
        }
        found.map(|(_, module)| Arc::clone(module))
    }

    /// The symbol of the kernel that is launched.
    fn kernel(
        &mut self,
        launch: &form::Launch,
        span: &Range<usize>,
        module: &Module,
    ) -> Option<String> {
        let Some(name) = &launch.kernel else {
            let names = module.kernel_names();
            if names.len() != 1 {
                let message = format!("say which kernel: {}", names.join(", "));
                self.wrong(span, message, "write `kernel = \"NAME\"`");
            }
            return module.kernels().next().map(str::to_owned);
        };
        match module.kernel_symbol(&name.is) {
            Ok(symbol) => Some(symbol.to_owned()),
            Err(error) => {
                for found in &error.failure().diagnostics {
                    self.wrong(&name.span, &found.message, found.help.as_deref().unwrap_or(""));
                }
                None
            }
        }
    }

    fn extents(&mut self, At { is: Numbers(numbers), span }: &At<Numbers>) -> Option<Extents> {
        let mut extents = [1; 3];
        let fits = (1..=3).contains(&numbers.len());
        for (extent, number) in extents.iter_mut().zip(numbers) {
            *extent = u32::try_from(*number).unwrap_or(0);
        }
        if fits && !extents.contains(&0) {
            return Some(Extents(extents));
        }
        self.wrong(span, "extents are one to three numbers from 1 on", "write 4, or [4, 2]");
        None
    }

    fn expect<'p>(
        &mut self,
        At { is: expect, span }: &'p At<form::Expect>,
        scope: &mut Scope<'p>,
    ) -> Option<Expect> {
        let module = match &expect.module {
            Some(name) => Some(self.named(name, scope)?),
            None => None,
        };
        let Selection { subject, element } = self.parse(&expect.of)?;
        let Subject::Name(name) = subject else {
            let help = "name a buffer of the plan, or a variable of a module";
            self.wrong(&expect.of.span, "results are called by their names", help);
            return None;
        };
        let found = scope.buffer_or_variable(&name, module.as_ref());
        let (module, name) = match found {
            Ok((variables_module, symbol)) => (variables_module, symbol),
            Err((message, help)) => {
                self.wrong(&expect.of.span, message, &help);
                return None;
            }
        };
        let tolerance = self.tolerance(expect)?;
        let equals = match &expect.equals.is {
            Values::List(words) => Equals::List(words.clone()),
            Values::Spec(text) => {
                let text = At { is: text.clone(), span: expect.equals.span.clone() };
                match self.spec(&text)? {
                    Spec::Reference(Subject::Name(name)) => {
                        let found = scope.buffer_or_variable(&name, module.as_ref());
                        let (module, name) =
                            found.map_err(|why| self.wrong(&text.span, why.0, &why.1)).ok()?;
                        Equals::Same { name, module }
                    }
                    Spec::File(path) => Equals::File(path),
                    Spec::Buffer { ty, count, fill } => Equals::Pattern { ty, count, fill },
                    Spec::Scalar(value) => Equals::Value(value),
                    Spec::Reference(Subject::Argument(..))
                    | Spec::Bytes(_)
                    | Spec::Texture(_)
                    | Spec::Struct(_) => {
                        let help = "write @FILE.npy, TYPE[N]=VALUE, TYPE:VALUE, &NAME, or a list";
                        self.wrong(&text.span, "this is nothing to compare with", help);
                        return None;
                    }
                }
            }
        };
        let expected = match &expect.equals.is {
            Values::Spec(text) => text.trim_start_matches('@').to_owned(),
            Values::List(_) => "the list".to_owned(),
        };
        Some(Expect {
            place: self.span(span),
            name,
            module,
            element,
            equals,
            first: expect.first,
            tolerance,
            expected: (self.span(&expect.equals.span), expected),
        })
    }

    fn tolerance(&mut self, expect: &form::Expect) -> Option<Tolerance> {
        let mut part = |value: &Option<At<f64>>| match value {
            Some(At { is, span }) if !(is.is_finite() && *is >= 0.0) => {
                self.wrong(span, "a tolerance is a number from 0 on", "");
                None
            }
            Some(At { is, .. }) => Some(*is),
            None => Some(0.0),
        };
        let (rtol, atol) = (part(&expect.rtol)?, part(&expect.atol)?);
        Some(match (&expect.rtol, &expect.atol) {
            (None, None) => Tolerance::Exact,
            _ => Tolerance::Close { rtol, atol },
        })
    }
}

/// The names that a test may use.
struct Scope<'p> {
    buffers: &'p BTreeMap<&'p str, &'p At<String>>,
    modules: &'p Modules,
    /// The buffers that it does use.
    used: BTreeSet<&'p str>,
}

/// Why a name means nothing, and what to do.
type Why = (String, String);

impl<'p> Scope<'p> {
    /// A variable's symbol and its module: the one that is said, or the only one that has such a variable.
    fn variable(
        &self,
        name: &str,
        module: Option<&Arc<Module>>,
    ) -> Result<(Arc<Module>, String), Why> {
        let all = self.modules.iter().map(|(_, module)| module);
        let searched: Vec<&Arc<Module>> = module.map_or_else(|| all.collect(), |one| vec![one]);
        let mut found = Vec::new();
        let mut why = (format!("there is no variable `{name}`"), String::new());
        for module in searched {
            match module.variable(name) {
                Ok(variable) => found.push((Arc::clone(module), variable.name().to_owned())),
                Err(error) => {
                    if let [first, ..] = error.failure().diagnostics.as_slice() {
                        why = (first.message.clone(), first.help.clone().unwrap_or_default());
                    }
                }
            }
        }
        match found.len() {
            0 => Err(why),
            1 => Ok(found.remove(0)),
            _ => Err((
                format!("several modules have a variable `{name}`"),
                "say which with `module`, or set it in a launch".to_owned(),
            )),
        }
    }

    /// A buffer of the plan, or a variable's symbol and its module.
    fn buffer_or_variable(
        &mut self,
        name: &str,
        module: Option<&Arc<Module>>,
    ) -> Result<(Option<Arc<Module>>, String), Why> {
        if let Some((known, _)) = self.buffers.get_key_value(name) {
            self.used.insert(known);
            return Ok((None, name.to_owned()));
        }
        self.variable(name, module).map(|(module, symbol)| (Some(module), symbol)).map_err(|why| {
            let near = nearest(name, self.buffers.keys().copied());
            let help = near.map_or(why.1, |near| format!("did you mean `{near}`?"));
            (format!("there is no buffer or variable `{name}`"), help)
        })
    }
}

/// The values of a list in the type of what is compared with them.
pub(crate) fn listed(words: &[String], ty: ElementType) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(words.len() * ty.bytes());
    for word in words {
        let value = literal::parse(ty, word)?;
        bytes.extend_from_slice(&value.bits().to_le_bytes()[..ty.bytes()]);
    }
    Ok(bytes)
}

/// Whether a diagnostic is an error.
pub(crate) fn is_error(found: &Diagnostic) -> bool {
    found.severity == Severity::Error
}
