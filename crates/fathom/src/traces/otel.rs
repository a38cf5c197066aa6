//! The sender of traces, by the library of OpenTelemetry.

mod collector;
mod spans;

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::RunId;
use fathom_workflow::event::Event;
use opentelemetry::trace::{
    Span as _, SpanKind, TraceContextExt as _, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

use super::TraceSender;
use crate::exit::{Problem, Result};
use collector::Collector;
use spans::{CallKind, CallSpan, RunSpans};

/// How long a collector is waited for.
const SENT_WITHIN: Duration = Duration::from_secs(10);

/// Sends traces to one collector.
struct OtelSender {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    /// The model that is asked, as the settings name it.
    model: Option<String>,
}

/// The sender for the collector at an address. Needs a runtime, which sends.
pub(super) fn start(address: &str, model: Option<String>) -> Result<Arc<dyn TraceSender>> {
    let collector = Collector::parse(address).map_err(|why| {
        Problem::usage(format!(
            "the setting serve.traces_url cannot be used: {why}"
        ))
        .advise("Write the address of a collector: http://127.0.0.1:4318/v1/traces")
    })?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(collector)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(address)
        .with_timeout(SENT_WITHIN)
        .build()
        .map_err(Problem::failed)?;
    let resource = Resource::builder_empty()
        .with_attribute(KeyValue::new("service.name", "fathom"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource)
        .build();
    Ok(Arc::new(OtelSender {
        tracer: provider.tracer("fathom"),
        provider,
        model,
    }))
}

impl TraceSender for OtelSender {
    fn send(&self, run: RunId, workflow: &str, events: &[Event]) {
        let spans = RunSpans::from_events(events);
        let mut about = vec![
            KeyValue::new("gen_ai.operation.name", "invoke_agent"),
            KeyValue::new("gen_ai.agent.name", workflow.to_owned()),
            KeyValue::new("gen_ai.conversation.id", run.to_string()),
            KeyValue::new("fathom.status", spans.status.clone()),
        ];
        about.extend(usage(spans.read, spans.written));
        let root = self.tracer.span_builder(format!("invoke_agent {workflow}"));
        let root = root.with_start_time(spans.from).with_attributes(about);
        let root = Context::new().with_span(root.start_with_context(&self.tracer, &Context::new()));
        for step in &spans.steps {
            let span = self.tracer.span_builder(step.node.clone());
            let span = span.with_start_time(step.from);
            let span = Context::new().with_span(span.start_with_context(&self.tracer, &root));
            for call in &step.calls {
                self.send_call(&span, call);
            }
            span.span().end_with_timestamp(step.to);
        }
        root.span().end_with_timestamp(spans.to);
    }

    fn stop(&self) -> std::result::Result<(), String> {
        self.provider.shutdown().map_err(|error| error.to_string())
    }
}

impl OtelSender {
    fn send_call(&self, step: &Context, call: &CallSpan) {
        let (name, mut about) = match call.kind {
            CallKind::Model { read, written } => {
                let mut about = vec![
                    KeyValue::new("gen_ai.operation.name", "chat"),
                    // The form in which it is asked, whoever answers.
                    KeyValue::new("gen_ai.provider.name", "openai"),
                ];
                about.extend(usage(read, written));
                let model = self.model.clone();
                about.extend(model.map(|model| KeyValue::new("gen_ai.request.model", model)));
                let name = self.model.as_ref().map(|model| format!("chat {model}"));
                (name.unwrap_or_else(|| "chat".to_owned()), about)
            }
            CallKind::Tool(tool) => {
                let about = vec![
                    KeyValue::new("gen_ai.operation.name", "execute_tool"),
                    KeyValue::new("gen_ai.tool.name", tool),
                ];
                (format!("execute_tool {tool}"), about)
            }
        };
        about.push(KeyValue::new("fathom.retries", i64::from(call.retries)));
        let span = self.tracer.span_builder(name).with_kind(SpanKind::Client);
        let span = span.with_start_time(call.from).with_attributes(about);
        let mut span = span.start_with_context(&self.tracer, step);
        span.end_with_timestamp(call.to);
    }
}

fn usage(read: u64, written: u64) -> [KeyValue; 2] {
    let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    [
        KeyValue::new("gen_ai.usage.input_tokens", count(read)),
        KeyValue::new("gen_ai.usage.output_tokens", count(written)),
    ]
}
