//! The descriptions that come with Warpwise, by name: no file has to be found on disk for them.

use isa::{FileLoader, Loaded, Loader};
use std::path::Path;

/// The machines, and what their descriptions include.
macro_rules! shipped {
    ($const:ident: $($name:literal)+) => {
        const $const: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../isa/", $name, ".isa")))),+];
    };
}

shipped! { MACHINES:
    "sm_75" "sm_80" "sm_86" "sm_89" "sm_90" "sm_100" "sm_103" "sm_107" "sm_110" "sm_120" "warp"
}

shipped! { PARTS:
    "nvidia-common" "nvidia-credux" "nvidia-redux" "nvidia-sm75" "nvidia-sm80" "nvidia-sm90" "nvidia-sm100"
    "warp-base" "warp-word"
}

/// A machine whose description comes with Warpwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// What it is called: `sm_90`.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
}

/// The machines whose descriptions come with Warpwise.
pub fn shipped() -> impl Iterator<Item = Shipped> {
    MACHINES.iter().map(|(name, text)| {
        let about = text.lines().next().unwrap_or_default().trim_start_matches(['/', ' ']);
        Shipped { name, about }
    })
}

/// What stands around the name of a shipped file in diagnostics.
const MARKS: (char, char) = ('<', '>');

/// Finds files on disk, and shipped ones where there is none of that name.
pub(super) struct Finder;

impl Finder {
    /// A shipped file. Those that include are called by file names, users may leave out the ending.
    fn shipped(path: &str) -> Option<Loaded> {
        let stem = path.strip_suffix(".isa").unwrap_or(path);
        let (name, text) = MACHINES.iter().chain(PARTS).find(|(name, _)| *name == stem)?;
        let name = format!("{}{name}.isa{}", MARKS.0, MARKS.1);
        Some(Loaded { name, text: (*text).to_owned() })
    }
}

impl Loader for Finder {
    fn load(&mut self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        if from.is_some_and(|from| from.starts_with(MARKS.0)) {
            return Finder::shipped(path)
                .ok_or_else(|| "it does not come with Warpwise".to_owned());
        }
        FileLoader.load(path, from).or_else(|why| {
            let folder = from.map(Path::new).and_then(Path::parent).unwrap_or(Path::new(""));
            match Finder::shipped(path).filter(|_| !folder.join(path).exists()) {
                Some(loaded) => Ok(loaded),
                None if from.is_none() => {
                    let names: Vec<&str> = MACHINES.iter().map(|(name, _)| *name).collect();
                    Err(format!(
                        "{why}; the machines that come with Warpwise are {}",
                        names.join(", ")
                    ))
                }
                None => Err(why),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_description_is_shipped() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("isa");
        let files = std::fs::read_dir(folder).expect("the folder is there");
        let names = files.map(|file| file.expect("readable").path());
        let stem = |path: &std::path::PathBuf| {
            path.file_stem().map(|it| it.to_string_lossy().into_owned())
        };
        let on_disk: BTreeSet<String> = names.filter_map(|path| stem(&path)).collect();
        let mut here: BTreeSet<String> =
            MACHINES.iter().chain(PARTS).map(|(name, _)| (*name).to_owned()).collect();
        // Every description has it without asking.
        here.insert("prelude".to_owned());
        assert_eq!(on_disk, here);
    }
}
