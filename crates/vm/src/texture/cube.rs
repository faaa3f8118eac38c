//! The faces of cube maps (CUDA C++ Programming Guide, "Cubemap Textures").

/// A direction as a texture unit gets it: divided by the largest of its components, with the reciprocal that the hardware computes, and
/// zero where that is no number; with it, which of them are none.
fn projected(direction: [f32; 3]) -> ([f32; 3], [bool; 3]) {
    let largest = direction.iter().fold(f32::NAN, |most, side| most.max(side.abs()));
    let [inverse] = numeric::f32::rcp_approx([largest.to_bits()]);
    let inverse = f32::from_bits(inverse);
    let inverse = if largest < f32::MIN_POSITIVE { f32::INFINITY } else { inverse };
    let inverse = if inverse < f32::MIN_POSITIVE { 0.0 } else { inverse };
    let sides = direction.map(|side| side * inverse);
    (sides.map(|side| if side.is_nan() { 0.0 } else { side }), sides.map(f32::is_nan))
}

/// A place on a face is cut off at so many parts, more than any texture tells apart.
const PARTS: f64 = (1_u32 << f32::MANTISSA_DIGITS) as f64;

/// The face of a cube map that a direction leads to, and the place on it, both coordinates from 0 to 1.
pub(super) fn face(direction: [f32; 3]) -> (u32, [f32; 2]) {
    let (sides, is_none) = projected(direction);
    let sizes = [0, 1, 2].map(|axis| if is_none[axis] { -1.0 } else { sides[axis].abs() });
    let (face, [_, s, t]) = seen_from(nearest(sizes, sides), sides.map(f64::from));
    (face, [s, t].map(|side| (((side + 1.0) / 2.0 * PARTS).floor() / PARTS) as f32))
}

/// The face that a direction leads to, and the components of a vector as seen from it: towards it, to its right and down.
pub(super) fn onto_face(direction: [f64; 3], vector: [f64; 3]) -> (u32, [f64; 3]) {
    let sides = direction.map(|side| side as f32);
    seen_from(nearest(sides.map(f32::abs), sides), vector)
}

/// The face of the largest component; of those that are as large, of the last one.
fn nearest([x, y, z]: [f32; 3], sides: [f32; 3]) -> u32 {
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    2 * axis as u32 + u32::from(sides[axis] < 0.0)
}

/// The components of a vector as seen from a face.
fn seen_from(face: u32, [x, y, z]: [f64; 3]) -> (u32, [f64; 3]) {
    let seen = match face {
        0 => [x, -z, -y],
        1 => [-x, z, -y],
        2 => [y, x, z],
        3 => [-y, x, -z],
        4 => [z, x, -y],
        _ => [-z, -x, -y],
    };
    (face, seen)
}
