pub struct Context<D> {
    deps: std::sync::Arc<D>,
}
