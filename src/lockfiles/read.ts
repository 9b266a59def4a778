import type { Lockfile } from '../model/lockfile/lockfile.ts';
import { detectFormat } from './catalog.ts';
import { LockfileError } from './errors.ts';
import { unknownFormat } from './known-formats.ts';
import type { LockfileRequest, ReadRequest } from './read-as.ts';
import { decodeRequest, readDecoded, withCompanions } from './read-as.ts';

const HEAD_CHARACTERS = 4_096;

/** Reads one lockfile of any format. Throws `LockfileError`. */
export function readLockfile(request: ReadRequest): Lockfile {
  const { path, format } = request;
  const decoded = decodeRequest(request);
  const found = detectFormat(path, decoded.text.slice(0, HEAD_CHARACTERS), format);
  if (found === undefined) throw new LockfileError('unknown-format', unknownFormat(path, format));
  return readDecoded(found, decoded, request);
}

/** Reads a lockfile with its companions. */
export function readWithCompanions(request: LockfileRequest): Lockfile {
  return withCompanions(request, readLockfile);
}
