import GooglyPhotos
import Testing

@Suite struct PageTests {
  @Test func namesCannotBecomeMarkup() {
    let image = PhotoDetail.PageImage(path: "thumbnails/a\"b#c.jpg", width: 3, height: 2)
    let detail = PhotoDetail(
      name: "x/<b>\"&'.jpg", faceCount: 2, width: 30, height: 20, result: "a b.jpg", before: image,
      after: image)
    let page = PhotoPage(
      details: [detail], failures: [.init(name: "<i>", reason: "a & b")])
    let html = page.html
    #expect(!html.contains("<b>") && !html.contains("<i>"))
    #expect(html.contains("src=\"thumbnails/a%22b%23c.jpg\""))
    #expect(html.contains("href=\"a%20b.jpg\""))
    #expect(html.contains("<strong>&lt;i&gt;</strong> a &amp; b"))
    #expect(html.contains(">2 faces<"))
    #expect(html.contains("1 photo, 2 faces googlyified, 1 not done"))
  }

  @Test func pageNeedsNothingFromElsewhere() {
    let html = PhotoPage(details: [], failures: []).html
    #expect(!html.contains("http") && !html.contains("<script") && !html.contains("<link"))
    #expect(html.contains("prefers-color-scheme: dark"))
  }
}

@Suite struct FileNameTests {
  @Test(arguments: [
    ("cat.jpg", "cat"), ("a.b.PNG", "a.b"), ("noextension", "noextension"), (".hidden", "_hidden"),
    ("", "photo"), ("tab\there.png", "tab_here"), ("a/b.png", "a_b"),
  ])
  func stemIsFitForAFileName(name: String, stem: String) {
    #expect(FileName.stem(of: name) == stem)
  }

  @Test(arguments: [
    ("http://x.org/a/cat%20one.jpg?size=3#top", "cat one"), ("http://x.org/", "x"),
    ("http://x.org/%2e%2e%2Fetc", "_"), ("file:///tmp/100%.png", "100%"),
  ])
  func stemOfAnAddressIsItsLastPart(address: String, stem: String) {
    #expect(FileName.stem(ofAddress: address) == stem)
  }

  @Test func longNamesAreCutBetweenCharacters() {
    let stem = FileName.stem(of: String(repeating: "é", count: 300) + ".jpg")
    #expect(stem == String(repeating: "é", count: 80))
  }

  @Test(arguments: [
    ("a/b/c.png", "c.png", "a/b"), ("c.png", "c.png", "."), ("/c", "c", "/"), ("a/b/", "b", "a"),
  ])
  func pathHasAFolderAndALastComponent(path: String, last: String, folder: String) {
    #expect(FilePath(path).lastComponent.description == last)
    #expect(FilePath(path).folder.description == folder)
  }
}
