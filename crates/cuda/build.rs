//! Makes the exported functions of what the headers declare (`api/driver.tsv`) and of what stands behind each
//! (`api/entries.txt`), and constants of `api/constants.tsv`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// Types of C with their Rust ones; pointers and types of the driver follow a rule.
const SCALARS: [(&str, &str); 12] = [
    ("int", "i32"),
    ("unsigned int", "u32"),
    ("unsigned", "u32"),
    ("cuuint32_t", "u32"),
    ("size_t", "u64"),
    ("unsigned long long", "u64"),
    ("cuuint64_t", "u64"),
    ("unsigned short", "u16"),
    ("unsigned char", "u8"),
    ("float", "f32"),
    ("char", "u8"),
    ("void", "Address"),
];

/// A function that the headers declare.
struct Function<'t> {
    name: &'t str,
    base: &'t str,
    version: &'t str,
    of_thread: bool,
    header: &'t str,
    parameters: Vec<&'t str>,
}

/// What stands behind it.
struct Behaviour<'t> {
    section: &'t str,
    /// A function of the crate, or why there is none.
    what: Result<&'t str, &'t str>,
    /// Whether a capture that goes on forbids the call.
    is_unsafe: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let [functions, entries, constants] =
        ["driver.tsv", "entries.txt", "constants.tsv"].map(|name| format!("api/{name}"));
    for file in [&functions, &entries, &constants] {
        println!("cargo::rerun-if-changed={file}");
    }
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
        // It has threads, and functions that are called at the end: whoever closes it does not take it away.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    let (functions, entries) = (fs::read_to_string(functions)?, fs::read_to_string(entries)?);
    let functions: Vec<Function<'_>> = rows(&functions).filter_map(function).collect();
    let behaviours = behaviours(&entries)?;
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    fs::write(out.join("functions.rs"), exported(&functions, &behaviours)?)?;
    fs::write(out.join("constants.rs"), constants_of(&fs::read_to_string(constants)?))?;
    Ok(())
}

/// Lines that are no comments.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

fn function(row: &str) -> Option<Function<'_>> {
    let mut columns = row.split('\t');
    let [name, base, version, twin, header] = std::array::from_fn(|_| columns.next().unwrap_or(""));
    let parameters = columns.next()?;
    let parameters = parameters.split(", ").filter(|it| !it.is_empty()).collect();
    Some(Function { name, base, version, of_thread: !twin.is_empty(), header, parameters })
}

/// The rows of `entries.txt` by the names that they begin with; `*` stands for any end.
fn behaviours(text: &str) -> Result<BTreeMap<&str, Behaviour<'_>>, String> {
    let mut section = "";
    let mut all = BTreeMap::new();
    for row in rows(text) {
        if let Some(title) = row.strip_prefix("= ") {
            section = title;
            continue;
        }
        let wrong = || format!("api/entries.txt: what is `{row}`?");
        let (name, what) = row.split_once(' ').ok_or_else(wrong)?;
        let what = match what.trim().strip_prefix("- ") {
            Some(why) => Err(why),
            None => Ok(what.trim()),
        };
        let is_unsafe = what.is_ok_and(|path| path.ends_with(" !"));
        let what = what.map(|path| path.trim_end_matches(" !"));
        if all.insert(name, Behaviour { section, what, is_unsafe }).is_some() {
            return Err(format!("api/entries.txt names {name} twice"));
        }
    }
    Ok(all)
}

/// What stands behind a function: the row of its name, or that of the longest beginning.
fn behaviour<'b, 't>(
    all: &'b BTreeMap<&'t str, Behaviour<'t>>,
    name: &str,
) -> Option<&'b Behaviour<'t>> {
    all.get(name).or_else(|| {
        (0..=name.len()).rev().find_map(|end| all.get(format!("{}*", &name[..end]).as_str()))
    })
}

/// The Rust type of a C one.
fn rust_type(c: &str) -> String {
    let c = c.trim();
    if let Some(inner) = c.strip_suffix('*') {
        let inner = inner.trim();
        let (constant, inner) = match (inner.strip_prefix("const "), inner.strip_suffix("const")) {
            (Some(rest), _) if !inner.contains('*') => (true, rest),
            (_, Some(rest)) => (true, rest.trim()),
            _ => (false, inner),
        };
        return match (constant, inner) {
            (_, "void") => "Address".to_owned(),
            (true, "char") => "Text".to_owned(),
            (true, inner) => format!("In<{}>", rust_type(inner)),
            (false, inner) => format!("Out<{}>", rust_type(inner)),
        };
    }
    match SCALARS.iter().find(|(known, _)| *known == c) {
        Some((_, rust)) => (*rust).to_owned(),
        None => c.to_owned(),
    }
}

fn exported(
    functions: &[Function<'_>],
    behaviours: &BTreeMap<&str, Behaviour<'_>>,
) -> Result<String, Box<dyn Error>> {
    let mut code = String::from("// Made by build.rs.\n");
    let mut table = format!("pub(crate) static ENTRIES: [Entry; {}] = [\n", functions.len());
    for (nth, function) in functions.iter().enumerate() {
        let Function { name, base, version, of_thread, header, parameters } = function;
        let plain = match of_thread {
            true => &name[..name.len() - "_ptsz".len()],
            false => name,
        };
        let has_twin = *of_thread
            || functions.iter().any(|it| it.of_thread && it.name[..it.name.len() - 5] == **name);
        let behaviour = behaviour(behaviours, plain)
            .ok_or_else(|| format!("api/entries.txt does not say what {name} does"))?;
        writeln!(code, "/// {header}: `{name}({})`.", parameters.join(", "))?;
        match behaviour.what {
            Ok(path) => {
                let mut declared = String::new();
                let mut given = String::new();
                if has_twin {
                    let default = if *of_thread { "PER_THREAD" } else { "LEGACY" };
                    write!(given, "CUstream::{default}, ")?;
                }
                for (nth, parameter) in parameters.iter().enumerate() {
                    let at = parameter.rfind([' ', '*']).map_or(0, |at| at + 1);
                    write!(declared, "a{nth}: {}, ", rust_type(&parameter[..at]))?;
                    write!(given, "a{nth}, ")?;
                }
                writeln!(
                    code,
                    "///\n/// # Safety\n/// Pointers are null or valid, as the driver's documentation asks for."
                )?;
                writeln!(code, "#[unsafe(no_mangle)]")?;
                writeln!(code, "pub unsafe extern \"C\" fn {name}({declared}) -> CUresult {{")?;
                let kind = if behaviour.is_unsafe { "_unsafe" } else { "" };
                writeln!(code, "    call{kind}(|| crate::{path}({given}))\n}}")?;
            }
            Err(_) => {
                writeln!(code, "/// There is nothing behind it.")?;
                writeln!(code, "#[unsafe(no_mangle)]")?;
                writeln!(
                    code,
                    "pub extern \"C\" fn {name}() -> CUresult {{\n    missing({nth})\n}}"
                )?;
            }
        }
        let section = behaviour.section;
        let missing = behaviour.what.err();
        let arity = parameters.len();
        writeln!(
            table,
            "    Entry {{ name: {name:?}, base: {base:?}, version: {version}, of_thread: {of_thread}, header: {header:?}, \
             arity: {arity}, section: {section:?}, missing: {missing:?}, code: Code({name} as *const ()) }},"
        )?;
    }
    Ok(format!("{code}\n/// Everything that is exported, by name.\n{table}];\n"))
}

fn constants_of(text: &str) -> String {
    let mut code = String::from("// Made by build.rs.\n");
    let mut results = String::new();
    let mut names = String::new();
    let mut attributes = String::new();
    for row in rows(text) {
        let Some((name, value)) = row.split_once('\t') else { continue };
        let Ok(value) = value.parse::<i64>() else { continue };
        let value = value as u32;
        let result =
            name.strip_prefix("CUDA_ERROR_").or((name == "CUDA_SUCCESS").then_some("SUCCESS"));
        match result {
            Some(short) => {
                let _ = writeln!(
                    results,
                    "    /// `{name}`.\n    pub const {short}: CUresult = CUresult({value});"
                );
                let _ = writeln!(names, "    (CUresult::{short}, c\"{name}\"),");
            }
            None => {
                let _ = writeln!(code, "/// `{name}`.\npub const {name}: u32 = {value};");
            }
        }
        if name.starts_with("CU_DEVICE_ATTRIBUTE_") {
            let _ = writeln!(attributes, "    ({name:?}, {value}),");
        }
    }
    format!(
        "{code}\nimpl CUresult {{\n{results}}}\n\n/// Results with their names.\npub static RESULTS: &[(CUresult, &CStr)] = &[\n{names}];\n\
         /// Attributes of devices with their numbers.\npub static DEVICE_ATTRIBUTES: &[(&str, u32)] = &[\n{attributes}];\n"
    )
}
