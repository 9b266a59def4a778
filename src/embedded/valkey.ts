import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../model/errors.ts';
import { EmbeddedError } from './errors.ts';
import type { ValkeyChildMessage } from './valkey-child.ts';

export type EmbeddedValkey = Awaited<ReturnType<typeof startValkey>>;

export interface ValkeyOptions {
  /** Called with each line that Valkey writes. */
  readonly log?: (line: string) => void;
  /** Ends Valkey when it aborts, also before it is ready. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts a Valkey on a loopback port chosen by the system, without files on disk. It runs in a child process because the
 * engine writes its log to file descriptor 1. The child ends with this process, also when that is killed.
 * Throws `EmbeddedError` (`valkey-not-started`).
 */
export async function startValkey(options: ValkeyOptions = {}) {
  const log = options.log ?? (() => {});
  const child = forkChild(options.signal);
  const lastLines: string[] = [];
  const keep = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > 5) lastLines.shift();
    log(line);
  };
  forwardLines(child.stdout, keep);
  forwardLines(child.stderr, keep);
  const ended = endOf(child);
  const outcome = await Promise.race([firstMessage(child), ended]);
  const { pid } = child;
  if ('error' in outcome || pid === undefined) {
    child.kill('SIGKILL');
    await ended;
    throw notStarted('error' in outcome ? outcome.error : 'it has no process id', lastLines);
  }
  void ended.then(({ error }) => log(`the embedded Valkey ended: ${error}`));
  hold(child, false);
  return {
    url: `redis://127.0.0.1:${outcome.port}`,
    pid,
    /** Ends the child process and waits for its exit. May be called more than once. */
    close: async (): Promise<void> => {
      hold(child, true);
      // There is nothing to save, and a script in an endless loop cannot answer.
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function forkChild(signal: AbortSignal | undefined): ChildProcess {
  // Sources run as `.ts` under type stripping, the published build as `.js`.
  const entry = new URL(`valkey-child${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  return fork(fileURLToPath(entry), [], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Without the environment, which may hold secrets.
    env: {},
    execArgv: [],
    killSignal: 'SIGKILL',
    signal,
  });
}

function forwardLines(stream: Readable | null, pass: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', pass);
}

async function firstMessage(child: ChildProcess): Promise<ValkeyChildMessage> {
  const [message] = await once(child, 'message').catch((error: unknown) => [{ error: messageOf(error) }]);
  return message as ValkeyChildMessage;
}

/** Resolves with the reason when the process has ended or could not be created. */
function endOf(child: ChildProcess): Promise<{ readonly error: string }> {
  return new Promise((resolve) => {
    let failure: string | undefined;
    child.on('error', (error) => {
      failure ??= messageOf(error);
      if (child.pid === undefined) resolve({ error: failure });
    });
    child.once('close', (code, signal) =>
      resolve({ error: failure ?? `its process ended with ${signal ?? `exit code ${code}`}` }),
    );
  });
}

/** Sets whether the child keeps this process running. */
function hold(child: ChildProcess, held: boolean): void {
  const verb = held ? 'ref' : 'unref';
  child[verb]();
  child.channel?.[verb]();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream[verb]();
}

function notStarted(reason: string, lastLines: readonly string[]): EmbeddedError {
  const output = lastLines.length === 0 ? '' : ` Its last output: ${lastLines.join(' | ')}`;
  return new EmbeddedError(
    'valkey-not-started',
    `The embedded Valkey did not start: ${reason}. Or set REDIS_URL to use your own Redis or Valkey.${output}`,
  );
}
