//! Mistakes that people and compilers make: a missing or doubled token, swapped operands, a wrong suffix, a
//! wrong register.

/// SplitMix64, so that a recording can be repeated.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(super) fn choose<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(all.len()).ok().filter(|count| *count > 0)?;
        all.get(usize::try_from(self.next() % count).ok()?)
    }
}

const SUFFIXES: &[&str] = &[
    ".u32", ".s32", ".b32", ".f32", ".u64", ".b64", ".f64", ".u16", ".b16", ".f16", ".pred", ".lo",
    ".wide", ".rn", ".sync", ".global", ".shared", ".param", ".eq", ".lt", ".ftz", ".sat", ".v2",
    ".to",
];

const REGISTERS: &[&str] = &["%r1", "%rd1", "%f1", "%p1", "%rs1", "%fd1", "%q1", "%r99999"];

/// A line of the text, from 0, and that line with a mistake in it; `None` if the attempt came to nothing.
pub(super) fn mutate(text: &str, random: &mut Random) -> Option<(usize, String)> {
    let lines: Vec<(usize, &str)> = code(text).collect();
    let (number, line) = *random.choose(&lines)?;
    let tokens = tokens(line);
    let replaced = |at: std::ops::Range<usize>, with: &str| {
        format!("{}{with}{}", &line[..at.start], &line[at.end..])
    };
    let of = |first: fn(&str) -> bool| -> Vec<std::ops::Range<usize>> {
        tokens.iter().filter(|at| first(&line[(*at).clone()])).cloned().collect()
    };
    let mutant = match random.next() % 5 {
        0 => replaced(random.choose(&tokens)?.clone(), ""),
        1 => {
            let at = random.choose(&tokens)?.clone();
            let doubled = format!("{0} {0}", &line[at.clone()]);
            replaced(at, &doubled)
        }
        2 => {
            let operands = operands(line)?;
            let (a, b) = (random.choose(&operands)?.clone(), random.choose(&operands)?.clone());
            if a.start >= b.start {
                return None;
            }
            let swapped =
                format!("{}{}{}", &line[b.clone()], &line[a.end..b.start], &line[a.clone()]);
            replaced(a.start..b.end, &swapped)
        }
        3 => replaced(
            random.choose(&of(|it| it.starts_with('.')))?.clone(),
            random.choose(SUFFIXES)?,
        ),
        _ => replaced(random.choose(&of(is_register))?.clone(), random.choose(REGISTERS)?),
    };
    (mutant != line && !mutant.trim().is_empty()).then_some((number, mutant))
}

/// Lines of code: neither comments nor debug information.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find(".section").unwrap_or(text.len());
    text[..end].lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        let skipped = ["//", ".loc", ".file", ".pragma"];
        line.len() > 1 && !skipped.iter().any(|start| line.starts_with(start))
    })
}

fn is_register(token: &str) -> bool {
    let digits = token.trim_start_matches(|char: char| !char.is_ascii_digit());
    token.starts_with('%') && !digits.is_empty() && !token.contains('.')
}

/// Words, with the dot in front of suffixes, and single characters; comments are left out.
fn tokens(line: &str) -> Vec<std::ops::Range<usize>> {
    let line = line.split("//").next().unwrap_or("");
    let mut found = Vec::new();
    let mut chars = line.char_indices().peekable();
    while let Some((start, char)) = chars.next() {
        if char.is_whitespace() {
            continue;
        }
        let mut end = start + char.len_utf8();
        if char.is_ascii_alphanumeric() || "%$_.".contains(char) {
            while let Some((at, next)) =
                chars.next_if(|(_, it)| it.is_ascii_alphanumeric() || "$_:".contains(*it))
            {
                end = at + next.len_utf8();
            }
        }
        found.push(start..end);
    }
    found
}

/// The operands of an instruction line, split at commas outside of brackets.
fn operands(line: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let end = line.find(';')?;
    let start = line.len() - line.trim_start().len();
    let mut words = line[start..end].split_whitespace();
    let mut mnemonic = words.next()?;
    if mnemonic.starts_with('@') {
        mnemonic = words.next()?;
    }
    if mnemonic.starts_with(['.', '{']) {
        return None;
    }
    let first = line.find(mnemonic)? + mnemonic.len();
    let mut at = first;
    let (mut depth, mut found) = (0, Vec::new());
    for (nth, char) in line[..end].char_indices().skip_while(|(nth, _)| *nth < first) {
        match char {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(at..nth);
                at = nth + 1;
            }
            _ => {}
        }
    }
    found.push(at..end);
    Some(found)
}
