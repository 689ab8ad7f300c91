/// The converters of a pipeline's fields, at fixed addresses.
///
/// A converter is used for every cell. Where it lies in an array, each use would count references.
final class ConverterList {
  let count: Int
  private let converters: UnsafeMutablePointer<CellConverter>

  init(_ converters: [CellConverter]) {
    count = converters.count
    self.converters = .allocate(capacity: converters.count)
    for (index, converter) in converters.enumerated() { (self.converters + index).initialize(to: converter) }
  }

  deinit {
    converters.deinitialize(count: count)
    converters.deallocate()
  }

  subscript(index: Int) -> CellConverter {
    unsafeAddress { UnsafePointer(converters + index) }
  }
}
