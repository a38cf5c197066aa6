//! Numbers and strings as bytes: the forms in which an index keeps its lists.

/// Adds a number in 1 to 10 bytes, small ones in few.
pub(super) fn put_number(into: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Adds bytes with their length before them.
pub(super) fn put_bytes(into: &mut Vec<u8>, bytes: &[u8]) {
    put_number(into, bytes.len() as u64);
    into.extend_from_slice(bytes);
}

/// Reads what was put, from the beginning on. Gives nothing at the end, and where the bytes are damaged.
pub(super) struct ByteReader<'b>(&'b [u8]);

impl<'b> ByteReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        str::from_utf8(self.bytes()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read_and_damage_gives_nothing() {
        let mut bytes = Vec::new();
        for number in [0, 127, 128, 300, u64::MAX] {
            put_number(&mut bytes, number);
        }
        put_bytes(&mut bytes, "Bäume".as_bytes());
        let mut reader = ByteReader::new(&bytes);
        let numbers: Vec<u64> = (0..5).map_while(|_| reader.number()).collect();
        assert_eq!(numbers, [0, 127, 128, 300, u64::MAX]);
        assert_eq!(reader.text(), Some("Bäume"));
        assert_eq!(reader.number(), None);
        for end in 0..bytes.len() {
            let mut cut = ByteReader::new(&bytes[..end]);
            while cut.number().is_some() {}
            assert_eq!(cut.bytes(), None);
        }
        assert_eq!(ByteReader::new(&[0xff; 20]).number(), None);
    }
}
