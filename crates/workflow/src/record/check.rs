//! Whether a write agrees with itself, asked by every store before it takes one.
//!
//! What would make the log contradict itself is a fault of its writer. It is refused while the log
//! is still whole.

use super::{Append, Creation, StepKind, StepRecord};
use crate::event::Event;
use crate::{BlobHash, Error};

impl Append {
    /// Refuses an append that contradicts itself, before a store takes it.
    pub fn check(&self) -> Result<(), Error> {
        if self.token.rev.checked_add(1) != Some(self.head.rev) {
            // Its writer has lost count, which is what the token is there to find out.
            return Err(Error::Superseded { run: self.run });
        }
        if let Some(record) = &self.record {
            check_step(record, self.head.step)?;
        }
        check_events(&self.events, self.head.events)?;
        // False bytes would be everybody's who refers to the name.
        for blob in &self.blobs {
            if BlobHash::from_content(&blob.bytes) != blob.hash {
                let hash = blob.hash;
                return Err(refused(&format!(
                    "the bytes of blob {hash} have another hash"
                )));
            }
        }
        Ok(())
    }
}

impl Creation {
    /// Refuses a creation that contradicts itself.
    pub fn check(&self) -> Result<(), Error> {
        check_step(&self.base, self.run.head.step)?;
        check_events(&self.events, self.run.head.events)
    }
}

fn check_step(record: &StepRecord, last: u64) -> Result<(), Error> {
    if record.meta.step != last {
        return Err(refused("the recorded step is not the header's last"));
    }
    let is_base = matches!(record.meta.kind, StepKind::Base { .. });
    if is_base && record.payload.is_none() {
        return Err(refused("a base must hold a state"));
    }
    Ok(())
}

fn check_events(events: &[Event], last: u64) -> Result<(), Error> {
    let numbers = events.iter().rev().map(|event| event.number);
    let wanted = (1..=last).rev().take(events.len());
    if numbers.eq(wanted) {
        Ok(())
    } else {
        Err(refused(
            "the events are not numbered up to the header's last",
        ))
    }
}

fn refused(why: &str) -> Error {
    Error::Store { why: why.into() }
}
