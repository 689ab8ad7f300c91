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
      The backup is a complete store, including history. It replaces an earlier backup of this store in one step, and \
      no other file. If the backup fails, an existing file is unchanged.
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
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
      Programs that have the store open see the restored state at once. Everything written since the backup is lost: \
      later tokens are rejected as diverged (81), and named readers must start again from a snapshot. A store that does \
      not exist is created from the backup.
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "file"), completion: .file())
  var file: String

  @Argument(help: .store, completion: .file())
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
