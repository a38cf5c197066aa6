//! Server-sent events: bytes in any pieces → whole events.
//!
//! As the HTML standard says, with two allowances: an event that the stream's end cuts off is given out too, and
//! bytes that are no UTF-8 are replaced. How many bytes come at most is bounded by the client.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SseEvent {
    pub(super) name: String,
    pub(super) data: String,
}

#[derive(Default)]
pub(super) struct SseEvents {
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, so that a line feed now belongs to it.
    after_return: bool,
    event: SseEvent,
    has_data: bool,
}

impl SseEvents {
    /// The events that are complete after this piece.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Vec<SseEvent> {
        let mut whole = Vec::new();
        let mut rest = piece;
        if self.after_return && rest.first().is_some_and(|byte| *byte == b'\n') {
            rest = &rest[1..];
        }
        self.after_return = false;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.extend_from_slice(&rest[..end]);
            let is_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if is_return && rest.first() == Some(&b'\n') {
                rest = &rest[1..];
            } else if is_return && rest.is_empty() {
                self.after_return = true;
            }
            whole.extend(self.end_line());
        }
        self.line.extend_from_slice(rest);
        whole
    }

    /// The event that the end of the stream completes.
    pub(super) fn end(&mut self) -> Option<SseEvent> {
        if !self.line.is_empty() {
            // A line without its end can only be a field: it completes no event by itself.
            self.end_line();
        }
        self.dispatch()
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments have an empty name; ids and waits mean nothing to us.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\u{feff}: waiting\r\n\r\nevent: a\r\ndata: {\"n\":\rdata:  1}\n\nid: 7\nretry: 9\ndata\n\nevent: empty\n\ndata: über\r\n\r\ndata: last";

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let event = |name: &str, data: &str| SseEvent {
            name: name.to_owned(),
            data: data.to_owned(),
        };
        let expected = [
            event("a", "{\"n\":\n 1}"),
            event("", ""),
            event("", "über"),
            event("", "last"),
        ];
        for size in 1..=STREAM.len() {
            let mut events = SseEvents::default();
            let mut seen: Vec<SseEvent> = STREAM
                .as_bytes()
                .chunks(size)
                .flat_map(|piece| events.feed(piece))
                .collect();
            seen.extend(events.end());
            assert_eq!(seen, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut events = SseEvents::default();
        let seen = events.feed(b"data: a\xff\xfeb\n\n");
        assert_eq!(seen[0].data, "a\u{fffd}\u{fffd}b");
    }
}
