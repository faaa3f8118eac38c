//! `cargo xtask record cuda`: the facts of CUDA's driver interface, from the toolkit's headers: which functions there are, since
//! which version, with which parameters, and the values of constants.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The headers that declare functions of the driver, and the interfaces of others that they include.
const HEADERS: [&str; 5] = ["cuda.h", "cudaProfiler.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"];
/// What those of others must have for that; nothing of them is recorded.
const OTHERS: [(&str, &str); 4] = [
    ("GL/gl.h", "typedef unsigned GLuint; typedef unsigned GLenum;"),
    (
        "EGL/egl.h",
        "typedef void* EGLStreamKHR; typedef void* EGLImageKHR; typedef void* EGLSyncKHR; typedef int EGLint;",
    ),
    ("EGL/eglext.h", ""),
    (
        "vdpau/vdpau.h",
        "typedef unsigned VdpDevice; typedef unsigned VdpVideoSurface; typedef unsigned VdpOutputSurface; typedef int VdpGetProcAddress;",
    ),
];
/// Ways in which the headers can be read: each declares other names.
const WAYS: [&str; 3] = ["", "CUDA_API_PER_THREAD_DEFAULT_STREAM", "__CUDA_API_VERSION_INTERNAL"];
/// The newest version that is asked for of functions without a typedef.
const NO_VERSION: u32 = 0;

/// A parameter: its type and its name.
type Parameter = (String, String);

/// What the headers declare.
#[derive(Default)]
struct Declared {
    /// The header and the parameters of each exported function.
    functions: BTreeMap<String, (String, Vec<Parameter>)>,
    /// Versions of each base name, and whether the streams of each are those of threads.
    versions: BTreeMap<(String, bool), BTreeSet<u32>>,
    /// Names of constants.
    constants: BTreeSet<String>,
    /// Names of structures and unions.
    structures: BTreeSet<String>,
}

/// Writes `driver.tsv`, `constants.tsv` and `structures.tsv` to a folder.
///
/// # Errors
/// There are no headers, no C compiler, or a function that no rule names.
pub(crate) fn record(to: &Path) -> Result<(), String> {
    let include = std::env::var_os("WARPWISE_CUDA_INCLUDE")
        .ok_or("WARPWISE_CUDA_INCLUDE names no folder of CUDA's headers")?;
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    for (name, text) in OTHERS {
        let path = folder.path().join(name);
        let parent = path.parent().unwrap_or(folder.path());
        std::fs::create_dir_all(parent).map_err(|why| why.to_string())?;
        std::fs::write(path, text).map_err(|why| why.to_string())?;
    }
    let cc = |arguments: &[&str], source: &str| -> Result<String, String> {
        let file = folder.path().join("source.c");
        std::fs::write(&file, source).map_err(|why| why.to_string())?;
        let told = Command::new("cc")
            .args(["-w".as_ref(), "-I".as_ref(), include.as_os_str()])
            .args(["-I".as_ref(), folder.path().as_os_str()])
            .args(arguments)
            .arg(&file)
            .output()
            .map_err(|why| format!("cannot run cc: {why}"))?;
        match told.status.success() {
            true => String::from_utf8(told.stdout).map_err(|why| why.to_string()),
            false => Err(String::from_utf8_lossy(&told.stderr).into_owned()),
        }
    };
    let mut declared = Declared::default();
    for way in WAYS {
        for header in HEADERS {
            let define = if way.is_empty() { String::new() } else { format!("#define {way}\n") };
            let types = header.replace(".h", "Typedefs.h");
            let source =
                format!("{define}#include <cuda.h>\n#include <{header}>\n#include <{types}>\n");
            let text = cc(&["-E", "-P"], &source)?;
            declared.read(header, &text, way.is_empty());
        }
    }
    let mut program = String::from("#include <stdio.h>\n#include <vdpau/vdpau.h>\n");
    for header in HEADERS {
        let _ = writeln!(program, "#include <{header}>");
    }
    program.push_str("int main(int argc, char **argv) {\n  if (argc == 1) {\n");
    for name in &declared.constants {
        let _ = writeln!(program, "    printf(\"{name}\\t%lld\\n\", (long long)({name}));");
    }
    program.push_str("  } else {\n");
    for name in &declared.structures {
        let _ = writeln!(program, "    printf(\"{name}\\t%zu\\n\", sizeof({name}));");
    }
    program.push_str("  }\n  return 0;\n}\n");
    let binary = folder.path().join("program");
    cc(&["-o", &format!("{}", binary.display())], &program)?;
    let run = |arguments: &[&str]| -> Result<String, String> {
        let told = Command::new(&binary).args(arguments).output().map_err(|why| why.to_string())?;
        String::from_utf8(told.stdout).map_err(|why| why.to_string())
    };
    let files = [
        ("driver.tsv", format!("{FUNCTIONS}{}", declared.rows()?)),
        ("constants.tsv", format!("{CONSTANTS}{}", run(&[])?)),
        ("structures.tsv", format!("{STRUCTURES}{}", run(&["structures"])?)),
    ];
    for (name, text) in files {
        let path = to.join(name);
        std::fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    Ok(())
}

const FUNCTIONS: &str = "\
# The functions of CUDA's driver interface, as `cargo xtask record cuda` reads them in the toolkit's headers:
# exported name, name for cuGetProcAddress, version, whether its default stream is the thread's, header, parameters.
";
const CONSTANTS: &str = "\
# The constants of CUDA's driver interface, as `cargo xtask record cuda` reads them in the toolkit's headers.
";
const STRUCTURES: &str = "\
# The structures of CUDA's driver interface with their sizes in bytes, as `cargo xtask record cuda` reads them in the toolkit's headers.
";

impl Declared {
    /// Takes what a preprocessed header declares, constants and structures if it was read as programs do.
    fn read(&mut self, header: &str, text: &str, as_programs: bool) {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let flat = flat.replace("__attribute__((deprecated))", "");
        for piece in flat.split(';') {
            if let Some((head, parameters)) = piece.split_once('(') {
                let words: Vec<&str> = head.split_whitespace().collect();
                if let ["CUresult", name] | [.., "CUresult", name] = words[..]
                    && name.starts_with("cu")
                    && !head.contains("typedef")
                    && !head.contains("static")
                {
                    let parameters = parameters.trim_end().trim_end_matches(')');
                    let entry = (header.to_owned(), parameters_of(parameters));
                    self.functions.entry(name.to_owned()).or_insert(entry);
                }
            }
            if let Some((_, rest)) = piece.split_once("PFN_")
                && piece.contains("typedef CUresult")
                && let Some((name, _)) = rest.split_once(')')
            {
                self.version(name);
            }
        }
        if !as_programs {
            return;
        }
        flat.split(';').for_each(|piece| self.constants_of(piece));
        // Another name for a version of a structure.
        for piece in flat.split(';') {
            let words: Vec<&str> = piece.split_whitespace().collect();
            if let ["typedef", version, name] = words[..]
                && version.strip_prefix(name).is_some_and(|end| end.starts_with("_v"))
            {
                self.structures.insert(name.to_owned());
            }
        }
        // A structure ends with its names.
        for (at, _) in flat.match_indices('}') {
            let name: String = flat[at + 1..]
                .trim_start()
                .chars()
                .take_while(|it| it.is_ascii_alphanumeric() || *it == '_')
                .collect();
            let is_type = flat[at + 1..].trim_start()[name.len()..].trim_start().starts_with(';');
            if is_type && name.starts_with("CU") {
                self.structures.insert(name);
            }
        }
    }

    /// Takes the name of a function type: `cuInit_v2000`, `cuMemcpy_v7000_ptds`.
    fn version(&mut self, name: &str) {
        let (name, of_thread) = match name.strip_suffix("_ptds").or(name.strip_suffix("_ptsz")) {
            Some(name) => (name, true),
            None => (name, false),
        };
        let Some((base, version)) = name.rsplit_once("_v") else { return };
        let Ok(version) = version.parse() else { return };
        self.versions.entry((base.to_owned(), of_thread)).or_default().insert(version);
    }

    /// Takes the constants of an enumeration.
    fn constants_of(&mut self, piece: &str) {
        let Some((_, body)) = piece.split_once("enum").and_then(|(_, rest)| rest.split_once('{'))
        else {
            return;
        };
        let body = body.split('}').next().unwrap_or_default();
        for constant in body.split(',') {
            let name = constant.split('=').next().unwrap_or_default().trim();
            let name = name.split_whitespace().next().unwrap_or_default();
            let is_name = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
            if is_name && (name.starts_with("CU") || name.starts_with("cu")) {
                self.constants.insert(name.to_owned());
            }
        }
    }

    /// A row for each exported function.
    fn rows(&self) -> Result<String, String> {
        // The exported names that versions have.
        let mut known: BTreeMap<String, (&str, u32)> = BTreeMap::new();
        for ((base, of_thread), versions) in &self.versions {
            let all = &self.versions.get(&(base.clone(), false)).unwrap_or(versions);
            for version in versions {
                // A function for threads is the twin of the newest one up to its version.
                let nth = all.range(..=version).count().max(1);
                let mut name = match nth {
                    1 => base.clone(),
                    nth => format!("{base}_v{nth}"),
                };
                if *of_thread {
                    let twin = |kind: &str| Some(format!("{name}{kind}"));
                    let all = [twin("_ptds"), twin("_ptsz")].into_iter().flatten();
                    let mut there = all.filter(|name| self.functions.contains_key(name));
                    name = there.next().ok_or_else(|| format!("{name} has no twin"))?;
                }
                if !self.functions.contains_key(&name) {
                    return Err(format!("{base} {version} should be {name}, and is not there"));
                }
                known.insert(name, (base, *version));
            }
        }
        let mut out = String::new();
        for (name, (header, parameters)) in &self.functions {
            let plain = name.strip_suffix("_ptds").or(name.strip_suffix("_ptsz"));
            let (base, version) = known.get(name).copied().unwrap_or(("", NO_VERSION));
            let twin = if plain.is_some() { "thread" } else { "" };
            let parameters: Vec<String> =
                parameters.iter().map(|(ty, name)| format!("{ty} {name}")).collect();
            let parameters = parameters.join(", ");
            let _ = writeln!(out, "{name}\t{base}\t{version}\t{twin}\t{header}\t{parameters}");
        }
        Ok(out)
    }
}

/// Parameters of a declaration, as types and names.
fn parameters_of(text: &str) -> Vec<Parameter> {
    if text.trim() == "void" || text.trim().is_empty() {
        return Vec::new();
    }
    let parameter = |text: &str| {
        // An array is a pointer.
        let text = match text.split_once('[') {
            Some((before, _)) => {
                let (ty, name) = before.trim().rsplit_once(' ').unwrap_or((before, "it"));
                format!("{ty}* {name}")
            }
            None => text.trim().to_owned(),
        };
        let at = text.rfind(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
        let (ty, name) = text.split_at(at.map_or(0, |at| at + 1));
        let ty = ty.split_whitespace().collect::<Vec<_>>().join(" ").replace(" *", "*");
        (ty, name.to_owned())
    };
    text.split(',').map(parameter).collect()
}
