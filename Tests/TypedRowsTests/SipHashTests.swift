import Testing

@testable import TypedRows

/// The digest of keys and rejected records.
@Suite struct SipHashTests {
  /// The published values for the key 00 01 … 0f and the messages of 0 to 15 bytes 00 01 02 ….
  private static let published: [UInt64] = [
    0x726f_db47_dd0e_0e31, 0x74f8_39c5_93dc_67fd, 0x0d6c_8009_d9a9_4f5a, 0x8567_6696_d7fb_7e2d,
    0xcf27_94e0_2771_87b7, 0x1876_5564_cd99_a68d, 0xcbc9_466e_58fe_e3ce, 0xab02_00f5_8b01_d137,
    0x93f5_f579_9a93_2462, 0x9e00_82df_0ba9_e4b0, 0x7a5d_bbc5_94dd_b9f3, 0xf4b3_2f46_226b_ada7,
    0x751e_8fbc_860e_e5fb, 0x14ea_5627_c084_3d90, 0xf723_ca90_8e7a_f2ee, 0xa129_ca61_49be_45e5,
  ]

  private func digest(_ bytes: [UInt8], _ key: SipHash.Key) -> Int64 {
    var hash = SipHash(key)
    bytes.withUnsafeBytes { hash.add($0) }
    return hash.value
  }

  @Test func `the published values come out`() {
    let key = SipHash.Key((0..<16).map(UInt8.init))
    for (count, value) in Self.published.enumerated() {
      #expect(digest((0..<count).map(UInt8.init), key) == Int64(bitPattern: value), "\(count) bytes")
    }
  }

  @Test func `another key, and another division into texts, give other digests`() {
    func digest(_ parts: [String], key: UInt8 = 1) -> Int64 {
      var hash = SipHash(SipHash.Key([key]))
      for part in parts { hash.add(part: part) }
      return hash.value
    }
    let all = [
      digest(["ab", "c"]), digest(["a", "bc"]), digest(["abc"]), digest(["abc", ""]),
      digest(["ab", "c"], key: 2),
    ]
    #expect(Set(all).count == all.count)
    #expect(digest(["ab", "c"]) == all[0])
  }
}
