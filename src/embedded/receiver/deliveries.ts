/** One request that reached the receiver. */
export interface Delivery {
  /** RFC 3339. */
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The accepted requests of one `webhook-id`. */
export interface ReceivedWebhook extends Delivery {
  /** The `webhook-id` header; `unnamed-1`, `unnamed-2`, … for deliveries without one. */
  readonly id: string;
  /** Number of accepted requests with that id: more than 1 when the sender repeated it. */
  readonly taken: number;
  /** Number of all requests with that id, refused and broken ones included. */
  readonly attempts: number;
}

/** Stores deliveries and recognises repeats by their `webhook-id`, as receivers should. */
export class DeliveryLog {
  readonly #taken = new Map<string, { first: Delivery; count: number }>();
  readonly #attempts = new Map<string, number>();
  #unnamed = 0;

  /** Counts an attempt and returns its id. */
  attempt({ headers }: Delivery): string {
    const id = headers['webhook-id'] ?? `unnamed-${++this.#unnamed}`;
    this.#attempts.set(id, (this.#attempts.get(id) ?? 0) + 1);
    return id;
  }

  accept(id: string, delivery: Delivery): void {
    const known = this.#taken.get(id);
    if (known === undefined) this.#taken.set(id, { first: delivery, count: 1 });
    else known.count += 1;
  }

  /** Deliveries in the order in which they were first accepted. */
  get webhooks(): readonly ReceivedWebhook[] {
    return [...this.#taken].map(([id, { first, count }]) => ({
      ...first,
      id,
      taken: count,
      attempts: this.#attempts.get(id) ?? count,
    }));
  }

  /** Number of all requests. */
  get attempts(): number {
    return [...this.#attempts.values()].reduce((sum, count) => sum + count, 0);
  }
}
