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

export interface EmbeddedValkey {
  /** `redis://127.0.0.1:<port>`. */
  readonly url: string;
  readonly pid: number;
  /** Ends the child process and waits until it is gone. May be called again. */
  close(): Promise<void>;
}

export interface ValkeyOptions {
  /** Gets each line that Valkey writes; meant for the debug log. */
  readonly log?: (line: string) => void;
  /** Ends Valkey when it aborts, whether it is ready by then or not. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a Valkey of our own on a loopback port chosen by the system; it keeps nothing on disk. It runs in a child
 * process because the engine writes its log to file descriptor 1, and ends when this process does, however that ends.
 * Throws `EmbeddedError` (`valkey-not-started`).
 */
export async function startValkey(options: ValkeyOptions = {}): Promise<EmbeddedValkey> {
  const log = options.log ?? (() => {});
  const child = forkChild(options.signal);
  const lastLines: string[] = [];
  const pass = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > 5) lastLines.shift();
    log(line);
  };
  forwardLines(child.stdout, pass);
  forwardLines(child.stderr, pass);
  const ended = endOf(child);
  const outcome = await Promise.race([firstMessage(child), ended]);
  const { pid } = child;
  if ('error' in outcome || pid === undefined) {
    child.kill('SIGKILL');
    await ended;
    throw notStarted('error' in outcome ? outcome.error : 'it has no process id', lastLines);
  }
  void ended.then(({ error }) => log(`embedded Valkey is gone: ${error}`));
  hold(child, false);
  return {
    url: `redis://127.0.0.1:${outcome.port}`,
    pid,
    close: async () => {
      hold(child, true);
      // There is nothing to save, and a script that never ends could not be asked.
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
    // Nothing of our environment: it may hold secrets, and Valkey needs none of it.
    env: {},
    execArgv: [],
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  });
}

function forwardLines(stream: Readable | null, pass: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', pass);
}

async function firstMessage(child: ChildProcess): Promise<ValkeyChildMessage> {
  const [message] = await once(child, 'message').catch((error: unknown) => [{ error: messageOf(error) }]);
  return message as ValkeyChildMessage;
}

/** Resolves when the process is gone, or could not be made at all; tells why. */
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

/** Whether the child keeps this process running: only while we wait for it. */
function hold(child: ChildProcess, held: boolean): void {
  const verb = held ? 'ref' : 'unref';
  child[verb]();
  child.channel?.[verb]();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream[verb]();
}

function notStarted(reason: string, lastLines: readonly string[]): EmbeddedError {
  const said = lastLines.length === 0 ? '' : ` Its last words: ${lastLines.join(' | ')}`;
  return new EmbeddedError(
    'valkey-not-started',
    `The embedded Valkey did not start: ${reason}. Set REDIS_URL to use a Redis or Valkey of your own.${said}`,
  );
}
