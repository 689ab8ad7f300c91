import Testing

@testable import Bolide

@Suite struct ImportOptionsTests {
  @Test func `What is nil is the pipeline's, also where the setting itself may have no value`() throws {
    var pipeline = StorePlace.pipeline
    pipeline.settings.chunkRows = 10
    pipeline.settings.isAtomic = true
    pipeline.settings.bounds = InputBounds(bytes: 100 << 10, records: 5)
    var options = ImportOptions()
    #expect(options.settings(over: pipeline) == pipeline.settings)
    #expect(options.chunkRows == nil && options.isAtomic == nil && options.lockWait == nil)
    #expect(options.sortPolicy == nil && options.settings(over: pipeline).sortPolicy == SortPolicy.none)
    #expect(options.commitPolicy == nil && options.settings(over: pipeline).commitPolicy == .input)
    (options.chunkRows, options.isAtomic, options.lockWait) = (20, false, 3)
    options.bounds.records = 7
    let settings = options.settings(over: pipeline)
    #expect(settings.chunkRows == 20 && !settings.isAtomic && settings.lockWait == 3)
    #expect(settings.bounds == InputBounds(bytes: 100 << 10, records: 7))
    (options.chunkRows, options.isAtomic) = (nil, nil)
    #expect(options.settings(over: pipeline).chunkRows == 10 && options.settings(over: pipeline).isAtomic)
    // What needs one transaction has one.
    options.isAtomic = false
    pipeline.mergePolicy = .fail
    #expect(options.settings(over: pipeline).isAtomic)
  }
}
