import Foundation
import Testing

/// The shipped recipes with their comments in another store, on the sample data.
@Suite struct RecipesTests {
  private let folder: Folder

  init() throws { folder = try Folder.withRecipes() }

  private func fetch(_ arguments: String...) throws -> Outcome {
    try Running(Folder.tool, ["fetch"] + arguments, in: folder, input: .nothing).outcome()
  }

  @Test func `the comments come with the recipes, newest first, and the recipes with the comments`() throws {
    #expect(
      try fetch(
        "recipes.sqlite", "Recipe", "--only", "slug", "--with", "comments,praise", "--sort", "-minutes")
        == Outcome(
          status: 0,
          output: """
            {"slug":"rye-bread","comments":[\(comment(4))],"praise":null}
            {"slug":"plum-tart","comments":[\(comment(6)),\(comment(3))],"praise":\(comment(6))}
            {"slug":"potato-cakes","comments":[],"praise":null}
            {"slug":"lentil-soup","comments":[\(comment(5)),\(comment(2)),\(comment(1))],"praise":\(comment(5))}
            {"slug":"bean-salad","comments":[],"praise":null}

            """))
    #expect(
      try fetch(
        "comments.sqlite", "Comment", "--only", "id", "--with", "recipe", "--where", "recipeSlug <> 'aspic'",
        "--sort",
        "-stars", "--limit", "2", "--offset", "1")
        == Outcome(
          status: 0,
          output: """
            {"id":6,"recipe":{"bolide_id":3,"slug":"plum-tart","title":"Plum tart","minutes":75,"servings":8,"ingredients":["plums","flour","butter","sugar"]}}
            {"id":3,"recipe":{"bolide_id":3,"slug":"plum-tart","title":"Plum tart","minutes":75,"servings":8,"ingredients":["plums","flour","butter","sugar"]}}

            """))
  }

  /// A comment of the sample as a fetch writes it.
  private func comment(_ id: Int) throws -> String {
    try #require(
      try folder.bolide("fetch", "comments.sqlite", "Comment", "--where", "id = \(id)").lines.first)
  }

  @Test func `tables count many, and csv has columns for one`() throws {
    #expect(
      try fetch("recipes.sqlite", "Recipe", "--only", "slug", "--with", "comments", "--format", "table")
        .output
          == """
          slug          comments
          bean-salad           0
          lentil-soup          3
          plum-tart            2
          potato-cakes         0
          rye-bread            1

          """)
    #expect(
      try fetch("recipes.sqlite", "Recipe", "--only", "slug", "--with", "praise", "--format", "csv").output
        == """
        slug,praise.bolide_id,praise.id,praise.recipeSlug,praise.stars,praise.text,praise.at\r
        bean-salad,,,,,,\r
        lentil-soup,5,5,lentil-soup,4,Better on the second day.,2026-02-20T19:31:00Z\r
        plum-tart,6,6,plum-tart,5,Gone in an hour.,2026-03-01T16:45:00Z\r
        potato-cakes,,,,,,\r
        rye-bread,,,,,,\r

        """)
    #expect(
      try fetch("recipes.sqlite", "Recipe", "--with", "comments", "--format", "csv")
        == .failure(
          64, "csv has one line per object, and 'comments' may have many",
          "Use --format ndjson, or fetch its objects separately."))
  }

  @Test func `a comment that has lost its recipe is an error, and is listed`() throws {
    #expect(
      try fetch("comments.sqlite", "Comment", "--with", "recipe")
        == .failure(
          65, "comments.sqlite: Comment.recipe has no object for one Comment (key: id), and requires one",
          "List such objects: --dangling recipe"))
    #expect(
      try fetch("comments.sqlite", "Comment", "--dangling", "recipe", "--only", "id,text")
        == Outcome(status: 0, output: "{\"id\":7,\"text\":\"Nobody ate it.\"}\n"))
    #expect(
      try fetch(
        "comments.sqlite", "Comment", "--dangling", "recipe", "--count", "--where", "stars > ?", "--bind", "1"
      )
        == Outcome(status: 0, output: "0\n"))
    #expect(
      try fetch("recipes.sqlite", "Recipe", "--dangling", "comments", "--sort", "-slug", "--only", "slug")
        == Outcome(status: 0, output: "{\"slug\":\"potato-cakes\"}\n{\"slug\":\"bean-salad\"}\n"))
    // Two of a name: a catalogue that was put together by hand.
    try folder.sqlite("recipes.sqlite", "INSERT INTO Recipe(slug) VALUES ('aspic')")
    #expect(try fetch("comments.sqlite", "Comment", "--with", "recipe", "--only", "id").lines.count == 7)
    #expect(try fetch("comments.sqlite", "Comment", "--dangling", "recipe") == .silent)
  }

  @Test func `another file can take a store's place`() throws {
    try folder.shell("mkdir elsewhere && mv comments.sqlite 'elsewhere/my comments?.sqlite'").expectSilence()
    #expect(
      try fetch("recipes.sqlite", "Recipe", "--with", "comments")
        == .failure(
          73, "comments.sqlite: no such store, and fetched properties of Recipe refer to it",
          "Import into it first, or set its path: --attach comments.sqlite=PATH"))
    let attached = try fetch(
      "recipes.sqlite", "Recipe", "--attach", "comments.sqlite=elsewhere/my comments?.sqlite", "--with",
      "comments",
      "--dangling", "praise", "--only", "slug")
    #expect(
      attached.lines.map { $0.prefix(20) } == [
        "{\"slug\":\"bean-salad\"", "{\"slug\":\"potato-cake", "{\"slug\":\"rye-bread\",",
      ])
    #expect(
      try fetch("recipes.sqlite", "Recipe", "--attach", "coments.sqlite=x")
        == .failure(
          64,
          "recipes.sqlite: no fetched property of Recipe refers to a store 'coments.sqlite'; did you mean 'comments.sqlite'?"
        ))
    for text in ["comments.sqlite", "=x", "x="] {
      let outcome = try fetch("recipes.sqlite", "Recipe", "--attach", text)
      #expect(
        outcome.status == 64
          && outcome.errors.contains(
            "'\(text)' is not a store and its path; write --attach comments.sqlite=PATH"),
        "\(outcome.errors)")
    }
    #expect(
      try folder.shell(
        "t=$($bolide token recipes.sqlite); $bolide fetch recipes.sqlite Recipe --with comments --at $t")
        == .failure(
          64,
          "recipes.sqlite: Recipe.comments is fetched from another store; a past or pinned state includes one store only"
        ))
  }

  /// Becomes a user who may not write, where the tests run as one who may do everything.
  private static let user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""

  @Test(.enabled(if: geteuid() != 0 || hasProgram("setpriv"), "there is no way to become another user"))
  func `a catalogue that cannot be written has a writable overlay`() throws {
    let outcome = try folder.shell(
      """
      cp "$bolide" ./tool; mkdir cat over; mv recipes.sqlite* cat; mv comments.sqlite* over
      chmod -R a+rX .; chmod -R a+rwX over; chmod a-w cat cat/*
      trap 'chmod u+w cat' EXIT
      over=over/comments.sqlite; cat=cat/recipes.sqlite
      \(Self.user)./tool fetch $cat Recipe --attach comments.sqlite=$over --with comments --only slug --format table
      printf '{"id":8,"recipe":"bean-salad","stars":4,"text":"","at":"2026-04-01T00:00:00Z"}' |
        \(Self.user)./tool import comments.yaml - --store $over -q
      \(Self.user)./tool fetch $cat Recipe --attach comments.sqlite=$over --dangling comments --only slug
      \(Self.user)./tool fetch $over Comment --attach recipes.sqlite=$cat --dangling recipe --only id
      \(Self.user)./tool fetch $over Comment --attach recipes.sqlite=$cat --with recipe --where 'id = 8' --only id
      \(Self.user)./tool token $cat | cut -c1-3; ls cat
      """)
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            slug          comments
            bean-salad           0
            lentil-soup          3
            plum-tart            2
            potato-cakes         0
            rye-bread            1
            {"slug":"potato-cakes"}
            {"id":7}
            {"id":8,"recipe":{"bolide_id":1,"slug":"bean-salad","title":"White bean salad","minutes":15,"servings":2,"ingredients":["white beans","parsley","lemon"]}}
            b1-
            recipes.sqlite
            recipes.sqlite-bolide

            """))
  }

  @Test(.enabled(if: geteuid() != 0 || hasProgram("setpriv"), "there is no way to become another user"))
  func `a catalogue that somebody writes after all is noticed`() throws {
    try folder.sqlite(
      "recipes.sqlite",
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO Recipe(slug) SELECT i FROM n"
    )
    try #require(try folder.bolide("token", "recipes.sqlite").status == 0)
    let outcome = try folder.shell(
      """
      cp "$bolide" ./tool; mkdir cat; mv recipes.sqlite* cat; chmod -R a+rX .; chmod a-w cat cat/*
      trap 'chmod u+w cat' EXIT
      { \(Self.user)./tool fetch cat/recipes.sqlite Recipe; echo "status $?" >&2; } |
        { read line; touch -d '2001-02-03' cat/recipes.sqlite; cat > /dev/null; }
      """)
    #expect(
      outcome
        == Outcome(
          status: 0,
          errors: """
            Error: cat/recipes.sqlite: another program changed the store while it was read as read-only.
                   Run the command again.
            status 75

            """))
  }
}

extension Folder {
  /// The shipped recipes and comments, imported into the folder.
  static func withRecipes() throws -> Folder {
    let folder = try Folder()
    for name in ["recipes", "comments"] {
      try folder.takePipeline(name)
      let sample = repository.appending(path: "SampleData/\(name).json").path(percentEncoded: false)
      try folder.bolide("import", "\(name).yaml", sample).expectSilence()
    }
    return folder
  }
}
