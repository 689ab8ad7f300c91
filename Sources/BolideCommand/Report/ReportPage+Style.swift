extension ReportPage {
  /// SHA-256 of the style, in Base64: the page allows this one and no other. A test computes it.
  static let styleDigest = "aoJxYMx6vawB5dKGI5fpdgv03byn/78valQIB3oUYWc="

  /// Two sets of colours; the reader's device decides. Contrasts are those of WCAG AA.
  static let style = """
    :root { --page: #fcfcfb; --card: #ffffff; --ink: #16191d; --soft: #555b63; --rule: #dfe1e4; --own: #1f5fbf;
      --good: #1d7a46; --good-ground: #e1f2e8; --good-ink: #10562f; --bad: #c0312b; --bad-ground: #fbe5e3; --bad-ink: #8c1d18;
      --killed: #a35a00; --killed-ground: #fdeed6; --killed-ink: #6f3d00; --idle: #8b929b; --idle-ground: #e9ecef;
      --idle-ink: #434a52; --a0: #b3261e; --a1: #cf5b35; --a2: #dd8a55; --a3: #e8b48b; --a4: #efd5bf; }
    @media (prefers-color-scheme: dark) { :root { --page: #14171b; --card: #1b1f24; --ink: #f0f2f4; --soft: #a5adb7;
      --rule: #333940; --own: #62a0f5; --good: #4cb97c; --good-ground: #17392a; --good-ink: #9fe3bd; --bad: #ef6a62;
      --bad-ground: #471d1b; --bad-ink: #ffb9b3; --killed: #e0a04a; --killed-ground: #42300f; --killed-ink: #f6d39b;
      --idle: #77808b; --idle-ground: #2a3038; --idle-ink: #c5ccd4; --a0: #ff8a70; --a1: #dd7259; --a2: #b45c49;
      --a3: #85463a; --a4: #5b342d; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--page); color: var(--ink);
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
      font-variant-numeric: tabular-nums; overflow-wrap: break-word; }
    td { min-width: 5.5rem; } td bdi, h2 bdi, h3 bdi, dd bdi, .note bdi { overflow-wrap: anywhere; }
    h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
    h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; } p { margin: .3rem 0; }
    .note { color: var(--soft); font-size: .87rem; }
    .alarm { background: var(--bad-ground); color: var(--bad-ink); padding: .5rem .75rem; border-radius: 4px; }
    article { background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: .75rem;
      margin: .6rem 0; break-inside: avoid; }
    .row { display: flex; flex-wrap: wrap; gap: .3rem .75rem; align-items: baseline; } .row h3 { margin: 0; }
    .badge { border-radius: 4px; padding: .05rem .45rem; font-size: .87rem; font-weight: 600; }
    .badge.good { background: var(--good-ground); color: var(--good-ink); }
    .badge.bad { background: var(--bad-ground); color: var(--bad-ink); }
    .badge.killed { background: var(--killed-ground); color: var(--killed-ink); }
    .badge.idle { background: var(--idle-ground); color: var(--idle-ink); }
    .trends { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: .5rem 1rem; margin-top: .6rem; }
    figure { margin: 0; } figcaption { font-size: .87rem; } figure.wide { max-width: 46rem; margin: .4rem 0 1rem; }
    svg { display: block; width: 100%; height: auto; } td svg { width: 9rem; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .3rem 0; }
    dt { grid-column: 1; color: var(--soft); } dd { grid-column: 2; margin: 0; }
    table { border-collapse: collapse; width: 100%; font-size: .93rem; }
    th { text-align: left; font-weight: 600; color: var(--soft); white-space: nowrap; }
    th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
    td.number { white-space: nowrap; }
    .rule { stroke: var(--rule); stroke-width: 1; } .axis { stroke: var(--idle); stroke-width: 1; }
    rect.good { fill: var(--good); } rect.bad { fill: var(--bad); } rect.killed { fill: none; stroke: var(--killed); }
    rect.idle { fill: var(--idle); } rect.rejected { fill: var(--ink); } rect.bar { fill: var(--own); }
    .mark { stroke-width: 1.5; } line.bad { stroke: var(--bad); } circle.killed { fill: var(--killed); }
    .line { fill: none; stroke-width: 1.5; } .line.trend { stroke: var(--own); } circle.trend { fill: var(--own); }
    .point { stroke: var(--page); stroke-width: .5; } .label { font-size: 13px; fill: var(--soft); }
    .a0 { fill: var(--a0); } .a1 { fill: var(--a1); } .a2 { fill: var(--a2); } .a3 { fill: var(--a3); } .a4 { fill: var(--a4); }
    @media (max-width: 40rem) { thead { display: none; } tr { display: block; border-bottom: 1px solid var(--rule); padding: .4rem 0; }
      td { display: grid; grid-template-columns: 7rem minmax(0, 1fr); border: 0; padding: .1rem 0; }
      td::before { content: attr(data-head); color: var(--soft); } td.number { white-space: normal; }
      td:empty { display: none; } dl { grid-template-columns: 5.5rem minmax(0, 1fr); } }
    @media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } }
    """
}
