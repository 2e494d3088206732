use super::*;
use std::fs;

#[test]
fn pieces_of_any_length_are_written_in_order() {
    let folder = tempfile::tempdir().expect("a place for temporary files");
    let path = folder.path().join("new/file");
    let mut file = BlockFile::create(&path).expect("a folder that can be written to");
    let mut expected = Vec::new();
    let pieces =
        [2 * BLOCK, BLOCK, 7, 2 * BLOCK - 7, 0, 1, BLOCK - 2, 1, 1, SLACK, BLOCK, 3 * BLOCK + 7, BLOCK - 1];
    for length in pieces.repeat(3) {
        let piece: Vec<u8> = (0..length).map(|place| ((place + expected.len()) % 251) as u8).collect();
        file.write_all(&piece).expect("room on the disk");
        expected.extend(piece);
    }
    assert!(!path.exists(), "the file appears when it is complete");
    assert_eq!(file.finish().expect("room on the disk"), path);
    assert!(fs::read(&path).expect("a file") == expected);
}

#[test]
fn an_unfinished_file_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a place for temporary files");
    let mut file = BlockFile::create(&folder.path().join("file")).expect("a folder that can be written to");
    file.write_all(&[1; 2 * BLOCK]).expect("room on the disk");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "the file being written");
    drop(file);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
