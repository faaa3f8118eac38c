//! Components of the colour space sRGB (IEC 61966-2-1), as an H100 has them: numbers of few bits.

/// What a component is as a linear one, and the power of two that it is a multiple of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    pub(super) value: f64,
    pub(super) unit: f64,
}

/// Where the next larger unit begins; the first one is 2^-14.
const STEPS: [u32; 7] = [32, 48, 64, 96, 136, 184, 248];

/// All of them.
pub(super) static LINEAR: std::sync::LazyLock<[Linear; 256]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|raw| {
        let larger = STEPS.iter().filter(|step| raw >= **step as usize).count();
        let unit = f64::from(1_u32 << larger) / f64::from(1 << 14);
        Linear { value: (linear(raw as f64 / 255.0) / unit + 0.5).floor() * unit, unit }
    })
});

/// A component of sRGB as a linear one.
fn linear(part: f64) -> f64 {
    if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

/// The component of sRGB that a linear one is nearest to.
pub(super) fn nearest(linear: f64) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let part =
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (part * 255.0 + 0.5).floor() as u8
}
