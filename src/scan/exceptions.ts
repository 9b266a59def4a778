import { posix } from 'node:path';
import { exceptionFile, readExceptions } from '../lockfiles/exceptions/catalog.ts';
import type { Companion } from '../lockfiles/format.ts';
import { decodeText, readCompanion } from '../lockfiles/syntax/decode-text.ts';
import type { Lockfile } from '../model/lockfile/lockfile.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import type { Exception } from '../model/scan/exception.ts';

/** A lockfile that was read, with the files beside it. */
interface WithCompanions {
  readonly path: string;
  readonly content: Buffer;
  readonly companions: readonly Companion[];
  readonly lockfile: Lockfile;
}

/** Requirements are read again for the proof; those of larger lockfiles are not. */
const MAX_BYTES = 8_388_608;
/** Formats whose lockfiles state what each package requires. */
const STATING: ReadonlySet<string> = new Set(['npm-package-lock', 'yarn-lock', 'bun-lock']);
const PROVEN: ReadonlySet<Exception['kind']> = new Set(['override', 'constraint', 'source']);

/**
 * The exceptions in the files beside a lockfile, with what the lockfile proves about them. A file in the root of the target is read for its first
 * lockfile alone; `seen` has those of the scan.
 */
export async function exceptionsBeside(
  file: WithCompanions,
  seen: Set<string>,
): Promise<readonly Exception[]> {
  const { path, content, companions } = file;
  const found: Exception[] = [];
  // A go.mod has its exceptions itself.
  const own = posix.basename(path) === 'go.mod' ? [{ name: 'go.mod', content }] : [];
  for (const one of [...own, ...companions]) {
    const known = exceptionFile(one.name);
    const place = posix.join(posix.dirname(path), one.name);
    if (known === undefined || (known.beside === undefined && seen.has(place))) continue;
    seen.add(place);
    found.push(...(await readExceptions(place, one)));
  }
  return content.length <= MAX_BYTES && found.some(({ kind }) => PROVEN.has(kind))
    ? await withProofs(found, file)
    : found;
}

async function withProofs(
  found: readonly Exception[],
  { path, content, companions, lockfile }: WithCompanions,
): Promise<readonly Exception[]> {
  const { lockfileProver } = await import('../policy/exceptions/lockfile-proof.ts');
  const { statementReader } = await import('../lockfiles/requirements/read-statement.ts');
  const readStatement = await statementReader(lockfile.format);
  const text = decodeText(content, path);
  const textOf = ({ name, content: own }: Companion) =>
    readCompanion({ path, text, companion: () => own }, name, (read) => read) ?? '';
  const files = new Map(companions.map((one) => [one.name, textOf(one)]));
  const { format, packages } = lockfile;
  // Without a statement, nothing is known of requirements.
  let isStated = STATING.has(format);
  const statement = isStated && readStatement({ path, text, files }, () => (isStated = false));
  const evidence = {
    path,
    format,
    text,
    others: [...files.values()],
    packages,
    isWhole: isReadWhole(lockfile),
  };
  const stated = statement !== false && isStated ? statement : undefined;
  const prove = lockfileProver({ ...evidence, statement: stated }, found);
  return found.map((one) => {
    const proof = PROVEN.has(one.kind) ? prove(one) : undefined;
    return proof === undefined ? one : { ...one, proof };
  });
}
