//! Recognises the texts that are timestamps to go-yaml: they stay text, but are quoted when printed.

/// Reports whether the text is a date, or a date with a time, in one of the forms that go-yaml knows.
pub(super) fn is_timestamp(text: &str) -> bool {
    let mut reader = Reader(text.as_bytes());
    let Some((year, month, day)) = reader.date() else { return false };
    if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return false;
    }
    match reader.0 {
        [] => true,
        [b'T' | b't', rest @ ..] => Reader(rest).time(true),
        [b' ', rest @ ..] => Reader(rest).time(false),
        _ => false,
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn date(&mut self) -> Option<(u32, u32, u32)> {
        let (year, width) = self.digits(usize::MAX)?;
        if width != 4 {
            return None;
        }
        self.expect(b'-')?;
        let month = self.digits(2)?.0;
        self.expect(b'-')?;
        let day = self.digits(2)?.0;
        Some((year, month, day))
    }

    fn time(&mut self, zone: bool) -> bool {
        self.clock().is_some() && if zone { self.zone().is_some() && self.0.is_empty() } else { self.0.is_empty() }
    }

    fn clock(&mut self) -> Option<()> {
        let hour = self.digits(2)?.0;
        self.expect(b':')?;
        let minute = self.digits(2)?.0;
        self.expect(b':')?;
        let second = self.digits(2)?.0;
        self.fraction();
        (hour < 24 && minute < 60 && second < 60).then_some(())
    }

    fn fraction(&mut self) {
        if let [b'.' | b',', rest @ ..] = self.0 {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 {
                self.0 = &rest[digits..];
            }
        }
    }

    fn zone(&mut self) -> Option<()> {
        match self.0 {
            [b'Z', rest @ ..] => self.0 = rest,
            [b'+' | b'-', h1, h2, b':', m1, m2, rest @ ..] => {
                let part = |tens: u8, ones: u8| {
                    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
                };
                if part(*h1, *h2)? > 24 || part(*m1, *m2)? > 60 {
                    return None;
                }
                self.0 = rest;
            }
            _ => return None,
        }
        Some(())
    }

    /// Up to `limit` digits, at least one; their value is only right for a few of them.
    fn digits(&mut self, limit: usize) -> Option<(u32, usize)> {
        let width = self.0.iter().take(limit).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(width);
        self.0 = rest;
        let value =
            digits.iter().fold(0_u32, |value, digit| value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')));
        (width > 0).then_some((value, width))
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}
