import { statSync } from 'node:fs';
import { advisoriesPath, openAdvisories, withChanges } from '../advisories/database.ts';
import { matchedWith } from '../advisories/matched.ts';
import { messageOf } from '../model/errors.ts';
import { dataFaults } from '../model/telemetry.ts';
import type { AdvisoryChanges } from '../store/advisory-changes.ts';

/** Longer than they are read at once. */
const CLOSE_AFTER_MS = 60_000;

/** The imported advisories in a folder, with what changed since. Follows an import of another process. Throws `AdvisoryError`. */
export async function openAdvisoryIndex(
  folder: string,
  changes?: Pick<AdvisoryChanges, 'revision' | 'records'>,
) {
  const path = advisoriesPath(folder);
  const stampNow = async () => `${stampOf(path)} ${(await changes?.revision()) ?? ''}`;
  const open = async () => {
    const stamp = await stampNow();
    const imported = await openAdvisories(path);
    const advisories = withChanges(imported, (await changes?.records()) ?? []);
    const asOf = imported.coverage().map((one) => one.asOf);
    return {
      ...matchedWith(advisories),
      stamp,
      close: imported.close,
      asOf: asOf.sort().at(-1),
      fault: undefined,
    };
  };
  let opened = open();
  await opened;
  let reported: string | undefined;
  const report = (reason: string | undefined): void => {
    if (reason !== reported) dataFaults.publish({ data: 'imported advisories', reason });
    reported = reason;
  };
  return {
    /** The imported advisories as they are now. `fault`: why they are those that were read before. */
    async current(): Promise<Omit<Awaited<typeof opened>, 'fault'> & { readonly fault: string | undefined }> {
      for (;;) {
        const reading = opened;
        const before = await reading;
        if ((await stampNow()) === before.stamp) {
          report(undefined);
          return before;
        }
        // Another caller may be reading it already.
        if (opened === reading) opened = open();
        try {
          const next = await opened;
          // Work that began before may still read it.
          if (next !== before) setTimeout(before.close, CLOSE_AFTER_MS).unref();
        } catch (error) {
          // The file is damaged or gone: what was read of it stays.
          opened = reading;
          const fault = `${messageOf(error)} (those in use are as of ${before.asOf})`;
          report(fault);
          return { ...before, fault };
        }
      }
    },
    async close() {
      (await opened).close();
    },
  };
}

/** Another value after the file was replaced. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
}
