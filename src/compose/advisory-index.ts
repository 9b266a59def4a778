import { statSync } from 'node:fs';
import type { Rejected } from '../advisories/database.ts';
import { advisoriesPath, OLD_IMPORT_MS, openAdvisories, withChanges } from '../advisories/database.ts';
import { matchedWith } from '../advisories/matched.ts';
import { messageOf } from '../model/errors.ts';
import { dataFaults } from '../model/telemetry.ts';
import type { AdvisoryChanges } from '../store/advisory-changes.ts';

/** Longer than they are read at once. */
const CLOSE_AFTER_MS = 60_000;

interface IndexOptions {
  /** Whether lists of changes are followed: then an import of long ago is not old. Default: false. */
  readonly isFollowed?: boolean;
  readonly now?: () => number;
}

/** The imported advisories in a folder, with what changed since. Follows an import of another process. Throws `AdvisoryError`. */
export async function openAdvisoryIndex(
  folder: string,
  changes?: Pick<AdvisoryChanges, 'revision' | 'records'>,
  { isFollowed = false, now = Date.now }: IndexOptions = {},
) {
  const path = advisoriesPath(folder);
  const stampNow = async () => `${stampOf(path)} ${(await changes?.revision()) ?? ''}`;
  const open = async () => {
    const stamp = await stampNow();
    const imported = await openAdvisories(path);
    const advisories = withChanges(imported, (await changes?.records()) ?? []);
    const coverage = imported.coverage();
    const asOf = coverage.map((one) => one.asOf);
    return {
      ...matchedWith(advisories),
      stamp,
      rejected: rejectedText(imported.rejected()),
      importedAt: coverage.map((one) => one.importedAt).sort()[0],
      close: imported.close,
      asOf: asOf.sort().at(-1),
      fault: undefined,
    };
  };
  let read = await open();
  let opening: Promise<typeof read> | undefined;
  const reported = new Map<string, string>();
  const reportOne = (data: string, reason: string | undefined): void => {
    if (reason === reported.get(data)) return;
    dataFaults.publish({ data, reason });
    if (reason === undefined) reported.delete(data);
    else reported.set(data, reason);
  };
  const report = (
    { rejected, importedAt = '' }: Pick<typeof read, 'rejected' | 'importedAt'>,
    fault?: string,
  ): void => {
    const isOld = !isFollowed && now() - Date.parse(importedAt) > OLD_IMPORT_MS;
    reportOne('imported advisories', fault);
    reportOne('records of imported advisories', rejected);
    reportOne('age of imported advisories', isOld ? `imported on ${importedAt.slice(0, 10)}` : undefined);
  };
  const look = async (): Promise<Omit<typeof read, 'fault'> & { readonly fault: string | undefined }> => {
    for (;;) {
      const before = read;
      if ((await stampNow()) === before.stamp) {
        report(before);
        return before;
      }
      // Another caller may be reading it already.
      opening ??= open().finally(() => {
        opening = undefined;
      });
      try {
        read = await opening;
        // Work that began before may still read it.
        if (read !== before) setTimeout(before.close, CLOSE_AFTER_MS).unref();
      } catch (error) {
        // The file is damaged or gone: what was read of it stays.
        const fault = `${messageOf(error)} (those in use are as of ${before.asOf})`;
        report(before, fault);
        return { ...before, fault };
      }
    }
  };
  let due: ReturnType<typeof look> | undefined;
  return {
    /**
     * The imported advisories as they are now. `fault`: why they are those that were read before. All who ask in one turn share one look,
     * which begins after it.
     */
    current(): ReturnType<typeof look> {
      due ??= Promise.resolve().then(() => {
        due = undefined;
        return look();
      });
      return due;
    },
    async close() {
      read.close();
    },
  };
}

/** Another value after the file was replaced, or cannot be found any more. */
function stampOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch (error) {
    return messageOf(error);
  }
}

function rejectedText(all: readonly Rejected[]): string | undefined {
  const [one] = all;
  if (one === undefined) return undefined;
  const records = all.reduce((sum, { records }) => sum + records, 0);
  return `${records} could not be read and are not known: ${one.first} (${one.source})`;
}
