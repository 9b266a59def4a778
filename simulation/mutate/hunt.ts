import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Message } from './part.ts';
import type { PlantedFile } from './plant.ts';

/** A history of a planted fault that takes longer than this in real time does not end. */
const HISTORY_LIMIT_MS = 180_000;

/** What came of a planted fault. */
export type Hunt =
  /** The sources do not load: the fault is none that could be released. */
  | { readonly kind: 'not-loaded' }
  | { readonly kind: 'survived'; readonly histories: number }
  | { readonly kind: 'found'; readonly histories: number; readonly failure: string };

/** Runs histories until one fails, the process ends or hangs, or so many have run. */
export function hunt(planted: readonly PlantedFile[], histories: number): Promise<Hunt> {
  return new Promise((resolve) => {
    let isLoaded = false;
    let ended = 0;
    const found = (failure: string): void => finish({ kind: 'found', histories: ended + 1, failure });
    const child = startPart([JSON.stringify(planted), `${histories}`]);
    const errors: Buffer[] = [];
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
    const hung = (): void => found(`does not end within ${HISTORY_LIMIT_MS / 1_000} s`);
    let limit = setTimeout(hung, HISTORY_LIMIT_MS);
    child.on('message', (message: Message) => {
      clearTimeout(limit);
      limit = setTimeout(hung, HISTORY_LIMIT_MS);
      if (message.kind === 'loaded') isLoaded = true;
      else if (message.kind !== 'ended') return;
      else if (message.failure !== undefined) found(`seed ${message.seed}: ${message.failure}`);
      else ended += 1;
    });
    child.on('close', () => {
      if (!isLoaded) finish({ kind: 'not-loaded' });
      else if (ended >= histories) finish({ kind: 'survived', histories: ended });
      else found(`the process ended: ${errorIn(Buffer.concat(errors).toString())}`);
    });
    function finish(hunt: Hunt): void {
      clearTimeout(limit);
      child.kill('SIGKILL');
      resolve(hunt);
    }
  });
}

/**
 * What ran of the sources, with these marks, in the first histories. `onFailure`: of a history that fails. Marks make scripts longer and so
 * change the order of events: it has found a fault of the sources as they are.
 */
export function coverageOf(
  marks: readonly PlantedFile[],
  histories: number,
  onFailure: (failure: string) => void,
): Promise<Message & { readonly kind: 'coverage' }> {
  return new Promise((resolve, reject) => {
    const child = startPart([JSON.stringify(marks), `${histories}`, 'coverage']);
    child.on('message', (message: Message) => {
      if (message.kind === 'coverage') resolve(message);
      else if (message.kind === 'ended' && message.failure !== undefined)
        onFailure(`seed ${message.seed}: ${message.failure}`);
    });
    child.on('close', (code) => reject(new Error(`the process ended (exit code ${code})`)));
  });
}

function startPart(args: readonly string[]) {
  return fork(join(import.meta.dirname, 'part.ts'), args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The line of an error that a process printed before it ended. */
function errorIn(output: string): string {
  return output.match(/^\w*Error.*$/m)?.[0] ?? output.trim().split('\n').at(-1) ?? '';
}
