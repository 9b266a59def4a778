/** Entry point of a thread that reads lockfiles one after the other. `thread.ts` starts it. */
import { parentPort } from 'node:worker_threads';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import { readWithCompanions } from '../read.ts';
import type { LockfileRequest } from '../read-as.ts';
import { type FromThread, PACKAGES_A_PART, type ToThread } from './messages.ts';

let rest: readonly LockedPackage[] = [];
let sent = 0;

parentPort?.on('message', (message: ToThread) => {
  parentPort?.postMessage(message === 'next' ? nextPart() : readFile(message.read));
});

function readFile(request: LockfileRequest): FromThread {
  try {
    const { packages, ...lockfile } = readWithCompanions(withBuffers(request));
    rest = packages;
    sent = 0;
    return { lockfile, count: packages.length };
  } catch (error) {
    if (error instanceof LockfileError) return { error: { code: error.code, message: error.message } };
    return { fault: summaryOf(error) };
  }
}

/** The error and its first stack frame. */
function summaryOf(error: unknown): string {
  const lines = error instanceof Error ? (error.stack ?? error.message).split('\n') : [String(error)];
  return lines
    .slice(0, 2)
    .map((line) => line.trim().slice(0, 300))
    .join(' ');
}

/** Buffers arrive as Uint8Array. */
function withBuffers(request: LockfileRequest): LockfileRequest {
  return {
    ...request,
    content: asBuffer(request.content),
    companions: request.companions.map((one) =>
      one.content === undefined ? one : { ...one, content: asBuffer(one.content) },
    ),
  };
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function nextPart(): FromThread {
  const part = rest.slice(sent, sent + PACKAGES_A_PART);
  sent += part.length;
  if (sent >= rest.length) rest = [];
  return { packages: JSON.stringify(part) };
}
