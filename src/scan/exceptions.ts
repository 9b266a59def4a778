import { posix } from 'node:path';
import { LockfileError } from '../lockfiles/errors.ts';
import { exceptionFile, readExceptions } from '../lockfiles/exceptions/catalog.ts';
import type { Companion } from '../lockfiles/format.ts';
import { decodeText } from '../lockfiles/syntax/decode-text.ts';
import type { Lockfile } from '../model/lockfile/lockfile.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import type { Exception } from '../model/scan/exception.ts';
import type { LockfileEvidence } from '../policy/exceptions/evidence.ts';

/** A lockfile that was read, with the files beside it. */
interface WithCompanions {
  readonly path: string;
  readonly content: Buffer;
  readonly companions: readonly Companion[];
  readonly lockfile: Lockfile;
}

/** Requirements are read again for the proof; those of larger lockfiles are not. */
const MAX_BYTES = 8_388_608;
/** Formats whose lockfiles state what each package requires. pnpm's states what each requires as a peer. */
const STATING: ReadonlySet<string> = new Set(['npm-package-lock', 'yarn-lock', 'bun-lock']);
/** Kinds about which the lockfile beside them may prove something. */
const PROVEN: ReadonlySet<Exception['kind']> = new Set([
  ...(['override', 'constraint', 'source', 'excluded-version'] as const),
  ...(['cooldown-exclude', 'trust-exclude', 'peer-rule', 'ignored-package'] as const),
]);

/**
 * The exceptions in the files beside a lockfile, with what the lockfile proves about them. A file in the root of the target is read for its first
 * lockfile alone; `seen` has those of the scan.
 */
export async function exceptionsBeside(
  file: WithCompanions,
  seen: Set<string>,
): Promise<readonly Exception[]> {
  const { path, content, companions } = file;
  const texts = new Map<Buffer, string>();
  const decode: typeof decodeText = (own, name) => {
    const text = texts.get(own) ?? decodeText(own, name);
    texts.set(own, text);
    return text;
  };
  const found: Exception[] = [];
  const provable = new Set<Exception>();
  // A go.mod has its exceptions itself.
  const own = posix.basename(path) === 'go.mod' ? [{ name: 'go.mod', content }] : [];
  for (const one of [...own, ...companions]) {
    const known = exceptionFile(one.name);
    const place = posix.join(posix.dirname(path), one.name);
    if (known === undefined || (known.beside === undefined && seen.has(place))) continue;
    seen.add(place);
    const read = await readExceptions(place, one, decode);
    found.push(...read);
    for (const each of read) if (known.beside !== undefined && PROVEN.has(each.kind)) provable.add(each);
  }
  if (provable.size === 0 || content.length > MAX_BYTES) return found;
  const { lockfileProver } = await import('../policy/exceptions/lockfile-proof.ts');
  const prove = lockfileProver(await evidenceOf(file, provable, decode), found);
  return found.map((one) => {
    const proof = provable.has(one) ? prove(one) : undefined;
    return proof === undefined ? one : { ...one, proof };
  });
}

async function evidenceOf(
  { path, content, companions, lockfile }: WithCompanions,
  provable: ReadonlySet<Exception>,
  decode: typeof decodeText,
): Promise<LockfileEvidence> {
  const { format, packages } = lockfile;
  const text = decode(content, path);
  const files = new Map(companions.map((one) => [one.name, textOr(one, decode)]));
  const hasPeers = format === 'pnpm-lock' && [...provable].some(({ kind }) => kind === 'peer-rule');
  // Without a statement, nothing is known of requirements.
  let isStated = STATING.has(format) || hasPeers;
  const { statementReader } = await import('../lockfiles/requirements/read-statement.ts');
  const readStatement = await statementReader(isStated ? format : '', format);
  const { cooldown, ...statement } = readStatement({ path, text, files }, () => (isStated = false));
  return {
    ...{ path, format, text, others: [...files.values()], packages, isWhole: isReadWhole(lockfile) },
    ...{ statement: isStated ? statement : undefined, cooldown },
  };
}

/** The text of a companion; empty where it cannot be read, which its reader reports. */
function textOr({ name, content }: Companion, decode: typeof decodeText): string {
  try {
    return content === undefined ? '' : decode(content, name);
  } catch (error) {
    if (error instanceof LockfileError) return '';
    throw error;
  }
}
