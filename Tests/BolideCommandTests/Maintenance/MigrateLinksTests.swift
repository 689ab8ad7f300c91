import Foundation
import Testing

/// Renames and drops around a table of links.
@Suite struct MigrateLinksTests {
  private let folder = try? Folder()

  /// The shipped blog, imported; its text with some changes is another pipeline of the same name.
  private func blog() throws -> (Folder, String) {
    let folder = try #require(folder)
    let root = Folder.repository
    let text = try String(contentsOf: root.appending(path: "pipelines/blog.yaml"), encoding: .utf8)
      .replacing("store: ../blog.sqlite", with: "store: blog.sqlite\nname: blog")
    try folder.write(text, to: "blog.yaml")
    try folder.write(Data(contentsOf: root.appending(path: "SampleData/blog.json")), to: "blog.json")
    try folder.bolide("import", "blog.yaml", "blog.json").expectSilence()
    return (folder, text)
  }

  @Test func `a table of links is called after its ends, also where these come in another order then`() throws
  {
    let (folder, text) = try blog()
    let tags = try folder.sqlite("blog.sqlite", "SELECT * FROM Tag ORDER BY bolide_id")
    let links = try folder.sqlite("blog.sqlite", "SELECT bolide_id, posts_id, tags_id FROM Post_tags")
    let renamed = text.replacing("entity: Post ", with: "was: Post\nentity: Zpost ")
      .replacing("words:           integer32", with: "wordage: { type: integer32, was: words, from: words }")
      .replacing("posts.words.@sum", with: "posts.wordage.@sum").replacing(
        "words > 1000", with: "wordage > 1000")
    try folder.write(renamed, to: "renamed.yaml")
    let steps = """
      rename Post to Zpost
      rename Post_tags to Tag_posts
      rename Zpost.words to wordage
      recompute Tag.longPosts as posts.@count where wordage > 1000

      """
    #expect(
      try folder.bolide("migrate", "blog.sqlite", "renamed.yaml", "--plan")
        == Outcome(status: 0, output: steps))
    try folder.bolide("import", "renamed.yaml", "blog.json", "--force").expectSilence()
    #expect(try folder.sqlite("blog.sqlite", "SELECT bolide_id, posts_id, tags_id FROM Tag_posts") == links)
    #expect(try folder.sqlite("blog.sqlite", "SELECT * FROM Tag ORDER BY bolide_id") == tags)
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
    // It goes on: for other programs too.
    try folder.sqlite("blog.sqlite", "DELETE FROM Zpost WHERE id = 1")
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
    #expect(
      try folder.bolide("changes", "blog.sqlite").lines.contains {
        $0.contains(#""kind":"delete","entity":"Tag_posts""#)
      })
  }

  @Test func `links go with both their ends`() throws {
    let (folder, _) = try blog()
    try folder.write(
      "bolide: 1\nstore: blog.sqlite\nentity: Post\nkey: id\nattributes: { id: integer64 }", to: "less.yaml")
    func migrate(_ drops: String...) throws -> Outcome {
      try folder.run(
        Folder.tool, ["migrate", "blog.sqlite", "less.yaml"] + drops.flatMap { ["--drop", $0] })
    }
    #expect(
      try migrate("Post_tags")
        == .failure(
          64, "blog.sqlite: Post_tags cannot be dropped: it stores the links of Post.tags",
          "Remove both ends from the pipeline, and drop both: bolide migrate blog.sqlite PIPELINE --drop Post.tags --drop Tag.posts"
        ))
    #expect(
      try migrate("Tag")
        == .failure(
          64, "blog.sqlite: Tag cannot be dropped: Post.tags refers to it",
          "Remove both from the pipeline, and drop both: bolide migrate blog.sqlite PIPELINE --drop Post.tags --drop Tag"
        ))
    #expect(
      try migrate("Tag", "Post.tags")
        == .failure(
          64, "blog.sqlite: Post.tags cannot be dropped: Post.tagCount is derived from it",
          "Remove both from the pipeline, and drop both: bolide migrate blog.sqlite PIPELINE --drop Post.tagCount --drop Post.tags"
        ))
    #expect(
      try migrate("Tag", "Post.tags", "Post.tagCount")
        == Outcome(status: 0, output: "drop Tag\ndrop Post.tags\ndrop Post.tagCount\ndrop Post_tags\n"))
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
    try folder.bolide("import", "blog.yaml", "blog.json").expectSilence()
    // Rows that are there are linked by `when: always` alone.
    #expect(
      try folder.sqlite("blog.sqlite", "SELECT (SELECT count(*) FROM Post_tags), count(*) FROM Tag") == [
        "0|9"
      ])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }
}
