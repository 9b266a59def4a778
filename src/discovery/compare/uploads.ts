import type { MediaUploadDescription } from '../description/description.ts';
import { uploadLimit } from '../upload/media-range.ts';
import { below, type Differences, type Place } from './differences.ts';

/** Compares the media uploads of a method; `place` is that of `mediaUpload`. */
export function compareUploads(
  found: Differences,
  place: Place,
  before: MediaUploadDescription | undefined,
  after: MediaUploadDescription | undefined,
): void {
  if (before === undefined) {
    if (after !== undefined) found.add('upload-added', 'compatible', place, 'accepts media now');
  } else if (after === undefined) found.add('upload-removed', 'breaking', place, 'no longer accepts media');
  else {
    compareProtocols(found, place, before, after);
    compareLimits(found, place, before, after);
  }
}

function compareProtocols(
  found: Differences,
  place: Place,
  before: MediaUploadDescription,
  after: MediaUploadDescription,
): void {
  for (const name of ['simple', 'resumable'] as const) {
    const [was, is] = [before.protocols?.[name], after.protocols?.[name]];
    const at = below(place, 'protocols', name);
    if (was === undefined) continue;
    if (is === undefined) found.add('upload-removed', 'breaking', at, `${name} upload is gone`);
    else if (was.path !== is.path) {
      found.add('path-changed', 'breaking', below(at, 'path'), `is ${is.path} now, not ${was.path}`);
    } else if (was.multipart === true && is.multipart !== true) {
      found.add('upload-narrowed', 'breaking', below(at, 'multipart'), 'no longer accepts metadata');
    }
  }
}

function compareLimits(
  found: Differences,
  place: Place,
  before: MediaUploadDescription,
  after: MediaUploadDescription,
): void {
  const { accept } = after;
  // Without a list every type is accepted.
  const removed =
    accept === undefined ? [] : (before.accept ?? ['*/*']).filter((range) => !accept.includes(range));
  if (removed.length > 0) {
    const message = `no longer names: ${removed.join(', ')}`;
    found.add('upload-narrowed', 'breaking', below(place, 'accept'), message);
  }
  if ((uploadLimit(after.maxSize) ?? Infinity) < (uploadLimit(before.maxSize) ?? Infinity)) {
    const message = `is ${after.maxSize} now, not ${before.maxSize ?? 'unlimited'}`;
    found.add('upload-narrowed', 'breaking', below(place, 'maxSize'), message);
  }
}
