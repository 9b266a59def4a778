import type { Lockfile } from '../../model/lockfile/lockfile.ts';

interface ReadLockfile {
  /** Below the folder that is scanned, with forward slashes. */
  readonly path: string;
  readonly lockfile: Pick<Lockfile, 'madeFrom'>;
}

/**
 * Returns the SBOMs of Lockhound that repeat the packages of other lockfiles in `files`: all lockfiles that such an SBOM was made
 * from are among `files`, below the folder of the SBOM or one of its parents. Their packages count once, in the lockfiles.
 */
export function repeatedSboms<File extends ReadLockfile>(files: readonly File[]): ReadonlySet<File> {
  const isSbom = new Map(files.map(({ path, lockfile }) => [path, lockfile.madeFrom !== undefined]));
  return new Set(
    files.filter(({ path, lockfile: { madeFrom = [] } }) =>
      parentFolders(path).some((folder) => {
        // A scan lists the SBOMs that it found, so a second SBOM names the first one, too.
        const sources = madeFrom.map((source) => isSbom.get(`${folder}${source}`));
        return sources.includes(false) && !sources.includes(undefined);
      }),
    ),
  );
}

/** `a/b/bom.json` → `a/b/`, `a/`, and the empty text for the root. */
function parentFolders(path: string): readonly string[] {
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index + 1);
  return [0, ...ends].map((end) => path.slice(0, end));
}
