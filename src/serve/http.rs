//! stub
use crate::crawl::Engine;
use std::sync::Arc;
pub async fn serve(
    listener: tokio::net::TcpListener,
    _engine: Arc<Engine>,
    _metrics: metrics_exporter_prometheus::PrometheusHandle,
    mut stop: tokio::sync::watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let _ = stop.changed().await;
    drop(listener);
    Ok(())
}
