//! `.pragma` and its texts (PTX ISA 9.1, 11.8 Miscellaneous Directives, and the chapter of pragma strings).

use super::{Checker, feature};
use crate::catalogue::Since;
use crate::rules;
use crate::syntax::ast::{Directive, DirectiveArg};

/// A text that the manual knows.
struct Pragma {
    word: &'static str,
    /// Whether it stands in bodies only.
    in_body: bool,
    /// Whether more follows the word.
    has_value: bool,
    since: Since,
}

const KNOWN: &[Pragma] = &[
    Pragma { word: "nounroll", in_body: false, has_value: false, since: since((2, 0), 10) },
    Pragma { word: "used_bytes_mask", in_body: true, has_value: true, since: since((8, 3), 50) },
    Pragma {
        word: "enable_smem_spilling",
        in_body: true,
        has_value: false,
        since: since((8, 7), 75),
    },
    Pragma { word: "frequency", in_body: true, has_value: true, since: since((9, 0), 10) },
];

const fn since(ptx: (u32, u32), sm: u32) -> Since {
    Since { ptx, sm }
}

/// Where a pragma stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the module.
    Module,
    /// Before the body of a kernel.
    Head,
    /// In a body.
    Body,
}

impl<'a> Checker<'a> {
    /// A pragma has texts; elsewhere than in the module, unknown ones are ignored.
    pub(super) fn pragma(&mut self, pragma: &'a Directive, place: Place) {
        if !self.has(feature::PRAGMA, pragma.span) {
            return;
        }
        let texts = pragma.args.iter().map(|arg| match arg {
            DirectiveArg::Text(text) => Some(text.as_str()),
            DirectiveArg::Constant(_) | DirectiveArg::Name(_) => None,
        });
        let Some(texts) = texts.collect::<Option<Vec<_>>>().filter(|texts| !texts.is_empty())
        else {
            let error = rules::DECLARATION.at(pragma.span, "a pragma is a text in quotes");
            return self.report(error.help("write, for example, `.pragma \"nounroll\";`"));
        };
        let word = |text: &str| text.trim().split(' ').next().unwrap_or_default().to_owned();
        let known = texts.iter().map(|text| word(text));
        let known: Vec<_> =
            known.filter_map(|word| KNOWN.iter().find(|known| known.word == word)).collect();
        for known in known {
            if !self.has_since(&format!("the pragma `{}`", known.word), known.since, pragma.span) {
                return;
            }
        }
        let message = texts.into_iter().find_map(|text| {
            let (word, value) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
            let known = KNOWN.iter().find(|known| known.word == word);
            match known {
                Some(known) if known.in_body && place != Place::Body => {
                    Some(format!("the pragma `{word}` stands in a body"))
                }
                Some(known) if known.has_value && value.trim().is_empty() => {
                    Some(format!("the pragma `{word}` needs a value behind it"))
                }
                None if place == Place::Module => Some(format!("there is no pragma `{text}`")),
                Some(_) | None => None,
            }
        });
        if let Some(message) = message {
            self.report(rules::DECLARATION.at(pragma.span, message));
        }
    }
}
