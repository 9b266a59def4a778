import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Engine, EngineConnection, Image } from './engine.ts';
import { createOwner, type Owner, type Scheduler } from './scheduler.ts';

/** Least and most time that a chunk is under way, in milliseconds. */
const LATENCY_MS = [0.05, 2] as const;
/** A part of all chunks takes much longer. */
const SLOW_PART = 0.01;
const SLOW_MS = 60;
/** A part of all chunks arrives in two pieces. */
const SPLIT_PART = 0.02;
/**
 * Of a part of its restarts the server refuses connections: each client tries again and again, which was a tenth of all events. Of the others
 * they are open once it has started.
 */
const REFUSING_PART = 0.2;
/** The engine acts by itself at these intervals: blocked commands end, keys expire. */
const TICK_MS = 500;
/** Between two events of one direction of a connection: their order stays. */
const LEAST_MS = 0.001;

/** The way between clients and the server. Every chunk is an event of its own. */
export class Network {
  readonly scheduler: Scheduler;
  readonly engine: Engine;
  /** Work of the network goes on when a client dies: what it sent arrives. */
  readonly wire: Owner = createOwner('network');
  readonly #sockets = new Set<SimulatedSocket>();
  /** What happens when clients have received `left` more chunks. */
  readonly #awaited = new Set<{ readonly whose: Owner; left: number; readonly act: () => void }>();
  /** Until when the server acts on nothing, in virtual milliseconds. */
  #frozenUntil = 0;
  /** Until when nobody listens. */
  #downUntil = 0;
  /** Whether a connection that is opened meanwhile is refused. Otherwise it waits, as for a host that starts. */
  #refuses = false;
  #isTicking = true;
  /** Changes whenever the server has got something to act on, or another state. */
  arrivals = 0;

  constructor(scheduler: Scheduler, engine: Engine) {
    this.scheduler = scheduler;
    this.engine = engine;
    scheduler.as(this.wire, () => this.#tick());
  }

  connect(): Socket {
    const socket = new SimulatedSocket(this, this.scheduler.owner);
    this.#sockets.add(socket);
    return socket as unknown as Socket;
  }

  /** Whether the server can be reached now. */
  get isUp(): boolean {
    return this.scheduler.now >= this.#downUntil;
  }

  /** Whether the server acts on what arrives. */
  get isAnswering(): boolean {
    return this.isUp && this.scheduler.now >= this.#frozenUntil;
  }

  /** How long a connection that is opened now waits for the server, in milliseconds; `undefined`: it is refused. */
  get waitMs(): number | undefined {
    return this.isUp ? 0 : this.#refuses ? undefined : this.#downUntil - this.scheduler.now;
  }

  latency(): number {
    const { random } = this.scheduler;
    const [least, most] = LATENCY_MS;
    return random.next() < SLOW_PART ? random.next() * SLOW_MS : least + random.next() * (most - least);
  }

  /** In one piece or two. */
  pieces(chunk: Buffer): readonly Buffer[] {
    const { random } = this.scheduler;
    if (chunk.length < 2 || random.next() >= SPLIT_PART) return [chunk];
    const at = 1 + random.below(chunk.length - 1);
    return [chunk.subarray(0, at), chunk.subarray(at)];
  }

  /** Has the server act on what arrived, unless it is frozen: then it acts later. */
  act(): void {
    if (!this.isUp) return;
    if (this.scheduler.now < this.#frozenUntil) {
      this.scheduler.as(this.wire, () =>
        this.scheduler.after(this.#frozenUntil - this.scheduler.now, () => this.act()),
      );
      return;
    }
    this.engine.step();
  }

  /** Ends connections without what is under way. Default: those of everybody. */
  cut(whose?: Owner): void {
    for (const socket of [...this.#sockets]) if (whose === undefined || socket.owner === whose) socket.lose();
  }

  /** Closes the connections of a process that was killed. What it sent before arrives. */
  abandon(whose: Owner): void {
    for (const socket of [...this.#sockets]) if (socket.owner === whose) socket.abandon();
  }

  /** What a process has open. */
  left(whose: Owner): readonly string[] {
    return [...this.#sockets].some(({ owner }) => owner === whose) ? ['an open connection'] : [];
  }

  /** Calls the function once, when a client has received so many more chunks and before it receives another one. */
  beforeChunk(whose: Owner, chunks: number, act: () => void): void {
    this.#awaited.add({ whose, left: chunks, act });
  }

  /** A client is about to receive a chunk. */
  announce(whose: Owner): void {
    for (const one of this.#awaited) {
      if (one.whose !== whose || one.left-- > 0) continue;
      this.#awaited.delete(one);
      one.act();
    }
  }

  freeze(ms: number): void {
    this.#frozenUntil = this.scheduler.now + ms;
  }

  /** Stops the server for some time. It starts again with what an image has: what was written since is lost. */
  restart(ms: number, image: Image): void {
    this.#downUntil = this.scheduler.now + ms;
    this.#refuses = this.scheduler.random.next() < REFUSING_PART;
    this.#frozenUntil = 0;
    this.engine.restore(image);
    this.arrivals += 1;
    this.cut();
  }

  forget(socket: SimulatedSocket): void {
    this.#sockets.delete(socket);
  }

  close(): void {
    this.#isTicking = false;
  }

  #tick(): void {
    if (!this.#isTicking) return;
    this.act();
    this.scheduler.after(TICK_MS, () => this.#tick());
  }
}

/** The client's end of a connection, with what ioredis uses of a socket. */
class SimulatedSocket extends Duplex {
  connecting = true;
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 6_379;
  readonly #network: Network;
  readonly owner: Owner;
  #connection: EngineConnection | undefined;
  #isLost = false;
  /** Times at which the last chunks arrive in each direction. */
  #arrivesThere = 0;
  #arrivesHere = 0;

  constructor(network: Network, owner: Owner) {
    super({ allowHalfOpen: false });
    this.#network = network;
    this.owner = owner;
    network.scheduler.after(network.latency(), () => this.#open());
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(ms: number, act?: () => void): this {
    if (act !== undefined && ms > 0) this.once('timeout', act);
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Ends the connection on both sides; what is under way is lost. */
  lose(): void {
    if (this.#isLost) return;
    this.#leave();
    const { scheduler } = this.#network;
    scheduler.as(this.owner, () =>
      scheduler.after(0, () =>
        this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })),
      ),
    );
  }

  /** Ends the connection for the server once it has read what was sent. */
  abandon(): void {
    const { scheduler, wire } = this.#network;
    const ms = Math.max(0, this.#arrivesThere - scheduler.now) + LEAST_MS;
    scheduler.as(wire, () => scheduler.after(ms, () => this.#leave()));
  }

  #leave(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#network.forget(this);
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.isEnded = true;
    const { scheduler, wire } = this.#network;
    scheduler.as(wire, () => scheduler.after(0, () => this.#network.act()));
  }

  #open(): void {
    if (this.destroyed || this.#isLost) return;
    const { scheduler, waitMs, wire } = this.#network;
    if (waitMs !== undefined && waitMs > 0) {
      // The system waits, not the process, which may close the socket meanwhile.
      const ms = waitMs + this.#network.latency();
      scheduler.as(wire, () => scheduler.after(ms, () => scheduler.as(this.owner, () => this.#open())));
      return;
    }
    if (waitMs === undefined) {
      this.#isLost = true;
      this.#network.forget(this);
      this.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
      return;
    }
    this.#connection = this.#network.engine.open(
      (chunk) => this.#receive(chunk),
      () => this.#receive(null),
    );
    this.connecting = false;
    this.emit('connect');
  }

  #receive(chunk: Buffer | null): void {
    const { scheduler } = this.#network;
    this.#arrivesHere = Math.max(this.#arrivesHere + LEAST_MS, scheduler.now + this.#network.latency());
    scheduler.as(this.owner, () => {
      for (const piece of chunk === null ? [null] : this.#network.pieces(chunk)) {
        scheduler.after(this.#arrivesHere - scheduler.now, () => {
          this.#network.announce(this.owner);
          if (!this.destroyed && !this.#isLost && this.owner.alive) this.push(piece);
        });
        this.#arrivesHere += LEAST_MS;
      }
    });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send(chunk);
    done();
  }

  /** What was written while the socket was corked is sent at once, as a system does it. */
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  #send(bytes: Buffer): void {
    const { scheduler, wire } = this.#network;
    this.#arrivesThere = Math.max(this.#arrivesThere + LEAST_MS, scheduler.now + this.#network.latency());
    scheduler.as(wire, () => {
      for (const piece of this.#network.pieces(bytes)) {
        scheduler.after(this.#arrivesThere - scheduler.now, () => {
          if (this.#isLost || this.#connection === undefined) return;
          this.#network.engine.receive(this.#connection, piece);
          this.#network.arrivals += 1;
          this.#network.act();
        });
        this.#arrivesThere += LEAST_MS;
      }
    });
  }

  /** The server reads that the client has nothing more to send, and closes the connection too. */
  override _final(done: () => void): void {
    const { scheduler, wire } = this.#network;
    const at = Math.max(this.#arrivesThere + LEAST_MS, scheduler.now + this.#network.latency());
    scheduler.as(wire, () =>
      scheduler.after(at - scheduler.now, () => {
        if (this.#isLost) return;
        if (this.#connection === undefined) return this.#receive(null);
        this.#connection.isEnded = true;
        this.#network.act();
      }),
    );
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isLost) this.#leave();
    done(error);
  }
}
