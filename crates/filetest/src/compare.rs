//! Arrays in `.npy` files, compared bit for bit.
//!
//! The format is read here on its own terms, not with the code under test: what matters is that both
//! headers say the same and that the data is the same, byte for byte.

use std::path::Path;

/// An array: its type, shape and order as the header says them, and its bytes.
struct Stored {
    header: String,
    data: Vec<u8>,
}

fn read(path: &Path) -> Result<Stored, String> {
    let bytes = std::fs::read(path).map_err(|why| format!("cannot be read: {why}"))?;
    let wrong = || "is not a .npy file".to_owned();
    if bytes.len() < 10 || !bytes.starts_with(b"\x93NUMPY") {
        return Err(wrong());
    }
    let (length, start) = match bytes[6] {
        1 => (usize::from(u16::from_le_bytes([bytes[8], bytes[9]])), 10),
        _ => {
            let field = bytes.get(8..12).and_then(|field| <[u8; 4]>::try_from(field).ok());
            (u32::from_le_bytes(field.ok_or_else(wrong)?) as usize, 12)
        }
    };
    let end = start + length;
    let header = bytes.get(start..end).ok_or_else(wrong)?;
    let text = String::from_utf8_lossy(header);
    // Writers differ in spaces, in last commas, and in `<` for types of one byte.
    let mut plain: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    plain = plain.replace(",}", "}").replace(",)", ")");
    for one_byte in ["i1'", "u1'", "b1'"] {
        for order in ['<', '=', '>'] {
            plain = plain.replace(&format!("'{order}{one_byte}"), &format!("'|{one_byte}"));
        }
    }
    let mut fields: Vec<&str> = plain.trim_matches(['{', '}']).split(",'").collect();
    fields.iter_mut().for_each(|field| *field = field.trim_start_matches('\''));
    fields.sort_unstable();
    Ok(Stored { header: fields.join(" "), data: bytes[end..].to_vec() })
}

/// Whether two files hold the same array: type, shape and every bit.
///
/// # Errors
/// How they differ.
pub fn same_array(left: &Path, right: &Path) -> Result<(), String> {
    let name = |path: &Path| {
        path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
    };
    let open = |path: &Path| read(path).map_err(|why| format!("{} {why}", name(path)));
    let (a, b) = (open(left)?, open(right)?);
    if a.header != b.header {
        return Err(format!("one is {}, the other {}", a.header, b.header));
    }
    if a.data.len() != b.data.len() {
        return Err(format!("one has {} bytes, the other {}", a.data.len(), b.data.len()));
    }
    let differing = a.data.iter().zip(&b.data).filter(|(a, b)| a != b).count();
    let first = a.data.iter().zip(&b.data).position(|(a, b)| a != b);
    match first {
        None => Ok(()),
        Some(at) => {
            let width = element_bytes(&a.header);
            let index = at / width;
            let word = |data: &[u8]| -> String {
                let bytes = data.iter().skip(index * width).take(width).rev();
                bytes.map(|byte| format!("{byte:02x}")).collect()
            };
            Err(format!(
                "{differing} bytes differ, first in element {index}: 0x{} and 0x{}",
                word(&a.data),
                word(&b.data),
            ))
        }
    }
}

/// Bytes of an element, from `descr':'<f4'`; 1 if the header does not say.
fn element_bytes(header: &str) -> usize {
    let ty = header.split("descr':'").nth(1).and_then(|rest| rest.split('\'').next());
    ty.and_then(|ty| ty.get(2..)).and_then(|bytes| bytes.parse().ok()).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, header: &str, data: &[u8]) -> std::path::PathBuf {
        let path = folder.join(name);
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        std::fs::write(&path, bytes).expect("the folder can be written to");
        path
    }

    #[test]
    fn type_shape_and_bits_count_and_layout_of_the_header_does_not() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let make = |name, header, data| file(folder.path(), name, header, data);
        let a =
            make("a", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }   \n", &[0; 4]);
        let b = make("b", "{'shape': (1,), 'descr': '<f4', 'fortran_order': False}\n", &[0; 4]);
        assert_eq!(same_array(&a, &b), Ok(()));
        let zero = make(
            "c",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
            &[0, 0, 0, 0x80],
        );
        let typed = make("d", "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", &[0; 4]);
        let shaped =
            make("e", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", &[0; 4]);
        let short = make("f", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", &[0; 3]);
        for other in [zero, typed, shaped, short] {
            assert!(same_array(&a, &other).is_err(), "{}", other.display());
        }
        let why = same_array(&a, &folder.path().join("c")).err().unwrap_or_default();
        assert!(why.contains("element 0: 0x00000000 and 0x80000000"), "{why}");
    }
}
