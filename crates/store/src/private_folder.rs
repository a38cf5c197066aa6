//! Folders for what a person asked and read, which others on the machine have no business in.

use std::fs::DirBuilder;
use std::path::Path;

/// Makes a folder and those above it that are missing. Only their owner may look into what was made; a folder that is there
/// stays as it is.
pub fn create_private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::create_private_folder;

    #[test]
    fn others_cannot_look_into_a_new_folder_and_an_old_one_stays_as_it_is() {
        let above = tempfile::tempdir().unwrap();
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        std::fs::set_permissions(above.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let made = above.path().join("data/runs");
        create_private_folder(&made).unwrap();
        create_private_folder(&made).unwrap();
        assert_eq!(mode(made.clone()), 0o700);
        assert_eq!(mode(made.parent().unwrap().to_owned()), 0o700);
        assert_eq!(mode(above.path().to_owned()), 0o755);
    }
}
