//! Numbers as people read them in descriptions and messages: three significant digits and a unit.

/// `1_711_250.0` bytes as `1.71 MB`.
pub(crate) fn bytes(bytes: f64) -> String {
    scaled(bytes, &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")])
}

/// `5e9` bits a second as `5 Gb/s`.
pub(crate) fn rate(bits: f64) -> String {
    scaled(bits, &[(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")])
}

/// `12_345.0` as `12300`; small numbers with up to three digits after the point.
pub(crate) fn number(value: f64) -> String {
    let digits = if value == 0.0 { 0.0 } else { 2.0 - libm::floor(libm::log10(value.abs())) };
    if digits < 0.0 {
        let step = libm::pow(10.0, -digits);
        return format!("{}", (value / step).round() * step);
    }
    let text = format!("{value:.*}", digits.min(12.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `1 flow`, `3 flows`: a count with its noun.
pub(crate) fn count(how_many: u64, noun: &str) -> String {
    if how_many == 1 { format!("1 {noun}") } else { format!("{how_many} {noun}s") }
}

/// ` (did you mean `x`?)`, or nothing.
pub(crate) fn did_you_mean(near: Option<&str>) -> String {
    near.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let smallest = units[units.len() - 1];
    // 999.6 KB is to be 1 MB, not 1000 KB.
    let (scale, unit) = units.iter().find(|(scale, _)| value >= 0.9995 * scale).copied().unwrap_or(smallest);
    format!("{} {unit}", number(value / scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        assert_eq!(bytes(1_711_250.0), "1.71 MB");
        assert_eq!(bytes(999_600.0), "1 MB");
        assert_eq!(bytes(342.17), "342 B");
        assert_eq!(bytes(23_194_000.0), "23.2 MB");
        assert_eq!(rate(5e9), "5 Gb/s");
        assert_eq!(number(123_456.0), "123000");
        assert_eq!(number(0.012_34), "0.0123");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(100.0), "100");
        assert_eq!(count(1, "flow"), "1 flow");
    }

    #[test]
    fn what_was_meant_stands_in_brackets() {
        assert_eq!((did_you_mean(Some("x")).as_str(), did_you_mean(None).as_str()), (" (did you mean `x`?)", ""));
    }
}
