use crate::analysis::{Contradiction, Evidence};
use crate::source::SourceId;
use fathom_evidence::{Document, Passage};
use std::sync::Arc;
pub struct Reading {
    pub source: SourceId,
    pub document: Arc<Document>,
    pub passages: Vec<Passage>,
}
impl Reading {
    pub fn new(source: SourceId, document: Arc<Document>) -> Self {
        let passages = fathom_evidence::passage::passages(&document, &Default::default());
        Self {
            source,
            document,
            passages,
        }
    }
}
#[derive(Default)]
pub struct Located {
    pub evidence: Vec<Evidence>,
    pub contradictions: Vec<Contradiction>,
    pub retry_log: Vec<fathom_evidence::validate::retry::RetryEntry>,
}
pub fn locate(
    _: &[crate::plan::SubQuestion],
    _: &[Reading],
    _: fathom_evidence::validate::retry::RetrySettings,
) -> Located {
    Located::default()
}
