import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide backup`
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up a store to a file, while imports continue.",
    discussion: """
      Imports and other programs go on meanwhile. The file is a store itself, history and all. It takes the place of an \
      earlier state of this store in one step, and of nothing else; what cannot be copied whole leaves it as it was.
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
  var file: String

  @Flag(
    name: .shortAndLong, help: "Print the backup's newest token even if standard error is not a terminal.")
  var verbose = false

  func run() throws {
    do {
      let token = try StoreAddress.open(storePath).backUp(to: file)
      if verbose || isatty(STDERR_FILENO) == 1 { printNote(Note.backedUp(file, token)) }
    } catch {
      throw Failure(error)
    }
  }
}

/// `bolide restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a store from a backup.",
    discussion: """
      Programs that have the store open see it, all at once. What was written since is lost: a new line of history begins, \
      tokens from then answer that it has diverged (81), and named readers start again from a snapshot. Where there is no \
      store, one is made of the backup.
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
  var file: String

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Option(
    help: ArgumentHelp("How long to wait for a running import: 30s, 10m. (default: 10m)", valueName: "time"))
  var lockWait: WaitTime?

  func run() throws {
    do {
      let (address, _) = try StoreAddress.named(storePath)
      let (token, readers) = try address.restore(file, lockWait: lockWait?.seconds ?? 600)
      printNote(Note.restored(address.path, to: token, readers: readers))
    } catch {
      throw Failure(error)
    }
  }
}
