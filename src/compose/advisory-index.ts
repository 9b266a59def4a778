import { statSync } from 'node:fs';
import { advisoriesPath, openAdvisories, withChanges } from '../advisories/database.ts';
import { matchedWith } from '../advisories/matched.ts';
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
    return { ...matchedWith(advisories), stamp, close: imported.close };
  };
  let opened = open();
  await opened;
  return {
    /** The imported advisories as they are now. */
    async current() {
      for (;;) {
        const reading = opened;
        const before = await reading;
        if ((await stampNow()) === before.stamp) return before;
        // Another caller may be reading it already.
        if (opened === reading) opened = open();
        const next = await opened.catch(() => undefined);
        if (next === undefined) {
          // The file is damaged or gone: what was read of it stays.
          opened = reading;
          return before;
        }
        // Work that began before may still read it.
        if (next !== before) setTimeout(before.close, CLOSE_AFTER_MS).unref();
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
