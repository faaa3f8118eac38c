//! `--arg SPEC`.

use crate::fill::{Fill, fill};
use crate::literal;
use crate::texture::{self, TextureSpec};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use warpwise::{ElementType, Scalar};

/// What the user gives for a kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spec {
    /// `TYPE:VALUE`.
    Scalar(Scalar),
    /// `TYPE[N]=…`.
    Buffer {
        /// The type of an element.
        ty: ElementType,
        /// How many elements.
        count: u64,
        /// What they hold.
        fill: Fill,
    },
    /// `@FILE.npy`.
    File(PathBuf),
    /// `bytes:HEX`.
    Bytes(Vec<u8>),
    /// `tex:…` and `surf:…`.
    Texture(TextureSpec),
    /// `struct:SPEC;SPEC;...`.
    Struct(Vec<Spec>),
    /// `&NAME`: the buffer of another argument, or a variable.
    Reference(Subject),
}

/// What has elements that can be printed, written or pointed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The buffer of a parameter, by its number; the second number is that of a field of a structure.
    Argument(usize, Option<usize>),
    /// A parameter or a variable of the module, by its name.
    Name(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Argument(nth, None) => write!(f, "{nth}"),
            Subject::Argument(nth, Some(field)) => write!(f, "{nth}.{field}"),
            Subject::Name(name) => f.write_str(name),
        }
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not the number of a parameter, from 0 on");
        match text.chars().next() {
            None => Err("write the number of a parameter, or the name of a variable".to_owned()),
            Some(first) if first.is_ascii_digit() => {
                let number = |digits: &str| digits.parse().map_err(|_| wrong());
                match text.split_once('.') {
                    Some((nth, field)) => Ok(Subject::Argument(number(nth)?, Some(number(field)?))),
                    None => Ok(Subject::Argument(number(text)?, None)),
                }
            }
            Some('-' | '+' | '.' | ':') => Err(wrong()),
            Some(_) => Ok(Subject::Name(text.to_owned())),
        }
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(file) = text.strip_prefix('@') {
            return match file {
                "" => Err("`@` needs the name of a file".to_owned()),
                file => Ok(Spec::File(PathBuf::from(file))),
            };
        }
        if let Some(digits) = text.strip_prefix("bytes:") {
            return bytes(digits).map(Spec::Bytes);
        }
        if let Some(fields) = text.strip_prefix("struct:") {
            return structure(fields).map(Spec::Struct);
        }
        for (prefix, is_surface) in [("tex:", false), ("surf:", true)] {
            if let Some(rest) = text.strip_prefix(prefix) {
                return TextureSpec::parse(rest, is_surface).map(Spec::Texture);
            }
        }
        if let Some(options) = text.strip_prefix("sampler:") {
            return texture::sampler(options).map(|handle| Spec::Scalar(handle.into()));
        }
        if let Some(name) = text.strip_prefix('&') {
            return name.parse().map(Spec::Reference);
        }
        let Some(end) = text.find([':', '[']) else {
            return Err(
                "write TYPE:VALUE, TYPE[N]=VALUE, @FILE.npy, bytes:HEX, struct:SPEC;SPEC, tex:TYPE[H,W]=VALUE, surf:TYPE[H,W]=VALUE, sampler:OPTION,... or &NAME"
                    .to_owned(),
            );
        };
        let ty: ElementType = text[..end].parse()?;
        let rest = &text[end..];
        if let Some(value) = rest.strip_prefix(':') {
            return literal::parse(ty, value).map(Spec::Scalar);
        }
        let inner = rest.strip_prefix('[').and_then(|rest| rest.split_once("]="));
        let (count, value) = inner.ok_or("write TYPE[N]=VALUE, with VALUE, iota or rand:SEED")?;
        let count = match count.parse::<u64>() {
            Ok(count) if count.checked_mul(ty.bytes() as u64).is_some() => count,
            Ok(_) => return Err(format!("{count} elements are more than any memory holds")),
            Err(_) => return Err(format!("`{count}` is not a number of elements")),
        };
        Ok(Spec::Buffer { ty, count, fill: fill(ty, value)? })
    }
}

fn structure(fields: &str) -> Result<Vec<Spec>, String> {
    let fields = fields.strip_suffix(';').unwrap_or(fields);
    fields
        .split(';')
        .map(|field| match field.parse()? {
            Spec::Struct(_) => {
                Err("structures do not nest: write the fields of the inner one".to_owned())
            }
            spec => Ok(spec),
        })
        .collect()
}

fn bytes(digits: &str) -> Result<Vec<u8>, String> {
    if let Some(wrong) = digits.chars().find(|digit| !digit.is_ascii_hexdigit()) {
        return Err(format!("`{wrong}` is not a hexadecimal digit"));
    }
    if !digits.len().is_multiple_of(2) {
        return Err("the last byte has one digit; every byte has two".to_owned());
    }
    let pairs = digits.as_bytes().chunks_exact(2);
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    Ok(pairs.map(|pair| value(pair[0]) << 4 | value(pair[1])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        use ElementType as T;
        let buffer = |ty, count, fill| Ok(Spec::Buffer { ty, count, fill });
        assert_eq!("s32:-7".parse(), Ok(Spec::Scalar(Scalar::from(-7))));
        assert_eq!("f32[3]=0.5".parse(), buffer(T::F32, 3, Fill::Value(Scalar::from(0.5_f32))));
        assert_eq!("u8[0]=iota".parse(), buffer(T::U8, 0, Fill::Iota));
        assert_eq!("bf16[9]=rand:42".parse(), buffer(T::Bf16, 9, Fill::Random(42)));
        assert_eq!("@a b.npy".parse(), Ok(Spec::File(PathBuf::from("a b.npy"))));
        assert_eq!("bytes:00fF7a".parse(), Ok(Spec::Bytes(vec![0, 255, 0x7a])));
        assert_eq!("bytes:".parse(), Ok(Spec::Bytes(Vec::new())));
        let name = Spec::Reference(Subject::Name("ns::counter".to_owned()));
        assert_eq!("&ns::counter".parse(), Ok(name));
        let fields = vec![
            Spec::Buffer { ty: T::F32, count: 4, fill: Fill::Iota },
            Spec::Scalar(Scalar::from(7)),
            Spec::Reference(Subject::Argument(1, Some(2))),
        ];
        assert_eq!("struct:f32[4]=iota;s32:7;&1.2".parse(), Ok(Spec::Struct(fields)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for wrong in [
            "",
            "@",
            "7",
            "int:7",
            "s32",
            "s32[",
            "s32[4]",
            "s32[4]=",
            "s32[-1]=0",
            "s32[x]=0",
            "s32[4]=rand:",
            "s32[4]=rand:-1",
            "s32[18446744073709551615]=0",
            "bytes:0",
            "bytes:0g",
            "bytes:é0",
            "u8:256",
            "f16:abc",
            "struct:",
            "struct:s32:1;;",
            "struct:struct:s32:1",
            "&",
            "&-1",
            "&1.",
        ] {
            assert!(wrong.parse::<Spec>().is_err(), "{wrong:?}");
        }
    }
}
