import { isUtf8 } from 'node:buffer';
import type { SubmitScan } from '../model/api/lockhound-api.generated.ts';
import { defined } from '../model/defined.ts';
import type { ProducedContent, StoredContent } from '../scan/read.ts';
import { type ImagePath, readImage } from '../sources/image/oci-image.ts';
import { type LockfilePaths, readLockfilePaths } from './lockfile-paths.ts';

/** `paths` may be empty where there is an image. */
interface SubmittedPaths extends Omit<LockfilePaths, 'onRead'> {
  readonly image?: ImagePath | undefined;
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly scan?: string | undefined;
  readonly release?: string | undefined;
  /** A day, as `2028-01-01`. */
  readonly supportedUntil?: string | undefined;
  /** The paths contain only some of the target's lockfiles. */
  readonly partial?: boolean | undefined;
}

/** Finds lockfiles and reads them and an image, as a request for a scan. Files that cannot be read are in it, with the reason. */
export async function readSubmittedScan(options: SubmittedPaths) {
  const { paths, image: imagePath, target, labels, format, partial, maxBytes, signal } = options;
  const { scan, release, supportedUntil } = options;
  const image = imagePath && (await readImage(imagePath.path, imagePath.platform));
  const read = paths.length === 0 ? [] : await readLockfilePaths({ paths, signal, maxBytes, format });
  const lockfiles = read.map(({ path, format: named, companions = [], ...file }) => ({
    path,
    ...(named === undefined ? {} : { format: named }),
    ...submitted(file),
    companions: companions.map(({ name, ...companion }) => ({ name, ...submitted(companion) })),
  }));
  return {
    target,
    labels,
    lockfiles,
    ...(image === undefined ? {} : { image }),
    ...(partial === true ? { partial } : {}),
    ...defined({ scan, release, supportedUntil }),
  } satisfies SubmitScan;
}

/** The content of a file as JSON has it. */
function submitted(file: ProducedContent | StoredContent) {
  if ('unread' in file) return { unread: file.unread };
  if ('sha256' in file) throw new RangeError('a stored content is not submitted');
  const { content } = file;
  if (typeof content === 'string') return { content };
  return isUtf8(content) ? { content: content.toString() } : { base64: content.toString('base64') };
}
