//! A value as the log holds it: typed while it lives in this process, JSON bytes once written.
//!
//! The memory store keeps the typed form, so a step costs it no encoding at all; stores on disk
//! ask for the bytes.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;

/// A recorded value whose type only its workflow knows.
#[derive(Clone)]
pub struct Payload(PayloadForm);

#[derive(Clone)]
enum PayloadForm {
    Live(Arc<dyn LiveValue>),
    Encoded(Bytes),
}

trait LiveValue: Send + Sync {
    fn encode(&self) -> serde_json::Result<Vec<u8>>;
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<T: Serialize + Send + Sync + 'static> LiveValue for T {
    fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        // It grew by doubling, and may wait for its commit in the company of a thousand others.
        bytes.shrink_to_fit();
        Ok(bytes)
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl Payload {
    /// Holds the value itself; it is encoded only if a store asks for bytes.
    pub fn live<T: Serialize + Send + Sync + 'static>(value: Arc<T>) -> Self {
        Self(PayloadForm::Live(value))
    }

    /// Encodes now.
    pub fn encoded<T: Serialize>(value: &T) -> Result<Self, Error> {
        match serde_json::to_vec(value) {
            Ok(bytes) => Ok(Self::from_bytes(bytes)),
            Err(source) => Err(Error::Encode { source }),
        }
    }

    /// A value as a store read it.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(PayloadForm::Encoded(Bytes::from(bytes.into())))
    }

    /// The value as JSON, encoded now if it is still live.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, Error> {
        match &self.0 {
            PayloadForm::Live(value) => match value.encode() {
                Ok(bytes) => Ok(Cow::Owned(bytes)),
                Err(source) => Err(Error::Encode { source }),
            },
            PayloadForm::Encoded(bytes) => Ok(Cow::Borrowed(bytes)),
        }
    }

    /// The typed value, shared with the log where it is still live.
    pub fn decode<T: DeserializeOwned + Send + Sync + 'static>(&self) -> Result<Arc<T>, Error> {
        if let PayloadForm::Live(value) = &self.0
            && let Ok(value) = Arc::clone(value).into_any().downcast::<T>()
        {
            return Ok(value);
        }
        self.decode_owned().map(Arc::new)
    }

    /// The typed value, built anew from its bytes.
    pub fn decode_owned<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let bytes = self.bytes()?;
        serde_json::from_slice(&bytes).map_err(|source| Error::Decode {
            wanted: std::any::type_name::<T>(),
            source,
        })
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            PayloadForm::Live(_) => f.write_str("Payload(live)"),
            PayloadForm::Encoded(bytes) => write!(f, "Payload({} bytes)", bytes.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Payload;

    proptest! {
        #[test]
        fn a_number_comes_back_from_the_log_as_it_went_in(
            number in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL,
        ) {
            let payload = Payload::encoded(&number).unwrap();
            prop_assert_eq!(payload.decode_owned::<f64>().unwrap().to_bits(), number.to_bits());
        }
    }

    #[test]
    fn a_number_that_a_quick_parser_rounds_comes_back_whole() {
        let number = 130.653_316_326_530_61_f64;
        let payload = Payload::encoded(&number).unwrap();
        assert_eq!(
            payload.decode_owned::<f64>().unwrap().to_bits(),
            number.to_bits()
        );
    }
}
