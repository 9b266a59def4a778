import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flush } from '../../files/flush.ts';
import { undefinedFor } from '../../model/errors.ts';
import { FixError } from './errors.ts';
import type { ChangedFile, WorkingCopy } from './working-copy.ts';

/** The name of the folder with the files as they were, while they are replaced. */
const JOURNAL = 'lockhound-fix';
/** Its list: as soon as it exists, files may have been replaced. */
const LIST = 'files.json';

interface Entry {
  readonly path: string;
  readonly kind: ChangedFile['kind'];
  /** SHA-256 of what replaces it; absent for a file that is deleted. */
  readonly after?: string | undefined;
}

/**
 * Replaces the files of the root by those of the copy: all of them or none. A process that is killed while it does so leaves a
 * journal, by which `restoreUnfinished` makes everything as it was. Throws `FixError` (`changed-meanwhile`).
 */
export async function writeChanges(copy: WorkingCopy, files: readonly ChangedFile[]): Promise<void> {
  const changed = await copy.changedMeanwhile(files);
  if (changed.length > 0)
    throw new FixError('changed-meanwhile', `${changed.join(', ')}: changed while the fix was tried`);
  const { root } = copy;
  const journal = await journalFolder(root);
  await mkdir(journal);
  const entries: Entry[] = [];
  for (const [index, { path, kind }] of files.entries()) {
    if (kind !== 'new') await link(join(root, path), join(journal, `${index}.before`));
    entries.push({ path, kind, after: await hashOf(join(copy.copy, path)) });
    if (kind === 'deleted') continue;
    const after = join(journal, `${index}.after`);
    await copyFile(join(copy.copy, path), after, constants.COPYFILE_FICLONE);
    await flush(after);
  }
  await writeFile(join(journal, 'list'), JSON.stringify(entries));
  await flush(join(journal, 'list'));
  await rename(join(journal, 'list'), join(journal, LIST));
  try {
    for (const [index, { path, kind }] of files.entries()) {
      if (kind === 'deleted') await rm(join(root, path));
      else {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await rename(join(journal, `${index}.after`), join(root, path));
      }
    }
  } catch (error) {
    await restoreUnfinished(root);
    throw error;
  }
  await rm(join(journal, LIST));
  await rm(journal, { recursive: true });
}

/**
 * Restores the files that a killed fix had replaced. Returns their paths. A file that was changed after the fix replaced it is not
 * restored.
 */
export async function restoreUnfinished(root: string): Promise<readonly string[]> {
  const journal = await journalFolder(root);
  const text = await readFile(join(journal, LIST), 'utf8').catch(undefinedFor(Error, 'ENOENT'));
  const entries = text === undefined ? [] : (JSON.parse(text) as readonly Entry[]);
  const restored: string[] = [];
  for (const [index, { path, kind, after }] of entries.entries()) {
    if ((await hashOf(join(root, path))) !== after) continue;
    if (kind === 'new') await rm(join(root, path), { force: true });
    else await rename(join(journal, `${index}.before`), join(root, path));
    restored.push(path);
  }
  await rm(journal, { recursive: true, force: true });
  return restored;
}

/** `undefined`: there is no file. */
async function hashOf(path: string): Promise<string | undefined> {
  const content = await readFile(path).catch(undefinedFor(Error, 'ENOENT'));
  return content === undefined ? undefined : hash('sha256', content);
}

/** In the folder of git where the root has one: what is there is no file of the project. */
async function journalFolder(root: string): Promise<string> {
  const stats = await stat(join(root, '.git')).catch(() => undefined);
  return stats?.isDirectory() === true ? join(root, '.git', JOURNAL) : join(root, `.${JOURNAL}`);
}
