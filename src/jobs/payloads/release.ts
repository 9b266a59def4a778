import { hash } from 'node:crypto';
import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { releasedTarget, releaseIdOf, releaseIn } from '../../model/fleet/release.ts';
import type { ReleaseState } from '../../model/fleet/target-summary.ts';
import type { IngestedLockfile } from './lockfile-field.ts';

const MAX_ID = 200;

/** The name of a release. */
export const releaseName = () =>
  z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._+~/-]*$/, 'expected letters, digits and `._+~/-`, such as `2.4.1`');

const DAY_EXPECTED = 'expected a day, such as `2028-01-01`';

/** The last day on which a release is judged. */
export const supportDay = () =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, DAY_EXPECTED)
    .refine(isDay, DAY_EXPECTED);

function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The parts of a payload that a release restricts. */
interface ReleasedPayload {
  readonly target: { readonly id: string };
  readonly release?: string | undefined;
  readonly supportedUntil?: string | undefined;
  readonly partial?: boolean | undefined;
  readonly lockfiles: readonly object[];
}

/** Reports what of a payload a release does not permit. */
export function checkRelease(
  { target, release, supportedUntil, partial = false, lockfiles }: ReleasedPayload,
  addIssue: (path: string, message: string) => void,
): void {
  const named = releaseIn(target.id)?.release;
  if (named !== undefined && named !== release)
    addIssue('target', 'this is the id of a release: expected the id of its target, and `release`');
  if (release === undefined) {
    if (supportedUntil !== undefined) addIssue('supportedUntil', 'expected a `release`');
    return;
  }
  if (releaseIdOf(releasedTarget(target.id), release).length > MAX_ID)
    addIssue('release', `expected an id of the target and a name with at most ${MAX_ID} characters together`);
  if (partial) addIssue('partial', 'a release has all lockfiles of its target');
  if (lockfiles.length === 0 || lockfiles.some((file) => 'unread' in file))
    addIssue('lockfiles', 'expected the content of each lockfile of a release');
}

/** A release is the target of its scan. */
export function ofRelease<Payload extends ReleasedPayload>(payload: Payload): Payload {
  const { target, release } = payload;
  if (release === undefined) return payload;
  return { ...payload, target: { ...target, id: releaseIdOf(releasedTarget(target.id), release) } };
}

/** The stored part of a release; `undefined` for the scan of another target. */
export function releaseOf({
  release,
  supportedUntil,
  lockfiles,
}: Pick<ReleasedPayload, 'release' | 'supportedUntil'> & {
  readonly lockfiles: readonly IngestedLockfile[];
}): ReleaseState | undefined {
  if (release === undefined) return undefined;
  const hashOf = (file: object) => {
    if ('content' in file) return hash('sha256', String(file.content));
    return 'sha256' in file ? String(file.sha256) : '';
  };
  const files = lockfiles.map((file) => [
    ...[file.path, file.format ?? '', hashOf(file)],
    ...(file.companions ?? []).map((one) => `${one.name} ${hashOf(one)}`).sort(),
  ]);
  const digest = hash('sha256', JSON.stringify(files.map((file) => JSON.stringify(file)).sort()));
  return { digest, ...defined({ supportedUntil }) };
}
