//! stub
pub fn verify(_: &super::Embedded, _: &mut dyn FnMut(String)) -> crate::store::Result<()> { Ok(()) }
