/// A random word of letters and digits that cannot be mistaken for each other, 5 bits a letter.
package func randomWord(length: Int) -> String {
  let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
  var generator = SystemRandomNumberGenerator()
  return String((0..<length).map { _ in letters[Int.random(in: 0..<32, using: &generator)] })
}
