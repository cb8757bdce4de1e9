//! Spans of a daemon's work, on their way to the operator's collector: OTLP over HTTP, in binary Protobuf
//! (OpenTelemetry Protocol 1.x, `POST /v1/traces`). What the collector does not take is thrown away; the
//! work does not wait for it.
//!
//! Must not know: what the spans are of.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tokio::runtime::Runtime;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use super::{chain, settings};

/// Longest time that the collector has to take what it is sent, also what is left at the end.
const DEADLINE: Duration = Duration::from_secs(3);

/// Spans are gathered and sent as long as it lives; what is left is sent when it is dropped.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts to send to the collector of these settings. `None`: they name none.
    ///
    /// # Errors
    /// Nothing can be sent from here; in words.
    pub fn start(settings: &settings::Traces) -> Result<Option<Traces>, String> {
        let Some(collector) = &settings.collector else { return Ok(None) };
        let failed = |why: String| format!("traces cannot be sent: {why}");
        let post = Post {
            client: super::client(DEADLINE).map_err(failed)?,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("traces")
                .enable_all()
                .build()
                .map_err(|error| failed(error.to_string()))?,
            lost: AtomicBool::new(false),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(post)
            .with_endpoint(collector)
            .with_timeout(DEADLINE)
            .build()
            .map_err(|error| failed(chain(&error)))?;
        let resource = Resource::builder().with_service_name("crawler").build();
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(settings.share)));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .with_sampler(sampler)
            .build();
        Ok(Some(Traces(provider)))
    }

    /// What hands the program's own spans over to be sent.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: tracing::Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let own = Targets::new().with_target("crawler", LevelFilter::INFO);
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("crawler"))
            .with_location(false)
            .with_threads(false)
            .with_filter(own)
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // That the collector does not answer has been said.
        let _ = self.0.shutdown_with_timeout(DEADLINE);
    }
}

/// The way to the collector. Whatever its answers hold is not read.
#[derive(Debug)]
struct Post {
    client: reqwest::Client,
    /// The thread that asks it to send has no runtime.
    runtime: Runtime,
    /// Were the last spans not taken? It is said once, not for each batch.
    lost: AtomicBool,
}

#[async_trait::async_trait]
impl HttpClient for Post {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let request = self.client.request(parts.method, parts.uri.to_string());
        let request = request.headers(parts.headers).body(body);
        let sending = async { request.send().await };
        let answer = match self.runtime.spawn(sending).await {
            // The URL may hold a secret.
            Ok(answer) => answer.map_err(|error| chain(&error.without_url())),
            Err(error) => Err(error.to_string()),
        };
        let status = match answer {
            Ok(answer) if answer.status().is_success() => {
                if self.lost.swap(false, Ordering::Relaxed) {
                    tracing::warn!("traces reach their collector again");
                }
                answer.status()
            }
            Ok(answer) => {
                self.lose(&format!("it answered {}", answer.status()));
                answer.status()
            }
            Err(why) => {
                self.lose(&why);
                return Err(why.into());
            }
        };
        Ok(Response::builder().status(status).body(Bytes::new())?)
    }
}

impl Post {
    fn lose(&self, why: &str) {
        if !self.lost.swap(true, Ordering::Relaxed) {
            tracing::warn!(why, "traces do not reach their collector and are thrown away");
        }
    }
}
